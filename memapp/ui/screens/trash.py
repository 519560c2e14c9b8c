"""Trash: discarded memories, the reason, the time left, restoring, and erasing for good."""

from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from memapp.domain.filters import MemoryFilter, Sort
from memapp.domain.memory import Memory
from memapp.language.labels import why
from memapp.ui.background import background
from memapp.ui.memories.memory_rows import TrashRows
from memapp.ui.messages import MemoryWanted
from memapp.ui.safe_text import joined
from memapp.ui.screens.memory_list import MemoryListScreen
from memapp.ui.session import AppSession
from memapp.ui.widgets.keyline import KeyLine
from memapp.ui.widgets.labels import ago, kept_in_full
from memapp.ui.widgets.rowlist import RowList

TICK_SECONDS = 60.0


class TrashScreen(MemoryListScreen):
    """The search, the list, and below it the detail of the current memory."""

    MODE = "trash"
    AUTO_FOCUS = "#trash"
    BINDING_GROUP_TITLE = "Trash"
    HELP = (
        "r restores a memory. X erases it for good, E everything, F words everywhere; "
        "each asks you to type a word."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", id="trash.search"),
        Binding("space", "mark", "Mark", id="trash.mark", key_display="␣"),
        Binding("E", "empty", "Empty", id="trash.empty"),
        Binding("F", "forget_words", "Erase words everywhere", show=False, id="trash.forget_words"),
        Binding("ctrl+a", "mark_all", "Mark all shown", show=False, id="trash.mark_all"),
        Binding("escape", "back", "Back", show=False, id="trash.back"),
    ]

    NOTHING = (
        "The trash is empty.\n\n"
        "What you put here (d in Memories, F3), and what nobody needed\n"
        "for long, waits here before it is erased for good."
    )
    NOT_FOUND = "Nothing in the trash has these words.\n\nesc clears the search."
    COUNTED = " in the trash"

    def __init__(self, session: AppSession) -> None:
        rows = TrashRows(session.runtime.clock, session.runtime.settings.ttl_days, id="trash")
        super().__init__(session, "Search the trash", rows, Sort.CHANGED)
        self.note = Static(id="trash-note", markup=False)

    def compose(self) -> ComposeResult:
        yield from super().compose()
        with Vertical(id="trash-body"):
            yield self.field
            yield self.counted
            yield self.rows
            yield self.note
        yield KeyLine()

    def on_mount(self) -> None:
        self.set_interval(TICK_SECONDS, self._tick)
        self.note.display = False

    def _tick(self) -> None:
        if self.is_current:
            self.load()

    # Content --------------------------------------------------------------------------------------

    def on_screen_resume(self) -> None:
        if self.session.fresh_trash:
            self.open_at(self.session.fresh_trash)
            self.session.fresh_trash = ""

    def wanted(self) -> MemoryFilter:
        return replace(super().wanted(), state=None)

    @on(RowList.Moved, "#trash")
    def _tell(self) -> None:
        memory = self.rows.current
        self.note.display = memory is not None
        if memory is not None:
            self.note.update(
                joined((self._fate(memory), "$text-muted"), "\n", (memory.text, "bold")),
                layout=False,
            )

    def _fate(self, memory: Memory) -> str:
        now = self.runtime.clock()
        reason = why(memory, self.runtime.settings.ttl_days)
        stays = kept_in_full(memory.purge_at, now, self.rows.missing.get(memory.id, 0))
        since = ago(memory.created_at, now)
        return f"{reason}, {ago(memory.updated_at, now)} · {stays} · first remembered {since}"

    @on(RowList.Opened, "#trash")
    def _open(self) -> None:
        if (memory := self.rows.current) is not None:
            self.post_message(MemoryWanted(memory.id))

    # Keys -----------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return (
            bool(self.rows.items) if action == "empty" else super().check_action(action, parameters)
        )

    @background("memory-erase", exclusive=True)
    async def action_forget_words(self) -> None:
        if await self.actions.forget_words():
            self.unmark()

    @background("memory-erase", exclusive=True)
    async def action_empty(self) -> None:
        if await self.actions.empty_trash():
            self.unmark()
