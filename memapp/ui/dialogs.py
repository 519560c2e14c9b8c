"""The dialogs: a text, a question, one line, a choice, a form. Each returns a typed answer.

Enter and ctrl+s save in every dialog that saves; escape closes every dialog.
"""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar, Generic, Literal, TypeVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Checkbox, Input, Static

from memapp.domain.text import clean, one_line
from memapp.errors import MemappError
from memapp.ui.safe_text import joined, plain, row
from memapp.ui.widgets.rowlist import RowList

Answer = TypeVar("Answer")

WAIT, SLOW_SECONDS = "One moment …", 0.3
"""What a form says that saves for longer than that."""
ERASE = "erase"
"""The word a person types before anything is erased for good."""


class Dialog(ModalScreen[Answer | None], Generic[Answer]):
    """A card with a title, a body and a line of keys."""

    TITLE_STYLE: ClassVar[str] = "bold $primary"
    LEAVES: ClassVar[str] = "close"
    """The label of escape."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Close", id="dialog.close")]

    def __init__(self, title: str, *, note: str = "", leaves: str = "") -> None:
        super().__init__()
        self._title, self._note, self._leaves = title, note, leaves or self.LEAVES

    def compose(self) -> ComposeResult:
        with Vertical(classes="card"):
            yield Static(joined((self._title, self.TITLE_STYLE)), markup=False)
            if self._note:
                yield Static(plain(self._note), markup=False, classes="muted")
            yield from self.compose_body()
            yield Static(
                plain("   ".join([*self.keys(), f"esc {self._leaves}"])),
                markup=False,
                classes="keys",
            )

    def compose_body(self) -> ComposeResult:
        """Return the widgets between the title and the keys."""
        raise NotImplementedError

    def keys(self) -> list[str]:
        """Return the keys and their labels, without escape."""
        raise NotImplementedError

    def action_leave(self) -> None:
        self.dismiss(None)


class TextCard(Dialog[Literal["copy", "jump"]]):
    """A text to read: a message, a change or a receipt; `jump` is the label of enter, if any."""

    AUTO_FOCUS = ""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "leave", "Close", show=False, id="text.close"),
        Binding("y,c", "dismiss('copy')", "Copy", id="text.copy"),
        Binding("enter,j", "dismiss('jump')", "Go there", id="text.jump"),
    ]

    def __init__(self, title: str, text: str | Content, *, note: str = "", jump: str = "") -> None:
        super().__init__(title)
        self._text, self._below, self._jump = text, note, jump

    def compose_body(self) -> ComposeResult:
        with VerticalScroll(classes="reading"):
            yield Static(joined(self._text), markup=False)
        if self._below:
            yield Static(plain(self._below), markup=False, classes="muted")

    def keys(self) -> list[str]:
        return [*([f"⏎ {self._jump}"] if self._jump else []), "y copy"]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return bool(self._jump) if action == "dismiss" and parameters == ("jump",) else True


class Question(Dialog[bool]):
    """A question; enter answers yes, escape no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,y", "dismiss(True)", "Yes", id="question.yes"),
        Binding("n", "leave", "No", id="question.no"),
    ]

    def __init__(self, title: str, text: str, yes: str, no: str) -> None:
        super().__init__(title, leaves=no)
        self._text, self._yes = text, yes

    def compose_body(self) -> ComposeResult:
        yield Static(joined("\n", self._text), markup=False)

    def keys(self) -> list[str]:
        return [f"⏎ {self._yes}"]


class Form(Dialog[Answer]):
    """Fields to fill in. A refused form stays open and shows the reason."""

    LEAVES = "cancel"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", priority=True, id="form.save")
    ]

    def compose_body(self) -> ComposeResult:
        yield from self.compose_fields()
        yield Static(markup=False, classes="problem")

    def compose_fields(self) -> ComposeResult:
        raise NotImplementedError

    def saving(self) -> Callable[[], Answer | None]:
        """Return the function that saves the fields; it runs on a thread and returns the answer."""
        raise NotImplementedError

    def keys(self) -> list[str]:
        return ["⏎ save"]

    @on(Input.Submitted)
    def action_save(self) -> None:
        """Save and close, or show the error; only once at a time."""
        if not any(
            worker.group == "save" and worker.node is self and not worker.is_finished
            for worker in self.workers
        ):
            self._save()

    @work(group="save")
    async def _save(self) -> None:
        problem = self.query_one(".problem", Static)
        wait = joined((WAIT, "$text-muted"))
        slow = self.set_timer(SLOW_SECONDS, lambda: problem.update(wait))
        try:
            answer = await asyncio.to_thread(self.saving())
        except MemappError as error:
            problem.update(plain(f"✗ {error}"))
        else:
            self.dismiss(answer)
        finally:
            slow.stop()


