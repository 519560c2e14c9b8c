"""The counts of logged operations, for the numbers in Activity."""

from datetime import timedelta

from memapp.domain.activity import Count, Day, Rate
from memapp.store.encoding import begin_of
from memapp.store.session import Session


def counts(session: Session) -> list[Count]:
    """Return how often each node did each operation, today, in seven days and ever; the most frequent first."""
    sql = """SELECT node, op, sum(ts >= :today) AS today, sum(ts >= :week) AS week, count(*) AS total,
                    sum(status = 'error') AS failed
             FROM events WHERE user_id = :user GROUP BY op, node ORDER BY total DESC, node, op"""
    return session.records(Count, sql, today=begin_of(session.now.astimezone().date()), week=session.now - timedelta(days=7))


def by_day(session: Session, days: int = 30) -> list[Day]:
    """Return the number of operations on each of the person's last days, oldest first; days without any are there too."""
    today = session.now.astimezone().date()
    wanted = [today - timedelta(days=ago) for ago in reversed(range(days))]
    sql = "SELECT count(*) FROM events WHERE user_id = :user AND ts >= :begin AND ts < :end"
    return [Day(day, session.value(sql, begin=begin_of(day), end=begin_of(day + timedelta(days=1)))) for day in wanted]


def written_and_said(session: Session) -> tuple[Rate, Rate]:
    """Return how many of the facts that were written kept the writing rules at the first try, and how many of those were said."""
    sql = """SELECT coalesce(sum(coalesce(meta ->> 'learned', 0) + coalesce(meta ->> 'known', 0)), 0) AS said,
                    coalesce(sum(coalesce(meta ->> 'unsaid', 0)), 0) AS unsaid,
                    coalesce(sum(coalesce(meta ->> 'refused', json_array_length(meta, '$.rejected') > 0)), 0) AS refused
             FROM events WHERE user_id = :user AND op = 'distil'"""
    (row,) = session.run(sql)
    written = row["said"] + row["unsaid"]
    return Rate(written, written + row["refused"]), Rate(row["said"], written)


def recalled_on_demand(session: Session) -> Rate:
    """Return how many turns searched the memory twice."""
    sql = """SELECT coalesce(sum(coalesce(meta ->> 'recalled_on_demand', 0)), 0) AS held, count(*) AS of
             FROM events WHERE user_id = :user AND op = 'respond'"""
    return session.records(Rate, sql)[0]
