"""Cards that ask about memories: the form to write or edit one, a choice from a list, and the word that erases."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widgets import Checkbox, Input, OptionList, Static, TextArea
from textual.widgets.option_list import Option

from memapp.domain.changes import Revision
from memapp.domain.memory import MAX_MEMORY_CHARS
from memapp.domain.text import clean
from memapp.errors import MemappError, UsageError
from memapp.ui.safe import joined, plain

ERASE = "erase"
"""The word a person types before anything is erased for good."""


@dataclass(frozen=True)
class Written:
    """What stands in the form."""

    text: str
    tags: tuple[str, ...]
    importance: int
    category: str


class Words(TextArea):
    """A text field of a few lines; what is pasted is cleaned."""

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self.replace(clean(event.text), *self.selection)


class MemoryForm(ModalScreen[Revision | None]):
    """The parts of a memory, to be written or edited; ctrl+s saves. What is refused stays in the form, with the reason."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", priority=True, id="form.save"),
        Binding("escape", "leave", "Close", id="form.close"),
    ]

    def __init__(
        self, title: str, before: Written, categories: Sequence[str], save: Callable[[Written], Revision | None]
    ) -> None:
        super().__init__()
        self._title, self._before, self._categories, self._save_it = title, before, categories, save

    def compose(self) -> ComposeResult:
        before = self._before
        with Vertical(classes="card", id="memory-form"):
            yield Static(joined((self._title, "bold $primary")), markup=False)
            yield Words(clean(before.text), soft_wrap=True, compact=True, tab_behavior="focus", id="form-text")
            yield Static(id="form-length", markup=False, classes="muted")
            with Horizontal(classes="field"):
                yield Static(plain("Tags"), markup=False, classes="label")
                yield Input(clean(", ".join(before.tags)), compact=True, placeholder="tea, morning", id="form-tags")
            with Horizontal(classes="field"):
                yield Static(plain("Importance"), markup=False, classes="label")
                yield Input(str(before.importance), compact=True, max_length=1, restrict="[1-5]?", id="form-importance")
            with Horizontal(classes="field"):
                yield Static(plain("Category"), markup=False, classes="label")
                suggested = SuggestFromList(self._categories, case_sensitive=False)
                yield Input(clean(before.category), compact=True, suggester=suggested, id="form-category")
            yield Static(id="form-problem", markup=False)
            yield Static(plain("^s save   tab next field   → takes the suggestion   esc close"), markup=False, classes="keys")

    def on_mount(self) -> None:
        words = self.query_one(Words)
        words.move_cursor(words.document.end)
        self._count()

    @on(TextArea.Changed)
    def _count(self) -> None:
        length = len(self.query_one(Words).text)
        style = "$text-muted" if length <= MAX_MEMORY_CHARS else "bold $text-error"
        self.query_one("#form-length", Static).update(plain(f"{length} of {MAX_MEMORY_CHARS} characters", style))

    def on_input_submitted(self) -> None:
        self.action_save()

    def action_save(self) -> None:
        """Save what stands there, and close, or say what is wrong with it; only once at a time."""
        if not any(one.group == "save" and one.node is self and not one.is_finished for one in self.workers):
            self._save()

    @work(group="save")
    async def _save(self) -> None:
        try:
            revision = await asyncio.to_thread(self._save_it, self._written())
        except MemappError as error:
            self.query_one("#form-problem", Static).update(plain(f"✗ {error}", "bold $text-warning"))
        else:
            self.dismiss(revision)

    def action_leave(self) -> None:
        self.dismiss(None)

    def _written(self) -> Written:
        tags = self.query_one("#form-tags", Input).value.split(",")
        importance = self.query_one("#form-importance", Input).value
        if not importance:
            raise UsageError("Importance is a number from 1 to 5.")
        return Written(
            text=self.query_one(Words).text,
            tags=tuple(tag.strip() for tag in tags if tag.strip()),
            importance=int(importance),
            category=self.query_one("#form-category", Input).value.strip(),
        )


class Choice(ModalScreen[str | None]):
    """A choice from a short list: arrow keys and enter, or the key in front of a row."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", id="choice.close"),
        Binding("j", "step('down')", "Down", show=False, id="choice.down"),
        Binding("k", "step('up')", "Up", show=False, id="choice.up"),
    ]

    def __init__(self, title: str, rows: Sequence[tuple[str, str]], current: str) -> None:
        super().__init__()
        self._title, self._rows, self._current = title, rows, current

    def compose(self) -> ComposeResult:
        with Vertical(classes="card"):
            yield Static(joined((self._title, "bold $primary")), markup=False)
            yield OptionList(*(Option(plain(label)) for _, label in self._rows), markup=False, compact=True, id="choice-rows")
            yield Static(plain("⏎ choose   ↑↓ move   esc close"), markup=False, classes="keys")

    def on_mount(self) -> None:
        rows = self.query_one(OptionList)
        keys = [key for key, _ in self._rows]
        rows.highlighted = keys.index(self._current) if self._current in keys else 0

    def on_key(self, event: events.Key) -> None:
        if event.character and any(key == event.character for key, _ in self._rows):
            event.stop()
            self.dismiss(event.character)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._rows[event.option_index][0])

    def action_step(self, way: str) -> None:
        rows = self.query_one(OptionList)
        if way == "down":
            rows.action_cursor_down()
        else:
            rows.action_cursor_up()

    def action_leave(self) -> None:
        self.dismiss(None)


@dataclass(frozen=True)
class Erase:
    """The person's word that something is to be erased for good."""

    messages: bool
    """Also the messages that it came from."""


class Tick(Checkbox, inherit_bindings=False):
    """A box that shows whether it is ticked without its colour too; enter is the key of the card, not of the box."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "toggle_button", "Tick", show=False)]

    BUTTON_LEFT, BUTTON_INNER, BUTTON_RIGHT = "[", " ", "]"

    def watch_value(self) -> None:
        self.BUTTON_INNER = "✓" if self.value else " "
        super().watch_value()


class ConfirmErase(ModalScreen[Erase | None]):
    """What is erased for good is erased only when the person types the word."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "erase", "Erase", show=False, id="erase.enter"),
        Binding("escape", "leave", "Keep", id="erase.keep"),
    ]

    def __init__(self, title: str, text: str, *, may_take_messages: bool) -> None:
        super().__init__()
        self._title, self._text, self._may_take_messages = title, text, may_take_messages

    def compose(self) -> ComposeResult:
        with Vertical(classes="card"):
            yield Static(joined((self._title, "bold $error")), markup=False)
            yield Static(joined("\n", self._text), markup=False)
            if self._may_take_messages:
                yield Tick(plain("also erase the messages it came from, and their replies"), compact=True, id="erase-messages")
            yield Static(joined("\n", f"Type {ERASE} and press enter."), markup=False, id="erase-how")
            yield Input(max_length=20, id="erase-word")
            keys = "⏎ erase for good   " + ("tab to the box, space ticks it   " if self._may_take_messages else "") + "esc keep"
            yield Static(plain(keys), markup=False, classes="keys")

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def action_erase(self) -> None:
        """Erase if the word stands there."""
        word = self.query_one(Input).value.strip().lower()
        if word == ERASE:
            boxes = self.query(Checkbox)
            self.dismiss(Erase(messages=bool(boxes) and boxes.first().value))
        elif word:
            self.query_one("#erase-how", Static).update(joined(("\nType the whole word: ", "bold $text-warning"), ERASE))

    def action_leave(self) -> None:
        self.dismiss(None)
