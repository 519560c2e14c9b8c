"""The pace of a job that is done in idle time: when it ran last and is due next. A clock that leapt
is not believed at once.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

LONGEST_STEP = timedelta(hours=72)
"""A longer gap since the last run counts as a clock jump; a long pause looks the same."""
AFTER_A_LEAP = timedelta(minutes=10)
"""How long a clock that has leapt must go on evenly until it is believed."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Where the clock stood at the last run of a job, and when the next one is due."""

    ran_at: datetime
    due_at: datetime


@dataclass(frozen=True, slots=True)
class Progress:
    """The job that runs now."""

    name: str
    does: str
    done: int


def has_leapt(pace: Pace, now: datetime) -> bool:
    return abs(now - pace.ran_at) > LONGEST_STEP


def next_pace(now: datetime, every: timedelta, *, leapt: bool) -> Pace:
    """Return the pace after a run, with when to look again."""
    return Pace(now, now + (min(AFTER_A_LEAP, every) if leapt else every))
