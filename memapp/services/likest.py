"""What is known or was said that is likest to a question, where nothing answers it for sure.

It is told as it was said, with its day, and the person judges: a small model would make up an answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from memapp.domain.chat import Message, Role
from memapp.domain.memory import Recalled
from memapp.domain.text import one_line
from memapp.domain.when import NamedTime
from memapp.language.english.answering_sentence import is_held_half, may_answer, names, speaks_of_same, with_subject
from memapp.language.english.dates import dated, local_day
from memapp.language.english.memory_question import MemoryQuestion, about_what_was_said, looked_up_beside
from memapp.language.english.past_asked import PastOf, asked_of_past, reads
from memapp.language.english.second_person import answered
from memapp.language.english.when import named_times
from memapp.language.language_of import language_of
from memapp.prompts import quotes
from memapp.runtime import Runtime
from memapp.services.embed import embedded
from memapp.services.query import conversation_scope, find
from memapp.services.quoted import LINES, QUOTE_CHARS, ToldLine, around, as_quote, quotable_of, said_before, said_to
from memapp.services.recall import RecallRequest
from memapp.services.talked_about import said_at
from memapp.services.tellable import tellable
from memapp.store import chat, memories

UNSURE = "I am not sure. This is what I know of it:"
LIKE, LIKE_WANTED, LIKE_THEN = 0.4, 0.32, 0.2
"""What is less like a question has nothing to do with it, or less even if it has the kind of thing that is asked for; and so has
what was said at the time that is asked about."""
LIKE_SENTENCE = 0.25
"""The same of the sentence that is told, beside the whole of what was said."""
NEAR = 0.35
"""A sentence less like a question than this is far from it."""
LIKELY = 0.45
"""Nine in ten right answers are as like a question, and one in ten of the likest to what was never told (the former of
the questions of `benchmarks.own_answers`, the latter of thirty that nothing in these chats answers)."""
OF_RANK, OF_WANTED, OF_TIME, OF_LENGTH = 0.3, 0.1, 0.15, 0.15
"""How much counts beside likeness: how well a search found it; that it has the kind of thing that is asked for, and is of the
time that is; and how much a reply says, since one that answered says more than one that asked back."""
FAR = 0.3
"""What is less like a question does not answer it behind another line."""
SECOND = 0.3
"""So much less likely may a second line be."""
LEAST_WORDS = 4
"""Of fewer words, what somebody answers says nothing: `of course`."""
FOUND = 60
"""So many of the best hits are looked through for those of the one who is asked about."""
LIKENED, LIKENED_THEN = 8, 30
"""So many of these are likened to the question, and of those that are of the time it asks about."""


def likeness(runtime: Runtime, asked: str, question: MemoryQuestion, said: Sequence[str]) -> list[float]:
    """Return how near in meaning sentences are to a question, as it was asked or as it was read.

    Without an embedding model, those that hold half its words are near. Of a day, or somebody, and no more, all is.
    """
    texts = [asked, f"{question.text}?", *(f"{question.text} {one}" for one in looked_up_beside(question))]
    rows = embedded(runtime, [*texts, *said]) if said else None
    if rows is None:
        return [float(is_held_half(question, one)) for one in said]
    near = (rows[len(texts) :] @ rows[: len(texts)].T).max(axis=1)
    return [max(float(like), LIKE) if _is_all_of(question, one) else float(like) for one, like in zip(said, near, strict=True)]


def nearest(
    runtime: Runtime, question: MemoryQuestion, asked: Message, hits: Sequence[Recalled], times: Sequence[NamedTime]
) -> list[ToldLine]:
    """Return at most two lines that may answer a question, likest first; `times` are those that it asks about.

    A hit is as like a question as its likest sentence and the whole of it are, with what the other one said before.
    """
    candidates = [one for hit in {hit.id: hit for hit in hits}.values() if (one := _candidate(runtime, question, asked, hit))]
    texts = list(chain.from_iterable([one.whole, *one.told] for one in candidates))
    alike = iter(likeness(runtime, asked.text, question, texts))
    rated: list[tuple[float, ToldLine]] = []
    for one in candidates:
        whole, *sentences = (next(alike) for _ in range(1 + len(one.told)))
        at = max(one.of_them, key=lambda place: sentences[place] + OF_WANTED * (place in one.answering))
        like = (whole + sentences[at]) / 2
        is_then = one.hit.kind == "message" and any(time.fits(one.hit.at.astimezone()) for time in times)
        is_then = is_then and names(question, one.whole)
        least = LIKE_THEN if is_then else LIKE_WANTED if at in one.answering else LIKE
        if like >= least and sentences[at] >= min(least, LIKE_SENTENCE):
            rate = like + OF_RANK * one.hit.score + OF_WANTED * (at in one.answering) + OF_TIME * is_then
            if question.about == "replied":
                rate += OF_LENGTH * min(1.0, sum(map(len, one.told)) / QUOTE_CHARS)
            rated.append((rate, ToldLine(one.hit, _as_told(runtime, question, one, at), like, one.told[at])))
    rated.sort(key=lambda line: -line[0])
    return _without_parts(runtime, [line for rate, line in rated if rate >= rated[0][0] - SECOND])[:LINES]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A hit that is held against a question."""

    hit: Recalled
    told: Sequence[str]
    """Its sentences that may be told."""
    of_them: Sequence[int]
    """Which of these speak of whom the question names, and say something."""
    answering: frozenset[int]
    """Which have the kind of thing that is asked for."""
    whole: str
    """All of them, behind what the other one said before."""


