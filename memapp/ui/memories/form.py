"""The form in which a person writes or edits a memory, all its parts at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.suggester import SuggestFromList
from textual.widgets import Input, Static, TextArea

from memapp.domain.changes import Revision
from memapp.domain.memory import MAX_MEMORY_CHARS
from memapp.domain.text import clean, one_line
from memapp.errors import UsageError
from memapp.ui.dialogs import Form
from memapp.ui.safe import plain


@dataclass(frozen=True)
class MemoryFields:
    """What stands in the form."""

    text: str
    tags: tuple[str, ...]
    importance: int
    category: str


class Words(TextArea):
    """A text that wraps but is one line: enter saves it, and what is pasted is cleaned."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.save", "Save", show=False, priority=True, id="words.submit")
    ]

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self.replace(one_line(clean(event.text)), *self.selection)


class MemoryForm(Form[Revision]):
    """The parts of a memory, to be written or edited as they are stored."""

    def __init__(
        self,
        title: str,
        before: MemoryFields,
        categories: Sequence[str],
        save: Callable[[MemoryFields], Revision | None],
    ) -> None:
        super().__init__(title)
        self._before, self._categories, self._save_fields = before, categories, save

    def compose_fields(self) -> ComposeResult:
        before = self._before
        with Vertical(id="memory-form"):
            yield Words(clean(before.text), soft_wrap=True, compact=True, tab_behavior="focus", id="form-text")
            yield Static(id="form-length", markup=False, classes="muted")
            suggested = SuggestFromList(self._categories, case_sensitive=False)
            for name, field in {
                "Tags": Input(clean(", ".join(before.tags)), compact=True, placeholder="tea, morning", id="form-tags"),
                "Importance": Input(str(before.importance), compact=True, max_length=1, restrict="[1-5]?", id="form-importance"),
                "Category": Input(clean(before.category), compact=True, suggester=suggested, id="form-category"),
            }.items():
                yield Horizontal(Static(plain(name), markup=False, classes="label"), field, classes="field")

    def keys(self) -> list[str]:
        return ["⏎ save", "tab next field", "→ takes the suggestion"]

    def on_mount(self) -> None:
        words = self.query_one(Words)
        words.move_cursor(words.document.end)
        self._count()

    @on(TextArea.Changed)
    def _count(self) -> None:
        length = len(self.query_one(Words).text)
        style = "$text-muted" if length <= MAX_MEMORY_CHARS else "bold $text-error"
        self.query_one("#form-length", Static).update(plain(f"{length} of {MAX_MEMORY_CHARS} characters", style))

    def saving(self) -> Callable[[], Revision | None]:
        return partial(self._save_fields, self._fields())

    def _fields(self) -> MemoryFields:
        tags = self.query_one("#form-tags", Input).value.split(",")
        importance = self.query_one("#form-importance", Input).value
        if not importance:
            raise UsageError("Importance is a number from 1 to 5.")
        return MemoryFields(
            text=self.query_one(Words).text,
            tags=tuple(tag.strip() for tag in tags if tag.strip()),
            importance=int(importance),
            category=self.query_one("#form-category", Input).value.strip(),
        )
