"""The common part of Memories and Trash: search while typing, count, pages and marks."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

from textual import on
from textual.widgets import Input, Static

from memapp.domain.filters import MemoryFilter, Sort
from memapp.domain.memory import Memory, State
from memapp.language.labels import called
from memapp.runtime import Runtime
from memapp.services import curate, undo
from memapp.services.jobs import retention
from memapp.ui.background import background
from memapp.ui.memories.actions import MemoryActions
from memapp.ui.memories.keys import MemoryKeys
from memapp.ui.memories.memory_rows import FoundRows, wanted_words
from memapp.ui.safe_text import joined
from memapp.ui.screens.mode import ModeScreen
from memapp.ui.session import AppSession
from memapp.ui.widgets.labels import many
from memapp.ui.widgets.rowlist import RowList
from memapp.ui.widgets.searchfield import SearchField

PAGE = 500
"""The most rows of a page."""
AT_FIRST = 80
"""The rows loaded while the person types: more than a screen shows."""
DEBOUNCE_SECONDS = 0.02
REST_SECONDS = 0.15
"""The pause after which the rest of the page is loaded."""


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """A page of the memories that match a filter."""

    rows: tuple[Memory, ...]
    offset: int
    more: bool
    missing: Mapping[str, int] = field(default_factory=dict)
    """The days of use left, for memories whose time in the trash is over."""


class MemoryListScreen(ModeScreen, MemoryKeys):
    """A search field, a count and rows; subclasses arrange them and add keys."""

    NOTHING: ClassVar[str]
    """The text of an empty list."""
    NOT_FOUND: ClassVar[str]
    """The text of a search without hits."""
    COUNTED: ClassVar[str] = ""
    """The words after the count."""

    def __init__(self, session: AppSession, hint: str, rows: FoundRows, sort: Sort) -> None:
        super().__init__(session)
        self.actions = MemoryActions(self, session)
        self.field = SearchField(hint, rows)
        self.rows = rows
        self.sort = sort
        self.counted = Static(markup=False, classes="counted")
        self.shown_for: str | None = None
        """The search text of the rows on the screen."""
        self._page = MemoryPage((), 0, False)
        self._skipped = 0
        """The number of memories before the page."""
        self._count: int | None = None
        self._go_to: str | None = None
        """The memory for the cursor after the next load; "" for the first."""
        self._problems: tuple[str, ...] = ()

    @property
    def has_rows(self) -> bool:
        return self.shown_for is not None

    # Content --------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self.session.step_undone.subscribe(self, self._show_step_undone)

    @background("memories-undo")
    async def _show_step_undone(self, step: str) -> None:
        """Move the cursor to the memories that an undo restored or changed."""
        changed = await asyncio.to_thread(undo.memories_of, self.runtime, step)
        if changed and self.is_current:
            self._go_to = self._go_to or changed[0]
            self.load()

    def look_again(self) -> None:
        self.load()

    def wanted(self) -> MemoryFilter:
        return curate.read_filter(self.runtime, self.field.value)

    def start_again(self, at: str = "") -> None:
        """Go to the first page with the next load, and put the cursor on a memory."""
        self._skipped, self._go_to = 0, at

    def open_at(self, memory_id: str) -> None:
        """Clear the search with the next load, and put the cursor on a memory."""
        self.start_again(memory_id)
        with self.prevent(Input.Changed):
            self.field.clear()

    @on(Input.Changed, "SearchField")
    def _typed(self) -> None:
        self.start_again()
        self.load()

    @on(RowList.PageWanted, "FoundRows")
    def _page_wanted(self, event: RowList.PageWanted) -> None:
        self._skipped = max(0, self._skipped + event.step * PAGE)
        self._go_to = ""
        self.load()

    @background("memories", exclusive=True)
    async def load(self) -> None:
        """Load the rows; a new search loads a screenful first.

        A later call cancels this one, so that no old result arrives late. A running look-up cannot
        be cancelled, and several would delay the screen, so a short pause comes first while keys
        follow.
        """
        self.workers.cancel_group(self, "memories-rest")
        few = self._go_to == "" or not self.has_rows
        if self.has_rows and few:
            await asyncio.sleep(DEBOUNCE_SECONDS)
        text, wanted = self.field.value, self.wanted()
        wanted = await self._look_up(text, wanted, AT_FIRST if few else PAGE)
        self._load_rest(text, wanted, is_more=few and self._page.more)

    @background("memories-rest", exclusive=True)
    async def _load_rest(self, text: str, wanted: MemoryFilter, *, is_more: bool) -> None:
        """Load the rest of the page, and count."""
        if is_more:
            await asyncio.sleep(REST_SECONDS)
            await self._look_up(text, wanted, PAGE)
        self._count = await asyncio.to_thread(curate.count, self.runtime, wanted)
        self.show_counted()

    async def _look_up(self, text: str, wanted: MemoryFilter, size: int) -> MemoryFilter:
        """Load the memories for a filter or its corrected spelling; return the used filter too."""
        page_of = partial(_page_of, self.runtime, sort=self.sort, offset=self._skipped, size=size)
        page = await asyncio.to_thread(page_of, wanted)
        if wanted.words and not page.rows:
            wanted = await asyncio.to_thread(curate.respelt, self.runtime, wanted)
            page = await asyncio.to_thread(page_of, wanted)
        self._page = page
        if marked := tuple(self.rows.marked):  # Also those of other pages.
            existing = await asyncio.to_thread(
                _still_there, self.runtime, marked, live=wanted.state is State.LIVE
            )
            self.rows.keep_marks(marked, existing)
        self.rows.words, self._problems = wanted_words(wanted), wanted.problems
        self.rows.missing = page.missing
        self.rows.say_empty(self.NOT_FOUND if text.strip() else self.NOTHING)
        self.rows.show(
            page.rows,
            earlier=f"↑ the {PAGE} before these" if page.offset else "",
            later=f"↓ more after {page.offset + len(page.rows):,}" if page.more else "",
            at=self._go_to,
        )
        if text != self.shown_for:
            self._count = None
        if not self.has_rows:  # Keys work until the list is known to be empty.
            self.call_later(self.refresh_bindings)
        self._go_to, self.shown_for = None, text
        self.show_counted()
        return wanted

    def show_counted(self) -> None:
        """Show the count, the number of marks, and an error of the search."""
        page, marks, problem = self._page, len(self.rows.marked), " · ".join(self._problems)
        count = many(self._count) + self.COUNTED if self._count is not None else ""
        place = (
            f"{page.offset + 1:,} to {page.offset + len(page.rows):,}"
            if page.offset or page.more
            else ""
        )
        words = (count,) if problem else (count, place, called("sorts", self.sort))
        line = joined(
            (" · ".join(part for part in words if part), "$text-muted"),
            (f"  ✓ {marks} marked" if marks else "", "bold $success"),
            (f"  ! {problem}" if problem else "", "$text-warning"),
        )
        self.counted.update(line, layout=False)

    # Keys -----------------------------------------------------------------------------------------

    @property
    def chosen(self) -> list[Memory]:
        return self.rows.chosen

    @property
    def read(self) -> Memory | None:
        return self.rows.current

    def left(self, chosen: list[Memory]) -> None:
        self.unmark(chosen)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("search", "sort"):
            return self.shown_for != "" or bool(self.rows.items or self.field.value)
        return (
            bool(self.rows.chosen) if action == "mark" else super().check_action(action, parameters)
        )

    def action_search(self) -> None:
        self.field.focus()

    def action_mark(self) -> None:
        self.rows.toggle_mark()
        self.show_counted()

    def action_mark_all(self) -> None:
        self.rows.mark_all()
        self.show_counted()

    def unmark(self, done: list[Memory] | None = None) -> None:
        """Remove the marks of some memories, or all."""
        self.rows.unmark(None if done is None else [memory.id for memory in done])
        self.show_counted()

    def action_back(self) -> None:
        """Go one step back: out of the search field, marks, search text, to the chat."""
        if self.rows.marked and not self.field.has_focus:
            self.unmark()
        elif not self.field.give_up():
            self.action_chat()


def _page_of(
    runtime: Runtime, wanted: MemoryFilter, *, sort: Sort, offset: int, size: int
) -> MemoryPage:
    memories = curate.list_memories(runtime, wanted, sort, limit=size + 1, offset=offset)
    return MemoryPage(
        tuple(memories[:size]),
        offset,
        len(memories) > size,
        retention.missing(runtime, memories[:size]),
    )


def _still_there(runtime: Runtime, memory_ids: Sequence[str], *, live: bool) -> dict[str, Memory]:
    """Return those memories that are still live or in the trash, in their present state."""
    return {
        memory.id: memory
        for memory in curate.get_many(runtime, memory_ids)
        if (memory.state is State.LIVE) == live
    }