def _candidate(runtime: Runtime, question: MemoryQuestion, asked: Message, hit: Recalled) -> _Candidate | None:
    if hit.kind == "memory":
        told, meant, before = [hit.text], [hit.text], []
    else:
        message = chat.get_message(runtime.read(), hit.id)
        told = quotable_of(runtime, question, asked.thread_id, message)
        meant = [with_subject(one, said_before(runtime, message, one)) for one in told]
        before = said_to(runtime, hit)
    says = [at for at, one in enumerate(told) if not (quotes.is_small_talk(one) or quotes.asks(one))]
    of_them = [at for at in says if _is_of_them(question, meant[at])]
    answering = frozenset(at for at in of_them if may_answer(question, meant[at], is_fact=hit.kind == "memory"))
    return _Candidate(hit, told, of_them, answering, " ".join([*before, *told])) if of_them else None


def _is_of_them(question: MemoryQuestion, sentence: str) -> bool:
    """Say whether a sentence speaks of whom a question names; asked what was said, all may."""
    if question.is_told:
        return not question.is_yes_or_no or names(question, sentence)
    return speaks_of_same(question, sentence)


def _as_told(runtime: Runtime, question: MemoryQuestion, candidate: _Candidate, at: int) -> str:
    if candidate.hit.kind == "memory":
        return answered(candidate.told[at])
    message = chat.get_message(runtime.read(), candidate.hit.id)
    return as_quote(runtime, question, candidate.hit, [around(candidate.told, at)], message)


def _without_parts(runtime: Runtime, lines: Sequence[ToldLine]) -> list[ToldLine]:
    """Leave out facts whose message is told: it says them, and what is beside them."""
    quoted = {line.hit.id for line in lines if line.hit.kind == "message"}
    facts = memories.get_memories(runtime.read(), [line.hit.id for line in lines if line.hit.kind == "memory"])
    parts = {fact.id for fact in facts if not quoted.isdisjoint(fact.sources)}
    return [line for line in lines if line.hit.id not in parts]


def _is_all_of(question: MemoryQuestion, sentence: str) -> bool:
    """Say whether a question asks no more than of whom, or of what day, a sentence is."""
    is_of_it = question.kin or quotes.shares_subject(question.text, sentence)
    return not question.other and bool(is_of_it) and names(question, sentence)


def said_like(runtime: Runtime, message: Message, asked_of: PastOf) -> list[ToldLine]:
    """Return at most two lines of what was said, by the one who is asked about, that is likest to a message."""
    question = about_what_was_said(message.text, "replied" if asked_of == "said" else "person")
    today = local_day(message)
    times = named_times(dated(message.text, today), today)
    return nearest(runtime, question, message, _found(runtime, message, question, times), times)


def past_asked(runtime: Runtime, text: str) -> tuple[PastOf, float]:
    """Return whether a message asks for what the person told, or was told, before, and how sure that is."""
    embedder = runtime.embedding.ready()
    is_read = embedder is not None and reads(embedder.model_id) and language_of(text).reads_tone
    if not is_read or not ("?" in text or quotes.asks(text) or quotes.is_task(text)):
        return "", 0.0
    rows = embedded(runtime, [text])
    return ("", 0.0) if rows is None else asked_of_past(text, rows[0])


def _found(runtime: Runtime, message: Message, question: MemoryQuestion, times: Sequence[NamedTime]) -> list[Recalled]:
    """Return what the one who is asked about said: at the times that are named, then otherwise, best first."""
    request = RecallRequest(message.text, FOUND, frozenset({message.id}), ("message",), conversation_scope(runtime))
    hits = {hit.id: hit for hit in find(runtime, request)}
    said_then = (replace(Recalled.of_message(one, "then"), score=0.0) for one in said_at(runtime, times) if one.id != message.id)
    found = [*hits.values(), *(hit for hit in said_then if hit.id not in hits)]
    found = with_replies(runtime, found) if question.about == "replied" else found
    by_them = [hit for hit in found if (hit.said_by == "assistant") == (question.about == "replied")]
    then = [hit for hit in by_them if any(time.fits(hit.at.astimezone()) for time in times)]
    return [*then[:LIKENED_THEN], *[hit for hit in by_them if hit not in then][:LIKENED]]


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


def with_what_followed(runtime: Runtime, question: MemoryQuestion, thread_id: str, lines: Sequence[ToldLine]) -> list[ToldLine]:
    """Put what the person said next, when they were asked about what the first line tells, in the place of a less likely one.

    "I am upset today" tells nothing of why; what follows on "What happened?" does.
    """
    if not lines:
        return []
    first, *others = lines
    following = _followed(runtime, question, thread_id, first.hit)
    if following is None or following.hit.id in (line.hit.id for line in lines):
        return [*lines]
    alike = likeness(runtime, question.core, question, [following.said, *(line.said or line.hit.text for line in others)])
    least = max([0.0 if question.is_told else FAR, *alike[1:]])
    return [first, following] if alike[0] >= least else [*lines]


def _followed(runtime: Runtime, question: MemoryQuestion, thread_id: str, hit: Recalled) -> ToldLine | None:
    """Return what the person said next in a chat, if the reply in between asked for more."""
    if hit.kind != "message" or hit.said_by != "user":
        return None
    session = runtime.read()
    at = chat.get_message(session, hit.id)
    after = chat.messages_after(session, at.thread_id, at.seq + 1)[:2]
    if [one.role for one in after] != [Role.ASSISTANT, Role.USER] or "?" not in after[0].text:
        return None
    told = [one for one in quotable_of(runtime, question, thread_id, after[1]) if len(one.split()) >= LEAST_WORDS]
    said_next = Recalled.of_message(after[1], "said next")
    return ToldLine(said_next, as_quote(runtime, question, said_next, told), hit.score, " ".join(told)) if told else None
