"""Trash: what was forgotten, when and why, how long it is still there, the way back, and the end."""

import asyncio
from dataclasses import replace
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.getters import app as the_app
from textual.screen import Screen
from textual.widgets import Input, Static

from memapp.domain.filters import MemoryFilter, Sort, parse_filter
from memapp.domain.memory import Memory
from memapp.errors import NotFound
from memapp.runtime import Runtime
from memapp.services import curate
from memapp.ui import reading
from memapp.ui.app import MemappApp
from memapp.ui.memories.deeds import Deeds
from memapp.ui.memories.reading import AT_FIRST, PAGE, Page, page
from memapp.ui.memories.rows import TrashRows, wanted_words
from memapp.ui.memories.words import ago, many, purges, why
from memapp.ui.modes import MODES
from memapp.ui.safe import joined
from memapp.ui.screens.detail import TextCard
from memapp.ui.told import told
from memapp.ui.widgets.keyline import KeyLine
from memapp.ui.widgets.rowlist import RowList
from memapp.ui.widgets.searchfield import SearchField
from memapp.ui.widgets.topbar import TopBar

DEBOUNCE_SECONDS = 0.02
REST_SECONDS = 0.15
"""After a pause of so long the rest of the page follows the first screenful."""
TICK_SECONDS = 60.0
NOTHING = (
    "The trash is empty.\n\n"
    "What you put here (d in Memories, F3), and what nobody needed\n"
    "for long, waits here before it is erased for good."
)
NOT_FOUND = "Nothing in the trash is like this.\n\nesc clears the search."


