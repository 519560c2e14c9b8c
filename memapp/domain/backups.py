"""Backups that memapp makes by itself: those that stay, and their age in words."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from memapp.domain.text import counted

EVERY = timedelta(minutes=30)
"""How often memapp copies a file that changes."""
RECENT = 6
DAYS = 7
WEEKS = 4
OLDEST = timedelta(days=30)
"""What the person erases or lets go must not live on for long where nobody looks."""


def staying(made: Iterable[datetime], now: datetime) -> set[datetime]:
    """Return which copies stay: the last of each of six half hours, seven days and four weeks, none older than 30 days.

    The newest stays however old it is: it is all there is. So do those of a clock that was wrong, until their time has come.
    """
    made = set(made)
    newest_first = sorted((at for at in made if at <= now), reverse=True)
    last_of_half_hours = _last_of_each(lambda at: at.timestamp() // EVERY.total_seconds(), newest_first)[:RECENT]
    last_of_days = _last_of_each(lambda at: at.date(), newest_first)[:DAYS]
    last_of_weeks = _last_of_each(lambda at: at.isocalendar()[:2], newest_first)[:WEEKS]
    kept = {*last_of_half_hours, *last_of_days, *last_of_weeks}
    return {at for at in kept if now - at <= OLDEST} | set(newest_first[:1]) | {at for at in made if at > now}


def in_words(span: timedelta) -> str:
    """Return a length of time in words, rounded down: `25 minutes`, `3 hours`, `2 days`."""
    minutes = max(0, int(span.total_seconds() // 60))
    if minutes < 60:
        return counted(minutes, "minute")
    return counted(minutes // 60, "hour") if minutes < 48 * 60 else counted(minutes // (24 * 60), "day")


def _last_of_each(period: Callable[[datetime], object], newest_first: Iterable[datetime]) -> list[datetime]:
    last: dict[object, datetime] = {}
    for at in newest_first:
        last.setdefault(period(at), at)
    return list(last.values())
