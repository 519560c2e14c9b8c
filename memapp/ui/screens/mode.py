"""What all screens have in common that a function key opens and that show what memapp knows."""

import asyncio
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.getters import app as the_app
from textual.screen import Screen

from memapp.runtime import Runtime
from memapp.ui import reading
from memapp.ui.app import MemappApp
from memapp.ui.modes import MODES
from memapp.ui.widgets.topbar import TopBar


class ModeScreen(Screen[None]):
    """A screen that looks again when it is opened, and after each change of a memory while it is open."""

    app = the_app(MemappApp)

    MODE: ClassVar[str]

    def __init__(self, runtime: Runtime) -> None:
        super().__init__()
        self.runtime = runtime

    def look_again(self) -> None:
        """Look up what there is to show."""
        raise NotImplementedError

    @property
    def has_rows(self) -> bool:
        """What is to be shown was shown once."""
        return True

    @property
    def is_filled(self) -> bool:
        """The first rows are there, or none are on their way; keys wait for that."""
        return self.has_rows or not any(one.is_running and self in one.node.ancestors_with_self for one in self.workers)

    def compose(self) -> ComposeResult:
        """The first line; what stands below it comes from the subclass."""
        yield TopBar(MODES, self.MODE)

    def on_mount(self) -> None:
        self.app.changed.subscribe(self, self._changed)

    def on_screen_resume(self) -> None:
        self.query_one(TopBar).say(reading.network(self.runtime))
        self.look_again()

    def _changed(self, _: None) -> None:
        if self.is_current:
            self.look_again()

    def action_chat(self) -> None:
        """Go back to the chat."""
        self.app.call_later(self.app.action_mode, "chat")

    async def on_event(self, event: events.Event) -> None:
        """Let keys and everything else have a turn after each event: those of opening a screen come all at once."""
        if isinstance(event, events.ScreenResume):
            # It got its style when it was mounted, and gets another with another theme before it comes here.
            event.refresh_styles = False
        await super().on_event(event)
        await asyncio.sleep(0)
