"""Automatic backups: which ones are kept, and their age in words."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta

from memapp.domain.text import counted

EVERY = timedelta(minutes=30)
"""How often memapp copies a file that changes."""
RECENT = 6
DAYS = 7
WEEKS = 4
OLDEST = timedelta(days=30)
"""Erased or expired memories must not live on for long in a backup."""
BELIEVED = timedelta(days=5)
"""After a longer gap the clock is believed once memapp was used for so long. The newest seven daily
backups always span more.
"""


def staying(made: Iterable[datetime], now: datetime) -> set[datetime]:
    """Return the backups to keep: the last of six half hours, seven days and four weeks.

    None older than 30 days is kept, counted from the newest backup, which is always kept. After a
    longer gap the clock may be wrong: older backups are kept until memapp has been used for five
    days since. Backups dated in the future are kept too.
    """
    made = set(made)
    return {at for at in made if at > now}.union(*map(_thinned_out, _periods(made, now)))


def counted_from(made: Iterable[datetime], now: datetime) -> datetime:
    """Return the time from which the age of other copies counts, given the automatic ones."""
    return min((period[0] for period in _periods(made, now)), default=now)


def _periods(made: Iterable[datetime], now: datetime) -> Iterator[list[datetime]]:
    """Yield the backups of each period of use, newest first, until a period is long enough."""
    period: list[datetime] = []
    for at in sorted((at for at in made if at <= now), reverse=True):
        if period and period[-1] - at > OLDEST:
            yield period
            if period[0] - period[-1] >= BELIEVED:
                return
            period = []
        period.append(at)
    if period:
        yield period


def _thinned_out(newest_first: list[datetime]) -> set[datetime]:
    last_of_half_hours = _last_of_each(
        lambda at: at.timestamp() // EVERY.total_seconds(), newest_first
    )[:RECENT]
    last_of_days = _last_of_each(lambda at: at.date(), newest_first)[:DAYS]
    last_of_weeks = _last_of_each(lambda at: at.isocalendar()[:2], newest_first)[:WEEKS]
    return {
        at
        for at in (*last_of_half_hours, *last_of_days, *last_of_weeks)
        if newest_first[0] - at <= OLDEST
    }


def in_words(span: timedelta) -> str:
    """Return a duration in words, rounded down: `25 minutes`, `3 hours`, `2 days`."""
    minutes = max(0, int(span.total_seconds() // 60))
    if minutes < 60:
        return counted(minutes, "minute")
    return (
        counted(minutes // 60, "hour")
        if minutes < 48 * 60
        else counted(minutes // (24 * 60), "day")
    )


def _last_of_each(
    period: Callable[[datetime], object], newest_first: Iterable[datetime]
) -> list[datetime]:
    last: dict[object, datetime] = {}
    for at in newest_first:
        last.setdefault(period(at), at)
    return list(last.values())
