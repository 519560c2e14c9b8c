"""Counting the operational events."""

import sqlite3
from datetime import date, datetime, timedelta

from memapp.domain.activity import Count, Day, Rate
from memapp.store.rows import to_text


def counts(conn: sqlite3.Connection, user_id: str, now: datetime) -> list[Count]:
    """Return how often each node did each operation, today, in seven days and ever; the most frequent first."""
    rows = conn.execute(
        """SELECT node, op, sum(ts >= :today) AS today, sum(ts >= :week) AS week, count(*) AS total,
                  sum(status = 'error') AS failed
           FROM events WHERE user_id = :user GROUP BY op, node ORDER BY total DESC, node, op""",
        {"user": user_id, "today": to_text(_midnight(now)), "week": to_text(now - timedelta(days=7))},
    )
    return [Count(row["node"], row["op"], row["today"], row["week"], row["total"], row["failed"]) for row in rows]


def by_day(conn: sqlite3.Connection, user_id: str, now: datetime, days: int) -> list[Day]:
    """Return the number of operations on each of the last days in UTC, oldest first; days without any are there too."""
    first = _midnight(now) - timedelta(days=days - 1)
    found = {
        row["day"]: row["count"]
        for row in conn.execute(
            "SELECT substr(ts, 1, 10) AS day, count(*) AS count FROM events WHERE user_id = ? AND ts >= ? GROUP BY day",
            (user_id, to_text(first)),
        )
    }
    wanted = [date.fromordinal(first.date().toordinal() + number) for number in range(days)]
    return [Day(day, found.get(day.isoformat(), 0)) for day in wanted]


def written_at_once(conn: sqlite3.Connection, user_id: str) -> Rate:
    """Return how many of the facts that were written passed the writing rules at the first try."""
    row = conn.execute(
        """SELECT coalesce(sum(coalesce(meta ->> 'learned', 0) + coalesce(meta ->> 'known', 0)), 0) AS passed,
                  coalesce(sum(json_array_length(meta, '$.rejected') > 0), 0) AS refused
           FROM events WHERE user_id = ? AND op = 'distil'""",
        (user_id,),
    ).fetchone()
    return Rate(row["passed"], row["passed"] + row["refused"])


def recalled_again(conn: sqlite3.Connection, user_id: str) -> Rate:
    """Return how many turns looked into the memory a second time."""
    row = conn.execute(
        """SELECT coalesce(sum(coalesce(meta ->> 'recalled_again', 0)), 0) AS again, count(*) AS turns
           FROM events WHERE user_id = ? AND op = 'respond'""",
        (user_id,),
    ).fetchone()
    return Rate(row["again"], row["turns"])


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)
