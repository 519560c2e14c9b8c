"""The only code that alters a memory: `apply`.

Row, full-text index and vector (by trigger), history, change log, revision and event are written together in the caller's
transaction. The history keeps what a memory was before, so one change, `Reverted`, takes back any other.
"""

import sqlite3
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import assert_never

from memapp.domain.changes import (
    Actor,
    Change,
    Created,
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
)
from memapp.domain.duplicates import normalise
from memapp.domain.history import Event
from memapp.domain.memory import Memory, State
from memapp.errors import UsageError
from memapp.store import history, images
from memapp.store.delta import log_change
from memapp.store.events import Node, add_event
from memapp.store.history import Touched
from memapp.store.memories import find_same, get_memory
from memapp.store.rows import new_id, to_json, to_text

TIME_TO_LOOK = timedelta(days=7)
_OPERATIONS = {
    Event.ADD: ("create", "created"),
    Event.UPDATE: ("update", "updated"),
    Event.PIN: ("pin", "pinned"),
    Event.DELETE: ("delete", "soft_deleted"),
    Event.TTL: ("ttl", "soft_deleted"),
    Event.RESTORE: ("restore", "restored"),
    Event.MERGE: ("merge", "merged"),
    Event.LINK: ("link", "linked"),
    Event.PURGE: ("purge", "deleted"),
    Event.PROFILE: ("update", "profile"),
}
"""What an entry of the history is called in the events and in the change log."""


def apply(conn: sqlite3.Connection, change: Change, actor: Actor, now: datetime, *, sim: float | None = None) -> Revision:
    """Carry out one change and return what it did: an entry for each memory it touched, and one event.

    `sim` is the likeness of the nearest neighbour, for the event, where it is known.
    Raises `UsageError` if it makes no sense now: a live memory says the same already, a memory is in the trash already.
    """
    step = actor.step or new_id(now)
    touched, undoes = _carry_out(conn, change, actor, now)
    number = history.next_revision(conn, actor.user_id)
    for one in touched:
        history.record(conn, actor, step, one, now, undoes=undoes)
        log_change(conn, actor, number, one, _called(one)[1], now)
    first = touched[0]
    memory_id = None if first.event is Event.PROFILE else first.memory_id
    add_event(
        conn,
        actor.user_id,
        _node(actor, first),
        _called(first)[0],
        "ok",
        now,
        thread_id=actor.thread_id or None,
        memory_id=memory_id,
        category=first.category or None,
        sim=sim,
    )
    return Revision(step, number, first.memory_id, change)


def _node(actor: Actor, first: Touched) -> Node:
    """Return the part of memapp that did it; what creates or merges episodes is a part of its own."""
    if first.event in (Event.ADD, Event.MERGE) and first.after and images.is_episode(first.after):
        return "episodic"
    return "worker" if actor.name == "worker" else "hotpath"


def _called(touched: Touched) -> tuple[str, str]:
    return ("undo", touched.became) if touched.event is Event.UNDO else _OPERATIONS[touched.event]


def _carry_out(conn: sqlite3.Connection, change: Change, actor: Actor, now: datetime) -> tuple[Sequence[Touched], str]:
    """Write the rows; return what was touched, and the step that was taken back, if any."""
    user = actor.user_id
    match change:
        case Created():
            return [_create(conn, user, change.memory)], ""
        case Updated():
            return [_update(conn, user, change, now)], ""
        case Merged():
            return _merge(conn, user, change, now), ""
        case Linked():
            return [_link(conn, user, change, now)], ""
        case Pinned():
            return [_pin(conn, user, change, now)], ""
        case SoftDeleted():
            return [_soft_delete(conn, user, change, now)], ""
        case Restored():
            return [_restore(conn, user, change, now)], ""
        case Purged():
            return [_purge(conn, user, change)], ""
        case ProfileChanged():
            return [_change_profile(conn, user, change, now)], change.undoes
        case Reverted():
            return _revert(conn, user, change, now), change.step
        case _:
            assert_never(change)