class Line(Input):
    """A field of one line; pasted text is cleaned and joined."""

    def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self.insert_text_at_cursor(one_line(clean(event.text)))


class LineQuestion(Form[Answer]):
    """A question that one line of text answers; `save` turns the line into the answer.

    Typing replaces the given text, or with `goes_on` is added at its end.
    """

    def __init__(
        self,
        title: str,
        text: str,
        save: Callable[[str], Answer],
        *,
        note: str = "",
        length: int = 200,
        does: str = "save",
        goes_on: bool = False,
        hidden: bool = False,
    ) -> None:
        super().__init__(title, note=note)
        self._save_line, self._does = save, does
        self._line = Line(
            clean(text), max_length=length, select_on_focus=not goes_on, password=hidden
        )

    def compose_fields(self) -> ComposeResult:
        yield self._line

    def saving(self) -> Callable[[], Answer]:
        return partial(self._save_line, self._line.value)

    def keys(self) -> list[str]:
        return [f"⏎ {self._does}"]


class Choices(RowList[str]):
    """The options by key."""

    def __init__(self, labels: Mapping[str, str]) -> None:
        super().__init__(id="choices")
        self.labels = labels

    def key(self, item: str) -> str:
        return item

    def draw(self, item: str, width: int) -> Content:
        return row(self.labels[item], width)


class Choice(Dialog[str]):
    """A choice from a short list: with the arrow keys and enter, or with a key of one letter.

    `look` is called with the option under the cursor, and with the first one after escape.
    """

    LEAVES = "cancel"

    def __init__(
        self,
        title: str,
        shown: Mapping[str, str],
        chosen: str,
        *,
        note: str = "",
        look: Callable[[str], None] = lambda _: None,
    ) -> None:
        super().__init__(title, note=note)
        self._chosen, self._look = chosen, look
        self.rows = Choices(shown)

    def compose_body(self) -> ComposeResult:
        yield self.rows

    def keys(self) -> list[str]:
        return ["⏎ choose", "↑↓ move"]

    def on_mount(self) -> None:
        self.rows.styles.height = len(self.rows.labels)
        self.rows.show(list(self.rows.labels), at=self._chosen)

    def on_key(self, event: events.Key) -> None:
        if event.character in self.rows.labels:
            event.stop()
            self.dismiss(event.character)

    @on(RowList.Moved)
    def _moved(self) -> None:
        if (word := self.rows.current) is not None:
            self._look(word)

    @on(RowList.Opened)
    def _choose(self) -> None:
        self.dismiss(self.rows.current)

    def action_leave(self) -> None:
        self._look(self._chosen)
        super().action_leave()


class Tick(Checkbox, inherit_bindings=False):
    """A checkbox that is readable without colour; enter belongs to the dialog."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "toggle_button", "Tick", show=False)]

    BUTTON_LEFT, BUTTON_INNER, BUTTON_RIGHT = "[", " ", "]"

    def watch_value(self) -> None:
        self.BUTTON_INNER = "✓" if self.value else " "
        super().watch_value()


class ConfirmErase(Dialog[bool]):
    """A confirmation of erasing by a typed word; the answer is True if the messages go too."""

    TITLE_STYLE = "bold $error"
    AUTO_FOCUS = "Input"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "erase", "Erase", show=False, id="erase.enter")
    ]

    def __init__(self, title: str, text: str, *, may_take_messages: bool = False) -> None:
        super().__init__(title, leaves="keep")
        self._text, self._may_take_messages = text, may_take_messages

    def compose_body(self) -> ComposeResult:
        yield Static(joined("\n", self._text), markup=False)
        if self._may_take_messages:
            yield Tick(
                plain("also erase the messages it came from, and their answers"),
                compact=True,
                id="erase-messages",
            )
        yield Static(joined("\n", f"Type {ERASE} and press enter."), markup=False, id="erase-how")
        yield Input(max_length=20, id="erase-word")

    def keys(self) -> list[str]:
        return [
            "⏎ erase for good",
            *(["tab to the box, space ticks it"] if self._may_take_messages else []),
        ]

    @on(Input.Submitted)
    def action_erase(self) -> None:
        word = self.query_one(Input).value.strip().lower()
        if word == ERASE:
            self.dismiss(any(box.value for box in self.query(Checkbox)))
        elif word:
            self.query_one("#erase-how", Static).update(
                joined(("\nType the whole word: ", "bold $text-warning"), ERASE)
            )
