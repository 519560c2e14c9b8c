"""Retrieval for a reply: recalled memories, untold changes, and prefetched results."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from memapp.domain.chat import BY_MEMAPP, Message, MessageStatus, Role
from memapp.domain.delta import NO_NEWS, Delta
from memapp.domain.memory import Recalled
from memapp.domain.prediction import Prediction, Prefetched
from memapp.domain.ranking import RetrievalRule
from memapp.domain.text import one_line
from memapp.language.limits import bears_on
from memapp.language.questions import asked_about, content, wants_something
from memapp.language.sentence import points_back
from memapp.language.word_file import WordFile, words_of
from memapp.prompts import respond
from memapp.runtime import Runtime
from memapp.services.lessons.recall import recall_lessons
from memapp.services.recall.limits import MOST, known_limits
from memapp.services.recall.memory_query import (
    always_recalled,
    conversation_scope,
    recall_capped,
    untold_changes,
)
from memapp.services.recall.redaction import drop_withheld
from memapp.services.recall.search import RecallRequest, recall_by_spelling, recall_keywords
from memapp.store import chat, checkpoints, expectations, memories
from memapp.store.search import NewestFacts

LEAST_MATCH = 0.12
"""Part of a score that must come from the message, not from a pinned or recent memory."""


class _Thresholds(NamedTuple):
    """The least score of a hit without a shared word, and the least likeness in meaning.

    A fact below this likeness shares a word and nothing else. Long messages are like nothing much,
    but share words.
    """

    score: float
    cosine: float
    alone: float = 0.0
    """Likeness of a hit that shares no word."""


LEAST, SURE = _Thresholds(0.33, 0.25), _Thresholds(1.0, 0.5)
REQUEST = _Thresholds(0.33, 0.25, 0.3)
"""For messages that need something but ask nothing about the person."""
ON_DEMAND, AT_LEAST_A_WORD = _Thresholds(0.2, 0.25), _Thresholds(0.2, -1.0)
"""For the second search, after a question about the person found nothing."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Recalled memories and untold changes for one reply."""

    hits: tuple[Recalled, ...] = ()
    delta: Delta = NO_NEWS
    """Stands above the hits."""
    searches: int = 0
    """A second search, with more words, follows a first one without hits."""
    limits: tuple[Recalled, ...] = ()
    """Limits the reply must respect."""
    lessons: tuple[Recalled, ...] = ()
    """Commands that worked when the person did the same."""

    @property
    def on_demand(self) -> bool:
        return self.searches > 1


def prediction_after(runtime: Runtime, messages: list[Message]) -> Prediction | None:
    """Return the prediction after the model's last reply, if only memapp's words followed.

    A prediction with pending or denied content is not used.
    """
    last = next((message for message in reversed(messages) if message.model != BY_MEMAPP), None)
    if (
        last is None
        or last.role is not Role.ASSISTANT
        or last.status in (MessageStatus.INTERRUPTED, MessageStatus.GENERATING)
    ):
        return None
    prediction = expectations.expected_after(runtime.read(), last.id)
    return prediction if prediction and drop_withheld(runtime.read(), [prediction.text]) else None


def idle_prefetch(
    runtime: Runtime, thread_id: str, expected: Prediction | None
) -> Prefetched | None:
    """Return the result of call 1 made in idle time for the predicted message, if any."""
    done = checkpoints.load(runtime.read(), thread_id).prefetch
    if expected is None or done is None or done.prediction_id != expected.id:
        return None
    return Prefetched(expected.text, done.needed_info)


def take_typing_prefetch(runtime: Runtime, thread_id: str, text: str) -> Prefetched | None:
    """Return, once, the result of call 1 made while the message was typed; None if it changed."""
    typed, runtime.typed = runtime.typed, None
    if typed is None or typed[:2] != (thread_id, runtime.database.erasures):
        return None
    return typed[2] if typed[2].message == text else None


