"""Protection against accidental answers: typed or pasted words never answer a request.

An answer counts only after the request was visible for a while, and only as a single key.
"""

import asyncio
import time
from collections.abc import Callable

from textual.timer import Timer
from textual.widget import Widget

ARMING_SECONDS = 0.5
ALONE_SECONDS = 0.15
"""The least time between an answer and other keys: anything faster is a paste or typing."""


class Arming:
    """The lock of the answer keys, for half a second after a request appears."""

    def __init__(
        self, widget: Widget, changed: Callable[[], None], dropped: Callable[[], None]
    ) -> None:
        self._widget = widget
        self._changed = changed
        self._dropped = dropped
        self._since = self._key_at = time.monotonic()
        self._timer: Timer | None = None
        self._held: asyncio.TimerHandle | None = None

    @property
    def armed(self) -> bool:
        return time.monotonic() - self._since >= ARMING_SECONDS

    def wait(self) -> None:
        """Lock the answers again: another request is shown."""
        self._since = time.monotonic()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._widget.set_timer(ARMING_SECONDS + 0.01, self._changed)
        self._changed()

    def heard(self, *, answers: bool) -> None:
        """Cancel an answer right before this key or paste; lock again if this is no answer."""
        now = time.monotonic()
        alone, self._key_at = now - self._key_at >= ALONE_SECONDS, now
        if self._held is not None:
            self._held.cancel()
            self._held = None
            self._dropped()
        if not (answers and alone and self.armed):
            self.wait()

    def hold(self, answer: Callable[[], object]) -> None:
        """Hold an answer back until no other key has followed."""

        def count() -> None:
            self._held = None
            if self._widget.is_mounted:
                answer()

        # Textual's timer never fires if a busy machine delays its start by more than the delay.
        self._held = asyncio.get_running_loop().call_later(ALONE_SECONDS, count)
