"""The only code that alters a memory: `apply`.

Row, full-text index and vector (by trigger), history, change log, revision and event are written together in the caller's
transaction. The history keeps what a memory was before, so one change, `Reverted`, takes back any other.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

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
    Restored,
    Reverted,
    Revision,
    SoftDeleted,
    Updated,
    is_memapp,
)
from memapp.domain.duplicates import normalise
from memapp.domain.memory import State
from memapp.errors import UsageError
from memapp.store import history, snapshots
from memapp.store.delta import log_change
from memapp.store.encoding import new_id, to_json, to_text
from memapp.store.events import Node, add_event
from memapp.store.history import Touched
from memapp.store.memories import find_same, get_memory, row_of
from memapp.store.session import Session

TIME_TO_LOOK = timedelta(days=7)
_PURGED = (
    "DELETE FROM versions WHERE user_id = :user AND memory_id = :id",
    "DELETE FROM relations WHERE user_id = :user AND :id IN (from_id, to_id)",
    "DELETE FROM memory_sources WHERE user_id = :user AND memory_id = :id",
    "DELETE FROM access_counts WHERE user_id = :user AND memory_id = :id",
    "DELETE FROM memories WHERE user_id = :user AND id = :id",
)
"""Takes a memory away with all that is kept of it."""
_REPLACED = """SELECT value, request_id FROM profile WHERE user_id = :user AND field = :field
               AND (value IN (:old_value, :new_value)
                    OR :old_value = '' AND (SELECT many FROM profile_fields WHERE name = :field) = 0)"""
"""Finds the row of the profile that a consent request puts another value into, or takes away."""


def apply(session: Session, change: Change, actor: Actor, now: datetime, *, sim: float | None = None) -> Revision:
    """Carry out one change and return what it did: an entry for each memory it touched, and one event.

    `sim` is the likeness of the nearest neighbour, for the event, where it is known.
    Raises `UsageError` if it makes no sense now: a live memory says the same already, a memory is in the trash already.
    """
    step = actor.step or new_id(now)
    touched = _OPERATIONS[type(change)](session, change, now)
    undoes = change.undoes if isinstance(change, ProfileChanged | Reverted) else ""
    number = history.next_revision(session)
    for one in touched:
        history.record(session, actor, step, one, now, undoes=undoes)
        log_change(session, actor, number, one, now)
    first, thread = touched[0], actor.thread_id or None
    memory_id = None if first.event is Event.PROFILE else first.memory_id
    add_event(
        session,
        _node(actor, first),
        first.event.op,
        "ok",
        thread_id=thread,
        memory_id=memory_id,
        category=first.category or None,
        sim=sim,
        at=now,
    )
    return Revision(step, number, first.memory_id, change)


def _node(actor: Actor, first: Touched) -> Node:
    """Return the part of memapp that did it; what creates or merges episodes is a part of its own."""
    if first.event in (Event.ADD, Event.MERGE) and first.after and snapshots.is_episode(first.after):
        return "episodic"
    return "worker" if is_memapp(actor.name) else "hotpath"


def _create(session: Session, change: Created, _: datetime) -> list[Touched]:
    memory = change.memory
    if memory.state is State.LIVE:
        _refuse_same(session, memory.id, memory.text)
    row = {**row_of(memory), "normal_text": normalise(memory.text)}
    named = ", ".join(f":{name}" for name in row)
    session.conn.execute(
        f"INSERT INTO memories (user_id, {', '.join(row)}) VALUES (:user, {named})",  # noqa: S608
        {**row, "user": session.user_id},
    )
    _add_sources(session, memory.id, memory.sources)
    return [Touched(change.event, memory.id, None, snapshots.take(session, memory.id))]


def _update(session: Session, change: Updated, now: datetime) -> list[Touched]:
    before = get_memory(session, change.memory_id)
    snapshot = snapshots.take(session, before.id)
    if change.event is Event.LINK:
        _add_sources(session, before.id, change.sources)
        return [Touched(change.event, before.id, snapshot, snapshots.take(session, before.id))]
    text = before.text if change.text is None else change.text
    tags = before.tags if change.tags is None else change.tags
    importance = before.importance if change.importance is None else change.importance
    category = before.category if change.category is None else change.category
    if before.state is State.LIVE:
        _refuse_same(session, before.id, text)
    session.conn.execute(
        """UPDATE memories SET text = ?, normal_text = ?, tags = ?, importance = ?, category = ?, updated_at = ?
           WHERE user_id = ? AND id = ?""",
        (text, normalise(text), to_json(tags), importance, category, to_text(now), session.user_id, before.id),
    )
    if text != before.text:  # what it is related to is found anew
        session.conn.execute(
            "DELETE FROM relations WHERE user_id = ?1 AND (from_id = ?2 OR to_id = ?2)", (session.user_id, before.id)
        )
    _add_sources(session, before.id, change.sources)
    return [Touched(change.event, before.id, snapshot, snapshots.take(session, before.id))]


def _merge(session: Session, change: Merged, now: datetime) -> list[Touched]:
    absorbed, kept = get_memory(session, change.memory_id), get_memory(session, change.into)
    if absorbed.id == kept.id or State.LIVE not in (absorbed.state, kept.state) or absorbed.state is not kept.state:
        raise UsageError("Only two memories that are both remembered can be merged.")
    before_absorbed, before_kept = snapshots.take(session, absorbed.id), snapshots.take(session, kept.id)
    session.conn.execute(
        """UPDATE memories SET state = 'merged', reason = 'merged', merged_into = ?, purge_at = ?, updated_at = ?
           WHERE user_id = ? AND id = ?""",
        (kept.id, to_text(change.purge_at), to_text(now), session.user_id, absorbed.id),
    )
    _add_sources(session, kept.id, absorbed.sources)
    session.conn.execute(
        "UPDATE memories SET importance = ?, pinned = ?, updated_at = ? WHERE user_id = ? AND id = ?",
        (max(kept.importance, absorbed.importance), int(kept.pinned or absorbed.pinned), to_text(now), session.user_id, kept.id),
    )
    return [
        Touched(change.event, kept.id, before_kept, snapshots.take(session, kept.id), meta={"took_in": absorbed.id}),
        Touched(change.event, absorbed.id, before_absorbed, snapshots.take(session, absorbed.id), meta={"into": kept.id}),
    ]


def _link(session: Session, change: Linked, now: datetime) -> list[Touched]:
    one = get_memory(session, change.memory_id)
    before = snapshots.take(session, one.id)
    session.conn.executemany(
        """INSERT INTO relations (id, user_id, from_id, to_id, relation_type, strength, created_at)
           VALUES (?, ?, ?, ?, 'related_to', ?, ?)
           ON CONFLICT (min(from_id, to_id), max(from_id, to_id), relation_type) DO UPDATE SET strength = excluded.strength""",
        [
            (new_id(now), session.user_id, one.id, get_memory(session, other).id, strength, to_text(now))
            for other, strength in change.to
        ],
    )
    return [Touched(change.event, one.id, before, snapshots.take(session, one.id), meta={"to": dict(change.to)})]


def _pin(session: Session, change: Pinned, now: datetime) -> list[Touched]:
    before = get_memory(session, change.memory_id)
    if before.state is not State.LIVE:  # a pin would not keep it there
        raise UsageError("This memory is in the trash.", "Bring it back first.")
    snapshot = snapshots.take(session, before.id)
    session.conn.execute(
        "UPDATE memories SET pinned = ?, updated_at = ? WHERE user_id = ? AND id = ?",
        (int(change.pinned), to_text(now), session.user_id, before.id),
    )
    return [Touched(change.event, before.id, snapshot, snapshots.take(session, before.id))]


def _soft_delete(session: Session, change: SoftDeleted, now: datetime) -> list[Touched]:
    before = get_memory(session, change.memory_id)
    if before.state is not State.LIVE:
        raise UsageError("This memory is in the trash already.")
    snapshot = snapshots.take(session, before.id)
    session.conn.execute(
        "UPDATE memories SET state = 'soft_deleted', reason = ?, purge_at = ?, updated_at = ? WHERE user_id = ? AND id = ?",
        (change.reason, to_text(change.purge_at), to_text(now), session.user_id, before.id),
    )
    return [Touched(change.event, before.id, snapshot, snapshots.take(session, before.id), meta={"reason": change.reason})]


def _restore(session: Session, change: Restored, now: datetime) -> list[Touched]:
    before = get_memory(session, change.memory_id)
    if before.state is State.LIVE:
        raise UsageError("This memory is not in the trash.")
    _refuse_same(session, before.id, before.text)
    snapshot = snapshots.take(session, before.id)
    session.conn.execute(
        """UPDATE memories SET state = 'live', reason = '', merged_into = '', purge_at = NULL, updated_at = ?
           WHERE user_id = ? AND id = ?""",
        (to_text(now), session.user_id, before.id),
    )
    return [Touched(change.event, before.id, snapshot, snapshots.take(session, before.id))]


def _purge(session: Session, change: Purged, _: datetime) -> list[Touched]:
    before = get_memory(session, change.memory_id)
    snapshot = snapshots.take(session, before.id)
    for statement in _PURGED:  # the schema refuses to let go of a memory of which anything is left
        session.conn.execute(statement, {"user": session.user_id, "id": before.id})
    return [Touched(change.event, before.id, snapshot, None)]


def _change_profile(session: Session, change: ProfileChanged, now: datetime) -> list[Touched]:
    """Carry out an approved consent request; the guards of the schema refuse any other."""
    request = session.conn.execute(
        "SELECT field, old_value, new_value FROM consent_requests WHERE user_id = ? AND id = ? AND state = 'approved'",
        (session.user_id, change.request_id),
    ).fetchone()
    if request is None:
        raise UsageError("Only an approved change can be made to the profile.")
    values = {"user": session.user_id, **request, "request": change.request_id, "now": to_text(now)}
    before = session.conn.execute(_REPLACED, values).fetchone()
    if before is None and request["old_value"]:
        raise UsageError("The profile was changed again since then.", "Take that back first.")
    whose = "user_id = :user AND field = :field AND value = :before"
    if before is None:
        statement = "INSERT INTO profile VALUES (:user, :field, :new_value, :request, :now)"
    elif request["new_value"]:
        statement = f"UPDATE profile SET value = :new_value, request_id = :request, updated_at = :now WHERE {whose}"  # noqa: S608
    else:
        statement = f"DELETE FROM profile WHERE {whose}"  # noqa: S608
    session.conn.execute(statement, {**values, "before": before["value"] if before else ""})
    meta = {"request_id": change.request_id, "before": before["request_id"] if before else ""}
    return [Touched(change.event, f"profile:{request['field']}", None, None, meta=meta)]


def _revert(session: Session, change: Reverted, now: datetime) -> list[Touched]:
    """Put back what the memories were before a step, last change first. The profile goes its own way, by consent requests."""
    entries = [one for one in history.entries_of_step(session, change.step) if one.is_of_memory]
    if not entries:
        raise UsageError("There is nothing to take back.")
    touched = []
    for entry in reversed(entries):
        before = snapshots.take(session, entry.memory_id)
        if before is None or entry.event is Event.PURGE or (entry.before is None and entry.event is not Event.ADD):
            continue  # erased for good: the rest of the step is taken back without it
        if history.changed_since(session, entry):
            raise UsageError("This memory was changed again since then.", "Take that back first.")
        if entry.memory_id in change.held_back:
            touched.append(Touched(change.event, entry.memory_id, before, before))
            continue
        if entry.before is None:
            session.conn.execute(
                """UPDATE memories SET state = 'soft_deleted', reason = 'undone', merged_into = '', purge_at = ?, updated_at = ?
                   WHERE user_id = ? AND id = ?""",
                (to_text(change.purge_at), to_text(now), session.user_id, entry.memory_id),
            )
        else:
            snapshot = history.snapshot_of(session, entry.before)
            if snapshots.is_live(snapshot):
                _refuse_same(session, entry.memory_id, snapshots.text_of(snapshot))
            after = history.snapshot_of(session, entry.after) if entry.after else before
            snapshots.put_back(session, entry.memory_id, snapshot, after=after, now=before)
            session.conn.execute(  # back in the trash with its time nearly over: that begins again, so that there is time to look
                "UPDATE memories SET purge_at = ?, updated_at = ? WHERE user_id = ? AND id = ? AND purge_at < ?",
                (to_text(change.purge_at), to_text(now), session.user_id, entry.memory_id, to_text(now + TIME_TO_LOOK)),
            )
        touched.append(Touched(change.event, entry.memory_id, before, snapshots.take(session, entry.memory_id)))
    if not touched:
        raise UsageError("This cannot be taken back: all of it was erased for good.")
    return touched


def _add_sources(session: Session, memory_id: str, message_ids: Sequence[str]) -> None:
    session.conn.executemany(
        "INSERT INTO memory_sources (user_id, memory_id, message_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        [(session.user_id, memory_id, message_id) for message_id in message_ids],
    )


def _refuse_same(session: Session, memory_id: str, text: str) -> None:
    same = find_same(session, normalise(text))
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
    ProfileChanged: _change_profile,
    Reverted: _revert,
}
"""What carries out a change: each writes the rows and returns what it touched."""
