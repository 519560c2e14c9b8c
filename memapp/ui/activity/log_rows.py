"""The rows of the log and of the steps, and the words for a change."""

from textual.content import Content

from memapp.domain.changes import Event, is_memapp
from memapp.domain.history import IMPORT, MESSAGE, label_of
from memapp.domain.text import counted, shorten
from memapp.language.history import who
from memapp.language.labels import called
from memapp.ui.activity.read_models import LogLine, Undoable
from memapp.ui.safe_text import joined, row
from memapp.ui.widgets.labels import ago, when
from memapp.ui.widgets.rowlist import TimedRows

WHEN, WHO, SHORT_WHO, DONE = 14, 18, 11, 20
TAIL = 22
WIDE = 96
NOTHING_LOGGED = (
    "Nothing was done to any memory yet.\n\n"
    "What memapp remembers, changes or forgets is written down here,\nwith who did it and why."
)
NOTHING_KEPT_UP = (
    "Nothing was done in idle time yet that could be undone.\n\n"
    "While nobody waits, memapp sums up chats, notices what comes up again,\n"
    "merges what is said twice, and moves to the trash what nobody needs."
)
NOTHING_DONE = (
    "There is nothing to undo.\n\nWhat you or memapp do to memories and to your profile comes here."
)


def done(line: LogLine) -> str:
    """Return the words for a change, without those of any memory."""
    entry = line.entry
    if entry.event is Event.PROFILE:
        decision = str(entry.meta.get("decision", "changed"))
        took_back = bool(entry.undoes) and decision == "changed"
        return "undid" if took_back else called("decisions", decision)
    if is_file(line):
        return "undid" if entry.undoes else "added"
    if line.pinned is not None:
        return "pinned" if line.pinned else "unpinned"
    return entry.event.verb


def about(line: LogLine) -> str:
    """Return the subject of a change: the words of a live memory, else only its kind."""
    if line.entry.event is Event.PROFILE:
        return label_of(line.entry.subject_id)
    if is_file(line):
        return "a file"
    if line.entry.subject_id.startswith(MESSAGE):
        return f"{counted(line.entries, 'message')} of yours"
    if line.entry.is_of_lesson:
        return "a lesson"
    return f"“{line.said}”" if line.said else "a memory"


def is_file(line: LogLine) -> bool:
    """Return True if a line is about an imported file."""
    return line.entry.subject_id.startswith(IMPORT)


class LogRows(TimedRows[LogLine]):
    """The log: time, actor, change, memory and reason."""

    def key(self, item: LogLine) -> str:
        return str(item.entry.number)

    def draw(self, item: LogLine, width: int) -> Content:
        entry = item.entry
        by = (
            f"{shorten(who(entry.actor), WHO - 1):{WHO}}"
            if width >= WIDE
            else f"{short_who(entry.actor):{SHORT_WHO}}"
        )
        head = joined((f"{when(entry.at, self.clock()):{WHEN}}", "$text-muted"), (by, "$secondary"))
        why = called("log_reasons", str(entry.meta.get("reason", "")), "")
        if machine := entry.meta.get("machine"):
            why = f"{why} · on {machine}" if why else f"on {machine}"
        what = (done(item).ljust(DONE), "bold")
        return joined(
            head, what, " ", row(about(item), 200), (f" · {why}" if why else "", "$text-muted")
        )


def short_who(actor: str) -> str:
    """Return the short name of an actor; the parts of memapp are named where there is room."""
    return "memapp" if is_memapp(actor) else who(actor.partition(":")[0])


class StepRows(TimedRows[Undoable]):
    """The steps that can be undone, newest first."""

    each = False
    """True if every step can be undone by itself, not only the last."""

    def key(self, item: Undoable) -> str:
        return item.step.id

    def draw(self, item: Undoable, width: int) -> Content:
        step = item.step
        tail = (f"  {short_who(step.actor):>9}, {ago(step.at, self.clock()):<9}", "$text-muted")
        is_next = item is self.items[0] or self.each
        sign = ("↶ " if is_next else "  ", "bold $accent")
        line = joined(sign, (item.said, "bold" if is_next else ""))
        return joined(line.truncate(max(1, width - TAIL), ellipsis=True, pad=True), tail)
