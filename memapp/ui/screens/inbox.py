"""Inbox: consent requests in one tab, the profile in the other.

The screen never opens by itself and never takes the focus from the chat.
"""

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from memapp.ui.inbox.profile import ProfilePane
from memapp.ui.inbox.requests import RequestsPane
from memapp.ui.safe_text import notify
from memapp.ui.screens.mode import ModeScreen
from memapp.ui.session import AppSession
from memapp.ui.widgets.keyline import KeyLine
from memapp.ui.widgets.tabline import TabLine

TABS = (("requests", "Pending"), ("profile", "Profile"))


class AnswerLine(KeyLine):
    """Clickable answer keys; the click that brings the terminal to the front answers nothing."""

    def on_click(self, event: events.Click) -> None:
        screen = self.screen
        if isinstance(screen, InboxScreen) and screen.came_back:
            event.prevent_default()
            notify(self, "This click only brought memapp to the front. Click again to answer.")


class InboxScreen(ModeScreen):
    """The two tabs."""

    MODE = "inbox"
    AUTO_FOCUS = "#request-list"
    BINDING_GROUP_TITLE = "Inbox"
    HELP = (
        "Statements that need your yes wait here. memapp uses none of them before.\n\n"
        "a approves, d denies, e edits first, s asks again tomorrow, "
        "w asks now about a postponed one. "
        "Space marks several requests, to deny or postpone them together. "
        "Enter opens a request and its source; "
        "an imported file is one request, and enter lists its statements, "
        "to be decided one by one.\n\n"
        "ctrl+z undoes a decision. Tab turns to your profile."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "tab,shift+tab", "turn('profile')", "Profile", id="inbox.to_profile", key_display="tab"
        ),
        Binding(
            "tab,shift+tab",
            "turn('requests')",
            "Pending",
            id="inbox.to_requests",
            key_display="tab",
        ),
        Binding("escape", "back", "Back", show=False, id="inbox.back"),
    ]

    def __init__(self, session: AppSession) -> None:
        super().__init__(session)
        self.requests, self.profile = RequestsPane(session), ProfilePane(session)
        self.tab = "requests"
        self.came_back = False
        """The terminal came to the front, and nothing was clicked since."""
        self._counts: dict[str, int] = {}
        self._asleep = ""
        """The number of postponed requests, and the first time."""

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield TabLine(TABS)
        yield self.requests
        yield self.profile
        yield AnswerLine()

    def on_mount(self) -> None:
        self.watch(self.app, "app_focus", self._focus_moved, init=False)
        self._show_tab()

    def on_screen_resume(self) -> None:
        self.came_back = False
        self.requests.arm_later()

    def look_again(self) -> None:
        self.requests.refresh_requests()
        self.profile.refresh_known()

    # Tabs -----------------------------------------------------------------------------------------

    def _show_tab(self) -> None:
        self.requests.display = self.tab == "requests"
        self.profile.display = self.tab == "profile"
        self.query_one(TabLine).show(
            self.tab, self._counts, self._asleep if self.tab == "requests" else ""
        )

    @on(RequestsPane.Counted)
    def _counted(self, event: RequestsPane.Counted) -> None:
        self._counts["requests"] = event.count
        self._asleep = event.asleep
        self._show_tab()

    @on(TabLine.Chosen)
    def _chosen(self, event: TabLine.Chosen) -> None:
        self.action_turn(event.tab)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return parameters != (self.tab,) if action == "turn" else True

    def show_at(self, at: str) -> None:
        if self.tab != at:
            self.action_turn(at)

    def action_turn(self, tab: str) -> None:
        self.requests.leave_reading()
        self.tab = tab
        self._show_tab()
        (self.requests.rows if tab == "requests" else self.profile.rows).focus()
        self.requests.arm_later()

    def action_back(self) -> None:
        """Go one step back: out of the request, out of the profile, to the chat."""
        if self.tab == "profile":
            self.action_turn("requests")
        elif not (
            self.requests.leave_reading() or self.requests.unmark() or self.requests.leave_file()
        ):
            self.action_chat()

    # Coming back to the terminal ------------------------------------------------------------------

    def _focus_moved(self, focused: bool) -> None:
        self.came_back = focused
        if focused:
            self.requests.arm_later()

    def on_click(self) -> None:
        self.came_back = False
