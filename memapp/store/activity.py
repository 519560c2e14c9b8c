"""The counts of logged operations, for the numbers in Activity."""

from datetime import date, timedelta

from memapp.domain.activity import Count, Day, Rate, Tally
from memapp.domain.chat import BY_MEMAPP
from memapp.store.encoding import begin_of
from memapp.store.session import Session


def counts(session: Session) -> list[Count]:
    """Return the counts of each operation by node: today, in seven days and ever; largest first."""
    sql = """SELECT node, op, sum(ts >= :today) AS today, sum(ts >= :week) AS week,
                    count(*) AS total, sum(status = 'error') AS failed
             FROM events
             WHERE user_id = :user
             GROUP BY op, node ORDER BY total DESC, node, op"""
    return session.records(
        Count,
        sql,
        today=begin_of(session.now.astimezone().date()),
        week=session.now - timedelta(days=7),
    )


def by_day(session: Session, days: int = 30) -> list[Day]:
    """Return the number of operations of each of the last days, oldest first, zeros included."""
    today = session.now.astimezone().date()
    wanted = [today - timedelta(days=ago) for ago in reversed(range(days))]
    sql = "SELECT count(*) FROM events WHERE user_id = :user AND ts >= :begin AND ts < :end"
    return [
        Day(day, session.value(sql, begin=begin_of(day), end=begin_of(day + timedelta(days=1))))
        for day in wanted
    ]


def over_time(session: Session, days: int = 365) -> list[Tally]:
    """Return tallies for each of the last days, oldest first; days without anything are left out.

    Tallied are new live memories by kind, replies and those with recalled memories, predictions
    compared and those that held, and operations.
    """
    sql = """SELECT kind AS what, date(created_at, 'localtime') AS day, count(*) AS held,
                    count(*) AS of
             FROM memories
             WHERE user_id = :user AND state = 'live' AND created_at >= :begin
             GROUP BY 1, 2
             UNION ALL
             SELECT 'recalled', date(created_at, 'localtime'),
                    sum(EXISTS (SELECT 1 FROM recalls r WHERE r.message_id = m.id)), count(*)
             FROM messages m
             WHERE user_id = :user AND role = 'assistant' AND model NOT IN ('', :own)
             AND created_at >= :begin
             GROUP BY 2
             UNION ALL
             SELECT 'expected', date(created_at, 'localtime'), sum(surprised = 0), count(*)
             FROM predictions
             WHERE user_id = :user AND surprised IS NOT NULL AND created_at >= :begin
             GROUP BY 2
             UNION ALL
             SELECT 'done', date(ts, 'localtime'), count(*), count(*) FROM events
             WHERE user_id = :user AND ts >= :begin
             GROUP BY 2 ORDER BY 2"""
    begin = begin_of(session.now.astimezone().date() - timedelta(days=days - 1))
    rows = session.run(sql, begin=begin, own=BY_MEMAPP)
    return [
        Tally(row["what"], date.fromisoformat(row["day"]), row["held"], row["of"]) for row in rows
    ]


def recalled_on_demand(session: Session) -> Rate:
    """Return how many turns searched the memory twice."""
    sql = """SELECT coalesce(sum(coalesce(meta ->> 'recalled_on_demand', 0)), 0) AS held,
                    count(*) AS of
             FROM events
             WHERE user_id = :user AND op = 'respond'"""
    return session.records(Rate, sql)[0]
