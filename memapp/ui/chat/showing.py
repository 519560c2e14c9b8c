"""Which part of which chat is on the screen: the end of one, the stretch around a message, earlier pages, or none yet."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from memapp.domain.chat import Message, Role, Thread
from memapp.services import chats
from memapp.ui import reading
from memapp.ui.chat.memories import learned_note
from memapp.ui.chat.waiting import waiting_note
from memapp.ui.widgets.bubbles import Answer, Said, Welcome
from memapp.ui.widgets.transcript import Note

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
        shown = await self._widgets(stretch.messages)
        await screen.transcript.show(shown, earlier=stretch.earlier, later=stretch.later, at=at.id if at else "")
        screen.explain(replies(stretch.messages))

    async def news(self, thread: Thread) -> None:
        """Show the end of a thread anew if it is not what is on the screen; whoever reads further above stays there."""
        transcript = self._screen.transcript
        if not transcript.complete:
            return
        now = (await asyncio.to_thread(chats.page, self._runtime, thread.id)).messages
        shown = [one.message for one in transcript.bubbles]
        if _known(shown[-len(now) :]) == _known(now[-len(shown) :]) or self._screen.busy:
            return
        if transcript.is_vertical_scroll_end:
            await self.messages(thread)
        else:
            self._screen.say("Another memapp wrote in this chat; you see it when you open the chat again.")

    async def earlier(self, thread: Thread, before: int) -> None:
        """Add the page before a message."""
        page = await asyncio.to_thread(chats.page, self._runtime, thread.id, before)
        await self._screen.transcript.show_earlier(await self._widgets(page.messages), earlier=page.more)
        self._screen.explain(replies(page.messages))

    async def welcome(self) -> None:
        """Show what a chat without messages says."""
        words, path = await asyncio.to_thread(reading.welcome_words, self._runtime)
        await self._screen.transcript.show([Welcome(words, path)], earlier=False)
        self._screen.turn.clear_loop()

    async def _widgets(self, messages: Sequence[Message]) -> list[Said | Answer | Note]:
        """Return the messages with a quiet line for what is remembered of them or waits because of them."""
        outcomes = await asyncio.to_thread(reading.outcomes, self._runtime, messages)
        return list(_with_notes(self._screen.turn.bubbles(messages), outcomes))


def _with_notes(bubbles: Sequence[Said | Answer], outcomes: Mapping[str, reading.Outcome]) -> Iterator[Said | Answer | Note]:
    """The lines on a message stand below the answer to it."""
    below: list[Note] = []
    for bubble in bubbles:
        if isinstance(bubble, Said):
            yield from below
            below = _notes(outcomes[bubble.message.id]) if bubble.message.id in outcomes else []
        yield bubble
    yield from below


def _notes(outcome: reading.Outcome) -> list[Note]:
    notes = [learned_note(one.memory, one.was, one.step) for one in outcome.learned]
    if outcome.waiting:
        notes.append(waiting_note(outcome.waiting))
    return notes


def _known(messages: Sequence[Message]) -> list[tuple[str, str, str]]:
    """Return what a screen shows of messages."""
    return [(one.id, one.status, one.text) for one in messages]


def replies(messages: Sequence[Message]) -> list[Message]:
    """Return those that memapp said."""
    return [one for one in messages if one.role is Role.ASSISTANT]
