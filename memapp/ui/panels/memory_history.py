"""The history of a memory: its versions, and the difference between two of them."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from memapp.domain.history import Moment, Version
from memapp.domain.howto import numbered
from memapp.domain.memory import Memory
from memapp.language.history import who
from memapp.language.labels import called
from memapp.runtime import Runtime
from memapp.services.activity import timeline
from memapp.ui.safe_text import joined
from memapp.ui.widgets.difference import IN, OUT, difference
from memapp.ui.widgets.labels import bar, moment
from memapp.ui.widgets.rowlist import RowList, TimedRows


class VersionRows(TimedRows[tuple[int, Moment]]):
    """Versions, newest first; the base of the comparison is marked A."""

    BINDING_GROUP_TITLE = "History"
    HELP = (
        "Left shows an older version, right a newer one. "
        "Space compares with the current version from then on."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "step(1)", "Older", id="history.older", key_display="←"),
        Binding("right,l", "step(-1)", "Newer", id="history.newer", key_display="→"),
        Binding("space,enter", "compare", "Compare with", id="history.compare", key_display="␣"),
    ]

    base = 0
    """The number of the base version; 0 for the one before."""

    def key(self, item: tuple[int, Moment]) -> str:
        return str(item[0])

    def draw(
        self,
        item: tuple[int, Moment],
        width: int,  # noqa: ARG002 - one width fits all
    ) -> Content:
        number, version = item
        sign = "A " if number == self.base else "  "
        what = f"{version.event.verb} by {who(version.actor)}"
        return joined(
            (sign, "bold $accent"),
            f"v{number:<3}",
            (f"{moment(version.at, self.clock()):>11}  {what}", "$text-muted"),
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("step", "compare"):
            return len(self.items) > 1
        return super().check_action(action, parameters)

    def action_compare(self) -> None:
        if self.current is not None:
            self.base = 0 if self.base == self.current[0] else self.current[0]
            self.redraw()
            self.post_message(self.Moved(self))


class MemoryHistory(Vertical):
    """The versions, and below them the difference."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(id="memory-history")
        self._runtime = runtime
        self.reader = VersionRows(runtime.clock, id="versions")
        self._memory_id = ""

    def compose(self) -> ComposeResult:
        yield self.reader
        with VerticalScroll(id="difference-scroll", can_focus=False):
            yield Static(id="difference", markup=False)

    async def look_up(self, memory: Memory) -> None:
        """Show the versions of a memory; of the same memory, at the same place."""
        self._show(memory.id, await asyncio.to_thread(timeline, self._runtime, memory.id))

    def _show(self, memory_id: str, moments: Sequence[Moment]) -> None:
        rows = self.reader
        numbered = list(enumerate(moments, start=1))[::-1]
        reads_on = memory_id == self._memory_id
        at_newest = rows.current in rows.items[:1]
        self._memory_id = memory_id
        rows.base = rows.base if reads_on else 0
        rows.styles.height = max(1, min(len(numbered), 8))
        rows.show(numbered, at=None if reads_on and not at_newest else str(len(numbered)))
        rows.refresh_bindings()

    @on(RowList.Moved)
    def _compare(self) -> None:
        rows = self.reader
        by_number = dict(rows.items)
        if rows.current is None:
            return
        at = rows.current[0]
        base = rows.base if rows.base not in (0, at) else at - 1
        older, newer = sorted((base, at))
        difference = self.query_one("#difference", Static)
        if older not in by_number:
            replaced = [
                joined("\n\n", ("replaced ", "$text-muted"), f"“{text}”")
                for text in by_number[at].replaced
            ]
            difference.update(
                joined((f"v{at}\n", "$text-muted"), (by_number[at].version.text), *replaced)
            )
        else:
            head = (f"v{older} → v{newer}\n", "$text-muted")
            difference.update(
                joined(head, difference_of(by_number[older].version, by_number[newer].version))
            )


def difference_of(before: Version, after: Version) -> Content:
    """Return the difference, marked by signs and colours: -words- removed, +words+ added."""
    lines = [difference(before.text, after.text)]
    for name, old, new in (
        ("steps", numbered(before.steps, " "), numbered(after.steps, " ")),
        ("tags", ", ".join(before.tags), ", ".join(after.tags)),
        ("category", before.category, after.category),
        (
            "importance",
            f"{bar(before.importance)} {before.importance}",
            f"{bar(after.importance)} {after.importance}",
        ),
        ("pinned", "yes" if before.pinned else "no", "yes" if after.pinned else "no"),
        ("state", called("states", before.state), called("states", after.state)),
    ):
        if old != new:
            lines.append(
                joined(
                    (f"{name}: ", "$text-muted"),
                    (f"-{old or 'none'}-", OUT),
                    " ",
                    (f"+{new or 'none'}+", IN),
                )
            )
    return Content("\n").join([lines[0], Content(""), *lines[1:]])
