"""The lifecycle of a memory: expiry into the trash, and purging.

The clock alone never decides, as it may be wrong. After a clock jump nothing is moved at first,
each run is small, and a time is over only after several days on which memapp was used, two of them
after its end.
"""

from collections.abc import Collection
from datetime import date, datetime
from math import ceil

MOST_AT_ONCE = 50
LARGEST_SHARE = 0.05
DAYS_OF_USE = 7
"""Days of use before a memory may go: so often it could have been needed, or found in the trash."""
DAYS_TO_BELIEVE = 2
"""Days of use after the end of a time and before today: the clock of one day may be wrong."""


def most_at_once(among: int) -> int:
    """Return the most memories that one run may touch: 50 or one in twenty, but at least one."""
    return min(MOST_AT_ONCE, ceil(among * LARGEST_SHARE))


def is_over(end: datetime, days_of_use: Collection[date], now: datetime) -> bool:
    """Return True if a time is over by the clock of several days."""
    return (
        end <= now
        and sum(1 for day in days_of_use if end.date() < day < now.date()) >= DAYS_TO_BELIEVE
    )


def may_go(since: datetime, end: datetime, days_of_use: Collection[date], now: datetime) -> bool:
    """Return True if an unused memory may go: its time is over, on enough days of use."""
    return end <= now and not days_missing(since, end, days_of_use, now)


def days_missing(
    since: datetime, end: datetime, days_of_use: Collection[date], now: datetime
) -> int:
    """Return the days of use that are missing until a memory may go.

    Today is one of them, unless the time ended today.
    """
    used = sum(1 for day in days_of_use if day > since.date())
    believed = sum(1 for day in days_of_use if end.date() < day < now.date())
    return max(0, DAYS_OF_USE - used, DAYS_TO_BELIEVE - believed + (end.date() == now.date()))
