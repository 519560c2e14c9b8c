"""Memories: all memories, searched while the person types, with the detail of the current one."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from memapp.domain.filters import Sort
from memapp.domain.memory import Memory
from memapp.ui.background import background
from memapp.ui.memories.memory_rows import MemoryRows
from memapp.ui.panels.list_detail import ListedMemories
from memapp.ui.panels.memory_detail import MemoryDetail
from memapp.ui.screens.memory_list import MemoryListScreen
from memapp.ui.session import AppSession
from memapp.ui.widgets.keyline import KeyLine


class MemoriesScreen(MemoryListScreen):
    """The search, the list and the detail."""

    MODE = "memories"
    AUTO_FOCUS = "#memories"
    BINDING_GROUP_TITLE = "Memories"
    HELP = (
        "/ searches while you type: "
        "words, a “phrase”, tag: category: kind: pinned: after: before:\n\n"
        "Space marks; keys then act on all marked memories. Enter opens the memory; "
        "tab turns to its history, relations and provenance."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", id="memories.search"),
        Binding("n,ctrl+n", "add", "New", id="memories.add", key_display="n"),
        Binding("space", "mark", "Mark", id="memories.mark", key_display="␣"),
        Binding("o", "sort", "Order", id="memories.sort"),
        Binding("ctrl+a", "mark_all", "Mark all shown", show=False, id="memories.mark_all"),
        Binding("right,l", "detail", "Detail", show=False, id="memories.detail"),
        Binding("escape", "back", "Back", show=False, id="memories.back"),
    ]

    NOTHING = (
        "Nothing is remembered yet.\n\n"
        "n writes the first memory by hand; or chat (F2):\n"
        "what you tell memapp there comes here by itself."
    )
    NOT_FOUND = "No memory has these words.\n\nesc clears the search."

    def __init__(self, session: AppSession) -> None:
        hint = "Search memories · “a phrase” tag:tea pinned:yes before:2026-01-31"
        super().__init__(
            session, hint, MemoryRows(session.runtime.clock, id="memories"), Sort.NEWEST
        )
        self.detail = MemoryDetail(session.runtime)
        self.body = ListedMemories(self.rows, self.detail, self.field, self.counted)

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield self.body
        yield KeyLine()

    def on_screen_resume(self) -> None:
        if self.session.fresh_memory:
            self.open_at(self.session.fresh_memory)
            self.session.fresh_memory = ""

    # Content --------------------------------------------------------------------------------------

    def look_again(self) -> None:
        super().look_again()
        self.detail.look_again()

    # Keys -----------------------------------------------------------------------------------------

    @property
    def chosen(self) -> list[Memory]:
        return self.body.chosen

    @property
    def read(self) -> Memory | None:
        return self.body.read

    def left(self, chosen: list[Memory]) -> None:
        super().left(chosen)
        self.body.leave_detail()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("mark", "mark_all") and self.detail.has_focus_within:
            # Marks belong to rows, and the open memory may not be the current row.
            return False
        if action == "sort" and self.body.has_class("-detail") and self.has_class("-narrow"):
            return False  # The list to be sorted is hidden.
        return super().check_action(action, parameters)

    def action_detail(self) -> None:
        self.body.open_detail()

    def action_search(self) -> None:
        self.body.remove_class("-detail")
        super().action_search()

    def action_sort(self) -> None:
        orders = list(Sort)
        self.sort = orders[(orders.index(self.sort) + 1) % len(orders)]
        self.start_again()
        self.load()

    def action_back(self) -> None:
        """Go one step back: along a walk, out of the detail, then as in every list."""
        if not self.body.step_back():
            super().action_back()

    @background("memory-action")
    async def action_add(self) -> None:
        if memory_id := await self.actions.fill_in():
            self.start_again(memory_id)
