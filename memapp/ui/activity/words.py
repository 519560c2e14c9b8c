"""How operations, entries of the log and steps to take back are called in plain words."""

from memapp.domain.history import IMPORT, Event, Step
from memapp.domain.text import one_line, shorten
from memapp.ui.activity.reading import Line
from memapp.ui.inbox.reading import label

NODES = {
    "hotpath": "While you chat",
    "context": "Looking things up",
    "episodic": "Keeping what happened",
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
    "ttl": "moved to the trash, unused",
    "restore": "brought back",
    "purge": "erased for good",
    "forget": "erased and scanned the file",
    "undo": "took something back",
}
ACTORS = {"person": "you", "worker": "memapp", "import": "an import"}
REASONS = {
    "overflow": "too many facts",
    "superseded": "a newer one replaced it",
    "unused": "not used for long",
    "merged": "another says the same",
}
_DONE = {
    Event.ADD: "remembered",
    Event.UPDATE: "changed",
    Event.PIN: "pinned or unpinned",
    Event.DELETE: "moved to the trash",
    Event.TTL: "moved to the trash",
    Event.RESTORE: "brought back",
    Event.MERGE: "merged",
    Event.LINK: "linked with others",
    Event.PURGE: "erased for good",
    Event.UNDO: "took back",
}
_DECISIONS = {
    "changed": "changed your profile",
    "approved": "approved",
    "denied": "denied",
    "snoozed": "put off",
    "withdrawn": "put other words in place",
    "reopened": "took an answer back",
}
TEXT_CHARS = 60


def operation(op: str) -> str:
    return OPERATIONS.get(op, op.replace("_", " "))


def done(line: Line) -> str:
    """Return what was done, without the words of any memory."""
    entry = line.entry
    if entry.event is Event.PROFILE:
        decision = str(entry.meta.get("decision", "changed"))
        took_back = bool(entry.undoes) and decision == "changed"
        return "took back a change of your profile" if took_back else _DECISIONS.get(decision, decision)
    if is_file(line):
        return "took back" if entry.undoes else "brought in"
    if line.pinned is not None:
        return "pinned" if line.pinned else "unpinned"
    return _DONE[entry.event]


def about(line: Line) -> str:
    """Return what it was done to: the words of a memory that is remembered, else only that it was one."""
    if line.entry.event is Event.PROFILE:
        return field(line.entry.memory_id)
    if is_file(line):
        return "a file"
    return f"“{line.said}”" if line.said else "a memory"


def is_file(line: Line) -> bool:
    """Say whether a line is about a whole file that was brought in."""
    return line.entry.memory_id.startswith(IMPORT)


def reason(line: Line) -> str:
    return REASONS.get(str(line.entry.meta.get("reason", "")), "")


def field(memory_id: str) -> str:
    """Return what `profile:city` is called."""
    return label(memory_id.partition(":")[2])


def step(one: Step, decision: str = "changed") -> str:
    """Return what taking a step back would take back, in a sentence; `decision` is for a step in the profile."""
    what = f"“{shorten(one_line(one.text), TEXT_CHARS)}”" if one.text else "a memory"
    more = f" and {one.entries - 1} more" if one.entries > 1 else ""
    match one.event:
        case Event.PROFILE:
            return f"{_DECISIONS.get(decision, decision).capitalize()}: {field(one.memory_id)}"
        case Event.ADD if one.actor == "import":
            return f"Brought in a file: {what}{more}" if one.text else "Brought in a file"
        case Event.DELETE if one.actor == "worker" and more:
            return f"Replaced {what} by something newer"
        case Event.DELETE | Event.TTL:
            return f"Moved to the trash: {what}{more}"
        case _:
            return f"{_DONE[one.event].capitalize()} {what}{more}"
