"""What was said before that is likest to a question, where nothing answers it for sure and only what was said can.

It is quoted with its day, and the person judges: a small model would make up an answer.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from memapp.domain.chat import FROM_MEMORY, OWN_WORDS, Message
from memapp.domain.memory import Recalled
from memapp.domain.text import one_line, shorten
from memapp.domain.when import NamedTime
from memapp.language.english.memory_question import MemoryQuestion, about_what_was_said
from memapp.language.english.past_asked import asked_of_past, reads
from memapp.language.english.when import named_times
from memapp.language.language_of import language_of
from memapp.prompts.quotes import asks, is_small_talk, is_task
from memapp.runtime import Runtime
from memapp.services.embed import embedded
from memapp.services.query import conversation_scope, find
from memapp.services.quoted import LINES, QUOTE_CHARS, ToldLine, around, as_quote, quotable_of
from memapp.services.recall import RecallRequest
from memapp.services.talked_about import said_at
from memapp.services.tellable import tellable
from memapp.store import chat

AMONG = 60
"""So many of the best hits are looked through for those of the one who is asked about."""
LIKENED = 8
"""So many of these are likened to the question sentence by sentence; more find no more (`benchmarks.own_answers`)."""
OF_RANK = 0.3
"""How much it counts beside likeness in meaning how well the search found it."""
LIKE, LIKE_SENTENCE = 0.35, 0.3
"""What is less like a question has nothing to do with it, as a whole or in each sentence."""


def said_like(runtime: Runtime, message: Message) -> list[ToldLine]:
    """Return at most two lines of what was said that a message asks for; none where it asks for something else."""
    by = asked_of(runtime, message.text)
    if not by:
        return []
    question = about_what_was_said(message.text, "replied" if by == "said" else "person")
    times = named_times(message.text, runtime.clock().astimezone().date())
    lines, said = list[ToldLine](), list[list[str]]()
    for hit in _found(runtime, message, question, times):
        sentences = quotable_of(runtime, question, message.thread_id, chat.get_message(runtime.read(), hit.id))
        if len(lines) < LIKENED and not all(map(is_small_talk, sentences)):
            lines.append(ToldLine(hit, "", hit.score))
            said.append(sentences)
    return sorted(_likened(runtime, message, question, lines, said), key=lambda line: -line.sure)[:LINES]


def asked_of(runtime: Runtime, text: str) -> str:
    """Return `told` or `said` where a message asks for what the person told, or was told, before; else nothing."""
    embedder = runtime.embedding.ready()
    is_read = embedder is not None and reads(embedder.model_id) and language_of(text).reads_tone
    if not is_read or not ("?" in text or asks(text) or is_task(text)):
        return ""
    rows = embedded(runtime, [text])
    return "" if rows is None else asked_of_past(text, rows[0])


def _found(runtime: Runtime, message: Message, question: MemoryQuestion, times: Sequence[NamedTime]) -> list[Recalled]:
    """Return what the one who is asked about said, on the days that are named, best first."""
    request = RecallRequest(message.text, AMONG, frozenset({message.id}), ("message",), conversation_scope(runtime))
    hits = {hit.id: hit for hit in find(runtime, request)}
    then = {one.id: Recalled.of_message(one, "then") for one in said_at(runtime, list(times)) if one.id != message.id}
    if times:
        hits = {key: hits.get(key) or replace(hit, score=0.0) for key, hit in then.items()}
    found = with_replies(runtime, list(hits.values())) if question.about == "replied" else list(hits.values())
    said_by = "assistant" if question.about == "replied" else "user"
    return sorted((hit for hit in found if hit.said_by == said_by), key=lambda hit: -hit.score)


def with_replies(runtime: Runtime, hits: Sequence[Recalled]) -> list[Recalled]:
    """Return hits with the replies to those that the person wrote, as good as these: what was asked is not said again in them."""
    session = runtime.read()
    asked = [hit for hit in hits if hit.said_by == "user"]
    replies = [(hit, one) for hit in asked for one in tellable(session, chat.variants(session, hit.id)) if one.active]
    there = {hit.id: hit for hit in hits}
    for hit, one in replies:
        reply = there.get(one.id) or replace(hit, id=one.id, text=one_line(one.text), said_by="assistant")
        there[one.id] = replace(reply, score=max(reply.score, hit.score))
    return sorted(there.values(), key=lambda hit: -hit.score)


def _likened(
    runtime: Runtime, message: Message, question: MemoryQuestion, lines: Sequence[ToldLine], said: Sequence[Sequence[str]]
) -> list[ToldLine]:
    """Return the lines that are like a question by their likest sentence, and as a whole with what they are said to."""
    wholes = [" ".join([*_said_to(runtime, line.hit), *one]) for line, one in zip(lines, said, strict=True)]
    rows = embedded(runtime, [message.text, *wholes, *chain.from_iterable(said)]) if lines else None
    if rows is None:
        return []
    alike = (rows[1:] @ rows[0]).tolist()
    of_sentences = iter(alike[len(wholes) :])
    found: list[ToldLine] = []
    for line, sentences, whole in zip(lines, said, alike, strict=False):
        likest = [next(of_sentences) for _ in sentences]
        like = (whole + max(likest)) / 2
        if like >= LIKE and max(likest) >= LIKE_SENTENCE:
            text = as_quote(runtime, question, line.hit, [around(sentences, likest.index(max(likest)))])
            found.append(replace(line, text=text, sure=like + OF_RANK * line.hit.score))
    return found


def _said_to(runtime: Runtime, hit: Recalled) -> list[str]:
    """Return what the other one said just before."""
    message = chat.get_message(runtime.read(), hit.id)
    before = chat.list_messages(runtime.read(), message.thread_id, before=message.seq, limit=1)
    own = (OWN_WORDS, FROM_MEMORY)
    return [shorten(one_line(one.text), QUOTE_CHARS) for one in before if one.role is not message.role and one.model not in own]
