"""Answer keys wait until the person can have seen what they answer."""

import time
from collections.abc import Callable

from textual.timer import Timer
from textual.widget import Widget

ARMING_SECONDS = 0.5


class Arming:
    """Says whether an answer counts now; not before what is answered has stood on the screen for half a second."""

    def __init__(self, widget: Widget, changed: Callable[[], None]) -> None:
        self._widget = widget
        self._changed = changed
        self._since = time.monotonic()
        self._timer: Timer | None = None

    @property
    def armed(self) -> bool:
        return time.monotonic() - self._since >= ARMING_SECONDS

    def wait(self) -> None:
        """Begin to wait: something new is to be seen."""
        self._since = time.monotonic()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._widget.set_timer(ARMING_SECONDS + 0.01, self._changed)
        self._changed()
