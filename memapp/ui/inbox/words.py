"""How the Inbox says who proposed something, what would change, and how long there is to answer."""

from datetime import datetime, timedelta

from memapp.domain.consent import Patch
from memapp.domain.text import one_line, shorten
from memapp.ui.inbox.reading import Wrote, label

PROPOSERS = {
    "worker": "memapp read it in a chat",
    "import": "It came with an import",
    "undo": "You took a decision back",
    "person": "You wrote it",
}
PROPOSERS_SHORT = {"worker": "from a chat", "import": "imported", "undo": "taken back", "person": "by you"}
WROTE = {"typed": "you typed it", "pasted": "! in text that you pasted", "other": "! not typed by you"}
VALUE_CHARS = 60


def change(patch: Patch) -> str:
    """Return a proposal in a few words: `Home “Bergen”`."""
    value = f" “{shorten(one_line(patch.new_value), VALUE_CHARS)}”" if patch.new_value else ""
    return f"{label(patch.field)}{value}"


def wrote(who: Wrote) -> str:
    return WROTE[who]


def expires(patch: Patch, now: datetime) -> str:
    """Return what happens to a proposal that nobody answers, and when."""
    left = max(timedelta(), patch.expires_at - now)
    days, hours, minutes = left.days, left.seconds // 3600, left.seconds % 3600 // 60
    if days:
        return f"Without an answer it answers itself with no in {days} d {hours} h."
    return f"Without an answer it answers itself with no TODAY, in {hours} h {minutes} m."
