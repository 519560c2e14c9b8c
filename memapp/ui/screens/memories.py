"""Memories: everything memapp knows, searched while the person types, with all about the current one beside it."""

import asyncio
from dataclasses import replace
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.getters import app as the_app
from textual.screen import Screen
from textual.widgets import Input, Static

from memapp.domain.filters import MemoryFilter, Sort, parse_filter
from memapp.domain.memory import Memory
from memapp.runtime import Runtime
from memapp.services import curate
from memapp.ui import reading
from memapp.ui.app import MemappApp
from memapp.ui.memories.deeds import Deeds
from memapp.ui.memories.reading import AT_FIRST, PAGE, Page, page
from memapp.ui.memories.rows import MemoryRows, wanted_words
from memapp.ui.memories.words import SORTS, many
from memapp.ui.modes import MODES
from memapp.ui.panels.memory_detail import MemoryDetail
from memapp.ui.panels.memory_provenance import MemoryProvenance
from memapp.ui.panels.memory_relations import MemoryRelations
from memapp.ui.safe import joined
from memapp.ui.told import told
from memapp.ui.widgets.keyline import KeyLine
from memapp.ui.widgets.rowlist import RowList
from memapp.ui.widgets.searchfield import SearchField
from memapp.ui.widgets.topbar import TopBar

DEBOUNCE_SECONDS = 0.02
REST_SECONDS = 0.15
"""After a pause of so long the rest of the page follows the first screenful."""
NOTHING = (
    "Nothing is remembered yet.\n\n"
    "n writes the first memory by hand; or chat (F2):\n"
    "what you tell memapp there comes here by itself."
)
NOT_FOUND = "No memory is like this.\n\nesc clears the search."


