"""The common part of the tabs of Learned: a pane, and the pane whose rows are the memories of one
kind.
"""

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
from memapp.ui.panels.listed import ListedMemories
from memapp.ui.panels.memory_detail import MemoryDetail
from memapp.ui.safe import joined, row
from memapp.ui.session import AppSession
from memapp.ui.widgets.labels import ago

NEWEST = 500
"""Rows of a tab at most."""


class LearnedPane(Vertical):
    """What one tab shows. The keys of memories act on what it says is chosen."""

    LABEL: ClassVar[str]

    def __init__(self, session: AppSession) -> None:
        super().__init__(classes="learned-pane")
        self.session = session
        self.runtime = session.runtime

    def look_again(self) -> object:
        """Look up what there is to show."""
        raise NotImplementedError

    def enter(self) -> None:
        """Take the focus."""
        raise NotImplementedError

    def step_back(self) -> bool:
        """Go one step back inside of it; return whether there was one."""
        return False

    @property
    def chosen(self) -> list[Memory]:
        """The memories that a key acts on."""
        return []

    @property
    def read(self) -> Memory | None:
        """The memory that is read."""
        return None

    def left(self) -> None:
        """Show what is there now that some memories went."""


class KindRows(MemoryRows):
    """★ for pinned, what it says, and at the end what else is to be said in a word."""

    ends: Mapping[str, tuple[str, str]] = {}
    """The last words with their style, by memory."""

    def draw(self, item: Memory, width: int) -> Content:
        words, style = self.ends.get(item.id, ("", ""))
        head = joined(("★ " if item.pinned else "  ", "$accent"), row(item.text, 300))
        return joined(
            head.truncate(max(1, width - len(words) - 2), ellipsis=True, pad=True),
            (f"  {words}", style),
        )


class KindPane(LearnedPane):
    """The memories of one kind, newest first, with all about the current one beside them."""

    KIND: ClassVar[Kind]
    NOTHING: ClassVar[str]
    """What stands there when there is none; two columns are left in front of each line."""

    def __init__(self, session: AppSession) -> None:
        super().__init__(session)
        self.rows = KindRows(self.runtime.clock, id=f"learned-{self.KIND}", empty=self.NOTHING)
        self.detail = MemoryDetail(session.runtime)
        self.body = ListedMemories(self.rows, self.detail)
        self._go_to: str | None = None
        """Where the cursor goes with the next rows."""

    def compose(self) -> ComposeResult:
        yield self.body

    def on_mount(self) -> None:
        self.session.taken_back.subscribe(self, self._taken_back)

    @background("learned-undo")
    async def _taken_back(self, step: str) -> None:
        """Let the cursor go to what an undo brought back or changed."""
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
        """Return what there is; it runs on a thread."""
        found, now = (
            curate.list_memories(self.runtime, MemoryFilter(kind=self.KIND), limit=NEWEST),
            self.runtime.clock(),
        )
        self.rows.ends = {
            memory.id: (ago(memory.created_at, now), "$text-muted") for memory in found
        }
        return found

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
