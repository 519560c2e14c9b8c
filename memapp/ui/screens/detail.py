"""Cards above a screen: a memory, an earlier message, a question, a link. Each returns a typed answer."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from memapp.domain.memory import MAX_MEMORY_CHARS, Memory
from memapp.domain.text import clean
from memapp.errors import MemappError
from memapp.ui.memories.words import ORIGINS
from memapp.ui.safe import joined, plain, row
from memapp.ui.widgets.rowlist import RowList
from memapp.ui.widgets.words import moment

Deed = Literal["discard", "pin", "edit", "jump", "copy"]


@dataclass(frozen=True)
class Wanted:
    """What the person wants done with what the card shows."""

    deed: Deed
    text: str = ""


class Card(ModalScreen[Wanted | None]):
    """Text with keys below it."""

    AUTO_FOCUS = ""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Close", id="card.close"),
        Binding("y,c", "want('copy')", "Copy", id="card.copy"),
    ]

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_want(self, deed: Deed) -> None:
        self.dismiss(Wanted(deed))


class MemoryCard(Card):
    """One memory, with what can be done about it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d,delete", "want('discard')", "Trash", id="memory.discard"),
        Binding("p", "want('pin')", "Pin", id="memory.pin"),
        Binding("e", "edit", "Edit", id="memory.edit"),
        Binding("enter,j", "want('jump')", "Go to the message", id="memory.jump"),
    ]

    def __init__(self, memory: Memory, why: str, now: datetime) -> None:
        super().__init__()
        self.memory = memory
        self._why = why
        self._now = now

    def compose(self) -> ComposeResult:
        one = self.memory
        facts = [f"{ORIGINS[one.origin].capitalize()} · {moment(one.created_at, self._now)}", " · ".join(one.tags), self._why]
        keys = ["e edit", "p unpin" if one.pinned else "p pin", "d trash", "y copy", "esc close"]
        if one.sources:
            keys.insert(0, "⏎ go to the message")
        with Vertical(classes="card"):
            yield Static(joined(("Memory ", "bold $primary"), "★ pinned" if one.pinned else ""), markup=False)
            yield Static(joined("\n", one.text, "\n"), markup=False)
            yield Static(plain("\n".join(fact for fact in facts if fact)), markup=False, classes="muted")
            yield Input(clean(one.text), max_length=MAX_MEMORY_CHARS, id="memory-text")
            yield Static(plain("   ".join(keys)), markup=False, classes="keys", id="memory-keys")
            yield Static(plain("⏎ save   esc leaves it as it is"), markup=False, classes="keys", id="edit-keys")

    def on_mount(self) -> None:
        self._edits(False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "want" and parameters == ("jump",):
            return bool(self.memory.sources)
        return True

    def action_edit(self) -> None:
        self._edits(True)
        self.query_one(Input).focus()

    def action_leave(self) -> None:
        """Leave editing, else the card."""
        if not self.query_one(Input).display:
            super().action_leave()
        else:
            self._edits(False)

    def _edits(self, editing: bool) -> None:
        field = self.query_one(Input)
        field.display = self.query_one("#edit-keys").display = editing
        self.query_one("#memory-keys").display = not editing
        if not editing:
            field.value = clean(self.memory.text)
            self.set_focus(None)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(Wanted("edit", event.value))


class TextCard(Card):
    """A whole text to read: an earlier message, or one too long for the conversation."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,j", "want('jump')", "Go there", id="text.jump")]

    def __init__(self, title: str, text: str, *, note: str = "", can_jump: bool = False) -> None:
        super().__init__()
        self._title, self._text, self._note = title, text, note
        self._can_jump = can_jump

    def compose(self) -> ComposeResult:
        keys = ["⏎ go there"] if self._can_jump else []
        with Vertical(classes="card"):
            yield Static(joined((self._title, "bold $primary")), markup=False)
            with VerticalScroll(classes="reading"):
                yield Static(plain(self._text), markup=False)
            if self._note:
                yield Static(plain(self._note), markup=False, classes="muted")
            yield Static(plain("   ".join([*keys, "y copy", "esc close"])), markup=False, classes="keys")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self._can_jump if action == "want" and parameters == ("jump",) else True


class Question(ModalScreen[bool]):
    """A question that enter answers with yes and escape with no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,y", "answer(True)", "Yes", id="question.yes"),
        Binding("escape,n", "answer(False)", "No", id="question.no"),
    ]

    def __init__(self, title: str, text: str, yes: str, no: str) -> None:
        super().__init__()
        self._title, self._text, self._keys = title, text, f"⏎ {yes}   esc {no}"

    def compose(self) -> ComposeResult:
        with Vertical(classes="card"):
            yield Static(joined((self._title, "bold $primary")), markup=False)
            yield Static(joined("\n", self._text), markup=False)
            yield Static(plain(self._keys), markup=False, classes="keys")

    def action_answer(self, answer: bool) -> None:
        self.dismiss(answer)


