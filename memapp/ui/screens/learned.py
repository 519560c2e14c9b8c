"""Learned: insights, episodes, how-tos and lessons, one tab each."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from memapp.domain.memory import Memory
from memapp.ui.learned.episodes import EpisodesPane
from memapp.ui.learned.howtos import HowtosPane
from memapp.ui.learned.insights import InsightsPane
from memapp.ui.learned.lessons import LessonsPane
from memapp.ui.learned.pane import LearnedPane
from memapp.ui.memories.actions import MemoryActions
from memapp.ui.memories.keys import MemoryKeys
from memapp.ui.screens.mode import ModeScreen
from memapp.ui.session import AppSession
from memapp.ui.widgets.keyline import KeyLine
from memapp.ui.widgets.rowlist import RowList
from memapp.ui.widgets.tabline import TabLine

PANES: tuple[type[LearnedPane], ...] = (InsightsPane, EpisodesPane, HowtosPane, LessonsPane)
"""The tabs in their order; a new tab is a module of `ui.learned` and an entry here."""


class LearnedScreen(ModeScreen, MemoryKeys):
    """The tabs, of which one is open."""

    MODE = "learned"
    AUTO_FOCUS = ""
    BINDING_GROUP_TITLE = "Learned"
    HELP = "Tab turns to the next tab; enter opens a row, escape goes back."

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "turn(1)", "Next tab", id="learned.next"),
        Binding("shift+tab", "turn(-1)", "Previous tab", show=False, id="learned.before"),
        Binding("escape", "back", "Back", show=False, id="learned.back"),
    ]

    def __init__(self, session: AppSession) -> None:
        super().__init__(session)
        self.actions = MemoryActions(self, session)
        self.panes = {pane.LABEL: pane for pane in (kind(session) for kind in PANES)}
        self.pane = next(iter(self.panes.values()))
        """The open tab."""

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield TabLine([(label, label) for label in self.panes])
        yield from self.panes.values()
        yield KeyLine()

    def on_mount(self) -> None:
        self._open(self.pane.LABEL)

    def look_again(self) -> object:
        return self.pane.look_again()

    # Tabs -----------------------------------------------------------------------------------------

    @on(TabLine.Chosen)
    def _chosen(self, event: TabLine.Chosen) -> None:
        self._open(event.tab)
        self.look_again()

    def action_turn(self, step: int) -> None:
        labels = list(self.panes)
        self._open(labels[(labels.index(self.pane.LABEL) + step) % len(labels)])
        self.look_again()

    def _open(self, label: str) -> None:
        self.pane = self.panes[label]
        self.query_one(TabLine).show(label, {})
        for pane in self.panes.values():
            pane.display = pane is self.pane
        self.pane.enter()

    def show_at(self, at: str) -> None:
        """Show a lesson."""
        self._open(LessonsPane.LABEL)
        pane = self.pane
        assert isinstance(pane, LessonsPane)
        pane.look_at(at)

    # Keys -----------------------------------------------------------------------------------------

    @property
    def chosen(self) -> list[Memory]:
        return self.pane.chosen

    @property
    def read(self) -> Memory | None:
        return self.pane.read

    def left(self, chosen: list[Memory]) -> None:  # noqa: ARG002  # the pane knows what is gone
        self.pane.left()

    @on(RowList.Moved)
    def _moved(self) -> None:
        self.refresh_bindings()

    def action_back(self) -> None:
        """Go one step back: out of the detail, to the chat."""
        if not self.pane.step_back():
            self.action_chat()
