"""Counts the logged operations for the numbers in Activity."""

from datetime import date, timedelta

from memapp.domain.activity import Count, Day, Rate
from memapp.store.encoding import begin_of, to_text
from memapp.store.session import Session


def counts(session: Session) -> list[Count]:
    """Return how often each node did each operation, today, in seven days and ever; the most frequent first."""
    now = session.now
    rows = session.conn.execute(
        """SELECT node, op, sum(ts >= :today) AS today, sum(ts >= :week) AS week, count(*) AS total,
                  sum(status = 'error') AS failed
           FROM events WHERE user_id = :user GROUP BY op, node ORDER BY total DESC, node, op""",
        {"user": session.user_id, "today": to_text(begin_of(now.astimezone().date())), "week": to_text(now - timedelta(days=7))},
    )
    return [Count(row["node"], row["op"], row["today"], row["week"], row["total"], row["failed"]) for row in rows]


def by_day(session: Session, days: int = 30) -> list[Day]:
    """Return the number of operations on each of the person's last days, oldest first; days without any are there too."""
    today = session.now.astimezone().date()
    wanted = [today - timedelta(days=ago) for ago in reversed(range(days))]
    return [Day(day, _count_on(session, day)) for day in wanted]


def _count_on(session: Session, day: date) -> int:
    between = [to_text(begin_of(one)) for one in (day, day + timedelta(days=1))]
    row = session.conn.execute(
        "SELECT count(*) FROM events WHERE user_id = ? AND ts >= ? AND ts < ?", (session.user_id, *between)
    ).fetchone()
    return int(row[0])


def written_and_said(session: Session) -> tuple[Rate, Rate]:
    """Return how many of the facts that were written kept the writing rules at the first try, and how many of those were said."""
    row = session.conn.execute(
        """SELECT coalesce(sum(coalesce(meta ->> 'learned', 0) + coalesce(meta ->> 'known', 0)), 0) AS said,
                  coalesce(sum(coalesce(meta ->> 'unsaid', 0)), 0) AS unsaid,
                  coalesce(sum(coalesce(meta ->> 'refused', json_array_length(meta, '$.rejected') > 0)), 0) AS refused
           FROM events WHERE user_id = ? AND op = 'distil'""",
        (session.user_id,),
    ).fetchone()
    written = row["said"] + row["unsaid"]
    return Rate(written, written + row["refused"]), Rate(row["said"], written)


def recalled_on_demand(session: Session) -> Rate:
    """Return how many turns searched the memory twice."""
    row = session.conn.execute(
        """SELECT coalesce(sum(coalesce(meta ->> 'recalled_on_demand', 0)), 0) AS on_demand, count(*) AS turns
           FROM events WHERE user_id = ? AND op = 'respond'""",
        (session.user_id,),
    ).fetchone()
    return Rate(row["on_demand"], row["turns"])
