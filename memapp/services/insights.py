"""Insights: what several messages and memories show together, made once a day in idle time: the job
`insights`.

What comes up regularly is counted. A model that is trusted with it concludes more. An insight rests
on at least two messages or memories, on none that touches anything sensitive, and goes with them.
One that the person dismissed is not made again while it lies in the trash.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import numpy as np

from memapp.domain.categories import NOTES
from memapp.domain.changes import Actor, Created, SoftDeleted
from memapp.domain.chat import Message
from memapp.domain.filters import MemoryFilter
from memapp.domain.jobs import Pace
from memapp.domain.memory import Kind, Memory, State
from memapp.domain.text import shorten
from memapp.domain.utterance import DEFAULT_IMPORTANCE, RULES
from memapp.errors import UsageError
from memapp.inference import Cancel, ChatModel, whole_reply
from memapp.language.held import unsaid
from memapp.language.same import is_respelt
from memapp.language.topics import topics_of
from memapp.language.word_file import words_of
from memapp.prompts import insights as words
from memapp.runtime import Runtime
from memapp.services import ask_first, curate
from memapp.services.embed import embedded
from memapp.services.model_jobs import may_do
from memapp.services.ordinary import may_be_told, ordinary_sentences, surely_ordinary, untouched
from memapp.services.regularities import Regularity, find
from memapp.services.tellable import without_words_of_withheld
from memapp.store import changes, chat, history, memories, relations
from memapp.store import insights as store
from memapp.store.encoding import new_id
from memapp.store.session import Session

DYNAMIC = "relationship_dynamic"
LOOKED_BACK = timedelta(days=60)
MESSAGES = 600
"""The last messages that are counted in."""
AT_ONCE = 3
"""Insights that one run makes of what it counted."""
RENEWED = timedelta(days=7)
"""So old one must be for its numbers to be counted anew."""
FACTS, SNIPPET_CHARS = 8, 1000
"""What a model is shown: the newest memories, and of what the person said last so much."""
NEAR = 0.3
"""Cosine of what a model concludes with what it has that from; below it, it is about something
else.
"""


@dataclass(frozen=True, slots=True)
class Insight:
    """An insight with what it rests on."""

    memory: Memory
    memories: tuple[Memory, ...]
    messages: tuple[Message, ...]
    by: str
    """Who made it: memapp by counting, or a model by its name."""

    @property
    def evidence(self) -> int:
        return len(self.memories) + len(self.messages)


def list_insights(runtime: Runtime) -> list[Insight]:
    """Return the insights that are held, pinned ones first, each with its evidence."""
    session = runtime.read()
    found = sorted(_held(session), key=lambda one: one.pinned, reverse=True)
    evidence = relations.evidence_of(session, [memory.id for memory in found])
    return [_with_evidence(session, memory, evidence[memory.id]) for memory in found]


def keep_as_memory(runtime: Runtime, memory_id: str) -> str:
    """Make an insight a memory of the person's own, which rests on nothing; return its id. It is
    one step.

    Raises `UsageError` for what is no insight, or is in the trash.
    """
    actor = runtime.actor()
    with runtime.write() as session:
        insight = memories.get_memory(session, memory_id)
        if insight.kind is not Kind.INSIGHT:
            raise UsageError("This is no insight.")
        changes.apply(session, SoftDeleted(insight.id, "person", runtime.purge_at()), actor)
        own = replace(
            insight,
            id=session.new_id(),
            kind=Kind.SEMANTIC,
            category=NOTES,
            origin="person",
            sources=(),
        )
        own = replace(
            own,
            importance=curate.BY_HAND_IMPORTANCE,
            created_at=session.now,
            updated_at=session.now,
        )
        return changes.apply(session, Created(own), actor).memory_id


def run(runtime: Runtime, cancel: Cancel, last: Pace | None) -> Iterator[int]:
    """End the insights that rest on what may not be told any more, and make new ones if there is
    news; yield 1 for each.
    """
    yield from _end_stale(runtime)
    messages = store.list_typed(runtime.read(), runtime.clock() - LOOKED_BACK, MESSAGES)
    if not messages or (last and messages[-1].created_at <= last.ran_at):
        return
    erasures = runtime.database.erasures
    for regularity in find(runtime, messages, cancel)[:AT_ONCE]:
        if not cancel.is_set() and _save_regularity(runtime, regularity, erasures):
            yield 1
    model = runtime.chat.ready()
    if model and not cancel.is_set() and may_do(runtime, model, "insights"):
        yield from _conclude(runtime, model, messages, cancel, erasures)


def waiting(runtime: Runtime) -> int:
    """Count the messages that a run would look at."""
    return len(store.list_typed(runtime.read(), runtime.clock() - LOOKED_BACK, MESSAGES))


def worded(one: Regularity) -> str:
    """Return what was counted, as a sentence about User."""
    first, last = (f"{day.day} {day:%B %Y}" for day in one.days)
    on = f", mostly on {one.weekday}s" if one.weekday else ""
    return f"In {one.chats} of {one.among} chats from {first} to {last} User talked about “{one.topic}”{on}."


def _held(session: Session) -> list[Memory]:
    return memories.list_memories(session, MemoryFilter(kind=Kind.INSIGHT))


def _dismissed(session: Session) -> list[Memory]:
    trash = memories.list_memories(
        session, MemoryFilter(state=State.SOFT_DELETED, kind=Kind.INSIGHT)
    )
    return [memory for memory in trash if memory.reason in ("person", "undone")]


def _with_evidence(session: Session, insight: Memory, evidence: Sequence[str]) -> Insight:
    said = chat.get_messages(session, insight.sources)
    made = history.list_entries(session, insight.id, limit=None)
    return Insight(
        insight,
        tuple(memories.get_memories(session, evidence)),
        tuple(said),
        made[-1].actor if made else RULES,
    )


def _end_stale(runtime: Runtime) -> Iterator[int]:
    """Move to the trash what rests on a message that is gone, withheld or edited."""
    stale = [memory for memory in _held(runtime.read()) if not may_be_told(runtime, memory)]
    for memory in stale:
        with runtime.write() as session:
            actor = runtime.actor(name=RULES)
            changes.apply(session, SoftDeleted(memory.id, "superseded", runtime.purge_at()), actor)
        yield 1


def _save_regularity(runtime: Runtime, one: Regularity, erasures: int) -> bool:
    """Store what was counted in the place of the same from before, unless that is pinned or new;
    return whether that is so.
    """
    text = worded(one)
    sources = tuple(dict.fromkeys(said.message.id for said in one.said))
    if len(sources) < 2 or not without_words_of_withheld(runtime.read(), [text]):
        return False
    with runtime.write() as session:
        if runtime.database.erasures != erasures or any(
            _is_about(old, one) for old in _dismissed(session)
        ):
            return False
        before = [old for old in _held(session) if _is_about(old, one)]
        if any(
            old.pinned or session.now - old.updated_at < RENEWED or old.text == text
            for old in before
        ):
            return False
        learned = [
            fact for fact in memories.list_learned_from(session, sources) if not fact.is_reflected
        ]
        facts = [fact.id for fact in learned if not one.stems.isdisjoint(_stems(fact.text))]
        memory = replace(_memory(text, sources, session.now), tags=(one.topic,))
        actor = runtime.actor(name=RULES)
        if not ask_first.store_or_ask(runtime, session, Created(memory, tuple(facts)), actor):
            return False
        for old in before:
            changes.apply(session, SoftDeleted(old.id, "superseded", runtime.purge_at()), actor)
    return True


def _is_about(insight: Memory, one: Regularity) -> bool:
    """Return True for an insight that counts the same topic, which stands as its tag."""
    return not one.stems.isdisjoint(_stems(" ".join(insight.tags)))


def _stems(text: str) -> frozenset[str]:
    return frozenset(topics_of(text, words_of(text)))


def _conclude(
    runtime: Runtime, model: ChatModel, messages: Sequence[Message], cancel: Cancel, erasures: int
) -> Iterator[int]:
    """Let a model conclude; yield 1 for each insight that is grounded, new and touches nothing
    sensitive.
    """
    shown = _shown(runtime, messages, cancel)
    if len(shown) < 2 or cancel.is_set():
        return
    lines = [text for _, text in shown]
    for conclusion in words.parse(whole_reply(model, *words.request(lines), cancel), len(lines)):
        cited = [shown[number - 1] for number in conclusion.evidence]
        evidence = [text for _, text in cited]
        if cancel.is_set() or not (
            is_grounded(conclusion.text, evidence)
            and _may_be_known(runtime, conclusion.text, evidence)
        ):
            continue
        sources = tuple(source.id for source, _ in cited if isinstance(source, Message))
        facts = tuple(source.id for source, _ in cited if isinstance(source, Memory))
        with runtime.write() as session:
            known = any(
                is_respelt(conclusion.text, old.text)
                for old in (*_held(session), *_dismissed(session))
            )
            there = [
                fact for fact in memories.get_memories(session, facts) if fact.state is State.LIVE
            ]
            known = (
                known or memories.find_same(session, session.normalise(conclusion.text)) is not None
            )
            if runtime.database.erasures != erasures or len(there) < len(set(facts)) or known:
                continue
            change = Created(_memory(conclusion.text, sources, session.now), facts)
            if not ask_first.store_or_ask(runtime, session, change, Actor(f"model:{model.name}")):
                continue
        yield 1


def is_grounded(text: str, evidence: Sequence[str]) -> bool:
    """Return True for an insight with no name or number but those of its evidence."""
    return bool(text) and not unsaid(text, [*evidence, "User"], words_of(text))


def _may_be_known(runtime: Runtime, text: str, evidence: Sequence[str]) -> bool:
    """Return True for a text that is near to its evidence, surely ordinary, and has no word of what
    waits or was denied.
    """
    if not without_words_of_withheld(runtime.read(), [text]) or not surely_ordinary(
        runtime, [text]
    ):
        return False
    rows = embedded(runtime.reading, [text, *evidence], wait=True)
    return rows is not None and float(rows[0] @ np.mean(rows[1:], axis=0)) >= NEAR


def _shown(
    runtime: Runtime, messages: Sequence[Message], cancel: Cancel
) -> list[tuple[Memory | Message, str]]:
    """Return what a model may conclude from: the newest memories, and what was said last, as far as
    it is surely ordinary.
    """
    known = [
        memory
        for memory in memories.list_memories(runtime.read(), limit=4 * FACTS)
        if not memory.is_reflected
    ]
    ordinary = frozenset(surely_ordinary(runtime, [memory.text for memory in known]))
    shown: list[tuple[Memory | Message, str]] = []
    shown += [(memory, memory.text) for memory in known if memory.text in ordinary][:FACTS]
    left = SNIPPET_CHARS
    for message in reversed(untouched(runtime, messages[-SNIPPET_CHARS // 20 :])):
        said = (
            shorten(" ".join(ordinary_sentences(runtime, message)), SNIPPET_CHARS)
            if left > 0 and not cancel.is_set()
            else ""
        )
        if said and len(said) <= left:
            shown.append((message, said))
        left -= len(said)
    return shown


def _memory(text: str, sources: tuple[str, ...], now: datetime) -> Memory:
    return Memory(
        id=new_id(now),
        text=text,
        tags=(),
        kind=Kind.INSIGHT,
        category=DYNAMIC,
        importance=DEFAULT_IMPORTANCE,
        origin="reflected",
        sources=sources,
        created_at=now,
        updated_at=now,
    )
