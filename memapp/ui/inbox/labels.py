"""How the Inbox says who proposed something, what would change, and how long there is to answer."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from memapp.domain.consent import ConsentRequest
from memapp.domain.history import who
from memapp.ui.inbox.read_models import Wrote
from memapp.ui.widgets.labels import clock, moment

PROPOSERS = {"import": "It came with an import", "undo": "You brought it back", "person": "You wrote it"}
WROTE = {"typed": "you typed it", "pasted": "! in text that you pasted", "other": "! not typed by you"}


def wrote(who: Wrote) -> str:
    return WROTE[who]


def proposed_by(request: ConsentRequest) -> str:
    return PROPOSERS.get(request.proposer) or f"Read in a chat by {who(request.proposer)}"


def expires(request: ConsentRequest, now: datetime) -> str:
    """Return what happens to a request that nobody answers, and when."""
    left = max(timedelta(), request.expires_at - now)
    days, hours, minutes = left.days, left.seconds // 3600, left.seconds % 3600 // 60
    if days:
        return f"Unanswered, it becomes a no in {days} d {hours} h."
    return f"Unanswered, it becomes a no TODAY, in {hours} h {minutes} m."


def sleeping(asleep: Sequence[ConsentRequest], now: datetime) -> str:
    """Return how much was put off, and until when the first of it: `1 sleeps until tomorrow 10:48`."""
    until = asleep[0].snoozed_until if asleep else None
    if until is None:
        return ""
    how_many = "1 sleeps until" if len(asleep) == 1 else f"{len(asleep)} sleep, the first until"
    days = (until.astimezone().date() - now.astimezone().date()).days
    day = {0: "", 1: "tomorrow "}.get(days, f"{moment(until, now)} ")
    return f"{how_many} {day}{clock(until)}"
