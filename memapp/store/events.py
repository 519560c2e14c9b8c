"""The log of operations: what each part of memapp did, when, and whether it worked."""

import sqlite3
from datetime import datetime
from typing import Any, Literal

from memapp.store.encoding import new_id, to_json, to_text

Node = Literal["hotpath", "context", "episodic", "worker"]
"""The part of memapp that did it."""
EventStatus = Literal["ok", "error", "skipped"]


def add_event(
    conn: sqlite3.Connection,
    user_id: str,
    node: Node,
    op: str,
    status: EventStatus,
    now: datetime,
    *,
    thread_id: str | None = None,
    memory_id: str | None = None,
    category: str | None = None,
    sim: float | None = None,
    meta: dict[str, Any] | None = None,
) -> None:
    """Note an operation. `meta` holds numbers and reasons, never message text."""
    conn.execute(
        """INSERT INTO events (id, user_id, thread_id, node, op, status, memory_id, category, sim, meta, ts)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (new_id(now), user_id, thread_id, node, op, status, memory_id, category, sim, to_json(meta or {}), to_text(now)),
    )
