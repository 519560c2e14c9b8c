"""The app as the terminal has it: no key is lost, a screen is styled once, a signal or a bug ends
it with everything kept.

It knows nothing of memapp. What Textual does by itself, and memapp needs otherwise, is changed
here.
"""

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.text import Text
from textual import events
from textual.app import App
from textual.driver import Driver
from textual.screen import Screen

from memapp.crash import three_lines, write_crash_file
from memapp.errors import Damaged
from memapp.ui.keys import KeyOrder
from memapp.ui.safe import end_toasts, place_toasts


class TerminalApp(App[None]):
    def __init__(self, crash_folder: Path) -> None:
        super().__init__()
        self._crash_folder = crash_folder
        self._keys = KeyOrder(self, super().on_event)

    def get_driver_class(self) -> type[Driver]:
        """Return what reads the terminal; on Linux and macOS our own, for the sake of what is
        pasted.
        """
        found = super().get_driver_class()
        if found.__name__ == "LinuxDriver":
            from memapp.ui.terminal import Terminal

            return Terminal
        return found

    def on_mount(self) -> None:
        if not self.is_headless:
            self._heed_signals()
        self._typing = asyncio.create_task(self._deliver_keys(), name="memapp-keys")
        self.screen_change_signal.subscribe(self, self._show_toasts_once)
        self.app_resume_signal.subscribe(self, lambda _: self.action_redraw())

    def on_unmount(self) -> None:
        self._typing.cancel()

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.InputEvent | events.Paste) and not self.screen_stack:
            return  # the app closes: nobody is there to hear it
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            await self._keys.take(event)
        else:
            await super().on_event(event)

    async def _deliver_keys(self) -> None:
        try:
            await self._keys.run()
        except Exception as error:
            if self.screen_stack:
                self._handle_exception(error)

    def on_notify(self) -> None:
        """Let the newest toast stand in place of the one before; only one that is to stay for long
        does stay.
        """
        end_toasts(self)
        if self.screen_stack:  # none is left when one comes while the app closes
            self.call_next(
                place_toasts, self.screen
            )  # Textual has it among its notifications by then

    def _show_toasts_once(self, _: Screen[Any]) -> None:
        """Show toasts on the topmost screen alone: Textual keeps them on those below too."""
        for screen in self.screen_stack:
            screen.query("ToastRack").set_class(screen is not self.screen_stack[-1], "-below")

    def action_redraw(self) -> None:
        """Draw the whole screen anew: after a stop the terminal has lost it, and Textual draws only
        what changed.
        """
        self.refresh(layout=True)

    def delay_update(self, delay: float = 0.05) -> None:
        """Draw nothing for a moment, as while the palette closes; what Textual then forgets is what
        changed on screens below.
        """
        super().delay_update(delay)
        for screen in self.screen_stack:
            self.set_timer(2 * delay, screen.check_idle)

    def styled(self, build: Callable[[], Screen[Any]]) -> Screen[Any]:
        """Return a screen that Textual need not style again.

        All style was read at the start, and a widget gets its own when it is mounted: without this
        everything would be parsed anew, twice, and each widget styled once more for the width of
        the window. That takes most of the time that the event loop stands still when a screen is
        opened.
        """
        screen = build()
        screen._css_update_count = self._css_update_count
        for name in screen._get_breakpoint_classes(
            self.size.width, self.HORIZONTAL_BREAKPOINTS or []
        ):
            screen.add_class(name)
        return screen

    # Leaving --------------------------------------------------------------------------------------

    def leave(self, return_code: int = 0) -> None:
        """Leave at once."""
        self.exit(return_code=return_code)

    def damage(self) -> Damaged | None:
        """Return what is damaged in the file that is open, the likeliest reason for a bug; None if
        nothing is.
        """
        return None

    def _heed_signals(self) -> None:
        """Let SIGHUP (the terminal was closed) and SIGTERM end the app as its own key does, with
        everything kept.
        """
        loop = asyncio.get_running_loop()
        for name in ("SIGHUP", "SIGTERM"):
            with suppress(AttributeError, NotImplementedError):  # Windows
                number = getattr(signal, name)
                loop.add_signal_handler(number, self._signalled, number)

    def _signalled(self, number: signal.Signals) -> None:
        if number.name == "SIGHUP":
            nowhere = os.open(
                os.devnull, os.O_WRONLY
            )  # writing to a terminal that is gone would fail, and could wait for ever
            for stream in (1, 2):
                os.dup2(nowhere, stream)
        self.leave(128 + number)

    def _handle_exception(self, error: Exception) -> None:
        """A bug: keep where it happened, print three lines, and none of the person's words."""
        self._return_code = 1
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
        if not self._exit_renderables:  # what fails after the first error is its consequence
            damage = self.damage()
            path = write_crash_file(error, self._crash_folder, datetime.now(UTC))
            self.panic(
                Text(str(damage or three_lines(error, path)), no_wrap=True, overflow="ignore")
            )

    def _print_error_renderables(self) -> None:
        """Print what is left to say; the terminal breaks the lines, so that a path can be copied."""
        for said in self._exit_renderables[:1]:
            self.error_console.print(said, soft_wrap=True)
        self._exit_renderables.clear()
