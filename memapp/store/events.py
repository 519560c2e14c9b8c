"""The log of operations: part of memapp, time and outcome of each."""

from datetime import datetime
from typing import Any, Final, Literal, NamedTuple

from memapp.store.encoding import new_id
from memapp.store.session import Session

Node = Literal["hotpath", "context", "episodic", "worker"]
"""The part of memapp that did the operation."""
WHILE_CHATTING: Final = "hotpath"
IN_BACKGROUND: Final = "worker"
"""The stored names of two parts; `context` looks things up, `episodic` keeps episodes."""
EventStatus = Literal["ok", "error", "skipped"]
CALL = "call"
"""The operation of an agent: a request or proposal by another program."""


class Call(NamedTuple):
    """A request of an agent."""

    ts: datetime
    tool: str
    ids: tuple[str, ...] = ()
    """The memories that the agent read, or the consent request that it made."""
    refused: str = ""
    """The reason for a refusal; empty if the call was answered."""


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
    """Log an operation, at `at` or now. `meta` holds numbers and reasons, never message text."""
    now = at or session.now
    about = {"thread_id": thread_id, "memory_id": memory_id, "category": category}
    row = {"node": node, "op": op, "status": status, "sim": sim, "meta": meta or {}, "ts": now}
    session.insert("events", id=new_id(now), **row, **about)


def list_calls(session: Session, agent: str, limit: int) -> list[Call]:
    """Return the calls of an agent, latest first."""
    sql = f"""SELECT ts, meta ->> 'tool' AS tool, coalesce(meta ->> 'ids', '[]') AS ids,
                     coalesce(meta ->> 'refused', '') AS refused
              FROM events WHERE user_id = :user AND op = '{CALL}' AND meta ->> 'agent' = :agent
              ORDER BY ts DESC, rowid DESC LIMIT :limit"""  # noqa: S608
    return session.records(Call, sql, agent=agent, limit=limit)
