"""Which part of which chat is on the screen: the end of one, the stretch around a message, earlier pages, or none yet."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memapp.domain.chat import Message, Role, Thread
from memapp.services import chats
from memapp.ui import reading
from memapp.ui.widgets.transcript import welcome

if TYPE_CHECKING:
    from memapp.ui.screens.chat import ChatScreen


class Showing:
    """What one screen shows of its chats."""

    def __init__(self, screen: "ChatScreen") -> None:
        self._screen = screen
        self._runtime = screen.runtime

    async def messages(self, thread: Thread, at: Message | None = None) -> None:
        """Show the last messages of a thread, or those around `at`."""
        stretch = await asyncio.to_thread(reading.stretch, self._runtime, thread.id, at)
        if not stretch.messages:
            await self.welcome()
            return
        screen = self._screen
        bubbles = screen.turn.bubbles(stretch.messages)
        await screen.transcript.show(bubbles, earlier=stretch.earlier, later=stretch.later, at=at.id if at else "")
        screen.explain(replies(stretch.messages))

    async def earlier(self, thread: Thread, before: int) -> None:
        """Add the page before a message."""
        page = await asyncio.to_thread(chats.page, self._runtime, thread.id, before)
        await self._screen.transcript.show_earlier(self._screen.turn.bubbles(page.messages), earlier=page.more)
        self._screen.explain(replies(page.messages))

    async def welcome(self) -> None:
        """Show what a chat without messages says."""
        words = await asyncio.to_thread(reading.welcome_words, self._runtime)
        await self._screen.transcript.show([welcome(words)], earlier=False)
        self._screen.turn.forget()


def replies(messages: Sequence[Message]) -> list[Message]:
    """Return those that memapp said."""
    return [one for one in messages if one.role is Role.ASSISTANT]
