"""Changes of memories and lessons, carried out: `apply` is the only code that alters one.

Row, full-text index and vector (by trigger), history, change log, revision and event are written
together in the caller's transaction. The history keeps what a memory was before, so one change,
`Reverted`, reverts any other but a purge or a decision on the profile.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import wraps
from typing import Any

from memapp.domain.changes import (
    Actor,
    Change,
    Created,
    Event,
    Linked,
    Merged,
    Pinned,
    ProfileChanged,
    Purged,
    Received,
    Restored,
    Reverted,
    Revision,
    SoftDeleted,
    Updated,
    is_memapp,
)
from memapp.domain.history import Entry
from memapp.domain.memory import Kind, Memory, State
from memapp.errors import NotFound, UsageError
from memapp.store import agents, chat, history, lesson_changes, profile, snapshots
from memapp.store.change_log import log_change
from memapp.store.events import IN_BACKGROUND, WHILE_CHATTING, Node, add_event
from memapp.store.history import Touched
from memapp.store.memories import find_same, get_memories, get_memory, row_of
from memapp.store.relations import resting_on
from memapp.store.session import Session
from memapp.store.snapshots import Snapshot

TIME_TO_LOOK = timedelta(days=7)
"""What comes back into the trash stays there at least so long."""
_DELETE_TICKS = "DELETE FROM howto_ticks WHERE user_id = :user AND memory_id = :id"
_DELETE_WHOLE = (
    _DELETE_TICKS,
    "DELETE FROM versions WHERE user_id = :user AND memory_id = :id",
    "DELETE FROM relations WHERE user_id = :user AND :id IN (from_id, to_id)",
    "DELETE FROM memory_sources WHERE user_id = :user AND memory_id = :id",
    "DELETE FROM access_counts WHERE user_id = :user AND memory_id = :id",
    "DELETE FROM memories WHERE user_id = :user AND id = :id",
)
"""The deletion of a memory with all that is kept of it."""


def apply(session: Session, change: Change, actor: Actor, *, sim: float | None = None) -> Revision:
    """Carry out one change; write history entries, change log and event; return the revision.

    `sim` is the likeness of the nearest neighbour, for the event, where it is known. Raises
    `UsageError` if the change makes no sense now: a live memory says the same already, or a memory
    is in the trash already.
    """
    step = actor.step or session.new_id()
    touched = _OPERATIONS[type(change)](session, change)
    came = isinstance(change, Received)  # with its history, and with what follows from it
    ended = [] if came else _end_insights(session, touched)
    undoes = change.undoes if isinstance(change, ProfileChanged | Reverted) else ""
    number = history.next_revision(session)
    for memory in touched:
        if not came or memory.meta:
            history.record(session, actor, step, memory, undoes=undoes)
    for insight in ended:
        history.record(session, actor, step, insight)
    for memory in (*touched, *ended):
        log_change(session, actor, number, memory)
    first = touched[0]
    about: dict[str, Any] = {"category": first.category or None, "sim": sim}
    about["thread_id"] = actor.thread_id or None
    about["memory_id"] = None if ":" in first.subject_id else first.subject_id
    add_event(session, _node(actor, first), first.event.op, "ok", **about)
    return Revision(step, number, first.subject_id, change)


def _node(actor: Actor, first: Touched) -> Node:
    """Return the part of memapp that made a change; episodes are a part of their own."""
    if first.event in (Event.ADD, Event.MERGE) and first.now and first.now.kind is Kind.EPISODIC:
        return "episodic"
    return IN_BACKGROUND if is_memapp(actor.name) else WHILE_CHATTING


def _of_one(alter: Callable[..., dict[str, Any] | None]) -> Callable[..., list[Touched]]:
    """Turn a function that alters one memory into an operation.

    The function gets the memory, and returns the `meta` of the history entry, if any.
    """

    @wraps(alter)
    def operation(session: Session, change: Any) -> list[Touched]:
        memory = get_memory(session, change.memory_id)
        before = snapshots.of(session, memory)
        meta = alter(session, memory, change) or {}
        return [Touched(change.event, memory.id, before, snapshots.take(session, memory.id), meta)]

    return operation


def _create(session: Session, change: Created) -> list[Touched]:
    memory = change.memory
    if memory.state is State.LIVE:
        _refuse_same(session, memory.id, memory.text)
    session.insert("memories", **row_of(memory), normal_text=session.normalise(memory.text))
    _add_sources(session, memory.id, memory.sources)
    for evidence in get_memories(session, change.evidence):
        if evidence.state is State.SOFT_DELETED:
            raise UsageError("The evidence for this memory is in the trash.")
        row = {"from_id": memory.id, "to_id": evidence.id, "relation_type": "evidence"}
        rest = {"strength": 1.0, "created_at": session.now}
        session.insert("relations", id=session.new_id(), **row, **rest)
    after = snapshots.take(session, memory.id) if change.evidence else snapshots.of_new(memory)
    return [Touched(change.event, memory.id, None, after)]


@_of_one
def _update(session: Session, memory: Memory, change: Updated) -> None:
    if change.only_adds_sources:
        _add_sources(session, memory.id, change.sources)
        return
    named = {
        name: getattr(change, name)
        for name in ("text", "tags", "importance", "category", "steps", "instead_of", "origin")
    }
    after = replace(memory, **{name: value for name, value in named.items() if value is not None})
    if memory.state is State.LIVE:
        _refuse_same(session, memory.id, after.text)
    row = {name: getattr(after, name) for name in named}
    _set(session, memory.id, **row, normal_text=session.normalise(after.text))
    if after.text != memory.text:  # the day belonged to the old text
        _set(session, memory.id, valid_until=None)
    if after.steps != memory.steps:  # the ticks belonged to the old steps
        session.run(_DELETE_TICKS, id=memory.id)
    if after.text != memory.text:  # relations are found anew
        sql = """DELETE FROM relations
                 WHERE user_id = :user AND :id IN (from_id, to_id)
                 AND relation_type = 'related_to'"""
        session.run(sql, id=memory.id)
    _add_sources(session, memory.id, change.sources)


def _merge(session: Session, change: Merged) -> list[Touched]:
    absorbed, kept = get_memory(session, change.memory_id), get_memory(session, change.into)
    if absorbed.id == kept.id or {absorbed.state, kept.state} != {State.LIVE}:
        raise UsageError("Only memories that are not in the trash can be merged.")
    before_absorbed, before_kept = snapshots.of(session, absorbed), snapshots.of(session, kept)
    merged = {"state": State.MERGED, "reason": "merged", "merged_into": kept.id}
    _set(session, absorbed.id, **merged, purge_at=change.purge_at)
    _add_sources(session, kept.id, absorbed.sources)
    weight = max(kept.importance, absorbed.importance)
    _set(session, kept.id, importance=weight, pinned=kept.pinned or absorbed.pinned)
    after_absorbed = snapshots.take(session, absorbed.id)
    after_kept = snapshots.take(session, kept.id)
    return [
        Touched(change.event, kept.id, before_kept, after_kept, {"took_in": absorbed.id}),
        Touched(change.event, absorbed.id, before_absorbed, after_absorbed, {"into": kept.id}),
    ]


@_of_one
def _link(session: Session, memory: Memory, change: Linked) -> dict[str, Any]:
    sql = """INSERT INTO relations (id, user_id, from_id, to_id, relation_type, strength,
                                    created_at)
             SELECT :id, :user, :from_id, id, 'related_to', :strength, :now FROM memories
             WHERE user_id = :user AND id = :to_id
             ON CONFLICT (min(from_id, to_id), max(from_id, to_id), relation_type)
             DO UPDATE SET strength = excluded.strength"""
    links = [
        {"id": session.new_id(), "from_id": memory.id, "to_id": to_id, "strength": strength}
        for to_id, strength in change.to
    ]
    if session.run_many(sql, links).rowcount < len(links):
        raise NotFound("The related memory does not exist.")
    return {"to": dict(change.to)}


@_of_one
def _pin(session: Session, memory: Memory, change: Pinned) -> None:
    if memory.state is not State.LIVE:  # a pin keeps nothing in the trash
        raise UsageError("This memory is in the trash.", "Restore it first.")
    _set(session, memory.id, pinned=change.pinned)


@_of_one
def _soft_delete(session: Session, memory: Memory, change: SoftDeleted) -> dict[str, Any]:
    if memory.state is not State.LIVE:
        raise UsageError("This memory is in the trash already.")
    _set(
        session, memory.id, state=State.SOFT_DELETED, reason=change.reason, purge_at=change.purge_at
    )
    return {"reason": change.reason}


@_of_one
def _restore(session: Session, memory: Memory, _: Restored) -> None:
    if memory.state is State.LIVE:
        raise UsageError("This memory is not in the trash.")
    _refuse_same(session, memory.id, memory.text)
    _set(session, memory.id, state=State.LIVE, reason="", merged_into="", purge_at=None)


@_of_one
def _purge(session: Session, memory: Memory, _change: Purged) -> None:
    for statement in _DELETE_WHOLE:  # the schema refuses to delete a memory with rows left
        session.run(statement, id=memory.id)


def _receive(session: Session, change: Received) -> list[Touched]:
    """Write a memory as it came, or only note that what is here holds."""
    before, memory = snapshots.take(session, change.memory_id), change.memory
    meta = {"reason": change.overruled_on} if change.overruled_on and before and memory else {}
    if change.stands:
        lost = replace(before, memory=memory) if before and memory else None
        return [Touched(change.event, change.memory_id, lost, before, meta)]
    if memory is None:
        for statement in _DELETE_WHOLE if before else ():
            session.run(statement, id=change.memory_id)
        return [Touched(change.event, change.memory_id, before, None)]
    if before is None:
        session.insert("memories", **row_of(memory), normal_text=session.normalise(memory.text))
    else:
        snapshots.put_row(session, memory)
    _add_sources(session, memory.id, chat.still_there(session, memory.sources))
    return [Touched(change.event, memory.id, before, snapshots.take(session, memory.id), meta)]


def _revert(session: Session, change: Reverted) -> list[Touched]:
    """Restore memories, lessons and agents as they were before a step, last change first.

    The profile is restored by consent requests.
    """
    of_step = history.entries_of_step(session, change.step)
    entries = [
        entry for entry in of_step if entry.is_of_memory or entry.is_of_lesson or entry.is_of_agent
    ]
    if not entries:
        raise UsageError("There is nothing to undo.")
    touched = []
    for entry in reversed(entries):
        if entry.is_of_lesson:
            touched += _revert_lesson(session, entry, change)
            continue
        if entry.is_of_agent:
            _refuse_changed_since(session, entry, "setting")
            touched.append(agents.revert(session, entry))
            continue
        before = snapshots.take(session, entry.subject_id)
        if (
            before is None
            or entry.event is Event.PURGE
            or (entry.before is None and entry.event is not Event.ADD)
        ):
            continue  # erased for good: only the rest of the step is reverted
        _refuse_changed_since(session, entry, "memory")
        if entry.subject_id not in change.held_back:
            _put_back(session, entry, before, change.purge_at)
        touched.append(
            Touched(
                change.event, entry.subject_id, before, snapshots.take(session, entry.subject_id)
            )
        )
    if not touched:
        raise UsageError("This cannot be undone: all of it was erased for good.")
    return touched


def _end_insights(session: Session, touched: Sequence[Touched]) -> list[Touched]:
    """Move the insights that rest on newly deleted memories to the trash, for the same time."""
    moved = [
        change
        for change in touched
        if change.was is None or change.was.state is not State.SOFT_DELETED
    ]
    deleted = {
        touched.subject_id: touched.now.purge_at
        for touched in moved
        if touched.now and touched.now.state is State.SOFT_DELETED
    }
    ended = []
    for memory_id, purge_at in deleted.items():
        for insight in get_memories(session, resting_on(session, [memory_id])):
            before = snapshots.of(session, insight)
            meta = {"reason": "superseded"}
            _set(session, insight.id, state=State.SOFT_DELETED, **meta, purge_at=purge_at)
            after = snapshots.take(session, insight.id)
            ended.append(Touched(Event.DELETE, insight.id, before, after, meta))
    return ended


def _revert_lesson(session: Session, entry: Entry, change: Reverted) -> list[Touched]:
    _refuse_changed_since(session, entry, "lesson")
    touched = lesson_changes.revert(session, entry, change.purge_at)
    return [touched] if touched else []


def _refuse_changed_since(session: Session, entry: Entry, what: str) -> None:
    if history.changed_since(session, entry):
        raise UsageError(f"This {what} was changed again since then.", "Undo that first.")


def _put_back(session: Session, entry: Entry, before: Snapshot, purge_at: datetime) -> None:
    """Restore a memory as it was before an entry, or trash a memory that the entry added."""
    if entry.before is None:
        undone = {"state": State.SOFT_DELETED, "reason": "undone", "merged_into": ""}
        _set(session, entry.subject_id, **undone, purge_at=purge_at)
        return
    snapshot = history.snapshot_of(session, entry.before)
    memory = snapshot.memory
    if memory.state is State.LIVE:
        _refuse_same(session, entry.subject_id, memory.text)
    after = history.snapshot_of(session, entry.after) if entry.after else before
    snapshots.put_back(session, entry.subject_id, snapshot, after=after, now=before)
    # back in the trash with its time nearly over: extended, so that there is time to look
    if memory.purge_at and memory.purge_at < session.now + TIME_TO_LOOK:
        _set(session, entry.subject_id, purge_at=purge_at)


def _set(session: Session, memory_id: str, **columns: Any) -> None:
    session.alter("memories", memory_id, updated_at=session.now, **columns)


def _add_sources(session: Session, memory_id: str, message_ids: Sequence[str]) -> None:
    for message_id in message_ids:
        session.insert_new("memory_sources", memory_id=memory_id, message_id=message_id)


def _refuse_same(session: Session, memory_id: str, text: str) -> None:
    same = find_same(session, session.normalise(text))
    if same is not None and same != memory_id:
        raise UsageError("memapp knows that already.", f"It is memory {same}.")


_OPERATIONS: Mapping[type, Callable[..., list[Touched]]] = {
    Created: _create,
    Updated: _update,
    Merged: _merge,
    Linked: _link,
    Pinned: _pin,
    SoftDeleted: _soft_delete,
    Restored: _restore,
    Purged: _purge,
    Received: _receive,
    ProfileChanged: profile.change,
    Reverted: _revert,
    **agents.OPERATIONS,
    **lesson_changes.OPERATIONS,
}
"""The function that carries out each kind of change, and returns the memories it touched."""
