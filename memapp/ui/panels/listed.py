"""A list of memories with the detail of the current one beside it; in a narrow window one takes the place of the other."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from memapp.domain.memory import Memory
from memapp.ui.memories.memory_rows import FoundRows
from memapp.ui.panels.memory_detail import MemoryDetail
from memapp.ui.widgets.rowlist import RowList


class Listed(Horizontal):
    """Rows, perhaps with something above them, and the detail."""

    def __init__(self, rows: FoundRows, detail: MemoryDetail, *above: Widget) -> None:
        super().__init__(classes="listed")
        self.rows, self.detail, self._above = rows, detail, above

    def compose(self) -> ComposeResult:
        with Vertical(classes="listed-rows"):
            yield from self._above
            yield self.rows
        yield self.detail

    @property
    def chosen(self) -> list[Memory]:
        """What a key acts on: the memory in the detail when the person is there, else what is marked, else the current one."""
        if self.detail.has_focus_within and self.detail.memory is not None:
            return [self.detail.memory]
        return self.rows.chosen

    @property
    def read(self) -> Memory | None:
        return self.detail.memory if self.detail.has_focus_within else self.rows.current

    @on(RowList.Moved)
    def _moved(self, event: RowList.Moved) -> None:
        read = self.detail.memory
        if event.rows is self.rows and (not self.detail.has_focus_within or read is None or read.id == self.rows.current_key):
            self.detail.show(self.rows.current)

    @on(RowList.Opened)
    def _opened(self, event: RowList.Opened) -> None:
        if event.rows is self.rows:
            self.open_detail()

    def open_detail(self) -> None:
        """Go into the detail; in a narrow window it takes the place of the list."""
        if self.detail.memory is not None and not self.detail.has_focus_within:
            self.add_class("-detail")
            self.detail.enter()

    def leave_detail(self) -> None:
        """Go back to the list, if the person is in the detail."""
        if self.has_class("-detail"):
            self.remove_class("-detail")
            self.rows.focus()

    def step_back(self) -> bool:
        """Go one step back: along a walk, out of the detail; return whether there was one."""
        in_detail = self.detail.has_focus_within
        if in_detail and self.detail.walk_back():
            return True
        if in_detail or self.has_class("-detail"):
            self.leave_detail()
            self.detail.show(self.rows.current)
            return True
        return False
