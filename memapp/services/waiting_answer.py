"""What waits for the person's yes and would answer a question: that it waits is said, and only in its own chat what."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from memapp.domain.consent import ConsentRequest, label
from memapp.domain.profile import Hint
from memapp.domain.text import one_line, shorten
from memapp.language.english.answering_sentence import certain, is_about_same, may_answer, may_tell_job, whole_sentences
from memapp.language.english.authorship import own_words
from memapp.language.english.grammar import EN
from memapp.language.english.memory_question import MemoryQuestion, kind_of_life
from memapp.language.english.withheld import says_any, told_beside
from memapp.prompts import own_remarks, quotes
from memapp.runtime import Runtime
from memapp.services.consent import pending
from memapp.services.kind_of_life import of_kind
from memapp.services.likest import NEAR, likeness
from memapp.store import chat

WAITS = own_remarks.WAITS[0]
TOLD_HERE = 'You told me here: "{}". Whether I may keep it waits in the inbox for your yes or no.'
QUOTE_CHARS = 200
AMONG = 20
"""The waiting requests that are read for what they wait with."""


def waiting_for(runtime: Runtime, asked: str, question: MemoryQuestion, told: float) -> tuple[ConsentRequest, str] | None:
    """Return what waits for the person's yes and would answer, for sure or nearer than what may be `told`, and its sentence."""
    requests = pending.list_pending(runtime)[:AMONG]
    said = [(request, one) for request in requests for _, one in _said(runtime, request)]
    of_field = [(one, "") for one in requests if question.field and one.field == question.field]
    sure = ((request, one) for request, one in said if certain(question, f"{one} {request.new_value}", is_fact=False))
    if found := next(chain(of_field, sure), None):
        return found
    if (kind := kind_of_life(question)) == "job":
        jobs = [(request, one) for request, one in said if may_tell_job(request.new_value)]
        rated = of_kind(runtime, kind, [request.new_value for request, _ in jobs])
        if told_job := next((job for job, (like, _) in zip(jobs, rated, strict=True) if like > told), None):
            return told_job
    of_anything = question.wants == "reason"
    theirs = [(request, one) for request, one in said if of_anything or is_about_same(question, one, is_fact=False)]
    asked_of = replace(question, is_yes_or_no=False)  # nothing is claimed: it may be this that is asked about
    near = [(request, one) for request, one in theirs if may_answer(asked_of, one, is_fact=False)]
    alike = likeness(runtime, asked, question, [f"{label(request.field)}: {one}" for request, one in near])
    likely = [(like, place) for place, like in enumerate(alike) if like >= NEAR and like > told]
    return near[max(likely)[1]] if likely else None


def that_it_waits(runtime: Runtime, waiting: Sequence[ConsentRequest], thread_id: str, answer: str = "") -> str:
    """Say that something waits for a yes; only in the chat where it was told, where it stands anyway, with what was said.

    Of several sentences that is the one with the answer, if it is known.
    """
    told = [said for request in waiting for thread, said in _said(runtime, request) if thread == thread_id]
    told = [one for one in told if one == answer] or told
    return TOLD_HERE.format(shorten(one_line(told[-1]), QUOTE_CHARS)) if told else WAITS


def _said(runtime: Runtime, request: ConsentRequest) -> Iterator[tuple[str, str]]:
    """Yield what says what a request proposes, with the chat it was said in: of each sentence that which may not be told."""
    for message in chat.get_messages(runtime.read(), request.evidence):
        hints = [Hint(request.field, request.new_value)]
        for sentence in whole_sentences(own_words(message.typed_text)):
            left = sentence
            for told in told_beside(sentence, hints).splitlines():
                left = left.replace(told.removesuffix("…"), "")
            if says_any(left, hints) and not quotes.asks(sentence):
                yield message.thread_id, _whole(left)


def _whole(left: str) -> str:
    """Return what is left of a sentence without the `and` or the comma that led to what is not."""
    words = left.strip(" ,;:").split(" ")
    kept = [at for at, word in enumerate(words) if word.casefold() not in EN.coordinators]
    return " ".join(words[kept[0] : kept[-1] + 1]).strip(" ,;:") if kept else ""
