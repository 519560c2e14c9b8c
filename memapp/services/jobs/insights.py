"""The job `insights`: patterns over several messages and memories, found once a day.

Recurring topics are counted; a trusted model concludes more. An insight rests on at least two
messages or memories, none of them sensitive, and is deleted with them. A dismissed insight is not
made again while in the trash.
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
from memapp.domain.judgement import DEFAULT_IMPORTANCE, RULES
from memapp.domain.memory import Kind, Memory, State
from memapp.domain.text import shorten
from memapp.errors import UsageError
from memapp.inference import Cancel, ChatModel, whole_reply
from memapp.language.grounding import unsaid
from memapp.language.same_content import is_respelt
from memapp.language.topics import topics_of
from memapp.language.word_file import words_of
from memapp.prompts import insights as prompts
from memapp.runtime import Runtime
from memapp.services import curate, write_gate
from memapp.services.embed import embedded
from memapp.services.jobs.regularities import Regularity, find_regularities
from memapp.services.models import is_trusted_with
from memapp.services.recall import (
    drop_withheld,
    is_tellable,
    surely_ordinary,
    unredacted,
)
from memapp.services.recall.ordinary_sentences import ordinary_sentences
from memapp.store import changes, chat, history, memories, relations
from memapp.store import typed_messages as store
from memapp.store.encoding import new_id
from memapp.store.session import Session

DYNAMIC = "relationship_dynamic"
LOOKED_BACK = timedelta(days=60)
MESSAGES = 600
"""The number of last messages that are counted."""
AT_ONCE = 3
"""The most insights by counting per run."""
RENEWED = timedelta(days=7)
"""The age at which the numbers of an insight are counted anew."""
FACTS, SNIPPET_CHARS = 8, 1000
"""The newest memories a model is shown, and the characters of last messages."""
NEAR = 0.3
"""The least cosine between an insight and its evidence; a lower one shows another subject."""


@dataclass(frozen=True, slots=True)
class Insight:
    """An insight with its evidence."""

    memory: Memory
    memories: tuple[Memory, ...]
    messages: tuple[Message, ...]
    by: str
    """The author: memapp by counting, or the name of a model."""

    @property
    def evidence(self) -> int:
        return len(self.memories) + len(self.messages)


def list_insights(runtime: Runtime) -> list[Insight]:
    """Return the live insights with their evidence, pinned ones first."""
    session = runtime.read()
    insights = sorted(_held(session), key=lambda memory: memory.pinned, reverse=True)
    evidence = relations.evidence_of(session, [memory.id for memory in insights])
    return [_with_evidence(session, memory, evidence[memory.id]) for memory in insights]


def keep_as_memory(runtime: Runtime, memory_id: str) -> str:
    """Turn an insight into a memory of the person's own, without evidence; return the new id.

    Raises `UsageError` for other memories, and for an insight in the trash.
    """
    actor = runtime.actor()
    with runtime.write() as session:
        insight = memories.get_memory(session, memory_id)
        if insight.kind is not Kind.INSIGHT:
            raise UsageError("This memory is not an insight.")
        changes.apply(session, SoftDeleted(insight.id, "person", runtime.purge_at()), actor)
        own = replace(
            insight,
            id=session.new_id(),
            kind=Kind.SEMANTIC,
            category=NOTES,
            importance=curate.BY_HAND_IMPORTANCE,
            origin="person",
            sources=(),
            created_at=session.now,
            updated_at=session.now,
        )
        return changes.apply(session, Created(own), actor).memory_id


def run(runtime: Runtime, cancel: Cancel, last: Pace | None) -> Iterator[int]:
    """Delete insights on withheld evidence, make new ones after new messages; yield 1 for each."""
    yield from _end_stale(runtime)
    messages = store.list_typed(runtime.read(), runtime.clock() - LOOKED_BACK, MESSAGES)
    if not messages or (last and messages[-1].created_at <= last.ran_at):
        return
    erasures = runtime.database.erasures
    for regularity in find_regularities(runtime, messages, cancel)[:AT_ONCE]:
        if not cancel.is_set() and _save_regularity(runtime, regularity, erasures):
            yield 1
    model = runtime.chat.ready()
    if model and not cancel.is_set() and is_trusted_with(runtime, model, "insights"):
        yield from _conclude(runtime, model, messages, cancel, erasures)


def waiting(runtime: Runtime) -> int:
    """Count the messages that a run would look at."""
    return len(store.list_typed(runtime.read(), runtime.clock() - LOOKED_BACK, MESSAGES))


def worded(regularity: Regularity) -> str:
    """Return a regularity as a sentence that fits the person, a model and another program."""
    first, last = (f"{day.day} {day:%B %Y}" for day in regularity.days)
    on = f", mostly on {regularity.weekday}s" if regularity.weekday else ""
    return (
        f"“{regularity.topic}” came up in {regularity.chats} of {regularity.among} chats"
        f" from {first} to {last}{on}."
    )


def _held(session: Session) -> list[Memory]:
    return memories.list_memories(session, MemoryFilter(kind=Kind.INSIGHT))


def _dismissed(session: Session) -> list[Memory]:
    trash = memories.list_memories(
        session, MemoryFilter(state=State.SOFT_DELETED, kind=Kind.INSIGHT)
    )
    return [memory for memory in trash if memory.reason in ("person", "undone")]


def _with_evidence(session: Session, insight: Memory, evidence: Sequence[str]) -> Insight:
    entries = history.list_entries(session, insight.id, limit=None)
    return Insight(
        insight,
        tuple(memories.get_memories(session, evidence)),
        tuple(chat.get_messages(session, insight.sources)),
        entries[-1].actor if entries else RULES,
    )


def _end_stale(runtime: Runtime) -> Iterator[int]:
    """Delete the insights that rest on a deleted, withheld or edited message."""
    stale = [memory for memory in _held(runtime.read()) if not is_tellable(runtime, memory)]
    for memory in stale:
        with runtime.write() as session:
            actor = runtime.actor(name=RULES)
            changes.apply(session, SoftDeleted(memory.id, "superseded", runtime.purge_at()), actor)
        yield 1


def _save_regularity(runtime: Runtime, regularity: Regularity, erasures: int) -> bool:
    """Save a regularity in place of its older insight; return True if saved.

    A pinned or recent insight on the same topic stays instead.
    """
    text = worded(regularity)
    sources = tuple(dict.fromkeys(said.message.id for said in regularity.said))
    # Only the topic is the person's word; the dates and counts around it are memapp's.
    if len(sources) < 2 or not drop_withheld(runtime.read(), [regularity.topic]):
        return False
    with runtime.write() as session:
        if runtime.database.erasures != erasures:
            return False
        if any(_is_about(old, regularity) for old in _dismissed(session)):
            return False
        earlier = [old for old in _held(session) if _is_about(old, regularity)]
        if any(
            old.pinned or session.now - old.updated_at < RENEWED or old.text == text
            for old in earlier
        ):
            return False
        learned = [
            fact for fact in memories.list_learned_from(session, sources) if not fact.is_reflected
        ]
        facts = [fact.id for fact in learned if not regularity.stems.isdisjoint(_stems(fact.text))]
        memory = replace(_memory(text, sources, session.now), tags=(regularity.topic,))
        actor = runtime.actor(name=RULES)
        if not write_gate.store_or_ask(runtime, session, Created(memory, tuple(facts)), actor):
            return False
        for old in earlier:
            changes.apply(session, SoftDeleted(old.id, "superseded", runtime.purge_at()), actor)
    return True


def _is_about(insight: Memory, regularity: Regularity) -> bool:
    """Return True if an insight counts the same topic, which is its tag."""
    return not regularity.stems.isdisjoint(_stems(" ".join(insight.tags)))


def _stems(text: str) -> frozenset[str]:
    return frozenset(topics_of(text, words_of(text)))


def _conclude(
    runtime: Runtime, model: ChatModel, messages: Sequence[Message], cancel: Cancel, erasures: int
) -> Iterator[int]:
    """Ask a model for insights; yield 1 for each that is grounded, new and not sensitive."""
    shown = _shown(runtime, messages, cancel)
    if len(shown) < 2 or cancel.is_set():
        return
    lines = [text for _, text in shown]
    reply = whole_reply(model, *prompts.request(lines), cancel)
    for conclusion in prompts.parse(reply, len(lines)):
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
            is_known = any(
                is_respelt(conclusion.text, insight.text)
                for insight in (*_held(session), *_dismissed(session))
            )
            same_id = memories.find_same(session, session.normalise(conclusion.text))
            live = [
                fact for fact in memories.get_memories(session, facts) if fact.state is State.LIVE
            ]
            if is_known or same_id is not None or len(live) < len(set(facts)):
                continue
            if runtime.database.erasures != erasures:
                continue
            change = Created(_memory(conclusion.text, sources, session.now), facts)
            if not write_gate.store_or_ask(runtime, session, change, Actor(f"model:{model.name}")):
                continue
        yield 1


def is_grounded(text: str, evidence: Sequence[str]) -> bool:
    """Return True if every name and number of an insight stands in its evidence."""
    return bool(text) and not unsaid(text, [*evidence, "User"], words_of(text))


def _may_be_known(runtime: Runtime, text: str, evidence: Sequence[str]) -> bool:
    """Return True if a text is near its evidence, ordinary, and free of pending or denied words."""
    if not drop_withheld(runtime.read(), [text]):
        return False
    if not surely_ordinary(runtime, [text]):
        return False
    rows = embedded(runtime.judge_embedder, [text, *evidence], wait=True)
    return rows is not None and float(rows[0] @ np.mean(rows[1:], axis=0)) >= NEAR


def _shown(
    runtime: Runtime, messages: Sequence[Message], cancel: Cancel
) -> list[tuple[Memory | Message, str]]:
    """Return the material for a model: the newest memories and last messages, if ordinary."""
    newest = [
        memory
        for memory in memories.list_memories(runtime.read(), limit=4 * FACTS)
        if not memory.is_reflected
    ]
    ordinary = frozenset(surely_ordinary(runtime, [memory.text for memory in newest]))
    shown: list[tuple[Memory | Message, str]] = []
    shown += [(memory, memory.text) for memory in newest if memory.text in ordinary][:FACTS]
    left = SNIPPET_CHARS
    for message in reversed(unredacted(runtime, messages[-SNIPPET_CHARS // 20 :])):
        if left <= 0 or cancel.is_set():
            break
        snippet = shorten(" ".join(ordinary_sentences(runtime, message)), SNIPPET_CHARS)
        if snippet and len(snippet) <= left:
            shown.append((message, snippet))
        left -= len(snippet)
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