def _create(conn: sqlite3.Connection, user_id: str, memory: Memory) -> Touched:
    if memory.state is State.LIVE:
        _refuse_same(conn, user_id, memory.id, memory.text)
    conn.execute(
        """INSERT INTO memories (id, user_id, kind, category, text, normal_text, tags, importance, pinned, state, reason,
                                 purge_at, merged_into, origin, agent_id, run_id, created_at, updated_at)
           VALUES (:id, :user_id, :kind, :category, :text, :normal_text, :tags, :importance, :pinned, :state, :reason,
                   :purge_at, :merged_into, :origin, :agent_id, :run_id, :created_at, :updated_at)""",
        {
            "id": memory.id,
            "user_id": user_id,
            "kind": memory.kind,
            "category": memory.category,
            "text": memory.text,
            "normal_text": normalise(memory.text),
            "tags": to_json(memory.tags),
            "importance": memory.importance,
            "pinned": int(memory.pinned),
            "state": memory.state,
            "reason": memory.reason,
            "purge_at": to_text(memory.purge_at) if memory.purge_at else None,
            "merged_into": memory.merged_into,
            "origin": memory.origin,
            "agent_id": memory.agent_id,
            "run_id": memory.run_id,
            "created_at": to_text(memory.created_at),
            "updated_at": to_text(memory.updated_at),
        },
    )
    _add_sources(conn, memory.id, memory.sources)
    return Touched(Event.ADD, memory.id, None, images.take(conn, user_id, memory.id))


def _update(conn: sqlite3.Connection, user_id: str, change: Updated, now: datetime) -> Touched:
    before = get_memory(conn, user_id, change.memory_id)
    image = images.take(conn, user_id, before.id)
    if change.sources and change == Updated(before.id, sources=change.sources):  # like a link, this follows from the texts
        _add_sources(conn, before.id, change.sources)
        return Touched(Event.LINK, before.id, image, images.take(conn, user_id, before.id))
    text = before.text if change.text is None else change.text
    tags = before.tags if change.tags is None else change.tags
    importance = before.importance if change.importance is None else change.importance
    category = before.category if change.category is None else change.category
    if before.state is State.LIVE:
        _refuse_same(conn, user_id, before.id, text)
    conn.execute(
        """UPDATE memories SET text = ?, normal_text = ?, tags = ?, importance = ?, category = ?, updated_at = ?
           WHERE user_id = ? AND id = ?""",
        (text, normalise(text), to_json(tags), importance, category, to_text(now), user_id, before.id),
    )
    if text != before.text:  # what it is related to is found anew
        conn.execute("DELETE FROM relations WHERE user_id = ?1 AND (from_id = ?2 OR to_id = ?2)", (user_id, before.id))
    _add_sources(conn, before.id, change.sources)
    return Touched(Event.UPDATE, before.id, image, images.take(conn, user_id, before.id))


def _merge(conn: sqlite3.Connection, user_id: str, change: Merged, now: datetime) -> list[Touched]:
    absorbed, kept = get_memory(conn, user_id, change.memory_id), get_memory(conn, user_id, change.into)
    if absorbed.id == kept.id or State.LIVE not in (absorbed.state, kept.state) or absorbed.state is not kept.state:
        raise UsageError("Only two memories that are both remembered can be merged.")
    before_absorbed, before_kept = images.take(conn, user_id, absorbed.id), images.take(conn, user_id, kept.id)
    conn.execute(
        """UPDATE memories SET state = 'merged', reason = 'merged', merged_into = ?, purge_at = ?, updated_at = ?
           WHERE user_id = ? AND id = ?""",
        (kept.id, to_text(change.purge_at), to_text(now), user_id, absorbed.id),
    )
    _add_sources(conn, kept.id, absorbed.sources)
    conn.execute(
        "UPDATE memories SET importance = ?, pinned = ?, updated_at = ? WHERE user_id = ? AND id = ?",
        (max(kept.importance, absorbed.importance), int(kept.pinned or absorbed.pinned), to_text(now), user_id, kept.id),
    )
    return [
        Touched(Event.MERGE, kept.id, before_kept, images.take(conn, user_id, kept.id), meta={"took_in": absorbed.id}),
        Touched(Event.MERGE, absorbed.id, before_absorbed, images.take(conn, user_id, absorbed.id), meta={"into": kept.id}),
    ]


