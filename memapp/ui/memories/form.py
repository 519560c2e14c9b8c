"""The forms for a memory and for a how-to, with all parts at once."""

from collections.abc import Callable, Mapping, Sequence
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
from memapp.ui.dialogs import Form, Line
from memapp.ui.safe_text import plain

NAMED = 4
"""The number of categories named for an incomplete entry."""


@dataclass(frozen=True)
class MemoryFields:
    text: str
    tags: tuple[str, ...]
    importance: int
    category: str


class Words(TextArea):
    """A wrapped text of one line: enter saves, and pasted text is cleaned."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.save", "Save", show=False, priority=True, id="words.submit")
    ]

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self.replace(one_line(clean(event.text)), *self.selection)


class MemoryForm(Form[Revision]):
    """The parts of a memory, to write or edit in the second person."""

    def __init__(
        self,
        title: str,
        before: MemoryFields,
        readers: Mapping[str, str],
        save: Callable[[MemoryFields], Revision | None],
    ) -> None:
        """Create the form; `readers` names the readers of each category."""
        super().__init__(title)
        self._before, self._readers, self._save_fields = before, readers, save

    def compose_fields(self) -> ComposeResult:
        before = self._before
        with Vertical(id="memory-form"):
            yield Words(
                clean(before.text),
                soft_wrap=True,
                compact=True,
                tab_behavior="focus",
                id="form-text",
            )
            yield Static(id="form-length", markup=False, classes="muted")
            suggested = SuggestFromList(self._readers, case_sensitive=False)
            for name, field in {
                "Tags": Input(
                    clean(", ".join(before.tags)),
                    compact=True,
                    placeholder="tea, morning",
                    id="form-tags",
                ),
                "Importance": Input(
                    str(before.importance),
                    compact=True,
                    max_length=1,
                    restrict="[1-5]?",
                    id="form-importance",
                ),
                "Category": Input(
                    clean(before.category), compact=True, suggester=suggested, id="form-category"
                ),
            }.items():
                yield Horizontal(
                    Static(plain(name), markup=False, classes="label"), field, classes="field"
                )
            yield Static(id="form-readers", markup=False, classes="muted")

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
        self.query_one("#form-length", Static).update(
            plain(f"{length} of {MAX_MEMORY_CHARS} characters", style)
        )

    @on(Input.Changed, "#form-category")
    def _tell_readers(self, event: Input.Changed) -> None:
        name = event.value.strip().casefold()
        near = [reader for reader in self._readers if reader.startswith(name)]
        listed = f"One of {', '.join(near[:NAMED])}{' …' if len(near) > NAMED else '.'}"
        told = self._readers.get(name) or (listed if near else "There is no such category.")
        self.query_one("#form-readers", Static).update(
            plain(told, "$text-muted" if name in self._readers else "$text-warning")
        )

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


class HowtoForm(Form[Revision]):
    """The title and the steps of a how-to, to write or edit."""

    def __init__(
        self, title: str, name: str, steps: Sequence[str], save: Callable[[str], Revision]
    ) -> None:
        super().__init__(title, note="Write one step a line; memapp numbers them.")
        self._howto, self._steps, self._save_text = name, steps, save

    def compose_fields(self) -> ComposeResult:
        with Vertical(id="memory-form"):
            yield Line(
                clean(self._howto),
                max_length=MAX_MEMORY_CHARS,
                placeholder="Its title",
                id="howto-title",
            )
            yield TextArea(
                clean("\n".join(self._steps)),
                soft_wrap=True,
                compact=True,
                tab_behavior="focus",
                id="howto-steps",
            )

    def keys(self) -> list[str]:
        return ["^s save", "tab next field"]

    def on_mount(self) -> None:
        self.query_one("#howto-steps" if self._howto else "#howto-title").focus()

    def saving(self) -> Callable[[], Revision]:
        title = self.query_one("#howto-title", Input).value.strip()
        steps = self.query_one("#howto-steps", TextArea).text
        if not (title and steps.strip()):
            raise UsageError("A how-to has a title, and at least one step.")
        return partial(self._save_text, f"{title}\n{steps}")
