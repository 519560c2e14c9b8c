"""How operations and entries of the log are called in plain words."""

from memapp.domain.changes import Event
from memapp.domain.history import DECISIONS, IMPORT, label_of
from memapp.ui.activity.reading import Line

NODES = {
    "hotpath": "While you chat",
    "context": "Looking things up",
    "episodic": "Keeping episodes",
    "worker": "In the background",
}
OPERATIONS = {
    "classify": "compared a message with the guess",
    "predict": "guessed what an answer needs",
    "respond": "answered",
    "search": "searched the memory",
    "distil": "looked for facts in a message",
    "propose": "put something into the inbox",
    "consent": "decided what was in the inbox",
    "create": "remembered something",
    "update": "changed a memory or the profile",
    "merge": "merged memories",
    "link": "linked memories",
    "pin": "pinned or unpinned",
    "delete": "moved to the trash",
    "delete_chat": "deleted a chat",
    "ttl": "moved to the trash, unused",
    "restore": "brought back",
    "purge": "erased a memory for good",
    "forget": "cleaned the file of what was erased",
    "undo": "took something back",
}
REASONS = {
    "overflow": "too many facts",
    "superseded": "a newer one replaced it",
    "unused": "not used for long",
    "merged": "another says the same",
}


def operation(op: str) -> str:
    return OPERATIONS.get(op, op.replace("_", " "))


def done(line: Line) -> str:
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


def about(line: Line) -> str:
    """Return what it was done to: the words of a memory that is remembered, else only that it was one."""
    if line.entry.event is Event.PROFILE:
        return label_of(line.entry.memory_id)
    if is_file(line):
        return "a file"
    return f"“{line.said}”" if line.said else "a memory"


def is_file(line: Line) -> bool:
    """Say whether a line is about a whole file that was brought in."""
    return line.entry.memory_id.startswith(IMPORT)


def reason(line: Line) -> str:
    return REASONS.get(str(line.entry.meta.get("reason", "")), "")
