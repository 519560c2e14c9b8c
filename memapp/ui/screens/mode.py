"""The common part of the screens that function keys open."""

import asyncio
from typing import ClassVar

from textual import events
from textual.app import ComposeResult

from memapp.ui import read_models
from memapp.ui.messages import ModeWanted
from memapp.ui.screens.styled_screen import StyledScreen
from memapp.ui.session import AppSession
from memapp.ui.widgets.topbar import TopBar


class ModeScreen(StyledScreen):
    """A screen that loads again when it is opened, and after each change of a memory."""

    MODE: ClassVar[str]

    def __init__(self, session: AppSession) -> None:
        super().__init__()
        self.session = session
        self.runtime = session.runtime

    def look_again(self) -> object:
        """Load the content again."""
        raise NotImplementedError

    def show_at(self, at: str) -> None:
        """Show a tab or an entry."""

    def compose(self) -> ComposeResult:
        """Yield the first line; subclasses add the rest."""
        yield TopBar(self.session, self.MODE)

    def on_mount(self) -> None:
        self.session.changed.subscribe(self, self._changed)
        self.session.badged.subscribe(self, lambda _: self.show_network())

    def on_screen_resume(self) -> None:
        self.show_network()
        self.look_again()

    def show_network(self) -> None:
        self.query_one(TopBar).say(read_models.network(self.runtime, self.session.shared))

    def _changed(self, _: None) -> None:
        if self.is_current:
            self.look_again()

    def action_chat(self) -> None:
        self.app.post_message(ModeWanted("chat"))

    async def on_event(self, event: events.Event) -> None:
        """Let other tasks run after each event: those of an opening screen arrive all at once."""
        await super().on_event(event)
        # The task of a closing screen may be cancelled here.
        if not isinstance(event, events.Unmount):
            await asyncio.sleep(0)
