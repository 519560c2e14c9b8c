"""Labels: times, sizes and costs in words, and who wrote a message."""

import re
from datetime import datetime

from memapp.domain.chat import Message, Origin, Role
from memapp.domain.prompt import Usage
from memapp.language.english.labels import called


def clock(at: datetime) -> str:
    return f"{at.astimezone():%H:%M}"


def moment(at: datetime, now: datetime) -> str:
    """Return a short date: the time today, the day this year, else the date."""
    here, today = at.astimezone(), now.astimezone()
    if here.date() == today.date():
        return f"{here:%H:%M}"
    return f"{here.day} {here:%b}" if here.year == today.year else f"{here.day} {here:%b %Y}"


def at_moment(at: datetime, now: datetime) -> str:
    """Return the same in a sentence: `at 10:48`, `on 3 Mar`."""
    return f"{'at' if at.astimezone().date() == now.astimezone().date() else 'on'} {moment(at, now)}"


def cost(usage: Usage) -> str:
    """Return what a reply cost: tokens, speed, and how long the person waited for its first word."""
    if not usage.decode_tokens:
        return ""
    parts = [f"{usage.decode_tokens} tok"]
    if usage.seconds > usage.first_token_seconds > 0:
        parts.append(f"{usage.decode_tokens / (usage.seconds - usage.first_token_seconds):.1f} tok/s")
    if usage.waited_seconds > 0:
        digits = 1 if usage.waited_seconds >= 1 else 2
        parts.append(f"first {usage.waited_seconds:.{digits}f} s")
    return " · ".join(parts)


def written(message: Message) -> str:
    """Return how the words of a message came here."""
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
    """Return why something was recalled in words, without the sum: `words 0.71 + pinned 0.04` -> `has the same words`."""
    names = [re.sub(r" -?[\d.]+$", "", part) for part in why.split(" + ")]
    return ", ".join(filter(None, (called("matched", name, "") for name in names))) or "was found"


def rated(score: float) -> str:
    """Return a score of recall as it is shown: at most 1.00, though what it is the sum of may come to a little more."""
    return f"{min(score, 1.0):.2f}"
