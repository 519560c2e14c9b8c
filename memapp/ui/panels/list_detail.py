"""A list beside the detail of its current row; in a narrow window one at a time."""

from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from memapp.domain.memory import Memory
from memapp.ui.memories.memory_rows import FoundRows
from memapp.ui.panels.memory_detail import MemoryDetail
from memapp.ui.widgets.rowlist import RowList


class Listed(Horizontal):
    """Rows, perhaps with something above, and the detail."""

    def __init__(self, rows: RowList[Any], detail: Widget, *above: Widget) -> None:
        super().__init__(classes="listed")
        self.rows, self.detail, self._above = rows, detail, above

    def compose(self) -> ComposeResult:
        with Vertical(classes="listed-rows"):
            yield from self._above
            yield self.rows
        yield self.detail

    def enter(self) -> None:
        """Focus the detail."""
        self.detail.focus()

    def open_detail(self) -> None:
        """Open the detail; in a narrow window it replaces the list."""
        self.add_class("-detail")
        self.enter()

    def leave_detail(self) -> bool:
        """Go back to the list; return True if the detail was open."""
        was_there = self.has_class("-detail") or self.detail.has_focus_within
        self.remove_class("-detail")
        if was_there:
            self.rows.focus()
        return was_there

    @on(RowList.Opened)
    def _opened(self, event: RowList.Opened) -> None:
        if event.rows is self.rows:
            self.open_detail()


class ListedMemories(Listed):
    """Memories beside the detail of the current one."""

    rows: FoundRows
    detail: MemoryDetail

    @property
    def chosen(self) -> list[Memory]:
        """The memories for a key: the open one, else the marked ones, else the current one."""
        if self.detail.has_focus_within and self.detail.memory is not None:
            return [self.detail.memory]
        return self.rows.chosen

    @property
    def read(self) -> Memory | None:
        return self.detail.memory if self.detail.has_focus_within else self.rows.current

    @on(RowList.Moved)
    def _moved(self, event: RowList.Moved) -> None:
        read = self.detail.memory
        if event.rows is self.rows and (
            not self.detail.has_focus_within or read is None or read.id == self.rows.current_key
        ):
            self.detail.show(self.rows.current)

    def enter(self) -> None:
        self.detail.enter()

    def open_detail(self) -> None:
        if self.detail.memory is not None and not self.detail.has_focus_within:
            super().open_detail()

    def step_back(self) -> bool:
        """Go one step back, along a walk or out of the detail; return False if there was none."""
        if self.detail.has_focus_within and self.detail.walk_back():
            return True
        was_there = self.leave_detail()
        if was_there:
            self.detail.show(self.rows.current)
        return was_there
