"""A search field of one line; down and enter leave it for what was found."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Input

from memapp.domain.text import clean, one_line


class SearchField(Input):
    """Words to be searched for in some rows while they are typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,enter", "leave", "To the list", show=False, id="search.leave"),
    ]

    def __init__(self, hint: str, rows: Widget) -> None:
        super().__init__(placeholder=hint, compact=True, select_on_focus=False)
        self._rows = rows

    def action_leave(self) -> None:
        self._rows.focus()

    def give_up(self) -> bool:
        """Take the search away and go to the rows, as escape does; say whether there was a search
        to leave.
        """
        is_used = bool(self.value) or self.has_focus
        if is_used:
            self.value = ""
            self._rows.focus()
        return is_used

    def validate_value(self, value: str) -> str:
        """Keep what is pasted from acting on the terminal."""
        return one_line(clean(value)) if clean(value) != value else value
