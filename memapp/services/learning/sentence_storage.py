"""Storing sentences: each becomes a memory, or a request pending the person's approval."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memapp.domain.changes import Actor, Created, SoftDeleted, Updated
from memapp.domain.chat import Message
from memapp.domain.consent import FACT, FORGOTTEN
from memapp.domain.judgement import DEFAULT_IMPORTANCE, RULES
from memapp.domain.learning_queue import QueuedMessage
from memapp.domain.memory import Kind, Memory, State
from memapp.domain.profile import has_value
from memapp.domain.turn_events import Remembered, Retracted
from memapp.language.last_day import last_day
from memapp.language.profile import stated
from memapp.language.word_file import words_of
from memapp.runtime import Runtime
from memapp.services.consent import decisions, pending, requests
from memapp.services.forget import is_forgotten
from memapp.services.learning.corrections import Correctable
from memapp.services.recall import Neighbours, same_memory_id
from memapp.services.trust import leave
from memapp.store import changes, chat, events, history, learning_queue, memories
from memapp.store.session import Session


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a message that may become a memory."""

    text: str
    before: str = ""
    """The sentence it leans on."""
    corrects: Correctable | None = None
    """The memory it replaces."""
    approval_field: str = ""
    """The profile field under which the person is asked to approve the sentence; empty if no
    approval is needed.
    """
    category: str = ""

    @property
    def needs_approval(self) -> bool:
        return bool(self.approval_field)

    @property
    def whole(self) -> str:
        return f"{self.before} {self.text}".strip()


def store_sentences(
    runtime: Runtime,
    queued: QueuedMessage,
    message: Message,
    sentences: Sequence[Sentence],
    near_memories: Sequence[Neighbours],
) -> Iterator[Remembered | Retracted]:
    """Store or propose sentences, retire the memories they correct, and settle the message.

    All in one transaction. Yields the events afterwards.
    """
    stored: list[Remembered] = []
    retired: list[Retracted] = []
    with runtime.write() as session:
        if not learning_queue.is_current(session, queued.id, message.text):
            return  # withdrawn, edited or erased meanwhile
        taught = history.texts_from(session, message.id)  # a message is read again after a yes
        may_write = leave(session, RULES) == "write"
        for sentence, nearest in zip(sentences, near_memories, strict=True):
            memory = memory_for(session, message, sentence)
            if memory.text in taught:
                continue
            actor = Actor(RULES, message.thread_id, step=session.new_id())
            old = (
                _retire(runtime, session, sentence.corrects, actor, may_write=may_write)
                if sentence.corrects
                else None
            )
            is_pending = propose(runtime, message, sentence, memory, may_write=may_write)
            same = None if is_pending else same_memory_id(session, memory.text, nearest)
            if same:
                changes.apply(session, Updated(same, sources=(message.id,)), actor)
            if is_pending or same:
                retired += [Retracted((old.text,), actor.step)] if old else []
                continue
            changes.apply(session, Created(memory), actor)
            stored.append(Remembered(memories.get_memory(session, memory.id), actor.step, old))
        if stored:
            _make_room(session, runtime, Actor(RULES, message.thread_id, step=stored[-1].step))
        learning_queue.settle(session, queued.id, "learned" if stored or taught else "nothing")
        _count(
            session,
            message,
            len(stored),
            len(sentences) - len(stored),
            is_ok=bool(stored or retired),
        )
    yield from stored
    yield from retired


def _retire(
    runtime: Runtime, session: Session, corrected: Correctable, actor: Actor, *, may_write: bool
) -> Memory | None:
    """Trash a corrected memory, or withdraw it while pending; return the trashed one."""
    pending.end_all(runtime, [request.id for request in corrected.requests], actor, "signals")
    live = [
        memory
        for memory in memories.get_memories(session, [corrected.memory.id])
        if memory.state is State.LIVE and may_write
    ]
    for memory in live:
        changes.apply(
            session,
            SoftDeleted(memory.id, "superseded", runtime.purge_at()),
            replace(actor, name="merge"),
        )
    return next(iter(live), None)


def propose(
    runtime: Runtime,
    message: Message,
    sentence: Sentence,
    memory: Memory,
    *,
    may_write: bool = True,
) -> bool:
    """Propose the parts of a sentence that need approval; return True if there are any.

    Approval then stores the memory, too. A value the profile has already, in any wording, was
    approved before. An agent that may not write needs approval for everything.
    """
    profile = decisions.profile(runtime)
    values = [
        hint
        for hint in stated(sentence.text, words_of(sentence.text))
        if not has_value(hint.field, profile.get(hint.field, ()), hint.value)
    ]
    for hint in values:
        requests.propose(
            runtime, hint.field, hint.value, message_id=message.id, typed=True, memory=memory
        )
    if values:
        return True
    field = FORGOTTEN if is_forgotten(runtime, memory.text) else sentence.approval_field
    if sentence.corrects and sentence.corrects.requests:
        field = field or FACT  # the corrected memory needed approval, too
    if field or not may_write:
        field, old = field or FACT, "" if may_write else memory.instead_of
        requests.propose(
            runtime, field, memory.text, message_id=message.id, typed=True, memory=memory, old=old
        )
    return bool(field)


def memory_for(session: Session, message: Message, sentence: Sentence) -> Memory:
    old = sentence.corrects.memory if sentence.corrects else None
    memory = memory_from_message(session, message, sentence.whole, sentence.category)
    return (
        replace(memory, importance=max(memory.importance, old.importance), instead_of=old.text)
        if old
        else memory
    )


def memory_from_message(session: Session, message: Message, text: str, category: str) -> Memory:
    """Return words of a message as a memory, dated by the message."""
    return Memory(
        id=session.new_id(),
        text=text,
        tags=(),
        kind=Kind.SEMANTIC,
        category=category,
        importance=DEFAULT_IMPORTANCE,
        origin="said",
        sources=(message.id,),
        agent_id=chat.get_thread(session, message.thread_id).persona,
        run_id=message.thread_id,
        valid_until=last_day(text, message.created_at.astimezone().date(), words_of(text)),
        created_at=message.created_at,
        updated_at=message.created_at,
    )


def _make_room(session: Session, runtime: Runtime, actor: Actor) -> None:
    """Trash the memories beyond the limit, in the step of the last new memory."""
    for memory_id in memories.overflowing(session, runtime.settings.max_facts):
        changes.apply(
            session,
            SoftDeleted(memory_id, "overflow", runtime.purge_at()),
            replace(actor, name="lifecycle"),
        )


def _count(session: Session, message: Message, learned: int, skipped: int, *, is_ok: bool) -> None:
    """Record how many memories a message brought, and how many sentences brought none."""
    status: Literal["ok", "skipped"] = "ok" if is_ok else "skipped"
    meta = {"learned": learned, "known": skipped}
    events.add_event(session, "worker", "distil", status, thread_id=message.thread_id, meta=meta)
