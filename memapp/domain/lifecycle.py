"""When a memory goes to the trash by itself, and when it leaves the trash for good.

The clock alone never decides: it may be wrong. After a leap nothing is moved at first, each run is small, and a time is over
only after several days on which memapp was really used, two of them after its end.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import ceil

LONGEST_STEP = timedelta(hours=72)
"""A longer gap since the last run counts as a clock jump; a long pause looks the same."""
BETWEEN_RUNS = timedelta(hours=1)
AFTER_A_LEAP = timedelta(minutes=10)
"""How long a clock that has leapt must go on evenly until it is believed."""
MOST_AT_ONCE = 50
LARGEST_SHARE = 0.05
DAYS_OF_USE = 7
"""On so many different days a person must have used memapp, and could have needed a memory or looked into the trash."""
DAYS_TO_BELIEVE = 2
"""On so many days before today memapp must have been used after a time was over: the clock of one day may be wrong."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Where the clock stood at the last run, and when the next one is due."""

    seen: datetime
    due: datetime


def has_leapt(pace: Pace, now: datetime) -> bool:
    return abs(now - pace.seen) > LONGEST_STEP


def next_pace(now: datetime, *, leapt: bool) -> Pace:
    """Return when to look again."""
    return Pace(now, now + (AFTER_A_LEAP if leapt else BETWEEN_RUNS))


def most_at_once(among: int) -> int:
    """Return how many of so many memories one run may touch: 50 or one in twenty, whichever is fewer, and one at least."""
    return min(MOST_AT_ONCE, ceil(among * LARGEST_SHARE))


def is_over(end: datetime, days_of_use: Collection[date], now: datetime) -> bool:
    """Tell whether a time is over, and not by the clock of today alone."""
    return end <= now and sum(1 for day in days_of_use if end.date() < day < now.date()) >= DAYS_TO_BELIEVE


def may_go(since: datetime, end: datetime, days_of_use: Collection[date], now: datetime) -> bool:
    """Tell whether something unused goes to the trash, or leaves it for good: memapp was used on enough days since."""
    used = sum(1 for day in days_of_use if day > since.date())
    return is_over(end, days_of_use, now) and used >= DAYS_OF_USE
