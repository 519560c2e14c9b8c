"""Reads which replies used a memory, and how often."""

import sqlite3

from memapp.domain.provenance import UsedIn, Uses
from memapp.store.chat import get_message
from memapp.store.rows import to_time


def get_uses(conn: sqlite3.Connection, memory_id: str) -> Uses | None:
    """Return how often a memory was in a prompt; None for never."""
    row = conn.execute("SELECT uses, days, last_accessed FROM memory_uses WHERE memory_id = ?", (memory_id,)).fetchone()
    return Uses(row["uses"], row["days"], to_time(row["last_accessed"])) if row else None


def used_in(conn: sqlite3.Connection, user_id: str, memory_id: str, limit: int) -> list[UsedIn]:
    """Return the replies that a memory was recalled for, newest first."""
    rows = conn.execute(
        """SELECT r.message_id, r.score, r.why FROM recalls r JOIN messages m ON m.id = r.message_id
           WHERE r.owner_kind = 'memory' AND r.owner_id = ? AND m.user_id = ? ORDER BY r.message_id DESC LIMIT ?""",
        (memory_id, user_id, limit),
    ).fetchall()
    return [UsedIn(get_message(conn, user_id, row["message_id"]), row["score"], row["why"]) for row in rows]
