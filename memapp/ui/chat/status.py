"""The line above the composer: something just said, else what is going on; and what the empty composer says."""

import time

from textual.timer import Timer

from memapp.ui.chat.state import ChatState
from memapp.ui.widgets.composer import Composer, prompt_hint
from memapp.ui.widgets.statusline import StatusLine

SAID_SECONDS = 4.0
"""How long something said stays, even if there is news."""
SOON_SECONDS = 0.3
"""When it is looked again what is going on, after something was done and while a model loads; never while nothing goes on."""


class Status:
    """What is said above one composer."""

    def __init__(self, state: ChatState, line: StatusLine, composer: Composer) -> None:
        self._state = state
        self._line = line
        self._composer = composer
        self._said, self._problem, self._said_at = "", False, 0.0
        self._beside = ""
        """What stood in the composer when it was said."""
        self._later: Timer | None = None

    def say(self, words: str, *, problem: bool = False) -> None:
        """Say one line until something else happens."""
        self._said, self._problem, self._said_at = words, problem, time.monotonic()
        self._beside = self._composer.text
        self._line.say(words, problem=problem)
        self._show_later(SAID_SECONDS if words else SOON_SECONDS)

    def typed_on(self) -> None:
        """The person paused in typing: what was said before they wrote something else is over."""
        if self._composer.text != self._beside:
            self.say("")

    def turn_ended(self) -> None:
        """What was said about the answer is over; a problem stays."""
        if not self._problem:
            self.say("")
        self.show()

    def show(self) -> None:
        """Say what is going on, and what the composer is for."""
        state, chat = self._state, self._state.runtime.chat
        if chat.state == "loading" or state.talk.loading:
            self._show_later(SOON_SECONDS)
        self._composer.hint(prompt_hint(model=chat.state, persona=state.persona_name))
        words, problem = state.turn.doing, False
        if state.editing is not None:
            words = "An earlier message · enter sends it instead of the old one · esc leaves it"
        elif not words and chat.state in ("loading", "failed"):
            words, problem = chat.note, chat.state == "failed"
        if self._said and (left := self._said_at + SAID_SECONDS - time.monotonic()) > 0:
            self._show_later(left)
            return
        if words:  # there is news, so what was said is over
            self._said, self._problem = "", False
        self._line.say(words or self._said, problem=problem or self._problem)

    def _show_later(self, seconds: float) -> None:
        if self._later is not None:
            self._later.stop()
        self._later = self._line.set_timer(seconds, self.show)
