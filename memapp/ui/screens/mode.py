"""Screens that a function key opens and that show what memapp knows: all that they have in common."""

import asyncio
from typing import ClassVar

from textual import events
from textual.app import ComposeResult

from memapp.ui import read_models
from memapp.ui.messages import ModeWanted
from memapp.ui.screens.styled import StyledScreen
from memapp.ui.session import AppSession
from memapp.ui.widgets.topbar import TopBar


class ModeScreen(StyledScreen):
    """A screen that looks again when it is opened, and after each change of a memory while it is
    open.
    """

    MODE: ClassVar[str]

    def __init__(self, session: AppSession) -> None:
        super().__init__()
        self.session = session
        self.runtime = session.runtime

    def look_again(self) -> object:
        """Look up what there is to show."""
        raise NotImplementedError

    def show_at(self, at: str) -> None:
        """Show one tab or one thing of it."""

    def compose(self) -> ComposeResult:
        """The first line; what stands below it comes from the subclass."""
        yield TopBar(self.session, self.MODE)

    def on_mount(self) -> None:
        self.session.changed.subscribe(self, self._changed)

    def on_screen_resume(self) -> None:
        self.query_one(TopBar).say(read_models.network(self.runtime))
        self.look_again()

    def _changed(self, _: None) -> None:
        if self.is_current:
            self.look_again()

    def action_chat(self) -> None:
        self.app.post_message(ModeWanted("chat"))

    async def on_event(self, event: events.Event) -> None:
        """Let keys and everything else have a turn after each event: those of opening a screen come
        all at once.
        """
        await super().on_event(event)
        if not isinstance(
            event, events.Unmount
        ):  # that of a screen that closes may be cancelled here
            await asyncio.sleep(0)
