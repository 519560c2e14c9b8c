"""Queries of the life cycle: least used memories, expired trash, days of use."""

from datetime import date, datetime, timedelta

from memapp.domain.memory import Memory
from memapp.store.encoding import to_time
from memapp.store.memories import get_memories
from memapp.store.session import Session


def count_all(session: Session) -> int:
    """Return the number of memories, with those in the trash."""
    return int(session.value("SELECT count(*) FROM memories WHERE user_id = :user"))


def least_used(session: Session, below: int, limit: int) -> list[tuple[str, datetime]]:
    """Return the live memories below an importance used or changed longest ago, with the time.

    The time of a change is read from the history: an undo and an import restore older times.
    """
    sql = """SELECT m.id,
                    max(coalesce(u.last_accessed, ''), m.updated_at,
                        coalesce((SELECT max(ts) FROM history WHERE memory_id = m.id), '')) AS used
             FROM memories m LEFT JOIN access_counts u ON u.memory_id = m.id
             WHERE m.user_id = :user AND m.state = 'live' AND m.pinned = 0 AND m.importance < :below
             ORDER BY used, m.id LIMIT :limit"""
    return [(row["id"], to_time(row["used"])) for row in session.run(sql, below=below, limit=limit)]


def over(session: Session) -> list[Memory]:
    """Return memories whose time in the trash is over, longest first."""
    sql = (
        "SELECT id FROM memories WHERE +user_id = :user AND purge_at <= :now ORDER BY purge_at, id"
    )
    return get_memories(session, session.column(sql))


def days_of_use(session: Session, since: datetime) -> list[date]:
    """Return the days since a time on which the person wrote something."""
    sql = """SELECT DISTINCT substr(created_at, 1, 10) FROM messages
             WHERE user_id = :user AND origin = 'typed' AND created_at >= :since"""
    return [date.fromisoformat(day) for day in session.column(sql, since=since)]


def behind(session: Session, at: datetime) -> timedelta:
    """Return how far the clock was behind at a time, by earlier log entries with later dates.

    Dates after now do not count: then the clock had been ahead.
    """
    sql = """SELECT max(ts) FROM events
             WHERE user_id = :user AND ts BETWEEN :at AND :now
             AND rowid < (SELECT rowid FROM events
                          WHERE user_id = :user AND ts <= :at
                          ORDER BY ts DESC, rowid DESC LIMIT 1)"""
    newest = session.value(sql, at=at)
    return to_time(newest) - at if newest else timedelta()
