"""A memory above the chat."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from memapp.domain.memory import MAX_MEMORY_CHARS, Memory
from memapp.domain.text import clean
from memapp.ui.memories.words import ORIGINS
from memapp.ui.safe import joined, plain
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
