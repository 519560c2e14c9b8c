"""The app and the terminal: keys in order, screens styled once, signals and bugs handled.

Nothing here knows memapp; this is where Textual's own behaviour is changed.
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
from textual.widgets import Input, TextArea

from memapp.crash import three_lines, write_crash_file
from memapp.errors import Damaged
from memapp.ui.keys import KeyOrder
from memapp.ui.safe_text import end_toasts, place_toasts


class TerminalApp(App[None]):
    def __init__(self, crash_folder: Path) -> None:
        super().__init__()
        self._crash_folder = crash_folder
        self._keys = KeyOrder(self, super().on_event)

    def get_driver_class(self) -> type[Driver]:
        """Return the driver of the terminal; on Linux and macOS ours, because of pastes."""
        driver = super().get_driver_class()
        if driver.__name__ == "LinuxDriver":
            from memapp.ui.terminal import Terminal

            return Terminal
        return driver

    def on_mount(self) -> None:
        if not self.is_headless:
            self._handle_signals()
        self._typing = asyncio.create_task(self._deliver_keys(), name="memapp-keys")
        self.screen_change_signal.subscribe(self, self._show_toasts_once)
        self.app_resume_signal.subscribe(self, lambda _: self.action_redraw())

    def on_unmount(self) -> None:
        self._typing.cancel()

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.InputEvent | events.Paste) and not self.screen_stack:
            return  # The app is closing, and nobody is left to listen.
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
        """Replace the last toast by the new one; lasting toasts stay."""
        end_toasts(self)
        if self.screen_stack:  # No screen is left while the app closes.
            self.call_next(place_toasts, self.screen)  # Textual has added the toast by now.

    def _show_toasts_once(self, _: Screen[Any]) -> None:
        """Show toasts on the topmost screen only: Textual keeps those of the screens below."""
        for screen in self.screen_stack:
            screen.query("ToastRack").set_class(screen is not self.screen_stack[-1], "-below")

    def action_redraw(self) -> None:
        """Draw the whole screen again: a terminal loses it when the process is stopped."""
        self.refresh(layout=True)

    def selected_text(self) -> str:
        """Return the selection of the focused field, else of the screen."""
        if isinstance(self.focused, TextArea | Input) and self.focused.selected_text:
            return self.focused.selected_text
        return self.screen.get_selected_text() or ""

    def delay_update(self, delay: float = 0.05) -> None:
        """Delay drawing, then draw the changes of screens below, which Textual would lose."""
        super().delay_update(delay)
        for screen in self.screen_stack:
            self.set_timer(2 * delay, screen.check_idle)

    def styled(self, build: Callable[[], Screen[Any]]) -> Screen[Any]:
        """Return a screen that Textual need not style again.

        All style is parsed at the start, and each widget gets its own when it is mounted. Textual
        would parse everything twice more and style each widget for the new width, which takes most
        of the time in which an opening screen blocks the event loop.
        """
        screen = build()
        screen._css_update_count = self._css_update_count
        for name in screen._get_breakpoint_classes(
            self.size.width, self.HORIZONTAL_BREAKPOINTS or []
        ):
            screen.add_class(name)
        return screen

    # Quitting -------------------------------------------------------------------------------------

    def leave(self, return_code: int = 0) -> None:
        """Quit at once."""
        self.exit(return_code=return_code)

    async def _shutdown(self) -> None:
        """Close all screens and restore the terminal, even if closing a screen was cancelled.

        Textual waits for such a screen twice, and would stop here each time.
        """
        for _ in range(2):
            try:
                return await super()._shutdown()
            except asyncio.CancelledError:
                for screen in [
                    screen for stack in self._screen_stacks.values() for screen in stack
                ]:
                    if screen._task is not None and screen._task.cancelled():
                        screen._running = False
        return await super()._shutdown()

    def damage(self) -> Damaged | None:
        """Return the damage of the open file, a likely reason for a bug; None if it is sound."""
        return None

    def _handle_signals(self) -> None:
        """End the app in order after SIGHUP (the terminal was closed) and SIGTERM."""
        loop = asyncio.get_running_loop()
        for name in ("SIGHUP", "SIGTERM"):
            with suppress(AttributeError, NotImplementedError):  # Windows
                number = getattr(signal, name)
                loop.add_signal_handler(number, self._handle_signal, number)

    def _handle_signal(self, number: signal.Signals) -> None:
        if number.name == "SIGHUP":
            # Writing to a terminal that is gone would fail, or block for ever.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            for stream in (1, 2):
                os.dup2(nowhere, stream)
        self.leave(128 + number)

    def _handle_exception(self, error: Exception) -> None:
        """Write a crash file for a bug, and print three lines without the person's words."""
        self._return_code = 1
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
        if not self._exit_renderables:  # Later errors are consequences of the first.
            damage = self.damage()
            path = write_crash_file(error, self._crash_folder, datetime.now(UTC))
            self.panic(
                Text(str(damage or three_lines(error, path)), no_wrap=True, overflow="ignore")
            )

    def _print_error_renderables(self) -> None:
        """Print the last lines; the terminal wraps them, so that a path can be copied."""
        for line in self._exit_renderables[:1]:
            self.error_console.print(line, soft_wrap=True)
        self._exit_renderables.clear()
