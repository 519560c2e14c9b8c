"""Reading memories. They are written by `store.changes.apply` only."""

import json
import sqlite3
from collections.abc import Collection, Sequence

from memapp.domain.memory import Kind, Memory, State
from memapp.errors import NotFound
from memapp.store.rows import to_json, to_time
from memapp.store.scope import Scope


def get_memory(conn: sqlite3.Connection, user_id: str, memory_id: str) -> Memory:
    found = get_memories(conn, user_id, [memory_id])
    if not found:
        raise NotFound(f"There is no memory {memory_id}.")
    return found[0]


def get_memories(conn: sqlite3.Connection, user_id: str, ids: Sequence[str]) -> list[Memory]:
    """Return memories in the order of `ids`; ids of nobody or of somebody else are left out."""
    rows = conn.execute(
        "SELECT * FROM memories WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))",
        (user_id, to_json(list(ids))),
    ).fetchall()
    by_id = {memory.id: memory for memory in _memories(conn, rows)}
    return [by_id[id] for id in ids if id in by_id]


def list_memories(
    conn: sqlite3.Connection,
    user_id: str,
    *,
    state: State = State.LIVE,
    pinned: bool | None = None,
    tag: str = "",
    since: str = "",
    limit: int = 200,
    offset: int = 0,
) -> list[Memory]:
    """Return a page of memories, newest first; `since` is a time as text."""
    rows = conn.execute(
        """SELECT * FROM memories WHERE user_id = :user AND state = :state
            AND (:pinned IS NULL OR pinned = :pinned)
            AND (:tag = '' OR EXISTS (SELECT 1 FROM json_each(tags) WHERE lower(value) = lower(:tag)))
            AND created_at >= :since
            ORDER BY id DESC LIMIT :limit OFFSET :offset""",
        {
            **{"user": user_id, "state": state, "tag": tag, "since": since, "limit": limit, "offset": offset},
            "pinned": None if pinned is None else int(pinned),
        },
    ).fetchall()
    return _memories(conn, rows)


def ids_of(conn: sqlite3.Connection, user_id: str, keys: Collection[int]) -> dict[int, str]:
    """Return the ids of live memories by their keys."""
    rows = conn.execute(
        """SELECT o.key, o.id FROM json_each(?) asked CROSS JOIN memories o ON o.key = asked.value
           WHERE o.user_id = ? AND o.state = 'live'""",
        (to_json(list(keys)), user_id),
    )
    return {row["key"]: row["id"] for row in rows}


def in_scope(conn: sqlite3.Connection, scope: Scope, limit: int) -> list[Memory]:
    """Return the live memories that a scope lets in: pinned and important ones first, then the newest."""
    rows = conn.execute(
        f"SELECT o.* FROM memories o WHERE {scope.where} ORDER BY o.pinned DESC, o.importance DESC, o.id DESC LIMIT :limit",  # noqa: S608
        {**scope.values, "limit": limit},
    ).fetchall()
    return _memories(conn, rows)


def count_live(conn: sqlite3.Connection, user_id: str) -> int:
    row = conn.execute("SELECT count(*) FROM memories WHERE user_id = ? AND state = 'live'", (user_id,)).fetchone()
    return int(row[0])


def overflowing(conn: sqlite3.Connection, user_id: str, max_facts: int) -> list[str]:
    """Return the ids of the oldest unpinned live memories beyond `max_facts`."""
    surplus = count_live(conn, user_id) - max_facts
    if surplus <= 0:
        return []
    rows = conn.execute(
        "SELECT id FROM memories WHERE user_id = ? AND state = 'live' AND pinned = 0 ORDER BY id LIMIT ?",
        (user_id, surplus),
    )
    return [row["id"] for row in rows]


def find_same(conn: sqlite3.Connection, user_id: str, normal_text: str) -> str | None:
    """Return the id of the live memory that says the same, by normalised text."""
    row = conn.execute(
        "SELECT id FROM memories WHERE user_id = ? AND state = 'live' AND normal_text = ?", (user_id, normal_text)
    ).fetchone()
    return row["id"] if row else None


def _memories(conn: sqlite3.Connection, rows: Sequence[sqlite3.Row]) -> list[Memory]:
    sources: dict[str, list[str]] = {row["id"]: [] for row in rows}
    for source in conn.execute(
        """SELECT memory_id, message_id FROM memory_sources
           WHERE memory_id IN (SELECT value FROM json_each(?)) ORDER BY message_id""",
        (to_json(list(sources)),),
    ):
        sources[source["memory_id"]].append(source["message_id"])
    return [
        Memory(
            id=row["id"],
            text=row["text"],
            tags=tuple(json.loads(row["tags"])),
            kind=Kind(row["kind"]),
            category=row["category"],
            importance=row["importance"],
            pinned=bool(row["pinned"]),
            state=State(row["state"]),
            reason=row["reason"],
            origin=row["origin"],
            sources=tuple(sources[row["id"]]),
            created_at=to_time(row["created_at"]),
            updated_at=to_time(row["updated_at"]),
            purge_at=to_time(row["purge_at"]) if row["purge_at"] else None,
            merged_into=row["merged_into"],
            agent_id=row["agent_id"],
            run_id=row["run_id"],
        )
        for row in rows
    ]
