"""A field in which the person writes a value of the profile."""

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input, Static

from memapp.domain.profile import VALUE_CHARS
from memapp.domain.text import clean, one_line
from memapp.ui.safe import notify, plain


class ValueField(Vertical):
    """A line to write in, shown only while somebody writes there."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", id="value.save"),
        Binding("escape", "leave", "Leave", id="value.leave"),
        Binding("tab,shift+tab", "stay", show=False, id="value.stay"),
    ]

    @dataclass
    class Saved(Message):
        """The person wants this value; `key` names what it is for."""

        key: str
        value: str

    class GivenUp(Message):
        """The person gave it up."""

    def __init__(self, what: str, *, unchanged: str = "") -> None:
        super().__init__(classes="value")
        self._what = what
        self._unchanged = unchanged
        """What is said when enter comes and nothing was changed; if nothing is, that is saved too."""
        self._before = ""
        self.key = ""
        """What the value is for; empty while nobody writes."""

    def compose(self) -> ComposeResult:
        yield Static(markup=False, classes="value-what")
        yield _Line(max_length=VALUE_CHARS, compact=True, select_on_focus=False)

    def on_mount(self) -> None:
        self.display = False

    @property
    def line(self) -> Input:
        return self.query_one(Input)

    def open(self, key: str, label: str, value: str) -> None:
        """Let the person write."""
        self.key = key
        self.query_one(".value-what", Static).update(plain(f"{label}: {self._what}", "$text-muted"))
        self.line.value = clean(value)
        self._before = self.line.value
        self.line.cursor_position = len(self.line.value)
        self.display = True
        self.line.focus()

    def close(self) -> None:
        self.key = ""
        self.display = False

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self._unchanged and event.value == self._before:
            notify(self, self._unchanged)
        else:
            self.action_save()

    def action_save(self) -> None:
        self.post_message(self.Saved(self.key, self.line.value))

    def action_stay(self) -> None:
        """Say how to get out of the field: no other key throws away what is written."""
        notify(self, "enter saves what you write here, esc leaves it.")

    def action_leave(self) -> None:
        self.close()
        self.post_message(self.GivenUp())


class _Line(Input):
    """What is pasted becomes one clean line."""

    def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self.insert_text_at_cursor(one_line(clean(event.text)))