class Line(ModalScreen[str | None]):
    """A question that one line of text answers. What is to be done with it is done first; a refusal leaves the text there."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", priority=True, id="line.save"),
        Binding("escape", "leave", "Close", id="line.close"),
    ]

    def __init__(
        self,
        title: str,
        text: str,
        *,
        note: str = "",
        length: int = 200,
        keep: Callable[[str], None] = lambda _: None,
        does: str = "save",
    ) -> None:
        super().__init__()
        self._title, self._text, self._note, self._length, self._keep, self._does = title, text, note, length, keep, does

    def compose(self) -> ComposeResult:
        with Vertical(classes="card"):
            yield Static(joined((self._title, "bold $primary")), markup=False)
            if self._note:
                yield Static(plain(self._note), markup=False, classes="muted")
            yield Input(clean(self._text), max_length=self._length)
            yield Static(markup=False, classes="problem")
            yield Static(plain(f"⏎ {self._does}   esc close"), markup=False, classes="keys")

    async def action_save(self) -> None:
        await self.query_one(Input).action_submit()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        try:
            await asyncio.to_thread(self._keep, event.value)
        except MemappError as error:
            self.query_one(".problem", Static).update(plain(str(error)))
        else:
            self.dismiss(event.value)

    def action_leave(self) -> None:
        self.dismiss(None)


class _Choices(RowList[str]):
    """The words to choose from."""

    def key(self, item: str) -> str:
        return item

    def draw(self, item: str, width: int) -> Content:
        return row(item, width)


class Choice(ModalScreen[str | None]):
    """A question that one of a few words answers; `look` is told where the cursor is, and without a choice where it began."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Close", id="choice.close")]

    def __init__(
        self, title: str, words: Sequence[str], chosen: str, *, note: str = "", look: Callable[[str], None] | None = None
    ) -> None:
        super().__init__()
        self._title, self._words, self._chosen, self._note, self._look = title, words, chosen, note, look

    def compose(self) -> ComposeResult:
        with Vertical(classes="card"):
            yield Static(joined((self._title, "bold $primary")), markup=False)
            yield Static(plain(self._note), markup=False, classes="muted")
            yield _Choices(id="choices")
            yield Static(plain("⏎ choose   esc close"), markup=False, classes="keys")

    def on_mount(self) -> None:
        rows = self.query_one(_Choices)
        rows.styles.height = len(self._words)
        rows.show(self._words, at=self._chosen)

    @on(RowList.Moved)
    def _moved(self) -> None:
        word = self.query_one(_Choices).current
        if word is not None and self._look is not None:
            self._look(word)

    @on(RowList.Opened)
    def _choose(self) -> None:
        self.dismiss(self.query_one(_Choices).current)

    def action_leave(self) -> None:
        if self._look is not None:
            self._look(self._chosen)
        self.dismiss(None)
