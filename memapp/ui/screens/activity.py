"""Activity: numbers, charts, the log of changes, upkeep and agents."""

import asyncio
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Static

from memapp.domain.changes import Event
from memapp.language.history import called_agent
from memapp.services import jobs, trust
from memapp.ui.activity import log_rows
from memapp.ui.activity.agents import NOBODY, AgentRows, agent_report, shown_agents
from memapp.ui.activity.charts import PicturesView
from memapp.ui.activity.log_rows import LogRows, StepRows
from memapp.ui.activity.numbers import NumbersView
from memapp.ui.activity.read_models import LogLine, compared, log_page, numbers, over_time, undoable
from memapp.ui.background import background
from memapp.ui.dialogs import TextCard
from memapp.ui.messages import MemoryWanted
from memapp.ui.panels.memory_history import difference_of
from memapp.ui.safe_text import copy, notify, plain
from memapp.ui.screens.mode import ModeScreen
from memapp.ui.session import AppSession
from memapp.ui.widgets.keyline import KeyLine
from memapp.ui.widgets.rowlist import RowList
from memapp.ui.widgets.tabline import TabLine

TABS = (
    ("numbers", "Numbers"),
    ("pictures", "Over time"),
    ("log", "Log"),
    ("undo", "Undo"),
    ("upkeep", "Upkeep"),
    ("agents", "Agents"),
)
LOOK_SECONDS = 1.0
"""The interval of looking at the running job."""
UNDO_NOTE = "Last first. u undoes the one marked ↶, with everything that followed from it."


