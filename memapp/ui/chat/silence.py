"""A silence, after which the persona may say something unasked, if the person set that."""

from typing import TYPE_CHECKING

from textual.timer import Timer

if TYPE_CHECKING:
    from memapp.ui.screens.chat import ChatScreen

MINUTE_SECONDS = 60.0


class Silence:
    """The silence in one screen's chat."""

    def __init__(self, screen: "ChatScreen") -> None:
        self._screen = screen
        self._timer: Timer | None = None

    def begin(self) -> None:
        """Count it from now on."""
        if self._timer is not None:
            self._timer.stop()
        minutes = self._screen.runtime.settings.remark_after_minutes
        self._timer = self._screen.set_timer(minutes * MINUTE_SECONDS, self.end) if minutes else None

    def end(self) -> None:
        """Let the persona say something, once a silence and never into what is being written."""
        screen = self._screen
        thread, last = screen.thread, screen.transcript.last_answer
        quiet = not screen.busy and screen.can_answer and not screen.composer.text
        if quiet and thread is not None and thread.deleted_at is None and last is not None and not last.message.unprompted:
            screen.talk.remark(thread)
