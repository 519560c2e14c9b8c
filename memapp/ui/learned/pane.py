"""The common part of the tabs of Learned: a pane, and a pane for the memories of one kind."""

import asyncio
from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from memapp.domain.filters import MemoryFilter
from memapp.domain.memory import Kind, Memory
from memapp.services import curate, undo
from memapp.ui.background import background
from memapp.ui.memories.memory_rows import MemoryRows
from memapp.ui.panels.list_detail import ListedMemories
from memapp.ui.panels.memory_detail import MemoryDetail
from memapp.ui.safe_text import joined, row
from memapp.ui.session import AppSession
from memapp.ui.widgets.labels import ago

NEWEST = 500
"""The most rows of a tab."""


class LearnedPane(Vertical):
    """A tab. The keys of memories act on the memories it has chosen."""

    LABEL: ClassVar[str]

    def __init__(self, session: AppSession) -> None:
        super().__init__(classes="learned-pane")
        self.session = session
        self.runtime = session.runtime

    def look_again(self) -> object:
        """Load the content again."""
        raise NotImplementedError

    def enter(self) -> None:
        """Take the focus."""
        raise NotImplementedError

    def step_back(self) -> bool:
        """Go one step back inside the tab; return False if there was none."""
        return False

    @property
    def chosen(self) -> list[Memory]:
        """The memories that a key acts on."""
        return []

    @property
    def read(self) -> Memory | None:
        """The memory that is open."""
        return None

    def left(self) -> None:
        """Update the tab after memories were removed."""


class KindRows(MemoryRows):
    """The rows of a kind: ★ for pinned, the text, and a word at the end."""

    ends: Mapping[str, tuple[str, str]] = {}
    """The last word of a row with its style, by memory."""

    def draw(self, item: Memory, width: int) -> Content:
        words, style = self.ends.get(item.id, ("", ""))
        head = joined(("★ " if item.pinned else "  ", "$accent"), row(item.text, 300))
        return joined(
            head.truncate(max(1, width - len(words) - 2), ellipsis=True, pad=True),
            (f"  {words}", style),
        )


class KindPane(LearnedPane):
    """The memories of one kind, newest first, with the detail of the current one."""

    KIND: ClassVar[Kind]
    NOTHING: ClassVar[str]
    """The text of an empty list; two columns are left in front of each line."""

    def __init__(self, session: AppSession) -> None:
        super().__init__(session)
        self.rows = KindRows(self.runtime.clock, id=f"learned-{self.KIND}", empty=self.NOTHING)
        self.detail = MemoryDetail(session.runtime)
        self.body = ListedMemories(self.rows, self.detail)
        self._go_to: str | None = None
        """The memory for the cursor after the next load."""

    def compose(self) -> ComposeResult:
        yield self.body

    def on_mount(self) -> None:
        self.session.step_undone.subscribe(self, self._show_step_undone)

    @background("learned-undo")
    async def _show_step_undone(self, step: str) -> None:
        """Move the cursor to the memories that an undo restored or changed."""
        self._go_to = next(
            iter(await asyncio.to_thread(undo.memories_of, self.runtime, step)), None
        )
        if self._go_to and self.display and self.screen.is_current:
            self.look_again()

    @background("learned", exclusive=True)
    async def look_again(self) -> None:
        found = await asyncio.to_thread(self.look_up)
        at, self._go_to = self._go_to, None
        self.rows.show(found, at=at if at in [memory.id for memory in found] else None)
        self.detail.look_again()
        self.screen.refresh_bindings()

    def look_up(self) -> list[Memory]:
        """Return the rows; runs on a thread."""
        of_kind = MemoryFilter(kind=self.KIND)
        memories = curate.list_memories(self.runtime, of_kind, limit=NEWEST)
        now = self.runtime.clock()
        self.rows.ends = {
            memory.id: (ago(memory.created_at, now), "$text-muted") for memory in memories
        }
        return memories

    def enter(self) -> None:
        self.rows.focus()

    def step_back(self) -> bool:
        return self.body.step_back()

    @property
    def chosen(self) -> list[Memory]:
        return self.body.chosen

    @property
    def read(self) -> Memory | None:
        return self.body.read

    def left(self) -> None:
        self.body.leave_detail()
