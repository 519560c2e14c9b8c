"""The words for ages and importance of memories. A capital word stands for what is red elsewhere."""

from datetime import datetime, timedelta

from memapp.domain.lifecycle import DAYS_OF_USE
from memapp.domain.text import counted
from memapp.ui.widgets.labels import clock, moment

BARS = "▁▂▄▆█"


def age(at: datetime, now: datetime) -> str:
    """Return how long ago something was, in at most five letters."""
    minutes = max(0, int((now - at).total_seconds() // 60))
    hours, days = minutes // 60, minutes // (60 * 24)
    if minutes < 1:
        return "now"
    if hours < 1:
        return f"{minutes} m"
    if days < 1:
        return f"{hours} h"
    if days < 14:
        return f"{days} d"
    if days < 70:
        return f"{days // 7} w"
    return f"{days // 30} mo" if days < 365 else f"{days // 365} y"


def ago(at: datetime, now: datetime) -> str:
    """Return the same in a sentence."""
    return "just now" if (words := age(at, now)) == "now" else f"{words} ago"


def when(at: datetime, now: datetime) -> str:
    return f"{moment(at, now)} {clock(at)}" if at.astimezone().date() != now.astimezone().date() else f"today {clock(at)}"


def bar(importance: int) -> str:
    """Return importance 1 to 5 as a bar of one letter."""
    return BARS[max(1, min(importance, len(BARS))) - 1]


def kept(purge_at: datetime | None, now: datetime, missing: int = 0) -> str:
    """Return how long something stays in the trash at least, and when that is over, after how many days of use it goes."""
    if purge_at is None:
        return ""
    return _after_use(missing) if is_overdue(purge_at, now) else f"kept {left(purge_at - now)} or more"


def kept_in_full(purge_at: datetime | None, now: datetime, missing: int = 0) -> str:
    """Return the same, and before that time with how much use it takes."""
    if purge_at is None or is_overdue(purge_at, now):
        return kept(purge_at, now, missing)
    return f"kept at least {left(purge_at - now)}, and {DAYS_OF_USE} days on which memapp is used"


def _after_use(missing: int) -> str:
    """Say when something goes whose time is over by the calendar: the clock alone does not decide (`domain.lifecycle`)."""
    return f"goes after {counted(missing, 'day')} of use" if missing else "goes SOON"


def left(time: timedelta) -> str:
    """Return a time to come: `6 days`, `1 d 4 h`, `4 h 0 m`."""
    if time.days >= 2:
        return f"{round(time / timedelta(days=1))} days"
    hours, minutes = time.seconds // 3600, time.seconds % 3600 // 60
    return f"{time.days} d {hours} h" if time.days else f"{hours} h {minutes} m"


def is_overdue(purge_at: datetime | None, now: datetime) -> bool:
    """Say whether the calendar keeps a memory in the trash no longer."""
    return purge_at is not None and purge_at <= now


def many(count: int) -> str:
    return counted(count, "memory", "memories")
