"""Memories: everything memapp knows, searched while the person types, with all about the current one beside it."""

import asyncio
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input

from memapp.domain.filters import Sort
from memapp.domain.memory import Memory
from memapp.services import curate
from memapp.ui.beside import beside
from memapp.ui.memories.rows import MemoryRows
from memapp.ui.memories.words import SORTS
from memapp.ui.messages import MessageWanted
from memapp.ui.panels.memory_detail import MemoryDetail
from memapp.ui.panels.memory_provenance import MemoryProvenance
from memapp.ui.panels.memory_relations import MemoryRelations
from memapp.ui.screens.memory_list import MemoryListScreen
from memapp.ui.session import Session
from memapp.ui.widgets.keyline import KeyLine
from memapp.ui.widgets.rowlist import RowList
from memapp.ui.widgets.searchfield import SearchField


class MemoriesScreen(MemoryListScreen):
    """Search, list, detail."""

    MODE = "memories"
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
        Binding("d,delete,backspace", "discard", "Trash", id="memories.discard", key_display="d"),
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

    NOTHING = (
        "Nothing is remembered yet.\n\n"
        "n writes the first memory by hand; or chat (F2):\n"
        "what you tell memapp there comes here by itself."
    )
    NOT_FOUND = "No memory is like this.\n\nesc clears the search."
    ON_CHOSEN = frozenset({"pin", "discard", "tag", "weigh", "categorise", "copy", "mark"})

    def __init__(self, session: Session) -> None:
        field = SearchField("words  “a phrase”  tag:tea  pinned:yes  before:2026-01-31", id="memories-search")
        super().__init__(session, field, MemoryRows(session.runtime.clock, id="memories"), Sort.NEWEST)
        self.detail = MemoryDetail(session.runtime)
        self._trail: list[str] = []
        """Where a walk along relations came from."""

    def compose(self) -> ComposeResult:
        yield from super().compose()
        with Horizontal(id="memories-body"):
            with Vertical(id="memories-list"):
                yield from self.compose_list()
            yield self.detail
        yield KeyLine()

    def on_screen_resume(self) -> None:
        if self.session.fresh_memory:
            self.start_again(self.session.fresh_memory)
            self.session.fresh_memory = ""
            with self.prevent(Input.Changed):
                self.field.clear()

    # What is shown ---------------------------------------------------------------------------------------------------

    def look_again(self) -> None:
        super().look_again()
        self.detail.look_again()

    @on(RowList.Moved, "#memories")
    def _moved(self) -> None:
        if self.detail.has_focus_within and self.detail.memory is not None and self.detail.memory.id != self.rows.current_key:
            self._read_on(self.detail.memory.id)  # the rows came anew while the person is elsewhere
            return
        self._trail.clear()
        self.detail.show(self.rows.current)

    @beside("memories-go", exclusive=True)
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
    @beside("memories-go", exclusive=True)
    async def _walked(self, event: MemoryRelations.Walked) -> None:
        memory = await asyncio.to_thread(curate.get, self.runtime, event.memory_id)
        if self.detail.memory is not None:
            self._trail.append(self.detail.memory.id)
        self.detail.show(memory, at_once=True)

    @on(MemoryProvenance.Opened)
    def _message_wanted(self, event: MemoryProvenance.Opened) -> None:
        self.app.post_message(MessageWanted(event.message.id))

    @beside("memories-go", exclusive=True)
    async def _walk_back(self) -> None:
        self.detail.show(await asyncio.to_thread(curate.get, self.runtime, self._trail.pop()), at_once=True)

    @beside("memories-go", exclusive=True)
    async def _read_on(self, memory_id: str) -> None:
        self.detail.show(await asyncio.to_thread(curate.get, self.runtime, memory_id))

    # Keys ------------------------------------------------------------------------------------------------------------

    @property
    def chosen(self) -> list[Memory]:
        """What a key acts on: the memory in the detail when the person is there, else what is marked, else the current one."""
        if self.detail.has_focus_within and self.detail.memory is not None:
            return [self.detail.memory]
        return self.rows.chosen

    @property
    def _read(self) -> Memory | None:
        """The memory in the detail when the person is there, else the current one, whatever is marked."""
        return self.detail.memory if self.detail.has_focus_within else self.rows.current

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("mark", "mark_all") and self.detail.has_focus_within:
            return False  # marks are of rows, and another row may be the current one than the memory that is read
        if action == "sort" and self.has_class("-detail") and self.has_class("-narrow"):
            return False  # the list that it orders is not to be seen
        return self._read is not None if action == "edit" else super().check_action(action, parameters)

    def action_search(self) -> None:
        self.remove_class("-detail")
        super().action_search()

    def action_sort(self) -> None:
        """Order the list in the next way."""
        orders = list(SORTS)
        self.sort = orders[(orders.index(self.sort) + 1) % len(orders)]
        self.start_again()
        self.load()

    def action_back(self) -> None:
        """Go one step back: along a walk, out of the detail, then as in every list."""
        if self.detail.has_focus_within and self._trail:
            self._walk_back()
        elif self.detail.has_focus_within or self.has_class("-detail"):
            self.remove_class("-detail")
            self.rows.focus()
            self.detail.show(self.rows.current)
        else:
            super().action_back()

    @beside("memories-deed")
    async def action_add(self) -> None:
        if memory_id := await self.deeds.add():
            self.start_again(memory_id)

    @beside("memories-deed")
    async def action_edit(self) -> None:
        if (one := self._read) is not None:  # marks or not: words are written one by one
            await self.deeds.edit(one)

    @beside("memories-deed")
    async def action_pin(self) -> None:
        await self.deeds.pin(self.chosen)

    @beside("memories-deed")
    async def action_tag(self) -> None:
        await self.deeds.tag(self.chosen)

    @beside("memories-deed")
    async def action_weigh(self) -> None:
        await self.deeds.weigh(self.chosen)

    @beside("memories-deed")
    async def action_categorise(self) -> None:
        await self.deeds.categorise(self.chosen)

    @beside("memories-deed")
    async def action_discard(self) -> None:
        chosen = self.chosen
        await self.deeds.discard(chosen)
        self.unmark(chosen)
        if self.has_class("-detail"):
            self.remove_class("-detail")
            self.rows.focus()
