"""The pace of a job in idle time: its last run and when it is due, with distrust of clock jumps."""

from dataclasses import dataclass
from datetime import datetime, timedelta

LONGEST_STEP = timedelta(hours=72)
"""A longer gap since the last run counts as a clock jump; a long pause looks the same."""
AFTER_A_LEAP = timedelta(minutes=10)
"""How long the clock must run evenly after a jump until it is believed."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The time of a job's last run, and when the next one is due."""

    ran_at: datetime
    due_at: datetime


@dataclass(frozen=True, slots=True)
class Progress:
    """The job in progress."""

    name: str
    does: str
    done: int


def has_leapt(pace: Pace, now: datetime) -> bool:
    return abs(now - pace.ran_at) > LONGEST_STEP


def next_pace(now: datetime, every: timedelta, *, leapt: bool) -> Pace:
    """Return the pace after a run."""
    return Pace(now, now + (min(AFTER_A_LEAP, every) if leapt else every))
