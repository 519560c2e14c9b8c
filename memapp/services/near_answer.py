"""What may be the answer to a question put to the memory, though not for sure: what is near in meaning, or waits for a yes."""

from collections.abc import Iterator, Sequence

from memapp.domain.consent import ConsentRequest, label
from memapp.domain.profile import Hint
from memapp.language.english.answering_sentence import certain, is_held_half, may_answer, names
from memapp.language.english.authorship import own_words
from memapp.language.english.grammar import sentences
from memapp.language.english.memory_question import MemoryQuestion, looked_up_beside
from memapp.language.english.withheld import says_any, told_beside
from memapp.prompts import quotes
from memapp.runtime import Runtime
from memapp.services.consent import pending
from memapp.services.embed import embedded
from memapp.store import chat

NEAR = 0.35
"""A sentence less like the question than this has nothing to do with it."""
AMONG = 20
"""The waiting requests that are read for what they wait with."""


def likeness(runtime: Runtime, asked: str, question: MemoryQuestion, said: Sequence[str]) -> list[float]:
    """Return how near in meaning sentences are to a question, as it was asked or as it was read.

    Without an embedding model, those that hold half its words are near. Of a day, or somebody, and no more, all is.
    """
    texts = [asked, f"{question.text}?", *(f"{question.text} {one}" for one in looked_up_beside(question))]
    rows = embedded(runtime, [*texts, *said]) if said else None
    if rows is None:
        return [float(is_held_half(question, one)) for one in said]
    near = (rows[len(texts) :] @ rows[: len(texts)].T).max(axis=1)
    return [max(float(like), NEAR) if _is_all_of(question, one) else float(like) for one, like in zip(said, near, strict=True)]


def _is_all_of(question: MemoryQuestion, sentence: str) -> bool:
    """Say whether a question asks no more than of whom, or of what day, a sentence is."""
    is_of_it = question.kin or quotes.shares_subject(question.text, sentence)
    return not question.other and bool(is_of_it) and names(question, sentence)


def waits(runtime: Runtime, asked: str, question: MemoryQuestion, told: float) -> bool:
    """Say whether what waits for the person's yes would answer: for sure, or nearer than what may be `told`."""
    requests = pending.list_pending(runtime)[:AMONG]
    if question.field and any(one.field == question.field for one in requests):
        return True
    said = [(request, one) for request in requests for one in _said(runtime, request)]
    if any(certain(question, one, is_fact=False) for _, one in said):
        return True
    near = [(request, one) for request, one in said if may_answer(question, one, is_fact=False)]
    of_field = [f"{label(request.field)}: {one}" for request, one in near]
    return any(like >= NEAR and like > told for like in likeness(runtime, asked, question, of_field))


def _said(runtime: Runtime, request: ConsentRequest) -> Iterator[str]:
    """Yield what says what a request proposes, of each sentence that which may not be told."""
    session = runtime.read()
    for message in (chat.get_message(session, one) for one in chat.still_there(session, request.evidence)):
        hints = [Hint(request.field, request.new_value)]
        for sentence in sentences(own_words(message.typed_text)):
            left = sentence
            for told in told_beside(sentence, hints).splitlines():
                left = left.replace(told.removesuffix("…"), "")
            if says_any(left, hints):
                yield left
