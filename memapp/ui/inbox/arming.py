"""Answer keys wait until the person can have seen what they answer, and stand alone.

So words that are typed or pasted answer nothing.
"""

import time
from collections.abc import Callable

from textual.timer import Timer
from textual.widget import Widget

ARMING_SECONDS = 0.5
ALONE_SECONDS = 0.15
"""No other key comes so soon before or after an answer: quicker than this is a paste, or running
typing.
"""


class Arming:
    """Says whether an answer counts now; not before what is answered has stood on the screen for
    half a second.
    """

    def __init__(
        self, widget: Widget, changed: Callable[[], None], dropped: Callable[[], None]
    ) -> None:
        self._widget = widget
        self._changed = changed
        self._dropped = dropped
        self._since = self._key_at = time.monotonic()
        self._timer: Timer | None = None
        self._held: Timer | None = None

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

    def heard(self, *, answers: bool) -> None:
        """A key came, or a paste: an answer right before it is none, and if it is none itself the
        waiting begins anew.
        """
        now = time.monotonic()
        alone, self._key_at = now - self._key_at >= ALONE_SECONDS, now
        if self._held is not None:
            self._held.stop()
            self._held = None
            self._dropped()
        if not (answers and alone and self.armed):
            self.wait()

    def hold(self, answer: Callable[[], object]) -> None:
        """Let an answer count, unless another key follows it at once."""

        def count() -> None:
            self._held = None
            answer()

        self._held = self._widget.set_timer(ALONE_SECONDS, count)