def _link(conn: sqlite3.Connection, user_id: str, change: Linked, now: datetime) -> Touched:
    one = get_memory(conn, user_id, change.memory_id)
    before = images.take(conn, user_id, one.id)
    conn.executemany(
        """INSERT INTO relations (id, user_id, from_id, to_id, relation_type, strength, created_at)
           VALUES (?, ?, ?, ?, 'related_to', ?, ?)
           ON CONFLICT (min(from_id, to_id), max(from_id, to_id), relation_type) DO UPDATE SET strength = excluded.strength""",
        [
            (new_id(now), user_id, one.id, get_memory(conn, user_id, other).id, strength, to_text(now))
            for other, strength in change.to
        ],
    )
    return Touched(Event.LINK, one.id, before, images.take(conn, user_id, one.id), meta={"to": dict(change.to)})


def _pin(conn: sqlite3.Connection, user_id: str, change: Pinned, now: datetime) -> Touched:
    before = get_memory(conn, user_id, change.memory_id)
    if before.state is not State.LIVE:  # a pin would not keep it there
        raise UsageError("This memory is in the trash.", "Bring it back first.")
    image = images.take(conn, user_id, before.id)
    conn.execute(
        "UPDATE memories SET pinned = ?, updated_at = ? WHERE user_id = ? AND id = ?",
        (int(change.pinned), to_text(now), user_id, before.id),
    )
    return Touched(Event.PIN, before.id, image, images.take(conn, user_id, before.id))


def _soft_delete(conn: sqlite3.Connection, user_id: str, change: SoftDeleted, now: datetime) -> Touched:
    before = get_memory(conn, user_id, change.memory_id)
    if before.state is not State.LIVE:
        raise UsageError("This memory is in the trash already.")
    image = images.take(conn, user_id, before.id)
    conn.execute(
        "UPDATE memories SET state = 'soft_deleted', reason = ?, purge_at = ?, updated_at = ? WHERE user_id = ? AND id = ?",
        (change.reason, to_text(change.purge_at), to_text(now), user_id, before.id),
    )
    event = Event.TTL if change.reason == "unused" else Event.DELETE
    return Touched(event, before.id, image, images.take(conn, user_id, before.id), meta={"reason": change.reason})


def _restore(conn: sqlite3.Connection, user_id: str, change: Restored, now: datetime) -> Touched:
    before = get_memory(conn, user_id, change.memory_id)
    if before.state is State.LIVE:
        raise UsageError("This memory is not in the trash.")
    _refuse_same(conn, user_id, before.id, before.text)
    image = images.take(conn, user_id, before.id)
    conn.execute(
        """UPDATE memories SET state = 'live', reason = '', merged_into = '', purge_at = NULL, updated_at = ?
           WHERE user_id = ? AND id = ?""",
        (to_text(now), user_id, before.id),
    )
    return Touched(Event.RESTORE, before.id, image, images.take(conn, user_id, before.id))


def _purge(conn: sqlite3.Connection, user_id: str, change: Purged) -> Touched:
    before = get_memory(conn, user_id, change.memory_id)
    image = images.take(conn, user_id, before.id)
    conn.execute("DELETE FROM memories WHERE user_id = ? AND id = ?", (user_id, before.id))  # its versions go with it
    return Touched(Event.PURGE, before.id, image, None)


