"""Snapshots: a memory with its sources and relations as one JSON object with a form version.

The history keeps snapshots as versions, and an undo restores them. Missing names take the default
of `Memory`, so default values are left out; unknown names are skipped: a snapshot outlives the
schema it was taken in.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any

from memapp.domain.memory import Memory
from memapp.store import records
from memapp.store.encoding import to_json
from memapp.store.memories import get_memories, row_of
from memapp.store.session import Session
from memapp.store.sqlite_errors import Row, from_row

FORM = 1
TEXT, TAGS, STEPS, INSTEAD_OF = (
    f"snapshot ->> '{name}'" for name in ("text", "tags", "steps", "instead_of")
)
"""SQL for parts of a snapshot; tags, steps and replaced text are NULL where it has none."""
NORMAL_TEXT = f"normalise({TEXT})"
"""SQL for the normalised text of a snapshot."""
_RELATION = ("id", "user_id", "from_id", "to_id", "relation_type", "strength", "created_at")
_DEFAULTS = {field.name: field.default for field in fields(Memory) if field.default is not MISSING}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A memory as it was at one time."""

    memory: Memory
    relations: Sequence[Mapping[str, Any]] = ()
    """The rows of its relations."""


def take(session: Session, memory_id: str) -> Snapshot | None:
    """Return the snapshot of a memory as it is now; None if there is no such memory."""
    found = get_memories(session, [memory_id])
    return of(session, found[0]) if found else None


def of(session: Session, memory: Memory) -> Snapshot:
    """Return the snapshot of a memory that was just read."""
    sql = f"""SELECT {", ".join(_RELATION)} FROM relations
              WHERE user_id = :user AND from_id = :id
              UNION ALL
              SELECT {", ".join(_RELATION)} FROM relations
              WHERE user_id = :user AND to_id = :id
              ORDER BY id"""  # noqa: S608
    return Snapshot(memory, [dict(row) for row in session.run(sql, id=memory.id)])


def of_new(memory: Memory) -> Snapshot:
    """Return the snapshot of a memory that was just added, equal to the one `take` would read."""
    return Snapshot(replace(memory, sources=tuple(sorted(set(memory.sources)))))


def write(snapshot: Snapshot) -> str:
    """Return a snapshot as JSON, without its id."""
    named = {
        name: value
        for name, value in _named(snapshot.memory).items()
        if name not in _DEFAULTS or value != _DEFAULTS[name]
    }
    return to_json(named | {"relations": snapshot.relations} if snapshot.relations else named)


def write_memory(memory: Memory) -> str:
    """Return a memory as JSON with all its fields, for a consent request."""
    return to_json({"id": memory.id} | _named(memory))


def _named(memory: Memory) -> dict[str, Any]:
    """Return the fields of a memory but its id, for JSON: times as text, tags as an array."""
    row = {name: records.stored(value) for name, value in row_of(memory).items() if name != "id"}
    return {
        "version": FORM,
        **row,
        "tags": memory.tags,
        "sources": memory.sources,
        "steps": memory.steps,
    }


def read(snapshot: str, memory_id: str) -> Snapshot:
    """Return the snapshot in the JSON of `write` or `write_memory`."""
    named = json.loads(snapshot)
    return Snapshot(
        Memory(**{"tags": (), **records.read(named, Memory), "id": memory_id}),
        named.get("relations", ()),
    )


@from_row
def of_row(row: Row) -> Snapshot:
    """Return the snapshot in a row. Raises `Damaged`."""
    return read(row["snapshot"], row["memory_id"])


def keep_version(session: Session, owner: str, snapshot: str) -> int:
    """Add a version of a memory or a lesson, unless the last one says the same; return its number.

    `owner` is the owner's name in the history: a lesson's id has a prefix.
    """
    table, column = ("lesson_versions", "lesson_id") if ":" in owner else ("versions", "memory_id")
    says = {"owner": owner.rpartition(":")[2], "snapshot": snapshot}
    sql = f"SELECT id, snapshot FROM {table} WHERE {column} = :owner ORDER BY id DESC LIMIT 1"  # noqa: S608
    last = session.row(sql, **says)
    if last is not None and last["snapshot"] == snapshot:
        return int(last["id"])
    sql = f"""INSERT INTO {table} (user_id, {column}, snapshot)
              VALUES (:user, :owner, :snapshot)
              RETURNING id"""  # noqa: S608
    return int(session.value(sql, **says))


def put_row(session: Session, memory: Memory) -> None:
    """Write a snapshot over the row of a memory, and remove its sources."""
    row = {name: value for name, value in row_of(memory).items() if name != "id"}
    session.alter("memories", memory.id, **row, normal_text=session.normalise(memory.text))
    session.run(
        "DELETE FROM memory_sources WHERE +user_id = :user AND memory_id = :id", id=memory.id
    )


def set_aside(session: Session, memory_ids: Sequence[str]) -> None:
    """Let others have the texts of memories, for as long as it takes to write both."""
    sql = """UPDATE memories SET normal_text = id
             WHERE user_id = :user AND id IN (SELECT value FROM json_each(:ids))"""
    session.run(sql, ids=memory_ids)


def put_among(session: Session, memory_id: str) -> None:
    """End that for one that is not live any more."""
    session.run(
        "UPDATE memories SET normal_text = normalise(text) WHERE user_id = :user AND id = :id",
        id=memory_id,
    )


def put_back(
    session: Session, memory_id: str, snapshot: Snapshot, *, after: Snapshot, now: Snapshot
) -> None:
    """Restore row, sources and relations from a snapshot, without deleted targets.

    `after` is the snapshot that the undone change made. Newer relations stay, unless the text
    changes.
    """
    memory = snapshot.memory
    old_ids = {relation["id"] for relation in after.relations}
    newer = (
        [relation for relation in now.relations if relation["id"] not in old_ids]
        if now.memory.text == memory.text
        else []
    )
    put_row(session, memory)
    sources = """INSERT INTO memory_sources (user_id, memory_id, message_id)
                 SELECT m.user_id, :id, m.id
                 FROM json_each(:sources) asked JOIN messages m ON m.id = asked.value
                 WHERE m.user_id = :user"""
    session.run(sources, id=memory_id, sources=memory.sources)
    session.run(
        "DELETE FROM relations WHERE user_id = :user AND :id IN (from_id, to_id)", id=memory_id
    )
    session.conn.executemany(
        f"""INSERT INTO relations ({", ".join(_RELATION)})
            SELECT :id, :user_id, f.id, t.id, :relation_type, :strength, :created_at
            FROM memories f JOIN memories t
            WHERE f.user_id = :user_id AND f.id = :from_id
            AND t.user_id = :user_id AND t.id = :to_id
            ON CONFLICT DO NOTHING""",  # noqa: S608
        [*snapshot.relations, *newer],
    )
