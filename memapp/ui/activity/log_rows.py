"""How a line of the log and a step that can be taken back look."""

from collections.abc import Callable
from datetime import datetime

from textual.content import Content

from memapp.domain.changes import is_memapp
from memapp.domain.history import who
from memapp.domain.text import shorten
from memapp.ui.activity import labels
from memapp.ui.activity.read_models import LogLine, Undoable
from memapp.ui.memories.labels import ago, when
from memapp.ui.safe import joined, row
from memapp.ui.widgets.rowlist import RowList

WHEN, WHO, DONE = 14, 18, 21
TAIL = 22
WIDE = 96
NOTHING_LOGGED = (
    "Nothing was done to any memory yet.\n\n"
    "What memapp remembers, changes or forgets is written down here,\nwith who did it and why."
)
NOTHING_DONE = "There is nothing to take back.\n\nWhat you or memapp do to memories and to your profile comes here."


class LogRows(RowList[LogLine]):
    """When, who, what, which memory, why."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        super().__init__(id="log", empty=NOTHING_LOGGED)
        self._clock = clock

    def key(self, item: LogLine) -> str:
        return str(item.entry.number)

    def draw(self, item: LogLine, width: int) -> Content:
        entry = item.entry
        head = joined(
            (f"{when(entry.at, self._clock()):{WHEN}}", "$text-muted"),
            (f"{shorten(who(entry.actor), WHO - 1):{WHO}}" if width >= WIDE else "", "$secondary"),
        )
        done = labels.done(item)
        by = "" if width >= WIDE or entry.actor == "person" else f"{who(entry.actor.partition(':')[0])}: "
        why = labels.reason(item)
        return joined(
            head,
            (f"{by}{done}".ljust(DONE), "bold"),
            " ",
            row(labels.about(item), 200),
            (f" · {why}" if why else "", "$text-muted"),
        )


class StepRows(RowList[Undoable]):
    """What can be taken back, last first."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        super().__init__(id="steps", empty=NOTHING_DONE)
        self._clock = clock

    def key(self, item: Undoable) -> str:
        return item.step.id

    def draw(self, item: Undoable, width: int) -> Content:
        step = item.step
        tail = (f"  {'memapp' if is_memapp(step.actor) else who(step.actor):>9}, {ago(step.at, self._clock()):<9}", "$text-muted")
        is_next = item is self.items[0]
        sign = ("↶ " if is_next else "  ", "bold $accent")
        line = joined(sign, (item.said, "bold" if is_next else ""))
        return joined(line.truncate(max(1, width - TAIL), ellipsis=True, pad=True), tail)
