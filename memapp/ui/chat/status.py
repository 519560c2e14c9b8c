"""The status line above the composer, and the placeholder of the composer."""

import time

from textual.timer import Timer

from memapp.ui.chat.state import ChatState
from memapp.ui.widgets.composer import Composer
from memapp.ui.widgets.statusline import StatusLine

SAID_SECONDS = 4.0
"""The time a notice stays, even if the status changes."""
SOON_SECONDS = 0.3
"""The delay before the status is checked again, after an action and while a model loads."""
HINTS = {
    "ready": "Write to {}. Enter sends, / lists what else you can do.",
    "loading": "Write already; your message waits for the model.",
}
"""The placeholder of the composer, by the state of the chat model."""
NO_MODEL = "No model yet: enter offers to keep it as a memory. F8 chooses a model."


class Status(StatusLine):
    """The status line of a composer."""

    def __init__(self, state: ChatState, composer: Composer) -> None:
        super().__init__()
        self._state = state
        self._composer = composer
        self._said, self._problem, self._said_at = "", False, 0.0
        self._beside = ""
        """The text of the composer when the notice appeared."""
        self._later: Timer | None = None

    def say(self, words: str, *, problem: bool = False) -> None:
        """Show a notice until something else happens."""
        self._said, self._problem, self._said_at = words, problem, time.monotonic()
        self._beside = self._composer.text
        super().say(words, problem=problem)
        self._look_later(SAID_SECONDS if words else SOON_SECONDS)

    def typed_on(self) -> None:
        """Remove the notice if the person wrote something else since."""
        if self._composer.text != self._beside:
            self.say("")

    def turn_ended(self) -> None:
        """Remove the notice about the answer; a problem stays."""
        if not self._problem:
            self.say("")
        self.look()

    def look(self) -> None:
        """Update the status and the placeholder."""
        state, chat = self._state, self._state.runtime.chat
        download = state.talk.downloading
        if chat.state == "loading" or state.talk.loading or download is not None:
            self._look_later(SOON_SECONDS)
        self._composer.hint(HINTS.get(chat.state, NO_MODEL).format(state.persona_name))
        words, problem = state.turn.doing, False
        if state.editing is not None:
            words = "An earlier message · enter sends it instead of the old one · esc leaves it"
        elif not words and chat.state in ("loading", "failed"):
            words, problem = chat.note, chat.state == "failed"
        if self._said and (left := self._said_at + SAID_SECONDS - time.monotonic()) > 0:
            self._look_later(left)
            return
        if words:  # The status changed, so the notice is over.
            self._said, self._problem = "", False
        arriving = (
            f"↓ Fetching {download.name}: {download} · F8 stops it" if download is not None else ""
        )
        super().say(words or self._said or arriving, problem=problem or self._problem)

    def _look_later(self, seconds: float) -> None:
        if self._later is not None:
            self._later.stop()
        self._later = self.set_timer(seconds, self.look)
