"""Snapshots: a memory with its sources and relations as one JSON object, each value by its name, with the version of the form.

A snapshot is what the history keeps as a version, and what is put back when a change is taken back. Names that are missing
take the default of `Memory`, and names that are not known are passed over: a snapshot outlives the schema it was taken in.
"""

import json
from typing import Any

from memapp.domain.duplicates import normalise
from memapp.domain.memory import Memory
from memapp.store import records
from memapp.store.encoding import to_json
from memapp.store.failures import Row, from_row
from memapp.store.memories import get_memories, row_of
from memapp.store.session import Session

FORM = 1
TEXT, NORMAL_TEXT, TAGS = (f"snapshot ->> '{name}'" for name in ("text", "normal_text", "tags"))
"""SQL for what a snapshot says, as it was written and normalised, and for its tags."""
_RELATION = ("id", "user_id", "from_id", "to_id", "relation_type", "strength", "created_at")


def take(session: Session, memory_id: str) -> str | None:
    """Return the snapshot of a memory as it is now, or None if there is no such memory."""
    found = get_memories(session, [memory_id])
    if not found:
        return None
    sql = f"""SELECT {", ".join(_RELATION)} FROM relations WHERE user_id = :user AND from_id = :id
              UNION ALL SELECT {", ".join(_RELATION)} FROM relations WHERE user_id = :user AND to_id = :id
              ORDER BY id"""  # noqa: S608
    return write(found[0], relations=[dict(one) for one in session.run(sql, id=memory_id)])


def write(memory: Memory, **more: Any) -> str:
    """Return a memory as JSON: texts as they stand in its row, tags as an array, a pin as a boolean."""
    named = {**row_of(memory), "tags": memory.tags, "normal_text": normalise(memory.text), "sources": memory.sources}
    return to_json({"version": FORM, **named, **more})


def read(snapshot: str) -> Memory:
    """Return the memory that a snapshot was taken of."""
    return Memory(**{"tags": (), **records.read(json.loads(snapshot), Memory)})


@from_row
def of_row(row: Row) -> Memory:
    """Return the memory of which a row has the snapshot. Raises `Damaged`."""
    return read(row["snapshot"])


def put_back(session: Session, memory_id: str, snapshot: str, *, after: str, now: str) -> None:
    """Restore row, sources and relations from a snapshot; skip those whose targets are gone.

    `after` is the snapshot that the undone change made. Relations found since then stay, unless the text becomes another.
    """
    memory = read(snapshot)
    known = {relation["id"] for relation in _relations(after)}
    found = [one for one in _relations(now) if one["id"] not in known] if read(now).text == memory.text else []
    row = {name: value for name, value in row_of(memory).items() if name != "id"} | {"normal_text": normalise(memory.text)}
    session.alter("memories", memory_id, **row)
    session.run("DELETE FROM memory_sources WHERE +user_id = :user AND memory_id = :id", id=memory_id)
    sources = """INSERT INTO memory_sources (user_id, memory_id, message_id)
                 SELECT m.user_id, :id, m.id FROM json_each(:sources) asked JOIN messages m ON m.id = asked.value
                 WHERE m.user_id = :user"""
    session.run(sources, id=memory_id, sources=memory.sources)
    session.run("DELETE FROM relations WHERE user_id = :user AND :id IN (from_id, to_id)", id=memory_id)
    session.conn.executemany(
        f"""INSERT INTO relations ({", ".join(_RELATION)})
            SELECT :id, :user_id, f.id, t.id, :relation_type, :strength, :created_at
            FROM memories f JOIN memories t
            WHERE f.user_id = :user_id AND f.id = :from_id AND t.user_id = :user_id AND t.id = :to_id
            ON CONFLICT DO NOTHING""",  # noqa: S608
        [*_relations(snapshot), *found],
    )


def _relations(snapshot: str) -> list[dict[str, Any]]:
    relations: list[dict[str, Any]] = json.loads(snapshot).get("relations", [])
    return relations
