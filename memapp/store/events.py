"""The log of operations: what each part of memapp did, when, and whether it worked."""

from datetime import datetime
from typing import Any, Literal

from memapp.store.encoding import new_id, to_json, to_text
from memapp.store.session import Session

Node = Literal["hotpath", "context", "episodic", "worker"]
"""The part of memapp that did it."""
EventStatus = Literal["ok", "error", "skipped"]


def add_event(
    session: Session,
    node: Node,
    op: str,
    status: EventStatus,
    *,
    thread_id: str | None = None,
    memory_id: str | None = None,
    category: str | None = None,
    sim: float | None = None,
    meta: dict[str, Any] | None = None,
    at: datetime | None = None,
) -> None:
    """Note an operation. `meta` holds numbers and reasons, never message text. It was just now, unless `at` says when."""
    now = at or session.now
    session.conn.execute(
        """INSERT INTO events (id, user_id, thread_id, node, op, status, memory_id, category, sim, meta, ts)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (new_id(now), session.user_id, thread_id, node, op, status, memory_id, category, sim, to_json(meta or {}), to_text(now)),
    )
