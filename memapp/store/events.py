"""The log of operations: what each part of memapp did, when, and whether it worked."""

from datetime import datetime
from typing import Any, Literal, NamedTuple

from memapp.store.encoding import new_id
from memapp.store.session import Session

Node = Literal["hotpath", "context", "episodic", "worker"]
"""The part of memapp that did it."""
EventStatus = Literal["ok", "error", "skipped"]
CALL = "call"
"""The operation of an agent: another program that asked for something, or proposed it."""


class Call(NamedTuple):
    """What an agent asked for."""

    ts: datetime
    tool: str
    ids: tuple[str, ...] = ()
    """Of the memories that it read, or of the request that it made."""
    refused: str = ""
    """Why it got nothing; empty if it did."""


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
    """Note an operation. `meta` holds numbers and reasons, never message text. It was just now,
    unless `at` says when.
    """
    now = at or session.now
    about = {
        "thread_id": thread_id,
        "memory_id": memory_id,
        "category": category,
        "sim": sim,
        "meta": meta or {},
    }
    session.insert("events", id=new_id(now), node=node, op=op, status=status, **about, ts=now)


def list_calls(session: Session, agent: str, limit: int) -> list[Call]:
    """Return what an agent asked for, the latest first."""
    sql = f"""SELECT ts, meta ->> 'tool' AS tool, coalesce(meta ->> 'ids', '[]') AS ids,
                     coalesce(meta ->> 'refused', '') AS refused
              FROM events WHERE user_id = :user AND op = '{CALL}' AND meta ->> 'agent' = :agent
              ORDER BY ts DESC, rowid DESC LIMIT :limit"""  # noqa: S608
    return session.records(Call, sql, agent=agent, limit=limit)
