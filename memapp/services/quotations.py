"""Quotations that answer a question about the person or an earlier chat: what was said, in its own
words and with its day.

Messages come first, since they hold what a memory leaves out; then memories, also those that gave
way to others. Only what may be told is quoted, and where nothing is like the question enough,
memapp says that it was not told.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from memapp.domain.chat import FROM_MEMORY, OWN_WORDS, Message, Origin
from memapp.domain.consent import ConsentRequest, label
from memapp.domain.filters import MemoryFilter, Sort
from memapp.domain.memory import FromMemory, Recalled, State
from memapp.domain.ranking import words_of as words_in
from memapp.domain.text import one_line, shorten
from memapp.domain.when import until
from memapp.language.asked import Asked, asked_about, asked_fields, content
from memapp.language.days import last_day
from memapp.language.grammar import sentences
from memapp.language.sentence import is_question
from memapp.language.when import told_day
from memapp.language.word_file import CODES, WordFile, words_of
from memapp.runtime import Runtime
from memapp.services.embed import embedded
from memapp.services.query import conversation_scope, find
from memapp.services.recall import RecallRequest
from memapp.services.tellable import tellable, without_words_of_withheld
from memapp.services.what_is_known import that_it_waits
from memapp.store import chat, consents, memories

NOT_TOLD = "You haven't told me that yet."
LINES, QUOTE_CHARS = 2, 240
FOUND = 60
"""So many hits are looked through for those of the one who is asked about."""
THEIRS, SCORED = 20, 3
"""So many messages of the one who is asked about are read, and so many of these, the best, say how
sure an answer is.
"""
COVERAGE = 0.5
"""How much the share of a question's words in a quotation counts beside their likeness in meaning.
"""
GATE: Mapping[Asked, float] = {"own": 0.4, "replied": 0.4, "perhaps": 0.5, "anything": 0.7}
"""Scores from which on quotations answer a question, by what it is about."""
BESIDE = 0.75
"""A second quotation stands beside the first where it reaches so much of what the first must."""
SURELY: Sequence[Asked] = ("own", "replied")
"""What a question asks about that only the person, or memapp, can have told."""
NEARER = 0.05
"""So much better found than what the person said is a reply of memapp, where that is what a
question is about.
"""
NAMED = 8
"""So many words of a memory tell it from others."""
WAITING = 20
"""The requests that wait are read for what a question asks, the newest of them."""
SUPERSEDED = 200
"""So many memories that gave way, the latest first, are looked through."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """What memapp itself answers to a question about the person."""

    told: FromMemory
    asked: Asked
    """What the question is about."""

    @property
    def lines(self) -> list[str]:
        """Return the quotations as they are told, with their days; none where nothing was told."""
        return self.told.text.splitlines() if self.told.hits else []


@dataclass(frozen=True, slots=True)
class _Quotation:
    hit: Recalled
    """Its text is the quotation."""
    score: float
    until: datetime | None = None
    """When something else took its place."""
    brought_in: bool = False
    """An import said it, and not the person here."""


@dataclass(frozen=True, slots=True)
class _Question:
    message: Message
    asked: Asked
    words: WordFile
    stems: frozenset[str]
    """Of the words that say what it is about."""

    def score(self, text: str, cosine: float) -> float:
        """Return how like the question a text is, in meaning and in words."""
        held = self.stems.intersection(content(text, self.words))
        if self.stems and not held and self.words.code != CODES[0]:
            # the embedding model learned English: of another language it hears hardly more than
            # which it is
            return 0.0
        return cosine + COVERAGE * len(held) / max(len(self.stems), 1)


def quoted(runtime: Runtime, message: Message) -> Quoted | None:
    """Return the quotations that answer a message, or that nothing was told; None where it may not
    ask about the person.
    """
    words = words_of(message.text)
    if not (asked := asked_about(message.text, words)):
        return None
    question = _Question(message, asked, words, frozenset(content(message.text, words)))
    if asked == "own" and (known := _of_profile(runtime, question)):
        return Quoted(known, asked)
    score, found = best(runtime, question)
    if asked == "own" and (waiting := _waiting(runtime, question, max(score, GATE[asked]))):
        return Quoted(FromMemory(that_it_waits(runtime, waiting, message.thread_id)), asked)
    if found and score >= GATE[asked]:
        in_order = sorted(found, key=lambda one: one.hit.at)
        hits = tuple(
            replace(quotation.hit, text=f"{quotation.hit.text}{_end(runtime, quotation)}")
            for quotation in in_order
        )
        return Quoted(
            FromMemory("\n".join(_line(runtime, quotation) for quotation in in_order), hits), asked
        )
    return Quoted(FromMemory(NOT_TOLD), asked) if asked in SURELY else None


def _of_profile(runtime: Runtime, question: _Question) -> FromMemory | None:
    """Return the values of the profile that a question asks for, in the words they were told in."""
    fields, session = asked_fields(question.message.text, question.words), runtime.read()
    requests = [request for request in consents.list_standing(session) if request.field in fields]
    lines, hits = [], []
    for request in requests[:LINES]:
        evidence = tellable(session, chat.get_messages(session, request.evidence[:1]))
        told = [_excerpt(runtime, question, message) for message in evidence]
        if told and request.new_value.casefold() in told[0].casefold():
            hits.append(replace(Recalled.of_message(evidence[0], "profile"), text=told[0]))
            lines.append(quotation(runtime, hits[-1]))
        else:
            day = _day(runtime, request.decided_at or request.created_at)
            lines.append(f"You told me {day}: “{label(request.field)}: {request.new_value}”")
    return FromMemory("\n".join(lines), tuple(hits)) if lines else None


def best(runtime: Runtime, question: _Question) -> tuple[float, list[_Quotation]]:
    """Return at most two quotations for a question, and a score of how surely they answer it."""
    request = RecallRequest(
        question.message.text, FOUND, frozenset({question.message.id}), ("message",)
    )
    request = replace(request, scope=conversation_scope(runtime))
    said = _said(runtime, question, _compared(runtime, question, find(runtime, request)))
    known = (
        [] if question.asked == "replied" else find(runtime, replace(request, kinds=("memory",)))
    )
    known = _compared(runtime, question, known)
    remembered = _remembered(
        runtime, question, known, [quotation.hit for quotation in said[:LINES]]
    )
    score = max((quotation.score for quotation in [*said[:SCORED], *remembered]), default=0.0)
    if remembered and remembered[-1].score >= max(
        (quotation.score for quotation in said[1:LINES]), default=GATE[question.asked]
    ):
        return score, [*said[:1], *remembered][-LINES:]
    return score, [
        *said[:1],
        *(
            quotation
            for quotation in said[1:LINES]
            if quotation.score >= BESIDE * GATE[question.asked]
        ),
    ]


def _compared(runtime: Runtime, question: _Question, hits: Sequence[Recalled]) -> list[Recalled]:
    """Return hits with their likeness by the model to which the gates were fitted, where another
    one searches.
    """
    if runtime.reading is runtime.embedding:
        return list(hits)
    rows = embedded(runtime.reading, [question.message.text, *(hit.text for hit in hits)])
    alike = [0.0] * len(hits) if rows is None else (rows[1:] @ rows[0]).tolist()
    return [replace(hit, cosine=like) for hit, like in zip(hits, alike, strict=True)]


def _scores(runtime: Runtime, question: _Question, texts: Sequence[str]) -> list[float]:
    """Return how like a question some texts are, without the embedding model by their words only."""
    rows = embedded(runtime.reading, [question.message.text, *texts]) if texts else None
    alike = [0.0] * len(texts) if rows is None else (rows[1:] @ rows[0]).tolist()
    return [question.score(text, like) for text, like in zip(texts, alike, strict=True)]


def _waiting(runtime: Runtime, question: _Question, least: float) -> ConsentRequest | None:
    """Return what waits for a yes and answers a question better than what may be told."""
    session = runtime.read()
    requests = consents.list_pending(session, limit=WAITING)
    said = {
        message.id: _excerpt(runtime, question, message)
        for message in chat.get_messages(
            session, [request.evidence[0] for request in requests if request.evidence]
        )
    }
    texts = [
        " ".join([request.new_value, *(said[id] for id in request.evidence[:1] if id in said)])
        for request in requests
    ]
    scores = _scores(runtime, question, texts)
    return requests[scores.index(max(scores))] if max(scores, default=0.0) > least else None


def _said(runtime: Runtime, question: _Question, hits: Sequence[Recalled]) -> list[_Quotation]:
    """Return what the one who is asked about said, best first; nothing where the other one spoke of
    that, and not in reply.
    """
    session = runtime.read()
    found = {
        message.id: message for message in chat.get_messages(session, [hit.id for hit in hits])
    }
    by = "assistant" if question.asked == "replied" else "user"
    theirs = [
        found[hit.id]
        for hit in hits
        if hit.said_by == by and found[hit.id].model not in (OWN_WORDS, FROM_MEMORY)
    ]
    excerpts = (
        (message.id, _excerpt(runtime, question, message))
        for message in tellable(session, theirs[:THEIRS])
    )
    told = dict(islice(((id, excerpt) for id, excerpt in excerpts if excerpt), SCORED))
    said = [hit for hit in hits if hit.id in told]
    quoted = {hit.id for hit in said[:LINES]}
    others = [
        hit.score for hit in hits if hit.said_by != by and found[hit.id].reply_to not in quoted
    ]
    if by == "user" and said and max(others, default=0.0) - said[0].score > NEARER:
        return []
    by_id, scored = {hit.id: hit for hit in hits}, []
    for hit in said:
        beside = by_id.get(
            found[hit.id].reply_to or "", hit
        )  # a reply need not say again what it is about
        score = question.score(
            f"{hit.text} {beside.text} {_day(runtime, hit.at)}", max(hit.cosine, beside.cosine)
        )
        scored.append(_Quotation(replace(hit, text=told[hit.id]), score))
    return scored


def _excerpt(runtime: Runtime, question: _Question, message: Message) -> str:
    """Return of a message what it states, from the sentence on that is likest to the question;
    empty where it only asks.
    """
    text = (
        message.typed_text
        if message.origin is Origin.TYPED and message.typed_text
        else message.text
    )
    stated = [
        one_line(sentence)
        for sentence in sentences(text)
        if not is_question(sentence, question.words)
    ]
    if len(" ".join(stated)) > QUOTE_CHARS:
        scores = _scores(runtime, question, stated)
        stated = stated[scores.index(max(scores)) :]
    return shorten(" ".join(stated), QUOTE_CHARS)


def _remembered(
    runtime: Runtime, question: _Question, hits: Sequence[Recalled], beside: Sequence[Recalled]
) -> list[_Quotation]:
    """Return the memory that answers best and that no message beside it holds, behind what took its
    place, if anything did.
    """
    session = runtime.read()
    known = {
        memory.id: memory for memory in memories.get_memories(session, [hit.id for hit in hits])
    }
    own = [
        replace(hit, text=known[hit.id].text)
        for hit in hits
        if hit.id in known and not known[hit.id].is_reflected
    ]
    own = [
        hit
        for hit in own
        if not any(other.text in hit.text or other.id in known[hit.id].sources for other in beside)
    ]
    imported = {memory.id for memory in known.values() if memory.origin == "import"}
    live = [
        _Quotation(
            hit,
            question.score(f"{hit.text} {known[hit.id].instead_of}", hit.cosine),
            brought_in=hit.id in imported,
        )
        for hit in own
    ]
    found = max([*live, *_superseded(runtime, question)], key=lambda one: one.score, default=None)
    if found is None or found.score < GATE[question.asked]:
        return []
    naming = (
        memories.list_memories(session, MemoryFilter(words=tuple(words_in(found.hit.text)[:NAMED])))
        if found.until
        else []
    )
    instead = [memory for memory in naming if memory.instead_of == found.hit.text][:1]
    hits = [
        replace(Recalled.of(memory, 0.0, "instead", memory.created_at), text=memory.text)
        for memory in instead
    ]
    return [*(_Quotation(hit, found.score) for hit in hits), found]


def _superseded(runtime: Runtime, question: _Question) -> list[_Quotation]:
    """Return the memories with a word of the question that gave way to others, and may be told."""
    session, visible = runtime.read(), conversation_scope(runtime).categories
    trash = memories.list_memories(
        session, MemoryFilter(state=State.SOFT_DELETED), Sort.CHANGED, limit=SUPERSEDED
    )
    former = [
        memory
        for memory in trash
        if memory.held_until and (visible is None or memory.category in visible)
    ]
    former = [
        memory
        for memory in former
        if question.score(memory.text, 0.0) and without_words_of_withheld(session, [memory.text])
    ]
    scores = _scores(runtime, question, [memory.text for memory in former])
    hits = [
        replace(Recalled.of(memory, 0.0, "until", memory.created_at), text=memory.text)
        for memory in former
    ]
    return [
        _Quotation(hit, score, memory.held_until)
        for hit, score, memory in zip(hits, scores, former, strict=True)
    ]


def _line(runtime: Runtime, found: _Quotation) -> str:
    return quotation(
        runtime,
        found.hit,
        _end(runtime, found),
        who="What you brought in said" if found.brought_in else "",
    )


def quotation(runtime: Runtime, hit: Recalled, end: str = "", who: str = "") -> str:
    """Return a quotation as it is told, with its day: `You told me on 3 November: “my sister Mira
    loves pottery”`.
    """
    who = who or ("I said" if hit.said_by == "assistant" else "You told me")
    return f"{who} {_day(runtime, hit.at)}{end}: “{hit.text}”"


def _end(runtime: Runtime, quotation: _Quotation) -> str:
    if quotation.until:
        return f" (until {_day(runtime, quotation.until).removeprefix('on ')})"
    hit, said = quotation.hit, quotation.hit.at.astimezone()
    coming = (
        last_day(hit.text, said.date(), words_of(hit.text)) if hit.said_by != "assistant" else None
    )
    return until(coming, said) if coming else ""


def _day(runtime: Runtime, moment: datetime) -> str:
    return told_day(moment.astimezone().date(), runtime.clock().astimezone().date())
