"""All about one memory in four tabs: content, history, relations, provenance. A tab is looked up when it is shown."""

import asyncio
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from memapp.domain.memory import Memory, State, why
from memapp.domain.second_person import addressed
from memapp.errors import NotFound
from memapp.runtime import Runtime
from memapp.services import curate
from memapp.services.activity import timeline
from memapp.services.provenance import provenance_of
from memapp.ui.background import background
from memapp.ui.memories.labels import KINDS, ORIGINS, bar, kept_in_full, when
from memapp.ui.messages import MessageWanted
from memapp.ui.panels.memory_history import MemoryHistory, VersionRows
from memapp.ui.panels.memory_provenance import MemoryProvenance, MessageRows
from memapp.ui.panels.memory_relations import MemoryRelations
from memapp.ui.safe import joined, plain
from memapp.ui.widgets.tabline import TabLine

TABS = ("content", "history", "relations", "provenance")
PAUSE_SECONDS = 0.08
"""While the person runs through the list, only what is in hand already is shown."""


class ContentView(VerticalScroll, can_focus=True):
    """The words of a memory, and all its parts."""

    def compose(self) -> ComposeResult:
        yield Static(id="memory-text", markup=False)


class MemoryDetail(Vertical):
    """One memory."""

    BINDING_GROUP_TITLE = "Memory"
    HELP = "Tab goes to the next tab, escape back to the list."

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "turn(1)", "Next tab", id="memory_detail.next"),
        Binding("shift+tab", "turn(-1)", "Tab before", show=False, id="memory_detail.before"),
        Binding("enter", "source", "Its message", id="memory_detail.source", key_display="⏎"),
    ]

    class Gone(Message):
        """The memory that was shown is not in the file any more."""

    def __init__(self, runtime: Runtime, why: str = "") -> None:
        super().__init__(id="memory-detail")
        self._runtime = runtime
        self._why = why
        """Why the memory shown first was used where the person came from."""
        self.memory: Memory | None = None
        self.tab = TABS[0]
        self._trail: list[str] = []
        """Where a walk along relations came from."""
        self._looked_up = ""
        """Which tab of which memory is shown already."""
        self._pause: Timer | None = None

    def compose(self) -> ComposeResult:
        yield TabLine([(tab, tab.capitalize()) for tab in TABS])
        yield ContentView(id="memory-content")  # the other tabs are built when they are first opened

    def on_mount(self) -> None:
        self._show_tab()

    def allow_focus_children(self) -> bool:
        return self.memory is not None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002  # Textual's signature
        return bool(self.memory and self.memory.sources) if action == "source" else True

    def show(self, memory: Memory | None, *, at_once: bool = False) -> None:
        """Show a memory, or none."""
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
        if self._pause is not None:
            self._pause.stop()
        if at_once or changed:
            self._look_up()
        else:
            self._pause = self.set_timer(PAUSE_SECONDS, self._look_up)

    @background("memory-again", exclusive=True)
    async def look_again(self) -> None:
        """Look anew at what is shown: something was changed."""
        if (shown := self.memory) is None:
            return
        try:
            now = await asyncio.to_thread(curate.get, self._runtime, shown.id)
        except NotFound:
            self.post_message(self.Gone())
            return
        if self.memory is not None and self.memory.id == now.id:
            self._show(now, at_once=self.tab != TABS[0])

    # Walking along relations -----------------------------------------------------------------------------------------

    @on(MemoryRelations.Walked)
    def _walked(self, event: MemoryRelations.Walked) -> None:
        event.stop()
        if self.memory is not None:
            self._trail.append(self.memory.id)
        self._walk(event.memory_id)

    def walk_back(self) -> bool:
        """Go one step back along a walk; return whether there was one."""
        if not self._trail:
            return False
        self._walk(self._trail.pop())
        return True

    @background("memory-again", exclusive=True)
    async def _walk(self, memory_id: str) -> None:
        self._why = ""
        self._show(await asyncio.to_thread(curate.get, self._runtime, memory_id), at_once=True)

    def action_source(self) -> None:
        """Show the message that the memory came from."""
        if self.memory is not None and self.memory.sources:
            self.post_message(MessageWanted(self.memory.sources[0]))

    @on(MemoryProvenance.SourceOpened)
    def _message_opened(self, event: MemoryProvenance.SourceOpened) -> None:
        event.stop()
        self.post_message(MessageWanted(event.message.id))

    def enter(self) -> None:
        """Take the focus."""
        self._focusable().focus()

    @on(TabLine.Chosen)
    async def _chosen(self, event: TabLine.Chosen) -> None:
        event.stop()
        await self._open(event.tab)

    async def action_turn(self, step: int) -> None:
        """Open the tab beside this one."""
        await self._open(TABS[(TABS.index(self.tab) + step) % len(TABS)])

    async def _open(self, tab: str) -> None:
        had_focus = self.has_focus_within
        if not self.query(f"#memory-{tab}"):
            await self.mount(self._view(tab))
        self.tab = tab
        self._show_tab()
        if had_focus:
            self._focusable().focus()
        self._look_up()

    def _show_tab(self) -> None:
        self.query_one(TabLine).show(self.tab, {})
        for view in self.query_children("*").exclude("TabLine"):
            view.display = view.id == f"memory-{self.tab}"

    def _view(self, tab: str) -> Widget:
        match tab:
            case "history":
                return MemoryHistory(self._runtime.clock)
            case "relations":
                return MemoryRelations(self._runtime)
            case _:
                return MemoryProvenance(self._runtime.clock)

    def _focusable(self) -> Widget:
        kinds: dict[str, type[Widget]] = {"history": VersionRows, "relations": MemoryRelations, "provenance": MessageRows}
        return self.query_one(kinds.get(self.tab, ContentView))

    @background("memory-detail", exclusive=True)
    async def _look_up(self) -> None:
        memory, tab = self.memory, self.tab
        if memory is None:
            return
        wanted = f"{tab}:{memory.id}"
        if wanted == self._looked_up:
            return
        match tab:
            case "content":
                into = await asyncio.to_thread(self._text_of, memory.merged_into) if memory.merged_into else ""
                self.query_one("#memory-text", Static).update(self._content(memory, into))
            case "history":
                self.query_one(MemoryHistory).show(memory.id, await asyncio.to_thread(timeline, self._runtime, memory.id))
            case "relations":
                self.query_one(MemoryRelations).show(memory)
            case "provenance":
                found = await asyncio.to_thread(provenance_of, self._runtime, memory)
                self.query_one(MemoryProvenance).show(memory, found)
        self._looked_up = wanted

    def _text_of(self, memory_id: str) -> str:
        try:
            return addressed(curate.get(self._runtime, memory_id).text)
        except NotFound:
            return "(erased for good since)"

    def _content(self, one: Memory, into: str) -> Content:
        now = self._runtime.clock()
        facts = [
            ("pinned", "★ always kept" if one.pinned else ""),
            ("importance", f"{bar(one.importance)} {one.importance} of 5"),
            ("category", one.category),
            ("tags", ", ".join(one.tags) or "none"),
            ("kind", KINDS[one.kind]),
            ("origin", ORIGINS[one.origin]),
            ("since", when(one.created_at, now)),
            ("changed", when(one.updated_at, now) if one.updated_at != one.created_at else ""),
        ]
        if one.state is not State.LIVE:
            facts += [
                ("in trash", why(one, self._runtime.settings.ttl_days)),
                ("", kept_in_full(one.purge_at, now)),
                ("merged into", into),
            ]
        lines = [joined((f"{name:>11}  ", "$text-muted"), value) for name, value in facts if value]
        used = f"{self._why}\n\n" if self._why else ""
        return joined(plain(addressed(one.text), "bold"), "\n\n", used, Content("\n").join(lines))
