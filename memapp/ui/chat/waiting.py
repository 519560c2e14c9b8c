"""The quiet line below an answer about what its message put into the inbox. It takes neither the focus nor the text."""

import asyncio
from typing import TYPE_CHECKING, cast

from memapp.domain.chat import Message
from memapp.domain.consent import Patch
from memapp.ui.inbox.reading import proposed_by
from memapp.ui.inbox.words import change

if TYPE_CHECKING:
    from memapp.ui.app import MemappApp
    from memapp.ui.screens.chat import ChatScreen


class WaitingLine:
    """One line a turn, for one screen."""

    def __init__(self, screen: "ChatScreen") -> None:
        self._screen = screen
        self._message: Message | None = None

    def accepted(self, message: Message | None) -> None:
        """Keep in mind which message the turn is about; what it states waits from now on."""
        self._message = message
        self._app.count_badges()

    async def ended(self) -> None:
        """Say what the turn's message put into the inbox, if its chat is shown."""
        message, self._message = self._message, None
        self._app.count_badges()
        if message is None:
            return
        found = await asyncio.to_thread(proposed_by, self._screen.runtime, message.id)
        thread = self._screen.thread
        if found and thread is not None and thread.id == message.thread_id:
            self._screen.transcript.note(waiting_line(found), waits=True)

    @property
    def _app(self) -> "MemappApp":
        return cast("MemappApp", self._screen.app)


def waiting_line(found: tuple[Patch, ...]) -> str:
    """Return what is said about proposals, newest first."""
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return f"● Waiting for you: {change(found[0])}{more} · F4"