class TrashScreen(Screen[None]):
    """Search, list, and below it all about the current row."""

    app = the_app(MemappApp)

    AUTO_FOCUS = "#trash"
    BINDING_GROUP_TITLE = "Trash"
    HELP = "r brings a memory back. X erases it for good, E everything; both ask for a typed word first."

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "restore", "Restore", id="trash.restore"),
        Binding("slash", "search", "Search", id="trash.search"),
        Binding("space", "mark", "Mark", id="trash.mark", key_display="␣"),
        Binding("X", "erase", "Erase now", id="trash.erase"),
        Binding("E", "empty", "Empty", id="trash.empty"),
        Binding("y", "copy", "Copy", show=False, id="trash.copy"),
        Binding("ctrl+a", "mark_all", "Mark all shown", show=False, id="trash.mark_all"),
        Binding("escape", "back", "Back", show=False, id="trash.back"),
    ]

    def __init__(self, runtime: Runtime) -> None:
        super().__init__()
        self.runtime = runtime
        self.deeds = Deeds(self, runtime)
        self._offset = 0
        self._count = 0
        self._go_to: str | None = None
        self._problems: tuple[str, ...] = ()
        self.shown_for: str | None = None
        """What the rows on the screen were found for."""

    def compose(self) -> ComposeResult:
        yield TopBar(MODES, "trash", right=reading.network(self.runtime))
        with Vertical(id="trash-body"):
            yield SearchField("words of what was forgotten", id="trash-search")
            yield Static(id="trash-status", markup=False)
            yield TrashRows(self.runtime.clock, self.runtime.settings.ttl_days, id="trash")
            yield Static(id="trash-note", markup=False)
        yield KeyLine()

    def on_mount(self) -> None:
        self.app.changed.subscribe(self, self._changed)
        self.set_interval(TICK_SECONDS, self._tick)
        self.query_one("#trash-note").display = False

    def on_screen_resume(self) -> None:
        self.query_one(TopBar).say(reading.network(self.runtime))
        self.load()

    def _changed(self, _: None) -> None:
        if self.is_current:
            self.load()

    def _tick(self) -> None:
        if self.is_current:
            self.rows.redraw()
            self._note()

    @property
    def rows(self) -> TrashRows:
        return self.query_one(TrashRows)

    # What is shown ---------------------------------------------------------------------------------------------------

    def _wanted(self) -> MemoryFilter:
        return replace(parse_filter(self.query_one(SearchField).value), state=None)

    @on(Input.Changed, "#trash-search")
    def _typed(self) -> None:
        self._offset, self._go_to = 0, ""
        self.load(typing=True)

    @work(exclusive=True, group="trash")
    @told
    async def load(self, *, typing: bool = False) -> None:
        """Look up what is wanted now; a screenful first, while the person types and the first time.

        A later call ends this one, so that no old result comes after a newer one.
        """
        if typing:
            await asyncio.sleep(DEBOUNCE_SECONDS)
        text, wanted = self.query_one(SearchField).value, self._wanted()
        few = typing or self.shown_for is None
        size = AT_FIRST if few else PAGE
        found = await asyncio.to_thread(page, self.runtime, wanted, Sort.CHANGED, self._offset, size)
        self._count = await asyncio.to_thread(curate.count, self.runtime, wanted)
        self._show(text, wanted, found)
        if few and found.more:
            await asyncio.sleep(REST_SECONDS)
            self._show(text, wanted, await asyncio.to_thread(page, self.runtime, wanted, Sort.CHANGED, self._offset, PAGE))

    def _show(self, text: str, wanted: MemoryFilter, found: Page) -> None:
        rows = self.rows
        rows.words, self._problems = wanted_words(wanted), wanted.problems
        rows.say_empty(NOT_FOUND if text.strip() else NOTHING)
        first = found.offset + 1
        rows.show(
            found.rows,
            earlier=f"↑ the {PAGE} before these" if found.offset else "",
            later=f"↓ more after {first + len(found.rows) - 1:,}" if found.more else "",
            at=self._go_to,
        )
        self._go_to, self.shown_for = None, text
        self._show_status()

    def _show_status(self) -> None:
        marked = f"  ✓ {len(self.rows.marked)} marked" if self.rows.marked else ""
        problem = f"  ! {' · '.join(self._problems)}" if self._problems else ""
        line = joined((f"{many(self._count)} in the trash", "$text-muted"), (marked, "bold $success"), (problem, "$text-warning"))
        self.query_one("#trash-status", Static).update(line, layout=False)

    @on(RowList.Moved, "#trash")
    def _note(self) -> None:
        one = self.rows.current
        note = self.query_one("#trash-note", Static)
        if note.display != (one is not None):
            note.display = one is not None
            self.refresh_bindings()
        if one is not None:
            note.update(joined((self._fate(one), "$text-muted"), "\n", (one.text, "bold")), layout=False)

    def _fate(self, one: Memory) -> str:
        now = self.runtime.clock()
        reason = why(one, self.runtime.settings.ttl_days)
        return f"{reason}, {ago(one.updated_at, now)} · {purges(one.purge_at, now)} · first remembered {ago(one.created_at, now)}"

    @on(RowList.PageWanted, "#trash")
    def _page_wanted(self, event: RowList.PageWanted) -> None:
        self._offset = max(0, self._offset + event.step * PAGE)
        self._go_to = ""
        self.load()

    @on(RowList.Opened, "#trash")
    @work(exclusive=True, group="trash-card")
    @told
    async def _open(self) -> None:
        """Show the whole text, and what took it in."""
        one = self.rows.current
        if one is None:
            return
        text = one.text
        if one.merged_into:
            text += f"\n\nmerged into:\n{await asyncio.to_thread(self._text_of, one.merged_into)}"
        wanted = await self.app.push_screen_wait(TextCard("In the trash", text, note=self._fate(one)))
        if wanted is not None:
            self.deeds.copy([one])

    def _text_of(self, memory_id: str) -> str:
        try:
            return curate.get(self.runtime, memory_id).text
        except NotFound:
            return "(erased for good since)"

    # Keys ------------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002  # Textual's signature
        if action in ON_CHOSEN and self.is_mounted:
            return bool(self.rows.chosen)
        return True

    def action_search(self) -> None:
        self.query_one(SearchField).focus()

    @on(Input.Submitted, "#trash-search")
    @on(SearchField.Left)
    def _left_search(self) -> None:
        self.rows.focus()

    def action_mark(self) -> None:
        self.rows.toggle_mark()
        self._show_status()

    def action_mark_all(self) -> None:
        self.rows.mark_all()
        self._show_status()

    def action_copy(self) -> None:
        self.deeds.copy(self.rows.chosen)

    def action_back(self) -> None:
        """Go one step back: marks away, search away, to the chat."""
        search = self.query_one(SearchField)
        if self.rows.marked:
            self.rows.unmark()
            self._show_status()
        elif search.value or search.has_focus:
            search.value = ""
            self.rows.focus()
        else:
            self.app.call_later(self.app.action_mode, "chat")

    @work(group="trash-deed")
    @told
    async def action_restore(self) -> None:
        chosen = self.rows.chosen
        await self.deeds.restore(chosen)
        self.rows.unmark(one.id for one in chosen)

    @work(exclusive=True, group="trash-erase")
    @told
    async def action_erase(self) -> None:
        chosen = self.rows.chosen
        if await self.deeds.erase(chosen):
            self.rows.unmark(one.id for one in chosen)

    @work(exclusive=True, group="trash-erase")
    @told
    async def action_empty(self) -> None:
        count = await asyncio.to_thread(curate.count, self.runtime, MemoryFilter(state=None))
        await self.deeds.empty_trash(count)
        self.rows.unmark()


ON_CHOSEN = frozenset({"restore", "erase", "empty", "copy", "mark"})
