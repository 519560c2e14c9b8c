"""Quotations that answer a question about the person or an earlier chat, with their days.

Messages come first, since they hold what a memory leaves out; then memories, also superseded ones.
Only tellable text is quoted. If nothing is near enough to the question, memapp says it was not
told.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from memapp.domain.chat import BY_MEMAPP, FROM_MEMORY, Message, Origin
from memapp.domain.consent import ConsentRequest, label
from memapp.domain.filters import MemoryFilter, Sort
from memapp.domain.memory import OwnAnswer, Recalled, State
from memapp.domain.named_time import until
from memapp.domain.ranking import words_of as words_in
from memapp.domain.text import one_line, shorten
from memapp.language.grammar import sentences
from memapp.language.last_day import last_day
from memapp.language.named_times import asked_day, told_day
from memapp.language.questions import Asked, asked_about, asked_fields, content
from memapp.language.sentence import is_question
from memapp.language.word_file import CODES, WordFile, words_of
from memapp.prompts.respond import FEWEST_WORDS
from memapp.runtime import Runtime
from memapp.services.embed import embedded
from memapp.services.recall.memory_list import pending_sentence
from memapp.services.recall.memory_query import conversation_scope, recall_capped
from memapp.services.recall.redaction import drop_withheld, redact
from memapp.services.recall.search import RecallRequest
from memapp.store import chat, consents, memories

NOT_TOLD = "You haven't told me that yet."
HERE = {"": "You told me", "user": "You told me", "assistant": "I said"}
IMPORTED = {
    "": "What you imported said",
    "user": "In a chat you imported you said",
    "assistant": "In a chat you imported the answer said",
}
"""Who said a quotation, here and in an imported file: a memory, the person, a model."""
LINES, QUOTE_CHARS = 2, 240
FOUND = 60
"""Hits that are searched for those of the speaker asked about."""
THEIRS, SCORED = 20, 3
"""Messages of this speaker that are read, and the best of them that rate the answer."""
COVERAGE = 0.5
"""Weight of the share of a question's words in a quotation, beside likeness in meaning."""
GATE: Mapping[Asked, float] = {"own": 0.4, "replied": 0.4, "perhaps": 0.5, "anything": 0.7}
"""Least scores of quotations that answer a question, by its subject."""
BESIDE = 0.75
"""Share of the gate of the first quotation that a second one must reach."""
SURELY: Sequence[Asked] = ("own", "replied")
"""Subjects that only the person, or memapp, can have told."""
NEARER = 0.05
"""A reply of memapp is the subject if found by this much more than the person's words."""
NAMED = 8
"""Words that tell a memory from others."""
WAITING = 20
"""Pending requests that are searched, the newest first."""
SUPERSEDED = 200
"""Superseded memories that are searched, the latest first."""


@dataclass(frozen=True, slots=True)
class QuotedAnswer:
    """An answer of memapp itself to a question about the person."""

    answer: OwnAnswer

    @property
    def lines(self) -> list[str]:
        """Return the quotations with their days; none if nothing was told."""
        return self.answer.text.splitlines() if self.answer.hits else []


@dataclass(frozen=True, slots=True)
class _Quotation:
    hit: Recalled
    """Its text is the quotation."""
    score: float
    until: datetime | None = None
    """When it was superseded."""


@dataclass(frozen=True, slots=True)
class _Question:
    message: Message
    asked: Asked
    words: WordFile
    stems: frozenset[str]
    """Of the words of its subject."""

    def score(self, text: str, cosine: float) -> float:
        """Return how like the question a text is, in meaning and words."""
        held = self.stems.intersection(content(text, self.words))
        if self.stems and not held and self.words.code != CODES[0]:
            # The embedding model learned English, and hardly tells texts of another language apart.
            return 0.0
        return cosine + COVERAGE * len(held) / max(len(self.stems), 1)

    def on_subject(self, quotations: Sequence[_Quotation]) -> list[_Quotation]:
        """Return the quotations that state something, of the subject where one has all of it."""
        shares = [self.score(quotation.hit.text, 0.0) for quotation in quotations]
        return [
            quotation
            for quotation, share in zip(quotations, shares, strict=True)
            if share or (max(shares) < COVERAGE and len(quotation.hit.text.split()) >= FEWEST_WORDS)
        ]


def quoted_answer(runtime: Runtime, message: Message) -> QuotedAnswer | None:
    """Return the quotations for a message, or a note that nothing was told.

    None if the message may not ask about the person.
    """
    words = words_of(message.text)
    if not (subject := asked_about(message.text, words)):
        return None
    question = _Question(message, subject, words, frozenset(content(message.text, words)))
    if subject == "own" and (own_values := _of_profile(runtime, question)):
        return QuotedAnswer(own_values)
    score, quotations = best_quotations(runtime, question)
    if subject == "own" and (waits := _best_pending(runtime, question, max(score, GATE[subject]))):
        request, is_sure = waits
        told = pending_sentence(runtime, request, message.thread_id, is_sure=is_sure)
        return QuotedAnswer(OwnAnswer(told))
    if quotations and score >= GATE[subject]:
        in_order = sorted(quotations, key=lambda quotation: quotation.hit.at)
        hits = tuple(
            replace(quotation.hit, text=f"{quotation.hit.text}{_until(runtime, quotation)}")
            for quotation in in_order
        )
        return QuotedAnswer(
            OwnAnswer("\n".join(_line(runtime, quotation) for quotation in in_order), hits)
        )
    return QuotedAnswer(OwnAnswer(NOT_TOLD)) if subject in SURELY else None


