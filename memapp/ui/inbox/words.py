"""How the Inbox says who proposed something, what would change, and how long there is to answer."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from memapp.domain.consent import Patch, label
from memapp.domain.text import one_line, shorten
from memapp.ui.inbox.reading import Wrote
from memapp.ui.widgets.words import clock, moment

PROPOSERS = {
    "worker": "memapp read it in a chat",
    "import": "It came with an import",
    "undo": "You brought it back",
    "person": "You wrote it",
}
PROPOSERS_SHORT = {"worker": "from a chat", "import": "imported", "undo": "taken back", "person": "by you"}
WROTE = {"typed": "you typed it", "pasted": "! in text that you pasted", "other": "! not typed by you"}
VALUE_CHARS = 60


def change(patch: Patch) -> str:
    """Return a proposal in a few words: `Home “Bergen”`."""
    value = f" “{shorten(one_line(patch.new_value), VALUE_CHARS)}”" if patch.new_value else ""
    return f"{label(patch.field)}{value}"


def done(decision: str, patch: Patch) -> str:
    """Return what was decided, as an undo names it: `Approved Home “Bergen”`."""
    if decision == "changed" and patch.proposer == "person":
        return change(patch) if patch.new_value else f"Took away {label(patch.field)}"
    verb = {"changed": "Approved", "approved": "Approved", "denied": "Denied", "snoozed": "Put off until tomorrow"}
    return f"{verb.get(decision, 'Changed')} {change(patch)}"


def wrote(who: Wrote) -> str:
    return WROTE[who]


def expires(patch: Patch, now: datetime) -> str:
    """Return what happens to a proposal that nobody answers, and when."""
    left = max(timedelta(), patch.expires_at - now)
    days, hours, minutes = left.days, left.seconds // 3600, left.seconds % 3600 // 60
    if days:
        return f"Unanswered, it becomes a no in {days} d {hours} h."
    return f"Unanswered, it becomes a no TODAY, in {hours} h {minutes} m."


def sleeping(asleep: Sequence[Patch], now: datetime) -> str:
    """Return how much was put off, and until when the first of it: `1 sleeps until tomorrow 10:48`."""
    until = asleep[0].snoozed_until if asleep else None
    if until is None:
        return ""
    how_many = "1 sleeps until" if len(asleep) == 1 else f"{len(asleep)} sleep, the first until"
    days = (until.astimezone().date() - now.astimezone().date()).days
    day = {0: "", 1: "tomorrow "}.get(days, f"{moment(until, now)} ")
    return f"{how_many} {day}{clock(until)}"
