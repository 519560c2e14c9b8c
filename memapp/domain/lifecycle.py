"""The lifecycle of a memory: the time when it goes to the trash by itself, and when it leaves it
for good.

The clock alone never decides: it may be wrong. After a leap nothing is moved at first, each run is
small, and a time is over only after several days on which memapp was really used, two of them after
its end.
"""

from collections.abc import Collection
from datetime import date, datetime
from math import ceil

MOST_AT_ONCE = 50
LARGEST_SHARE = 0.05
DAYS_OF_USE = 7
"""On so many different days a person must have used memapp, and could have needed a memory or
looked into the trash.
"""
DAYS_TO_BELIEVE = 2
"""On so many days before today memapp must have been used after a time was over: the clock of one
day may be wrong.
"""


def most_at_once(among: int) -> int:
    """Return how many of so many memories one run may touch: 50 or one in twenty, whichever is
    fewer, and one at least.
    """
    return min(MOST_AT_ONCE, ceil(among * LARGEST_SHARE))


def is_over(end: datetime, days_of_use: Collection[date], now: datetime) -> bool:
    """Tell whether a time is over, and not by the clock of today alone."""
    return (
        end <= now
        and sum(1 for day in days_of_use if end.date() < day < now.date()) >= DAYS_TO_BELIEVE
    )


def may_go(since: datetime, end: datetime, days_of_use: Collection[date], now: datetime) -> bool:
    """Tell whether something unused goes to the trash, or leaves it for good: memapp was used on
    enough days since.
    """
    return end <= now and not days_missing(since, end, days_of_use, now)


def days_missing(
    since: datetime, end: datetime, days_of_use: Collection[date], now: datetime
) -> int:
    """Return on how many more days memapp must be used until something goes whose time is over by
    the calendar.

    Today is one of them, unless the time ended today.
    """
    used = sum(1 for day in days_of_use if day > since.date())
    believed = sum(1 for day in days_of_use if end.date() < day < now.date())
    return max(0, DAYS_OF_USE - used, DAYS_TO_BELIEVE - believed + (end.date() == now.date()))
