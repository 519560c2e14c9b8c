"""The only code that alters a memory: `apply`.

Row, full-text index (by trigger), vector (dropped by trigger, made again in idle time) and the event move together in the
caller's transaction.
"""

import sqlite3
from datetime import datetime
from typing import assert_never

from memapp.domain.changes import Change, Created, Pinned, Restored, Revision, SoftDeleted, Updated
from memapp.domain.memory import State
from memapp.domain.writing import normalise
from memapp.errors import UsageError
from memapp.store.events import add_event
from memapp.store.memories import find_same, get_memory
from memapp.store.rows import to_json, to_text


def apply(conn: sqlite3.Connection, user_id: str, change: Change, node: str, now: datetime) -> Revision:
    """Carry out one change and return it with its inverse.

    `node` is the part of the app that asked (`hotpath`, `worker`). Raises `UsageError` if a live memory says the same already.
    """
    match change:
        case Created():
            revision, op = _create(conn, user_id, change), "create"
        case Updated():
            revision, op = _update(conn, user_id, change, now), "update"
        case Pinned():
            revision, op = _pin(conn, user_id, change, now), "pin"
        case SoftDeleted():
            revision, op = _soft_delete(conn, user_id, change, now), "delete"
        case Restored():
            revision, op = _restore(conn, user_id, change, now), "restore"
        case _:
            assert_never(change)
    add_event(conn, user_id, node, op, "ok", now, memory_id=revision.memory_id)
    return revision


def _create(conn: sqlite3.Connection, user_id: str, change: Created) -> Revision:
    memory = change.memory
    _refuse_same(conn, user_id, memory.id, memory.text)
    conn.execute(
        """INSERT INTO memories (id, user_id, kind, category, text, normal_text, tags, importance, pinned, state, reason,
                                 origin, created_at, updated_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            *(memory.id, user_id, memory.kind, memory.category, memory.text, normalise(memory.text)),
            *(to_json(memory.tags), memory.importance, int(memory.pinned), memory.state, memory.reason, memory.origin),
            *(to_text(memory.created_at), to_text(memory.updated_at)),
        ),
    )
    conn.executemany(
        "INSERT INTO memory_sources (memory_id, message_id) VALUES (?, ?)",
        [(memory.id, message_id) for message_id in memory.sources],
    )
    return Revision(memory.id, change, SoftDeleted(memory.id, "person"))


def _update(conn: sqlite3.Connection, user_id: str, change: Updated, now: datetime) -> Revision:
    before = get_memory(conn, user_id, change.memory_id)
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
    return Revision(before.id, change, Updated(before.id, before.text, before.tags, before.importance, before.category))


def _pin(conn: sqlite3.Connection, user_id: str, change: Pinned, now: datetime) -> Revision:
    before = get_memory(conn, user_id, change.memory_id)
    conn.execute(
        "UPDATE memories SET pinned = ?, updated_at = ? WHERE user_id = ? AND id = ?",
        (int(change.pinned), to_text(now), user_id, before.id),
    )
    return Revision(before.id, change, Pinned(before.id, before.pinned))


def _soft_delete(conn: sqlite3.Connection, user_id: str, change: SoftDeleted, now: datetime) -> Revision:
    before = get_memory(conn, user_id, change.memory_id)
    if before.state is not State.LIVE:
        raise UsageError("This memory is in the trash already.")
    conn.execute(
        "UPDATE memories SET state = 'soft_deleted', reason = ?, updated_at = ? WHERE user_id = ? AND id = ?",
        (change.reason, to_text(now), user_id, before.id),
    )
    return Revision(before.id, change, Restored(before.id))


def _restore(conn: sqlite3.Connection, user_id: str, change: Restored, now: datetime) -> Revision:
    before = get_memory(conn, user_id, change.memory_id)
    if before.state is State.LIVE:
        raise UsageError("This memory is not in the trash.")
    _refuse_same(conn, user_id, before.id, before.text)
    conn.execute(
        "UPDATE memories SET state = 'live', reason = '', updated_at = ? WHERE user_id = ? AND id = ?",
        (to_text(now), user_id, before.id),
    )
    return Revision(before.id, change, SoftDeleted(before.id, before.reason))


def _refuse_same(conn: sqlite3.Connection, user_id: str, memory_id: str, text: str) -> None:
    same = find_same(conn, user_id, normalise(text))
    if same is not None and same != memory_id:
        raise UsageError("memapp knows that already.", f"It is memory {same}.")
