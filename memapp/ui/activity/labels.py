"""How operations and entries of the log are called in plain words."""

from memapp.domain.changes import Event
from memapp.domain.history import DECISIONS, IMPORT, label_of
from memapp.domain.second_person import addressed
from memapp.ui.activity.read_models import LogLine

REASONS = {
    "overflow": "too many facts",
    "superseded": "a newer one replaced it",
    "unused": "not used for long",
    "merged": "another says the same",
}


def done(line: LogLine) -> str:
    """Return what was done, without the words of any memory."""
    entry = line.entry
    if entry.event is Event.PROFILE:
        decision = str(entry.meta.get("decision", "changed"))
        took_back = bool(entry.undoes) and decision == "changed"
        return "took back" if took_back else DECISIONS.get(decision, decision)
    if is_file(line):
        return "took back" if entry.undoes else "brought in"
    if line.pinned is not None:
        return "pinned" if line.pinned else "unpinned"
    return entry.event.told


def about(line: LogLine) -> str:
    """Return what it was done to: the words of a memory that is remembered, else only that it was one."""
    if line.entry.event is Event.PROFILE:
        return label_of(line.entry.memory_id)
    if is_file(line):
        return "a file"
    return f"“{addressed(line.said)}”" if line.said else "a memory"


def is_file(line: LogLine) -> bool:
    """Say whether a line is about a whole file that was brought in."""
    return line.entry.memory_id.startswith(IMPORT)


def reason(line: LogLine) -> str:
    return REASONS.get(str(line.entry.meta.get("reason", "")), "")