def _of_profile(runtime: Runtime, question: _Question) -> OwnAnswer | None:
    """Return the profile values a question asks for, in the words they were told in."""
    fields, session = asked_fields(question.message.text, question.words), runtime.read()
    requests = [request for request in consents.list_standing(session) if request.field in fields]
    lines, hits = [], []
    for request in requests[:LINES]:
        evidence = redact(session, chat.get_messages(session, request.evidence[:1]))
        excerpts = [_excerpt(runtime, question, message) for message in evidence]
        if excerpts and request.new_value.casefold() in excerpts[0].casefold():
            hits.append(replace(Recalled.of_message(evidence[0], "profile"), text=excerpts[0]))
            lines.append(format_quotation(runtime, hits[-1]))
        else:
            day = _day(runtime, request.decided_at or request.created_at)
            speaker = (IMPORTED if request.proposer == "import" else HERE)[""]
            lines.append(f"{speaker} {day}: “{label(request.field)}: {request.new_value}”")
    return OwnAnswer("\n".join(lines), tuple(hits)) if lines else None


def best_quotations(runtime: Runtime, question: _Question) -> tuple[float, list[_Quotation]]:
    """Return at most two quotations for a question, and how surely they answer."""
    scope = conversation_scope(runtime)
    request = RecallRequest(question.message.text, FOUND, frozenset({question.message.id}))
    of_messages, of_memories = (
        replace(request, kinds=kinds, scope=scope) for kinds in (("message",), ("memory",))
    )
    hits = _with_fitted_likeness(runtime, question, recall_capped(runtime, of_messages))
    from_messages = _best_messages(runtime, question, hits)
    hits = [] if question.asked == "replied" else recall_capped(runtime, of_memories)
    hits = _with_fitted_likeness(runtime, question, hits)
    from_memories = _best_memories(
        runtime, question, hits, [quotation.hit for quotation in from_messages[:LINES]]
    )
    score = max(
        (quotation.score for quotation in [*from_messages[:SCORED], *from_memories]), default=0.0
    )
    shown = question.on_subject(from_messages[:LINES])
    if from_memories and from_memories[-1].score >= max(
        (second.score for second in shown[1:]), default=GATE[question.asked]
    ):
        return score, [*shown[:1], *from_memories][-LINES:]
    least = BESIDE * GATE[question.asked]
    return score, [*shown[:1], *(second for second in shown[1:] if second.score >= least)]


def _with_fitted_likeness(
    runtime: Runtime, question: _Question, hits: Sequence[Recalled]
) -> list[Recalled]:
    """Return hits with likenesses by the model the gates were fitted to, if another searches."""
    if runtime.judge_embedder is runtime.embedding:
        return list(hits)
    rows = embedded(runtime.judge_embedder, [question.message.text, *(hit.text for hit in hits)])
    cosines = [0.0] * len(hits) if rows is None else (rows[1:] @ rows[0]).tolist()
    return [replace(hit, cosine=like) for hit, like in zip(hits, cosines, strict=True)]


def _scores(runtime: Runtime, question: _Question, texts: Sequence[str]) -> list[float]:
    """Return how like a question texts are; by words only without the embedding model."""
    rows = embedded(runtime.judge_embedder, [question.message.text, *texts]) if texts else None
    cosines = [0.0] * len(texts) if rows is None else (rows[1:] @ rows[0]).tolist()
    return [question.score(text, like) for text, like in zip(texts, cosines, strict=True)]


def _best_pending(
    runtime: Runtime, question: _Question, least: float
) -> tuple[ConsentRequest, bool] | None:
    """Return the pending request for the value a question asks for, or that answers it best.

    With it True if the request surely is about the question: all words of its subject stand there.
    """
    session, fields = runtime.read(), asked_fields(question.message.text, question.words)
    requests = consents.list_pending(session, limit=WAITING)
    if asked_for := [request for request in requests if request.field in fields]:
        return asked_for[0], True
    excerpts = {
        message.id: _excerpt(runtime, question, message)
        for message in chat.get_messages(
            session, [request.evidence[0] for request in requests if request.evidence]
        )
    }
    texts = [
        " ".join([request.new_value, *(excerpts.get(first, "") for first in request.evidence[:1])])
        for request in requests
    ]
    scores = _scores(runtime, question, texts)
    if max(scores, default=0.0) <= least:
        return None
    best = scores.index(max(scores))
    return requests[best], question.stems <= frozenset(content(texts[best], question.words))