class ActivityScreen(ModeScreen):
    """The tabs of Activity."""

    MODE = "activity"
    AUTO_FOCUS = "#numbers"
    BINDING_GROUP_TITLE = "Activity"
    HELP = (
        "Numbers: what memapp did, and how well.\n\n"
        "Over time: the last year as charts.\n\n"
        "Log: every change of a memory and of your profile; enter shows the difference.\n\n"
        "Undo: u undoes the last change, then the one before, after a restart too.\n\n"
        "Upkeep: the background jobs; u undoes the chosen line, space pauses all jobs.\n\n"
        "Agents: who remembers, changes or proposes, and how much of it you kept; "
        "enter shows why, b blocks an agent."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "turn(1)", "Next tab", id="activity.next"),
        Binding("shift+tab", "turn(-1)", "Previous tab", show=False, id="activity.before"),
        Binding("ctrl+z,u", "undo_last", "Undo the last", id="activity.undo", key_display="u"),
        Binding("u", "undo_step", "Undo this", id="activity.undo_step"),
        Binding("space", "pause(True)", "Pause", id="activity.pause", key_display="␣"),
        Binding("space", "pause(False)", "Continue", id="activity.go_on", key_display="␣"),
        Binding("b", "block(True)", "Block", id="activity.block"),
        Binding("b", "block(False)", "Unblock", id="activity.unblock"),
        Binding("escape", "chat", "Back", show=False, id="activity.back"),
    ]

    def __init__(self, session: AppSession) -> None:
        super().__init__(session)
        clock = session.runtime.clock
        self.lines = LogRows(clock, id="log", empty=log_rows.NOTHING_LOGGED)
        self.steps = StepRows(clock, id="steps", empty=log_rows.NOTHING_DONE)
        self.kept_up = StepRows(clock, id="kept-up", empty=log_rows.NOTHING_KEPT_UP)
        self.kept_up.each = True
        self.agents = AgentRows(clock, id="agents", empty=NOBODY)
        self.tab = "numbers"
        self._befores: list[int | None] = [None]
        """The first entries of the log pages, up to the page that is shown."""
        self._turned = False
        """True while another page is loading; the cursor then goes to its first line."""

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield TabLine(TABS)
        yield NumbersView()
        yield PicturesView()
        yield self.lines
        with Vertical(id="upkeep"):
            yield Static(markup=False, id="upkeep-note")
            yield self.kept_up
        with Vertical(id="undo"):
            yield Static(plain(UNDO_NOTE), markup=False, id="undo-note")
            yield self.steps
        yield self.agents
        yield KeyLine()

    def on_mount(self) -> None:
        self._show_tab()
        self.set_interval(LOOK_SECONDS, self._look_what_runs)

    # Content --------------------------------------------------------------------------------------

    @background("activity", exclusive=True)
    async def look_again(self) -> None:
        """Load the open tab again; a later call cancels this one, so results never arrive late."""
        tab = self.tab
        match tab:
            case "numbers":
                self.query_one(NumbersView).show(*await asyncio.to_thread(numbers, self.runtime))
            case "pictures":
                self.query_one(PicturesView).show(*await asyncio.to_thread(over_time, self.runtime))
            case "log":
                await self._load_log()
            case "agents":
                self.agents.show(await asyncio.to_thread(shown_agents, self.runtime))
            case "upkeep":
                self.kept_up.show(await asyncio.to_thread(undoable, self.runtime, by_upkeep=True))
                self._look_what_runs()
            case _:
                self.steps.show(await asyncio.to_thread(undoable, self.runtime))
        self.refresh_bindings()

    async def _load_log(self) -> None:
        before = self._befores[-1]
        lines, more = await asyncio.to_thread(log_page, self.runtime, before)
        earlier, later = "↑ newer" if before else "", "↓ older" if more else ""
        self.lines.show(lines, earlier=earlier, later=later, at="" if self._turned else None)
        self._turned = False

    @on(RowList.PageWanted, "#log")
    def _page_wanted(self, event: RowList.PageWanted) -> None:
        """Turn the page once, even if the key is repeated before the rows arrive."""
        last = self.lines.items[-1].entry.number if self.lines.items else None
        if event.step > 0 and last not in self._befores:
            self._befores.append(last)
        elif event.step < 0 and len(self._befores) > 1:
            self._befores.pop()
        self._turned = True
        self.look_again()

    # Tabs -----------------------------------------------------------------------------------------

    def _show_tab(self) -> None:
        self.query_one(TabLine).show(self.tab, {})
        for tab, _ in TABS:
            self.query_one(f"#{tab}").display = tab == self.tab

    @on(TabLine.Chosen)
    def _chosen(self, event: TabLine.Chosen) -> None:
        self._open(event.tab)

    def action_turn(self, step: int) -> None:
        names = [tab for tab, _ in TABS]
        self._open(names[(names.index(self.tab) + step) % len(names)])

    def show_at(self, at: str) -> None:
        """Show a tab."""
        self._open(at)

    def _open(self, tab: str) -> None:
        self.tab = tab
        self._show_tab()
        inside: dict[str, Widget] = {
            "log": self.lines,
            "upkeep": self.kept_up,
            "undo": self.steps,
            "agents": self.agents,
        }
        (inside.get(tab) or self.query_one(f"#{tab}")).focus()
        self.look_again()

    # Opening a line -------------------------------------------------------------------------------

    @on(RowList.Opened, "#log")
    @background("activity-open", exclusive=True)
    async def _line_opened(self) -> None:
        """Show the difference a change made, or the memory."""
        line = self.lines.current
        if line is None:
            return
        if line.entry.event is Event.PROFILE:
            notify(self, "The Inbox (F4) shows your profile, in its second tab.")
        elif log_rows.is_file(line):
            notify(self, "This line is a whole imported file. The next tab undoes it.")
        elif line.entry.event is Event.PURGE:
            notify(self, "It was erased for good.")
        elif not line.said:
            notify(self, "This memory is no longer remembered. Perhaps the Trash (F5) has it.")
        else:
            await self._compare(line)

    async def _compare(self, line: LogLine) -> None:
        two = await asyncio.to_thread(compared, self.runtime, line.entry)
        if two is not None:
            what = log_rows.done(line).capitalize()
            card = TextCard(
                what, difference_of(*two), note="-went out-   +came in+", jump="open the memory"
            )
            wanted = await self.app.push_screen_wait(card)
            if wanted is None:
                return
            if wanted == "copy":
                copy(self, (two[1].text))
                return
        self.app.post_message(MemoryWanted(line.entry.subject_id))

    # Agents ---------------------------------------------------------------------------------------

    @on(RowList.Opened, "#agents")
    @background("activity-open", exclusive=True)
    async def _agent_opened(self) -> None:
        """Show why an agent is trusted."""
        if (shown := self.agents.current) is not None:
            text = await asyncio.to_thread(agent_report, self.runtime, shown)
            card = TextCard(called_agent(shown.agent.name), text)
            if await self.app.push_screen_wait(card) == "copy":
                copy(self, text)

    @background("agents")
    async def action_block(self, blocked: bool) -> None:
        if (shown := self.agents.current) is not None:
            name = shown.agent.name
            done = await asyncio.to_thread(trust.set_blocked, self.runtime, name, blocked=blocked)
            self.session.did(
                self, f"{'Blocked' if blocked else 'Unblocked'} {called_agent(name)}", done.step
            )

    # Upkeep ---------------------------------------------------------------------------------------

    @background("activity-progress", exclusive=True)
    async def _look_what_runs(self) -> None:
        """Show the running job, its progress, and if the jobs are paused."""
        if not (self.is_current and self.tab == "upkeep"):
            return
        running, left = self.runtime.progress, await asyncio.to_thread(jobs.work_left, self.runtime)
        words = "Nothing runs now. Jobs start by themselves, after each answer and now and then."
        if running is not None:
            words = f"Running: {running.does} · {running.done:,} done, {left:,} left"
        if self.session.talk.paused:
            words = "Paused. Nothing is learned or merged until space resumes the jobs."
        self.query_one("#upkeep-note", Static).update(plain(words, "$text-muted"), layout=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        in_upkeep = self.tab == "upkeep"
        if action == "undo_last":
            return not in_upkeep
        if action == "undo_step":
            return in_upkeep and self.kept_up.current is not None
        if action == "block":
            current = self.agents.current if self.tab == "agents" else None
            return current is not None and parameters != (current.agent.blocked,)
        if action == "pause":
            return in_upkeep and parameters != (self.session.talk.paused,)
        return super().check_action(action, parameters)

    def action_pause(self, paused: bool) -> None:
        self.session.talk.pause(paused=paused)
        self.refresh_bindings()
        self._look_what_runs()

    @background("undo")
    async def action_undo_step(self) -> None:
        """Undo what upkeep did in the chosen step."""
        if (current := self.kept_up.current) is not None:
            notify(self, await self.session.undo(current.step.id))

    @on(RowList.Opened, "#steps, #kept-up")
    def _step_opened(self, event: RowList.Opened) -> None:
        current = event.rows.current
        if current is not None and current.step.text:
            self.app.post_message(MemoryWanted(current.step.subject_id))

    @background("undo")
    async def action_undo_last(self) -> None:
        notify(self, await self.session.undo_recorded())
