"""A search field of one line; down and enter leave it for what was found."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from memapp.domain.text import clean, one_line


class SearchField(Input):
    """Words to be searched for while they are typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "leave", "To the list", show=False, id="search.leave"),
    ]

    class Left(Message):
        """The person goes to what was found."""

    def __init__(self, hint: str, *, id: str) -> None:
        super().__init__(placeholder=hint, compact=True, select_on_focus=False, id=id)

    def action_leave(self) -> None:
        self.post_message(self.Left())

    def validate_value(self, value: str) -> str:
        """Keep what is pasted from acting on the terminal."""
        return one_line(clean(value)) if clean(value) != value else value
