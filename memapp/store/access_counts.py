"""How often, and on how many days, memories were used. Kept apart from the row: counting must not touch the index."""

from collections.abc import Sequence
from datetime import datetime

from memapp.domain.portable import Used
from memapp.domain.provenance import AccessCount
from memapp.store.encoding import to_json, to_text, to_time
from memapp.store.session import Session


def count_access(session: Session, memory_ids: Sequence[str], now: datetime) -> None:
    """Count a use for each memory in a prompt; skip one that was erased meanwhile."""
    session.conn.execute(
        """INSERT INTO access_counts (user_id, memory_id, last_accessed)
           SELECT user_id, id, :now FROM memories WHERE +user_id = :user AND id IN (SELECT value FROM json_each(:ids))
           ON CONFLICT (memory_id) DO UPDATE SET
             uses = uses + 1,
             days = days + (substr(last_accessed, 1, 10) <> substr(excluded.last_accessed, 1, 10)),
             last_accessed = excluded.last_accessed""",
        {"user": session.user_id, "ids": to_json(list(memory_ids)), "now": to_text(now)},
    )


def insert_used(session: Session, memory_id: str, used: Used) -> None:
    """Note how often a memory that an import brings was recalled."""
    session.conn.execute(
        "INSERT INTO access_counts (user_id, memory_id, last_accessed, uses, days) VALUES (?, ?, ?, ?, ?)",
        (session.user_id, memory_id, used.last_accessed, used.uses, used.days),
    )


def get_access_count(session: Session, memory_id: str) -> AccessCount | None:
    """Return how often a memory was in a prompt; None for never."""
    row = session.conn.execute(
        "SELECT uses, days, last_accessed FROM access_counts WHERE +user_id = ? AND memory_id = ?", (session.user_id, memory_id)
    ).fetchone()
    return AccessCount(row["uses"], row["days"], to_time(row["last_accessed"])) if row else None