def retrieve(
    runtime: Runtime,
    thread_id: str,
    text: str,
    needed_info: Sequence[str],
    in_prompt: Sequence[Message],
) -> Retrieved:
    """Retrieve the memories a message needs; search again for a question about the person.

    The best hit of the message comes first, then those of `needed_info`. In a question about the
    person these come behind all hits of the message, and before the always-recalled memories. If
    nothing is needed, only sure hits are told; else untold changes, too. An inner voice is told
    about a case, to which only memories with a word of the message belong.
    """
    inner_voice = _has_inner_voice(runtime, thread_id)
    lessons = () if inner_voice else recall_lessons(runtime, thread_id, text)
    needed_info = drop_withheld(runtime.read(), needed_info, text)
    seen, scope = frozenset(message.id for message in in_prompt), conversation_scope(runtime)
    limit = min(runtime.settings.prompt_memories, runtime.settings.top_k)
    if runtime.settings.retrieval_rule is RetrievalRule.FUZZY:
        spelled_alike = tuple(recall_by_spelling(runtime, needed_info, scope, limit))
        return Retrieved(spelled_alike, searches=1, lessons=lessons)
    words = words_of(text)
    asked = asked_about(text, words)
    is_own = asked in ("own", "replied") and not inner_voice
    of_person = asked in ("own", "perhaps", "replied")
    request = RecallRequest(
        text, runtime.settings.top_k, seen, scope=scope, newest=NewestFacts(runtime.read(), scope)
    )
    hits_found = recall_capped(runtime, request)
    # Otherwise an earlier question would come back as a note.
    hits_found = [hit for hit in hits_found if asked or inner_voice or hit.kind == "memory"]
    least = LEAST if of_person or inner_voice else REQUEST if needed_info else SURE
    fitting = partial(_fitting, text, asks_replies=asked == "replied")
    chosen = fitting(hits_found, least, inner_voice=inner_voice)
    asked_for = [] if inner_voice else recall_keywords(runtime, needed_info, scope, request.newest)
    hits = _distinct(text, chosen if is_own else [*chosen[:1], *asked_for, *chosen[1:]], limit)
    on_demand = not hits and limit > 0 and is_own
    if on_demand:
        more = _last_said(in_prompt, text)
        wider = replace(request, text=" ".join([text, *more]))
        second_hits = recall_capped(runtime, wider) if more else hits_found
        hits = _distinct(
            text,
            fitting(second_hits, ON_DEMAND) or fitting(second_hits, AT_LEAST_A_WORD),
            limit,
        )
    if is_own:
        hits = _distinct(text, [*hits, *asked_for, *always_recalled(runtime, scope, limit)], limit)
    limits = (
        []
        if inner_voice or is_own
        else _limits(runtime, text, words, [text, *needed_info], in_prompt)
    )
    is_told = not inner_voice and bool(needed_info or asked)
    quoted = [hit.id for hit in hits]
    delta = untold_changes(runtime, scope, thread_id, seen, quoted) if is_told else NO_NEWS
    return Retrieved(hits, delta, 1 + on_demand, tuple(limits), lessons)


def _limits(
    runtime: Runtime,
    text: str,
    words: WordFile,
    subjects: Sequence[str],
    in_prompt: Sequence[Message],
) -> list[Recalled]:
    """Return the limits that bear on a request: by its subjects, or the message it points back to.

    As in `is that ok for me?` after a recipe.
    """
    if not wants_something(text, words):
        return []
    before = _last_said(in_prompt, text) if points_back(text, words) else []
    return known_limits(runtime)[:MOST] if any(map(bears_on, [*subjects, *before])) else []


def _fitting(
    text: str,
    hits: Sequence[Recalled],
    least: _Thresholds,
    *,
    asks_replies: bool,
    inner_voice: bool = False,
) -> list[Recalled]:
    """Return the hits that belong to a message, best first.

    For an inner voice a hit must share a word. A reply of memapp belongs only to a question for
    replies, and comes first there: else it would come back as a fact.
    """
    words = words_of(text)
    subject = frozenset(content(text, words))
    kept = []
    for hit in hits:
        shares = not subject.isdisjoint(content(hit.text, words))
        is_alike = hit.cosine >= least.alone or hit.cosine == 0
        is_near = (
            is_alike
            and hit.score >= least.score
            and hit.score - hit.boosts >= LEAST_MATCH
            and not inner_voice
        )
        is_like = hit.cosine >= least.cosine or (
            least is not SURE and (hit.kind == "message" or hit.cosine == 0)
        )
        if (shares or is_near) and is_like and (asks_replies or hit.said_by != "assistant"):
            kept.append(hit)
    return sorted(kept, key=lambda hit: hit.said_by == "user") if asks_replies else kept


def _distinct(text: str, hits: Sequence[Recalled], limit: int) -> tuple[Recalled, ...]:
    """Return the first hits that state something new beside the message and earlier hits."""
    kept: list[Recalled] = []
    told_texts = [_plain(text)]
    for hit in hits:
        stated = _plain(respond.stated(hit))
        if stated and len(kept) < limit and not any(stated in text for text in told_texts):
            kept.append(hit)
            told_texts.append(stated)
    return tuple(kept)


def _plain(text: str) -> str:
    return one_line(text).casefold().rstrip(" .!")


def memories_in_prompt(runtime: Runtime, retrieved: Retrieved) -> tuple[Recalled, ...]:
    """Return all memories in a prompt: hits, limits, changed memories and lessons."""
    hits = frozenset(hit.id for hit in retrieved.hits)
    ids = [memory_id for memory_id in retrieved.delta.memory_ids if memory_id not in hits]
    changed_memories = memories.get_memories(runtime.read(), ids)
    limits = (hit for hit in retrieved.limits if hit.id not in hits)
    return (
        *retrieved.hits,
        *limits,
        *(Recalled.of(memory, 0.0, "news", memory.updated_at) for memory in changed_memories),
        *retrieved.lessons,
    )


def _has_inner_voice(runtime: Runtime, thread_id: str) -> bool:
    thread = chat.get_thread(runtime.read(), thread_id)
    return runtime.persona_in(thread).is_inner_voice


def _last_said(in_prompt: Sequence[Message], text: str) -> list[str]:
    """Return the person's previous message, which a short question may refer to."""
    texts = [
        message.text for message in in_prompt if message.role is Role.USER and message.text != text
    ]
    return texts[-1:]