class MemoriesScreen(Screen[None]):
    """Search, list, detail."""

    app = the_app(MemappApp)

    AUTO_FOCUS = "#memories"
    BINDING_GROUP_TITLE = "Memories"
    HELP = (
        "/ searches while you type: words, a “phrase”, tag: category: kind: pinned: after: before:\n\n"
        "Space marks; keys then act on all that is marked. Enter opens the memory; tab turns to its history, relations "
        "and provenance."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", id="memories.search"),
        Binding("n,ctrl+n", "add", "New", id="memories.add", key_display="n"),
        Binding("e", "edit", "Edit", id="memories.edit"),
        Binding("p", "pin", "Pin", id="memories.pin"),
        Binding("d,delete,backspace", "forget", "Trash", id="memories.forget", key_display="d"),
        Binding("space", "mark", "Mark", id="memories.mark", key_display="␣"),
        Binding("o", "sort", "Order", id="memories.sort"),
        Binding("t", "tag", "Tag", show=False, id="memories.tag"),
        Binding("i", "weigh", "Importance", show=False, id="memories.weigh"),
        Binding("c", "categorise", "Category", show=False, id="memories.categorise"),
        Binding("y", "copy", "Copy", show=False, id="memories.copy"),
        Binding("ctrl+a", "mark_all", "Mark all shown", show=False, id="memories.mark_all"),
        Binding("right,l", "detail", "Detail", show=False, id="memories.detail"),
        Binding("escape", "back", "Back", show=False, id="memories.back"),
    ]

    def __init__(self, runtime: Runtime) -> None:
        super().__init__()
        self.runtime = runtime
        self.deeds = Deeds(self, runtime)
        self._sort = Sort.NEWEST
        self._offset = 0
        self._more = False
        self._count: int | None = None
        self._go_to: str | None = None
        """Where the cursor goes with the next rows; "" for the first."""
        self._trail: list[str] = []
        """Where a walk along relations came from."""
        self.shown_for: str | None = None
        """What the rows on the screen were found for."""

    def compose(self) -> ComposeResult:
        yield TopBar(MODES, "memories", right=reading.network(self.runtime))
        with Horizontal(id="memories-body"):
            with Vertical(id="memories-list"):
                yield SearchField("words  “a phrase”  tag:tea  pinned:yes  before:2026-01-31", id="memories-search")
                yield Static(id="memories-status", markup=False)
                yield MemoryRows(self.runtime.clock, id="memories")
            yield MemoryDetail(self.runtime)
        yield KeyLine()

    def on_mount(self) -> None:
        self.app.changed.subscribe(self, self._changed)

    def on_screen_resume(self) -> None:
        self.query_one(TopBar).say(reading.network(self.runtime))
        if self.app.fresh_memory:
            self._offset, self._go_to, self.app.fresh_memory = 0, self.app.fresh_memory, ""
            with self.prevent(Input.Changed):
                self.query_one(SearchField).clear()
        self.load()

    def _changed(self, _: None) -> None:
        if self.is_current:
            self.load()

    @property
    def rows(self) -> MemoryRows:
        return self.query_one(MemoryRows)

    @property
    def detail(self) -> MemoryDetail:
        return self.query_one(MemoryDetail)

    # What is shown ---------------------------------------------------------------------------------------------------

    @property
    def _text(self) -> str:
        return self.query_one(SearchField).value

    def _wanted(self) -> MemoryFilter:
        wanted = parse_filter(self._text)
        known = curate.categories(self.runtime)
        if wanted.category and wanted.category not in known:
            near = [name for name in known if name.startswith(wanted.category)] or known
            wanted = replace(wanted, category=near[0] if len(near) == 1 else "", problems=(*wanted.problems, _is_one_of(near)))
        return wanted

    @on(Input.Changed, "#memories-search")
    def _typed(self) -> None:
        self._offset, self._go_to = 0, ""
        self.load(typing=True)

    @work(exclusive=True, group="memories")
    @told
    async def load(self, *, typing: bool = False) -> None:
        """Look up what is wanted now; a screenful first, while the person types and the first time.

        A later call ends this one, so that no old result comes after a newer one.
        """
        if typing:
            await asyncio.sleep(DEBOUNCE_SECONDS)
        text, wanted = self._text, self._wanted()
        few = typing or self.shown_for is None
        size = AT_FIRST if few else PAGE
        found = await asyncio.to_thread(page, self.runtime, wanted, self._sort, self._offset, size)
        self._show(text, wanted, found)
        if not few:
            self.detail.look_again()
        elif found.more:
            await asyncio.sleep(REST_SECONDS)
            self._show(text, wanted, await asyncio.to_thread(page, self.runtime, wanted, self._sort, self._offset, PAGE))
        self._count = await asyncio.to_thread(curate.count, self.runtime, wanted)
        self._show_status(wanted)

    def _show(self, text: str, wanted: MemoryFilter, found: Page) -> None:
        rows = self.rows
        rows.words = wanted_words(wanted)
        rows.say_empty(NOT_FOUND if text.strip() else NOTHING)
        self._more = found.more
        first = found.offset + 1
        rows.show(
            found.rows,
            earlier=f"↑ the {PAGE} before these" if found.offset else "",
            later=f"↓ more after {first + len(found.rows) - 1:,}" if found.more else "",
            at=self._go_to,
        )
        self._go_to, self.shown_for = None, text
        self._count = None
        self._show_status(wanted)

    def _show_status(self, wanted: MemoryFilter) -> None:
        rows = self.rows
        many_of = f"{many(self._count)}" if self._count is not None else ""
        place = f"{self._offset + 1:,} to {self._offset + len(rows.items):,}" if self._offset or self._more else ""
        marked = f"✓ {len(rows.marked)} marked" if rows.marked else ""
        problem = " · ".join(wanted.problems)
        words = many_of if problem else " · ".join(part for part in (many_of, place, SORTS[self._sort]) if part)
        self.query_one("#memories-status", Static).update(
            joined(
                (words, "$text-muted"),
                (f"  {marked}" if marked else "", "bold $success"),
                (f"  ! {problem}" if problem else "", "$text-warning"),
            ),
            layout=False,
        )

    @on(RowList.Moved, "#memories")
    def _moved(self) -> None:
        self._trail.clear()
        had_one = self.detail.memory is not None
        self.detail.show(self.rows.current)
        if had_one != (self.rows.current is not None):
            self.refresh_bindings()

    @on(RowList.PageWanted, "#memories")
    def _page_wanted(self, event: RowList.PageWanted) -> None:
        self._offset = max(0, self._offset + event.step * PAGE)
        self._go_to = ""
        self.load()

    @work(exclusive=True, group="memories-go")
    @told
    async def go_to(self, memory_id: str) -> None:
        """Show a memory, wherever it is."""
        memory = await asyncio.to_thread(curate.get, self.runtime, memory_id)
        if memory_id in [one.id for one in self.rows.items]:
            self.rows.show(self.rows.items, at=memory_id)
        self.detail.show(memory, at_once=True)
        self.action_detail()

    # The detail ------------------------------------------------------------------------------------------------------

    @on(RowList.Opened, "#memories")
    def action_detail(self) -> None:
        """Go into the detail; in a narrow window it takes the place of the list."""
        if self.detail.memory is not None and not self.detail.has_focus_within:
            self.add_class("-detail")
            self.detail.enter()

    @on(MemoryRelations.Walked)
    @work(exclusive=True, group="memories-go")
    @told
    async def _walked(self, event: MemoryRelations.Walked) -> None:
        memory = await asyncio.to_thread(curate.get, self.runtime, event.memory_id)
        if self.detail.memory is not None:
            self._trail.append(self.detail.memory.id)
        self.detail.show(memory, at_once=True)

    @on(MemoryProvenance.Opened)
    def _message_wanted(self, event: MemoryProvenance.Opened) -> None:
        self.app.show_message(event.message.id)

    @work(exclusive=True, group="memories-go")
    @told
    async def _walk_back(self) -> None:
        self.detail.show(await asyncio.to_thread(curate.get, self.runtime, self._trail.pop()), at_once=True)

    # Keys ------------------------------------------------------------------------------------------------------------

    @property
    def chosen(self) -> list[Memory]:
        """What a key acts on: the memory in the detail when the person is there, else what is marked, else the current one."""
        if self.detail.has_focus_within and self.detail.memory is not None:
            return [self.detail.memory]
        return self.rows.chosen

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002  # Textual's signature
        if action in ON_CHOSEN and self.is_mounted:
            return bool(self.chosen)
        return True

    def action_search(self) -> None:
        self.remove_class("-detail")
        self.query_one(SearchField).focus()

    @on(Input.Submitted, "#memories-search")
    def _searched(self) -> None:
        self.rows.focus()

    @on(SearchField.Left)
    def _left_search(self) -> None:
        self.rows.focus()

    def action_sort(self) -> None:
        """Order the list in the next way."""
        orders = list(SORTS)
        self._sort = orders[(orders.index(self._sort) + 1) % len(orders)]
        self._offset, self._go_to = 0, ""
        self.load()

    def action_mark(self) -> None:
        self.rows.toggle_mark()
        self._show_status(self._wanted())

    def action_mark_all(self) -> None:
        self.rows.mark_all()
        self._show_status(self._wanted())

    def action_copy(self) -> None:
        self.deeds.copy(self.chosen)

    def action_back(self) -> None:
        """Go one step back: along a walk, out of the detail, marks away, search away, to the chat."""
        if self.detail.has_focus_within and self._trail:
            self._walk_back()
        elif self.detail.has_focus_within or self.has_class("-detail"):
            self.remove_class("-detail")
            self.rows.focus()
            self.detail.show(self.rows.current)
        elif self.rows.marked:
            self.rows.unmark()
            self._show_status(self._wanted())
        elif self._text:
            self.query_one(SearchField).value = ""
            self.rows.focus()
        else:
            self.app.call_later(self.app.action_mode, "chat")

    @work(group="memories-deed")
    @told
    async def action_add(self) -> None:
        if memory_id := await self.deeds.add():
            self._go_to = memory_id

    @work(group="memories-deed")
    @told
    async def action_edit(self) -> None:
        await self.deeds.edit(self.chosen[0])

    @work(group="memories-deed")
    @told
    async def action_pin(self) -> None:
        await self.deeds.pin(self.chosen)

    @work(group="memories-deed")
    @told
    async def action_tag(self) -> None:
        await self.deeds.tag(self.chosen)

    @work(group="memories-deed")
    @told
    async def action_weigh(self) -> None:
        await self.deeds.weigh(self.chosen)

    @work(group="memories-deed")
    @told
    async def action_categorise(self) -> None:
        await self.deeds.categorise(self.chosen)

    @work(group="memories-deed")
    @told
    async def action_forget(self) -> None:
        chosen = self.chosen
        await self.deeds.forget(chosen)
        self.rows.unmark(one.id for one in chosen)
        if self.has_class("-detail"):
            self.remove_class("-detail")
            self.rows.focus()


ON_CHOSEN = frozenset({"edit", "pin", "forget", "tag", "weigh", "categorise", "copy", "mark"})


def _is_one_of(names: list[str]) -> str:
    return f"category: is one of {', '.join(names[:3])}{'…' if len(names) > 3 else ''}"