def _change_profile(conn: sqlite3.Connection, user_id: str, change: ProfileChanged, now: datetime) -> Touched:
    """Carry out an approved patch; the guards of the schema refuse any other."""
    patch = conn.execute(
        "SELECT field, new_value FROM patches WHERE user_id = ? AND id = ? AND state = 'approved'", (user_id, change.patch_id)
    ).fetchone()
    if patch is None:
        raise UsageError("Only an approved change can be made to the profile.")
    before = conn.execute("SELECT patch_id FROM profile WHERE user_id = ? AND field = ?", (user_id, patch["field"])).fetchone()
    if patch["new_value"]:
        conn.execute(
            """INSERT INTO profile (user_id, field, value, patch_id, updated_at) VALUES (?, ?, ?, ?, ?)
               ON CONFLICT (user_id, field) DO UPDATE SET
                 value = excluded.value, patch_id = excluded.patch_id, updated_at = excluded.updated_at""",
            (user_id, patch["field"], patch["new_value"], change.patch_id, to_text(now)),
        )
    else:
        conn.execute("DELETE FROM profile WHERE user_id = ? AND field = ?", (user_id, patch["field"]))
    meta = {"patch_id": change.patch_id, "before": before["patch_id"] if before else ""}
    return Touched(Event.PROFILE, f"profile:{patch['field']}", None, None, meta=meta)


def _revert(conn: sqlite3.Connection, user_id: str, change: Reverted, now: datetime) -> list[Touched]:
    """Put back what the memories were before a step, last change first. The profile goes its own way, by patches."""
    entries = [one for one in history.entries_of_step(conn, user_id, change.step) if one.is_of_memory]
    if not entries:
        raise UsageError("There is nothing to take back.")
    touched = []
    for entry in reversed(entries):
        before = images.take(conn, user_id, entry.memory_id)
        if before is None or entry.event is Event.PURGE or (entry.before is None and entry.event is not Event.ADD):
            continue  # erased for good: the rest of the step is taken back without it
        if history.changed_since(conn, user_id, entry):
            raise UsageError("This memory was changed again since then.", "Take that back first.")
        if entry.memory_id in change.held_back:
            touched.append(Touched(Event.UNDO, entry.memory_id, before, before))
            continue
        if entry.before is None:
            conn.execute(
                """UPDATE memories SET state = 'soft_deleted', reason = 'undone', merged_into = '', purge_at = ?, updated_at = ?
                   WHERE user_id = ? AND id = ?""",
                (to_text(change.purge_at), to_text(now), user_id, entry.memory_id),
            )
        else:
            image = history.image_of(conn, entry.before)
            if images.is_live(image):
                _refuse_same(conn, user_id, entry.memory_id, images.text_of(image))
            after = history.image_of(conn, entry.after) if entry.after else before
            images.put_back(conn, user_id, entry.memory_id, image, after=after, now=before)
            conn.execute(  # back in the trash with its time nearly over: that begins again, so that there is time to look
                "UPDATE memories SET purge_at = ?, updated_at = ? WHERE user_id = ? AND id = ? AND purge_at < ?",
                (to_text(change.purge_at), to_text(now), user_id, entry.memory_id, to_text(now + TIME_TO_LOOK)),
            )
        touched.append(Touched(Event.UNDO, entry.memory_id, before, images.take(conn, user_id, entry.memory_id)))
    if not touched:
        raise UsageError("This cannot be taken back: all of it was erased for good.")
    return touched


def _add_sources(conn: sqlite3.Connection, memory_id: str, message_ids: Sequence[str]) -> None:
    conn.executemany(
        "INSERT INTO memory_sources (memory_id, message_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
        [(memory_id, message_id) for message_id in message_ids],
    )


def _refuse_same(conn: sqlite3.Connection, user_id: str, memory_id: str, text: str) -> None:
    same = find_same(conn, user_id, normalise(text))
    if same is not None and same != memory_id:
        raise UsageError("memapp knows that already.", f"It is memory {same}.")
