"""A search field; down and enter go to the rows."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Input

from memapp.domain.text import clean, one_line


class SearchField(Input):
    """The words of a search while they are typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,enter", "leave", "To the list", show=False, id="search.leave"),
    ]

    def __init__(self, hint: str, rows: Widget) -> None:
        super().__init__(placeholder=hint, compact=True, select_on_focus=False)
        self._rows = rows

    def action_leave(self) -> None:
        self._rows.focus()

    def give_up(self) -> bool:
        """Clear the search and go to the rows; return False if there was no search."""
        is_used = bool(self.value) or self.has_focus
        if is_used:
            self.value = ""
            self._rows.focus()
        return is_used

    def validate_value(self, value: str) -> str:
        """Clean pasted text."""
        return one_line(clean(value)) if clean(value) != value else value
