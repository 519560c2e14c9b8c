"""Labels: times, ages, sizes, costs, importance and authors in words.

A word in capitals stands for red.
"""

import re
from datetime import datetime, timedelta

from memapp.domain.chat import Message, Origin, Role
from memapp.domain.lifecycle import DAYS_OF_USE
from memapp.domain.prompt import Usage
from memapp.domain.text import counted
from memapp.language.labels import called

BARS = "▁▂▄▆█"


def clock(at: datetime, *, is_estimated: bool = False) -> str:
    return f"{'about ' if is_estimated else ''}{at.astimezone():%H:%M}"


def moment(at: datetime, now: datetime) -> str:
    """Return a short date: the time today, the day this year, else the date."""
    here, today = at.astimezone(), now.astimezone()
    if here.date() == today.date():
        return f"{here:%H:%M}"
    return f"{here.day} {here:%b}" if here.year == today.year else f"{here.day} {here:%b %Y}"


def at_moment(at: datetime, now: datetime) -> str:
    """Return the date in a sentence: `at 10:48`, `on 3 Mar`."""
    return (
        f"{'at' if at.astimezone().date() == now.astimezone().date() else 'on'} {moment(at, now)}"
    )


def age(at: datetime, now: datetime) -> str:
    """Return an age in at most five letters."""
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
    """Return an age in a sentence."""
    return "just now" if (words := age(at, now)) == "now" else f"{words} ago"


def when(at: datetime, now: datetime) -> str:
    return (
        f"{moment(at, now)} {clock(at)}"
        if at.astimezone().date() != now.astimezone().date()
        else f"today {clock(at)}"
    )


def bar(importance: int) -> str:
    """Return importance 1 to 5 as a bar of one letter."""
    return BARS[max(1, min(importance, len(BARS))) - 1]


def kept(purge_at: datetime | None, now: datetime, missing: int = 0) -> str:
    """Return the time left in the trash; when that is over, the days of use left."""
    if purge_at is None:
        return ""
    return (
        _after_use(missing) if is_overdue(purge_at, now) else f"kept {left(purge_at - now)} or more"
    )


def kept_in_full(purge_at: datetime | None, now: datetime, missing: int = 0) -> str:
    """Return the time left in the trash with the days of use."""
    if purge_at is None or is_overdue(purge_at, now):
        return kept(purge_at, now, missing)
    return f"kept at least {left(purge_at - now)}, and {DAYS_OF_USE} days on which memapp is used"


def _after_use(missing: int) -> str:
    """Return the days of use left: the clock alone never ends a memory (`domain.lifecycle`)."""
    return f"goes after {counted(missing, 'day')} of use" if missing else "goes SOON"


def left(time: timedelta) -> str:
    """Return a remaining time: `6 days`, `1 d 4 h`, `4 h 0 m`."""
    if time.days >= 2:
        return f"{round(time / timedelta(days=1))} days"
    hours, minutes = time.seconds // 3600, time.seconds % 3600 // 60
    return f"{time.days} d {hours} h" if time.days else f"{hours} h {minutes} m"


def is_overdue(purge_at: datetime | None, now: datetime) -> bool:
    """Return True if the time of a memory in the trash is over by the calendar."""
    return purge_at is not None and purge_at <= now


def many(count: int) -> str:
    return counted(count, "memory", "memories")


def cost(usage: Usage) -> str:
    """Return the cost of a reply: tokens, speed, and the time to the first token."""
    if not usage.decode_tokens:
        return ""
    parts = [f"{usage.decode_tokens} tok"]
    if usage.seconds > usage.first_token_seconds > 0:
        parts.append(
            f"{usage.decode_tokens / (usage.seconds - usage.first_token_seconds):.1f} tok/s"
        )
    if usage.waited_seconds > 0:
        digits = 1 if usage.waited_seconds >= 1 else 2
        parts.append(f"first {usage.waited_seconds:.{digits}f} s")
    return " · ".join(parts)


def written(message: Message) -> str:
    """Return how the text of a message was entered."""
    if message.role is Role.ASSISTANT:
        return "an answer"
    if message.origin is Origin.IMPORT:
        return "imported"
    if message.pasted:
        return "you typed and pasted" if message.typed_text else "you pasted"
    return "you typed"


def size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def matched(why: str) -> str:
    """Return why a hit was found, without scores: `words 0.71` -> `has the same words`."""
    names = [re.sub(r" -?[\d.]+$", "", part) for part in why.split(" + ")]
    return ", ".join(filter(None, (called("matched", name, "") for name in names))) or "was found"


def rated(score: float) -> str:
    """Return a score for display, at most 1.00: the sum behind it may be slightly larger."""
    return f"{min(score, 1.0):.2f}"
