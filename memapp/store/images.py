"""Images: a snapshot of a memory - its row, its sources, its relations - as one JSON text.

An image is what the history keeps as a version, and what is put back when a change is taken back.
"""

import json
import sqlite3
from typing import Any

from memapp.domain.history import Version
from memapp.domain.memory import Kind
from memapp.store.rows import to_json

_COLUMNS = (
    *("kind", "category", "text", "normal_text", "tags", "importance", "pinned", "state", "reason", "merged_into", "purge_at"),
    *("origin", "agent_id", "run_id", "updated_at"),
)
TEXT, NORMAL_TEXT, TAGS = (f"json_extract(image, '$.row[{_COLUMNS.index(one)}]')" for one in ("text", "normal_text", "tags"))
"""SQL for what an image says, as it was written and normalised, and for its tags."""
_RELATION = ("id", "user_id", "from_id", "to_id", "relation_type", "strength", "created_at")


def take(conn: sqlite3.Connection, user_id: str, memory_id: str) -> str | None:
    """Return the image of a memory as it is now, or None if there is no such memory."""
    values = {"user": user_id, "id": memory_id}
    row = conn.execute(
        f"SELECT {', '.join(_COLUMNS)} FROM memories WHERE user_id = :user AND id = :id",  # noqa: S608
        values,
    ).fetchone()
    if row is None:
        return None
    sources = conn.execute("SELECT message_id FROM memory_sources WHERE memory_id = ? ORDER BY message_id", (memory_id,))
    relations = conn.execute(
        f"""SELECT {", ".join(_RELATION)} FROM relations WHERE user_id = :user AND from_id = :id
            UNION ALL SELECT {", ".join(_RELATION)} FROM relations WHERE user_id = :user AND to_id = :id
            ORDER BY id""",  # noqa: S608
        values,
    )
    return to_json({
        "row": list(row),
        "sources": [source["message_id"] for source in sources],
        "relations": [list(relation) for relation in relations],
    })  # fmt: skip


def put_back(conn: sqlite3.Connection, user_id: str, memory_id: str, image: str, *, after: str, now: str) -> None:
    """Restore row, sources and relations from an image; skip those whose targets are gone.

    `after` is the image that the undone change made. Relations found since then stay, unless the text becomes another.
    """
    data = json.loads(image)
    known = {relation[0] for relation in json.loads(after)["relations"]}
    found = [one for one in json.loads(now)["relations"] if one[0] not in known] if text_of(now) == text_of(image) else []
    conn.execute(
        f"UPDATE memories SET {', '.join(f'{column} = ?' for column in _COLUMNS)} WHERE user_id = ? AND id = ?",  # noqa: S608
        (*data["row"], user_id, memory_id),
    )
    conn.execute("DELETE FROM memory_sources WHERE memory_id = ?", (memory_id,))
    conn.execute(
        """INSERT INTO memory_sources (memory_id, message_id)
           SELECT ?, m.id FROM json_each(?) asked JOIN messages m ON m.id = asked.value WHERE m.user_id = ?""",
        (memory_id, to_json(data["sources"]), user_id),
    )
    conn.execute("DELETE FROM relations WHERE user_id = ?1 AND (from_id = ?2 OR to_id = ?2)", (user_id, memory_id))
    conn.executemany(
        f"""INSERT INTO relations ({", ".join(_RELATION)}) SELECT ?, ?, f.id, t.id, ?5, ?6, ?7
            FROM memories f JOIN memories t WHERE f.user_id = ?2 AND f.id = ?3 AND t.user_id = ?2 AND t.id = ?4
            ON CONFLICT DO NOTHING""",  # noqa: S608
        [*data["relations"], *found],
    )


def text_of(image: str) -> str:
    return str(_row(image)["text"])


def category_of(image: str) -> str:
    return str(_row(image)["category"])


def is_episode(image: str) -> bool:
    return bool(_row(image)["kind"] == Kind.EPISODIC)


def is_live(image: str) -> bool:
    return bool(_row(image)["state"] == "live")


def to_version(number: int, memory_id: str, image: str) -> Version:
    row = _row(image)
    return Version(
        id=number,
        memory_id=memory_id,
        text=row["text"],
        tags=tuple(json.loads(row["tags"])),
        category=row["category"],
        importance=row["importance"],
        pinned=bool(row["pinned"]),
        state=row["state"],
        sources=tuple(json.loads(image)["sources"]),
    )


def _row(image: str) -> dict[str, Any]:
    return dict(zip(_COLUMNS, json.loads(image)["row"], strict=True))
