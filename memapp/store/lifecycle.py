"""Queries of the life cycle: least used memories, what is due in the trash, days of use."""

from datetime import date, datetime, timedelta

from memapp.domain.memory import Memory
from memapp.store.encoding import to_text, to_time
from memapp.store.memories import get_memories
from memapp.store.session import Session


def count_all(session: Session) -> int:
    """Count memories, those in the trash too."""
    return int(session.conn.execute("SELECT count(*) FROM memories WHERE user_id = ?", (session.user_id,)).fetchone()[0])


def least_used(session: Session, below: int, limit: int) -> list[tuple[str, datetime]]:
    """Return the live memories below an importance that were used or changed longest ago, with when that was.

    The history says when one was changed: an undo and an import bring back older times.
    """
    rows = session.conn.execute(
        """SELECT m.id, max(coalesce(u.last_accessed, ''), m.updated_at,
                            coalesce((SELECT max(ts) FROM history WHERE memory_id = m.id), '')) AS used
           FROM memories m LEFT JOIN access_counts u ON u.memory_id = m.id
           WHERE m.user_id = ? AND m.state = 'live' AND m.pinned = 0 AND m.importance < ?
           ORDER BY used, m.id LIMIT ?""",
        (session.user_id, below, limit),
    )
    return [(row["id"], to_time(row["used"])) for row in rows]


def over(session: Session, now: datetime) -> list[Memory]:
    """Return memories whose time in the trash is over, longest first."""
    rows = session.conn.execute(
        "SELECT id FROM memories WHERE +user_id = ? AND purge_at <= ? ORDER BY purge_at, id", (session.user_id, to_text(now))
    ).fetchall()
    return get_memories(session, [row["id"] for row in rows])


def days_of_use(session: Session, since: datetime) -> list[date]:
    """Return the days since a time on which the person wrote something."""
    rows = session.conn.execute(
        """SELECT DISTINCT substr(created_at, 1, 10) AS day FROM messages
           WHERE user_id = ? AND origin = 'typed' AND created_at >= ?""",
        (session.user_id, to_text(since)),
    )
    return [date.fromisoformat(row["day"]) for row in rows]


def behind(session: Session, at: datetime, now: datetime) -> timedelta:
    """Return by how much the clock was behind at a time that it showed: what the log has from before is dated later.

    What is dated after now does not count: then the clock had been ahead.
    """
    (newest,) = session.conn.execute(
        """SELECT max(ts) FROM events WHERE user_id = :user AND ts BETWEEN :at AND :now AND rowid < (
               SELECT rowid FROM events WHERE user_id = :user AND ts <= :at ORDER BY ts DESC, rowid DESC LIMIT 1)""",
        {"user": session.user_id, "at": to_text(at), "now": to_text(now)},
    ).fetchone()
    return to_time(newest) - at if newest else timedelta()
