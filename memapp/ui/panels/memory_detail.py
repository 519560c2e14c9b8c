"""The detail of a memory in four tabs: content, history, relations, provenance.

A tab is loaded when it is shown.
"""

import asyncio
from collections.abc import Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from memapp.domain.memory import Memory, State
from memapp.errors import NotFound
from memapp.language.labels import called, why
from memapp.language.named_times import since_in
from memapp.runtime import Runtime
from memapp.services import curate, howtos
from memapp.services.jobs import retention
from memapp.ui.background import background
from memapp.ui.messages import MessageWanted
from memapp.ui.panels.checklist import ChecklistView
from memapp.ui.panels.memory_history import MemoryHistory
from memapp.ui.panels.memory_provenance import MemoryProvenance
from memapp.ui.panels.memory_relations import MemoryRelations
from memapp.ui.safe_text import joined, plain
from memapp.ui.widgets.labels import bar, kept_in_full, when
from memapp.ui.widgets.tabline import TabLine

PAUSE_SECONDS = 0.08
"""The delay of look-ups, while the person moves quickly through the list."""


class ContentView(VerticalScroll, can_focus=True):
    """The words of a memory and all its parts."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(id="memory-content")
        self._runtime = runtime
        self.checklist = ChecklistView(runtime)
        self.checklist.display = False
        self.why = ""
        """Why an answer used the memory."""
        self.reasons: Mapping[str, Content] = {}
        """The evidence of memories, by id, beyond their source messages."""

    @property
    def reader(self) -> Widget:
        return self.checklist if self.checklist.display else self

    def on_focus(self) -> None:
        if self.checklist.display:  # The memory changed while the focus was on its way.
            self.checklist.focus()

    def compose(self) -> ComposeResult:
        yield self.checklist
        yield Static(id="memory-text", markup=False)

    async def look_up(self, memory: Memory) -> None:
        into = (
            await asyncio.to_thread(self._text_of, memory.merged_into) if memory.merged_into else ""
        )
        await self._look_up_steps(memory)
        missing = await asyncio.to_thread(retention.missing, self._runtime, [memory])
        self.query_one("#memory-text", Static).update(
            self._content(memory, into, missing.get(memory.id, 0))
        )

    async def _look_up_steps(self, memory: Memory) -> None:
        if memory.steps:
            await self.checklist.show(
                await asyncio.to_thread(howtos.checklist, self._runtime, memory.id)
            )
        self.checklist.display = bool(memory.steps)
        if self.has_focus_within and not self.reader.has_focus:
            self.reader.focus()

    def _text_of(self, memory_id: str) -> str:
        try:
            return curate.get(self._runtime, memory_id).text
        except NotFound:
            return "(erased for good since)"

    def _content(self, memory: Memory, into: str, missing: int) -> Content:
        now = self._runtime.clock()
        changed = when(memory.updated_at, now) if memory.updated_at != memory.created_at else ""
        facts = [
            ("pinned", "★ always kept" if memory.pinned else ""),
            ("importance", f"{bar(memory.importance)} {memory.importance} of 5"),
            ("category", memory.category),
            ("tags", ", ".join(memory.tags) or "none"),
            ("kind", called("kinds", memory.kind)),
            ("origin", called("origins", memory.origin)),
            ("in place of", memory.instead_of),
            ("known since", when(memory.created_at, now)),
            ("holds since", since_in(memory.text)),
            ("held until", when(memory.held_until, now) if memory.held_until else ""),
            ("changed", changed),
        ]
        if memory.state is not State.LIVE:
            facts += [
                ("in trash", why(memory, self._runtime.settings.ttl_days)),
                ("", kept_in_full(memory.purge_at, now, missing)),
                ("merged into", into),
            ]
        lines = [joined((f"{name:>11}  ", "$text-muted"), value) for name, value in facts if value]
        used = (
            joined(self.reasons.get(memory.id, self.why), "\n\n")
            if memory.id in self.reasons or self.why
            else ""
        )
        statement = joined(plain(memory.text, "bold"), (memory.until, "$text-muted"))
        words = "" if memory.steps else statement
        return joined(words, "\n\n" if words else "\n", used, Content("\n").join(lines))


View = ContentView | MemoryHistory | MemoryRelations | MemoryProvenance
TABS: dict[str, type[View]] = {
    "content": ContentView,
    "history": MemoryHistory,
    "relations": MemoryRelations,
    "provenance": MemoryProvenance,
}


class MemoryDetail(Vertical):
    BINDING_GROUP_TITLE = "Memory"
    HELP = "Tab goes to the next tab, escape back to the list."

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "turn(1)", "Next tab", id="memory_detail.next"),
        Binding("shift+tab", "turn(-1)", "Previous tab", show=False, id="memory_detail.before"),
        Binding("enter", "source", "Its message", id="memory_detail.source", key_display="⏎"),
    ]

    class Gone(Message):
        """The memory that was shown is no longer in the file."""

    def __init__(self, runtime: Runtime, why: str = "") -> None:
        super().__init__(id="memory-detail", classes="-empty")
        self._runtime = runtime
        self.content = ContentView(runtime)
        self.content.why = why
        self._views: dict[str, View] = {"content": self.content}
        """The tabs that were opened."""
        self.memory: Memory | None = None
        self.tab = "content"
        self._trail: list[str] = []
        """The memories of a walk along relations."""
        self._looked_up = ""
        """The tab and memory that are shown."""

    def compose(self) -> ComposeResult:
        yield TabLine([(tab, tab.capitalize()) for tab in TABS])
        yield from self._views.values()

    def on_mount(self) -> None:
        self._show_tab()

    def allow_focus_children(self) -> bool:
        return self.memory is not None

    def check_action(
        self,
        action: str,
        parameters: tuple[object, ...],  # noqa: ARG002 - Textual's signature
    ) -> bool | None:
        return bool(self.memory and self.memory.sources) if action == "source" else True

    def show(self, memory: Memory | None, *, at_once: bool = False) -> None:
        self._trail.clear()
        self._show(memory, at_once=at_once)

    def _show(self, memory: Memory | None, *, at_once: bool) -> None:
        if memory == self.memory and not at_once:
            return
        changed = memory is not None and self.memory is not None and memory.id == self.memory.id
        self._looked_up = ""
        self.memory = memory
        self.set_class(memory is None, "-empty")
        self.refresh_bindings()
        self._look_up(0.0 if at_once or changed else PAUSE_SECONDS)

    @background("memory-again", exclusive=True)
    async def look_again(self) -> None:
        """Load the shown tab again after a change."""
        if (shown := self.memory) is None:
            return
        try:
            now = await asyncio.to_thread(curate.get, self._runtime, shown.id)
        except NotFound:
            self.post_message(self.Gone())
            return
        if self.memory is not None and self.memory.id == now.id:
            self._show(now, at_once=self.tab != "content")

    # Walking along relations ----------------------------------------------------------------------

    @on(MemoryRelations.Walked)
    def _walked(self, event: MemoryRelations.Walked) -> None:
        event.stop()
        if self.memory is not None:
            self._trail.append(self.memory.id)
        self._walk(event.memory_id)

    def walk_back(self) -> bool:
        """Go one step back along a walk; return False if there was none."""
        if not self._trail:
            return False
        self._walk(self._trail.pop())
        return True

    @background("memory-again", exclusive=True)
    async def _walk(self, memory_id: str) -> None:
        self.content.why = ""
        self._show(await asyncio.to_thread(curate.get, self._runtime, memory_id), at_once=True)

    def action_source(self) -> None:
        if self.memory is not None and self.memory.sources:
            self.post_message(MessageWanted(self.memory.sources[0]))

    def enter(self) -> None:
        self._views[self.tab].reader.focus()

    @on(TabLine.Chosen)
    async def _chosen(self, event: TabLine.Chosen) -> None:
        event.stop()
        await self._open(event.tab)

    async def action_turn(self, step: int) -> None:
        names = list(TABS)
        await self._open(names[(names.index(self.tab) + step) % len(names)])

    async def _open(self, tab: str) -> None:
        had_focus = self.has_focus_within
        if tab not in self._views:
            self._views[tab] = TABS[tab](self._runtime)
            await self.mount(self._views[tab])
        self.tab = tab
        self._show_tab()
        if had_focus:
            self.enter()
        self._look_up()

    def _show_tab(self) -> None:
        self.query_one(TabLine).show(self.tab, {})
        for tab, view in self._views.items():
            view.display = tab == self.tab

    @background("memory-detail", exclusive=True)
    async def _look_up(self, pause: float = 0.0) -> None:
        await asyncio.sleep(pause)
        memory, tab = self.memory, self.tab
        if memory is None:
            return
        wanted = f"{tab}:{memory.id}"
        if wanted == self._looked_up:
            return
        await self._views[tab].look_up(memory)
        self._looked_up = wanted
