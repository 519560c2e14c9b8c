"""The part of a chat that is on the screen: its end, the stretch around a message, earlier pages, or a welcome."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from textual.message import Message as Announcement

from memapp.domain.chat import Message, Role, Thread
from memapp.services import chats
from memapp.ui import read_models
from memapp.ui.chat.memories import learned_note
from memapp.ui.chat.requests import request_note
from memapp.ui.chat.state import ChatState
from memapp.ui.widgets.bubbles import Answer, Said, Welcome
from memapp.ui.widgets.transcript import Note, Transcript


@dataclass
class AnswersShown(Announcement):
    """Answers are on the screen of which it is to be looked up what they were made from."""

    answers: list[Message]
    all: bool = False
    """No other answers are on the screen."""


class Showing:
    """What is shown of the chats, one after the other."""

    def __init__(self, state: ChatState, transcript: Transcript) -> None:
        self._state = state
        self._runtime = state.runtime
        self._transcript = transcript

    async def messages(self, thread: Thread, at: Message | None = None) -> None:
        """Show the last messages of a thread, or those around `at`."""
        stretch = await asyncio.to_thread(read_models.stretch, self._runtime, thread.id, at)
        if not stretch.messages:
            await self.welcome()
            return
        shown = await self._widgets(stretch.messages)
        await self._transcript.show(shown, earlier=stretch.earlier, later=stretch.later, at=at.id if at else "")
        self._transcript.post_message(AnswersShown(replies(stretch.messages), all=True))

    async def news(self, thread: Thread) -> bool:
        """Show the end of a thread anew if it is not what is on the screen; say whether all of it is there now.

        Whoever reads further above stays there.
        """
        transcript = self._transcript
        if not transcript.complete:
            return True
        now = (await asyncio.to_thread(chats.page, self._runtime, thread.id)).messages
        shown = [one.message for one in transcript.bubbles]
        if _known(shown[-len(now) :]) == _known(now[-len(shown) :]) or self._state.busy:
            return True
        if not transcript.is_vertical_scroll_end:
            return False
        await self.messages(thread)
        return True

    async def earlier(self, thread: Thread, before: int) -> None:
        """Add the page before a message."""
        page = await asyncio.to_thread(chats.page, self._runtime, thread.id, before)
        await self._transcript.show_earlier(await self._widgets(page.messages), earlier=page.more)
        self._transcript.post_message(AnswersShown(replies(page.messages)))

    async def welcome(self) -> None:
        """Show what a chat without messages says."""
        words, path = await asyncio.to_thread(read_models.welcome_words, self._runtime)
        await self._transcript.show([Welcome(words, path)], earlier=False)

    def bubble(self, message: Message) -> Said | Answer:
        """Return the widget of a message; the one that is being written goes on where it is."""
        if message.role is Role.USER:
            return Said(message)
        turn = self._state.turn
        running = turn.writes(message)
        answer = Answer(message, self._state.persona_name, streaming=running, text=turn.text if running else None)
        if running:
            answer.hits = turn.loop.hits
        return answer

    async def _widgets(self, messages: Sequence[Message]) -> list[Said | Answer | Note]:
        """Return the messages with a quiet line for what is remembered of them or waits because of them."""
        outcomes = await asyncio.to_thread(read_models.outcomes, self._runtime, messages)
        return list(_with_notes([self.bubble(one) for one in messages], outcomes))


def _with_notes(bubbles: Sequence[Said | Answer], outcomes: Mapping[str, read_models.Outcome]) -> Iterator[Said | Answer | Note]:
    """The lines on a message stand below the answer to it."""
    below: list[Note] = []
    for bubble in bubbles:
        if isinstance(bubble, Said):
            yield from below
            below = _notes(outcomes[bubble.message.id]) if bubble.message.id in outcomes else []
        yield bubble
    yield from below


def _notes(outcome: read_models.Outcome) -> list[Note]:
    notes = [learned_note(one.memory, one.was, one.step) for one in outcome.learned]
    if outcome.waiting:
        notes.append(request_note(outcome.waiting))
    return notes


def _known(messages: Sequence[Message]) -> list[tuple[str, str, str]]:
    """Return what a screen shows of messages."""
    return [(one.id, one.status, one.text) for one in messages]


def replies(messages: Sequence[Message]) -> list[Message]:
    """Return those that memapp said."""
    return [one for one in messages if one.role is Role.ASSISTANT]
