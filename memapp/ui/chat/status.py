"""The line above the composer: something just said, else what is going on; and what the empty composer says."""

import time
from typing import TYPE_CHECKING

from textual.timer import Timer

from memapp.ui.widgets.composer import prompt_hint
from memapp.ui.widgets.statusline import StatusLine

if TYPE_CHECKING:
    from memapp.ui.screens.chat import ChatScreen

SAID_SECONDS = 4.0
"""How long something said stays, even if there is news."""
SOON_SECONDS = 0.3
"""When it is looked again what is going on, after something was done and while a model loads; never while nothing goes on."""


class Status:
    """What one screen says above its composer."""

    def __init__(self, screen: "ChatScreen") -> None:
        self._screen = screen
        self._said, self._problem, self._said_at = "", False, 0.0
        self._beside = ""
        """What stood in the composer when it was said."""
        self._later: Timer | None = None

    def say(self, words: str, *, problem: bool = False) -> None:
        """Say one line until something else happens."""
        self._said, self._problem, self._said_at = words, problem, time.monotonic()
        self._beside = self._screen.composer.text
        self._screen.query_one(StatusLine).say(words, problem=problem)
        self._show_later(SAID_SECONDS if words else SOON_SECONDS)

    def typed_on(self) -> None:
        """The person paused in typing: what was said before they wrote something else is over."""
        if self._screen.composer.text != self._beside:
            self.say("")

    def turn_ended(self) -> None:
        """What was said about the answer is over; a problem stays."""
        if not self._problem:
            self.say("")
        self.show()

    def show(self) -> None:
        """Say what is going on, and what the composer is for."""
        screen, chat = self._screen, self._screen.runtime.chat
        if chat.state == "loading" or screen.talk.loading:
            self._show_later(SOON_SECONDS)
        screen.composer.hint(prompt_hint(model=chat.state, persona=screen.persona_name))
        words, problem = screen.turn.doing(), False
        if screen.sending.editing is not None:
            words = "An earlier message · enter sends it instead of the old one · esc leaves it"
        elif not words and chat.state in ("loading", "failed"):
            words, problem = chat.note, chat.state == "failed"
        if self._said and (left := self._said_at + SAID_SECONDS - time.monotonic()) > 0:
            self._show_later(left)
            return
        if words:  # there is news, so what was said is over
            self._said, self._problem = "", False
        screen.query_one(StatusLine).say(words or self._said, problem=problem or self._problem)

    def _show_later(self, seconds: float) -> None:
        if self._later is not None:
            self._later.stop()
        self._later = self._screen.set_timer(seconds, self.show)