def _best_messages(
    runtime: Runtime, question: _Question, hits: Sequence[Recalled]
) -> list[_Quotation]:
    """Return the quotations of the speaker asked about, best first.

    Empty if the other speaker said more about the subject, and not in reply.
    """
    session = runtime.read()
    messages = {
        message.id: message for message in chat.get_messages(session, [hit.id for hit in hits])
    }
    by = "assistant" if question.asked == "replied" else "user"
    of_speaker = [
        messages[hit.id]
        for hit in hits
        if hit.said_by == by and messages[hit.id].model not in (BY_MEMAPP, FROM_MEMORY)
    ]
    excerpts = (
        (message.id, _excerpt(runtime, question, message))
        for message in redact(session, of_speaker[:THEIRS])
    )
    excerpt_of = dict(
        islice(((message_id, excerpt) for message_id, excerpt in excerpts if excerpt), SCORED)
    )
    quoted_hits = [hit for hit in hits if hit.id in excerpt_of]
    quoted = {hit.id for hit in quoted_hits[:LINES]}
    other_scores = [
        hit.score for hit in hits if hit.said_by != by and messages[hit.id].reply_to not in quoted
    ]
    if (
        by == "user"
        and quoted_hits
        and max(other_scores, default=0.0) - quoted_hits[0].score > NEARER
    ):
        return []
    by_id, scored = {hit.id: hit for hit in hits}, []
    for hit in quoted_hits:
        # A reply need not repeat its subject.
        beside = by_id.get(messages[hit.id].reply_to or "", hit)
        said = f"{hit.text} {beside.text} {_day(runtime, hit.at, asked_day)}"
        score = question.score(said, max(hit.cosine, beside.cosine))
        scored.append(_Quotation(replace(hit, text=excerpt_of[hit.id]), score))
    return scored


def _excerpt(runtime: Runtime, question: _Question, message: Message) -> str:
    """Return the statements of a message, from the one most like the question on.

    Empty if the message only asks.
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


def _best_memories(
    runtime: Runtime, question: _Question, hits: Sequence[Recalled], beside: Sequence[Recalled]
) -> list[_Quotation]:
    """Return the best memory no quoted message holds, behind its replacement if superseded."""
    session = runtime.read()
    memories_by_id = {
        memory.id: memory for memory in memories.get_memories(session, [hit.id for hit in hits])
    }
    quotable = [
        replace(hit, text=memories_by_id[hit.id].text)
        for hit in hits
        if hit.id in memories_by_id and not memories_by_id[hit.id].is_reflected
    ]
    quotable = [
        hit
        for hit in quotable
        if not any(
            message_hit.text in hit.text or message_hit.id in memories_by_id[hit.id].sources
            for message_hit in beside
        )
    ]
    live = [
        _Quotation(
            hit, question.score(f"{hit.text} {memories_by_id[hit.id].instead_of}", hit.cosine)
        )
        for hit in quotable
    ]
    best_quotation = max(
        [*live, *_superseded(runtime, question)],
        key=lambda quotation: quotation.score,
        default=None,
    )
    if best_quotation is None or best_quotation.score < GATE[question.asked]:
        return []
    naming = (
        memories.list_memories(
            session, MemoryFilter(words=tuple(words_in(best_quotation.hit.text)[:NAMED]))
        )
        if best_quotation.until
        else []
    )
    instead = [memory for memory in naming if memory.instead_of == best_quotation.hit.text][:1]
    hits = [
        replace(Recalled.of(memory, 0.0, "instead", memory.created_at), text=memory.text)
        for memory in instead
    ]
    return [*(_Quotation(hit, best_quotation.score) for hit in hits), best_quotation]


def _superseded(runtime: Runtime, question: _Question) -> list[_Quotation]:
    """Return the tellable superseded memories that share a word with the question."""
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
        if question.score(memory.text, 0.0) and drop_withheld(session, [memory.text])
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


def _line(runtime: Runtime, quoted: _Quotation) -> str:
    return format_quotation(runtime, quoted.hit, _until(runtime, quoted))


def format_quotation(runtime: Runtime, hit: Recalled, end: str = "") -> str:
    """Return a quotation with its day: `You told me on 3 November: “my sister loves pottery”`."""
    speaker = (IMPORTED if hit.is_imported else HERE)[hit.said_by]
    return f"{speaker} {_day(runtime, hit.at)}{end}: “{hit.text}”"


def _until(runtime: Runtime, quotation: _Quotation) -> str:
    hit, said_at = quotation.hit, quotation.hit.at.astimezone()
    if quotation.until:
        if quotation.until.astimezone().date() == said_at.date():
            return " (no longer so)"
        return f" (until {_day(runtime, quotation.until).removeprefix('on ')})"
    coming = (
        last_day(hit.text, said_at.date(), words_of(hit.text))
        if hit.said_by != "assistant"
        else None
    )
    return until(coming, said_at) if coming else ""


def _day(runtime: Runtime, moment: datetime, wording: Callable[..., str] = told_day) -> str:
    return wording(moment.astimezone().date(), runtime.clock().astimezone().date())
