"""The messages of a thread in Chat, with sources, outcomes and councils below the answers."""

import asyncio
from collections.abc import Sequence

from memapp.domain.chat import Message, Role, Thread
from memapp.domain.provenance import JudgedSentences, Outcome
from memapp.services import chats
from memapp.services.consent import pending
from memapp.services.memory_requests import refused_sentences
from memapp.ui import read_models
from memapp.ui.background import background
from memapp.ui.chat.notes import value_of, with_outcomes
from memapp.ui.chat.state import ChatState
from memapp.ui.chat.status import Status
from memapp.ui.memories.actions import MemoryActions
from memapp.ui.messages import ThreadWanted
from memapp.ui.panels.loop_trace import LoopDrawer
from memapp.ui.widgets.bubbles import Answer, Note, Said, Welcome
from memapp.ui.widgets.council import CouncilCard
from memapp.ui.widgets.outcome import OutcomeNote
from memapp.ui.widgets.transcript import Transcript


class ThreadTranscript(Transcript):
    """The messages of the open chat: its end, the part around a message, or a welcome."""

    def __init__(self, state: ChatState, status: Status, drawer: LoopDrawer) -> None:
        super().__init__()
        self._state = state
        self._runtime = state.runtime
        self._status = status
        self._drawer = drawer
        self.actions = MemoryActions(self, state.session)
        self._judged: dict[str, JudgedSentences] = {}
        """The judgements of the messages on the screen, by id: each needs the embedding model."""

    async def show_thread(self, thread: Thread, at: Message | None = None) -> None:
        """Show the last messages of a thread, or those around `at`."""
        page, later = await asyncio.to_thread(read_models.stretch, self._runtime, thread.id, at)
        if not page.messages:
            await self.welcome()
            return
        self._judged.clear()
        await self.show(
            await self._widgets(page.messages),
            earlier=page.more,
            later=later,
            at=at.id if at else "",
        )
        self.explain_all()
        self.show_outcomes()
        self.show_councils()

    async def show_news(self, thread: Thread) -> bool:
        """Show new messages at the end of a thread; return True if all of them are on the screen.

        A person who reads further above stays there.
        """
        if not self.complete:
            return True
        now = (await asyncio.to_thread(chats.page, self._runtime, thread.id)).messages
        shown = [bubble.message for bubble in self.bubbles]
        # The end of a turn may be announced and not shown yet.
        written = self._state.busy or self._state.turn.doing
        if written or _shown_parts(shown[-len(now) :]) == _shown_parts(now[-len(shown) :]):
            return True
        if not self.is_vertical_scroll_end:
            return False
        await self.show_thread(thread)
        return True

    @background("earlier", exclusive=True)
    async def load_earlier(self, before: int) -> None:
        if self._state.thread is not None:
            page = await asyncio.to_thread(chats.page, self._runtime, self._state.thread.id, before)
            await self.show_earlier(await self._widgets(page.messages), earlier=page.more)
            self.explain(page.messages)
            self.show_outcomes()
            self.show_councils()

    def go_to_end(self) -> None:
        self.screen.post_message(ThreadWanted(self._state.thread))

    async def welcome(self) -> None:
        words, path = await asyncio.to_thread(read_models.welcome_words, self._runtime)
        await self.show([Welcome(words, path)], earlier=False)

    @background("open")
    async def refresh_welcome(self) -> None:
        """Update the welcome of an empty chat while a model loads."""
        for shown in self.query(Welcome):
            shown.say(*await asyncio.to_thread(read_models.welcome_words, self._runtime))

    def bubble(self, message: Message) -> Said | Answer:
        """Return the widget of a message; a reply that is being written continues to stream."""
        if message.role is Role.USER:
            return Said(message)
        turn = self._state.turn
        running = turn.writes(message)
        answer = Answer(
            message,
            self._state.persona_name,
            streaming=running,
            text=turn.text if running else None,
            thoughts=self._state.thoughts.of(message.id),
        )
        if running and turn.loop is not None:
            answer.hits = turn.loop.hits
        return answer

    async def _widgets(self, messages: Sequence[Message]) -> list[Said | Answer | OutcomeNote]:
        """Return the widgets of messages, with the outcomes of each."""
        outcomes = await asyncio.to_thread(read_models.outcomes, self._runtime, messages, {})
        return list(with_outcomes([self.bubble(message) for message in messages], outcomes))

    def explain_all(self) -> None:
        """Show the sources of all answers again, cancelling older look-ups."""
        self.workers.cancel_group(self, "explain")
        self.explain(
            [
                bubble.message
                for bubble in (*self._above, *self.bubbles)
                if isinstance(bubble, Said | Answer)
            ]
        )

    @background("explain")
    async def explain(self, messages: Sequence[Message]) -> None:
        """Show the sources of answers."""
        replies = [message for message in messages if message.role is Role.ASSISTANT]
        explanations = await asyncio.to_thread(read_models.explanations, self._runtime, replies)
        if not self.is_attached:
            return  # memapp was closed meanwhile.
        last = self.last_answer
        for reply_id, (trace, variant) in explanations.items():
            answer = self.answer(reply_id)
            if answer is not None:
                answer.explain(trace.hits, variant)
            if answer is last and not self._state.turn.doing:
                self._state.turn.loop = trace
                self._drawer.show(trace)

    @background("outcomes", exclusive=True)
    async def show_outcomes(self) -> None:
        """Show the outcomes of messages: first those in the file, then the judgements."""
        messages = [
            bubble.message for bubble in (*self._above, *self.bubbles) if isinstance(bubble, Said)
        ]
        if self._state.busy:
            messages = messages[:-1]  # The outcomes of the running turn follow at its end.
        await self._show_outcomes_of(messages)
        for message in reversed(messages):
            if self._state.busy or message.id in self._judged:
                continue
            judged = await asyncio.to_thread(
                refused_sentences.judge_message, self._runtime, message
            )
            if judged is None:
                return  # The embedding model is still loading.
            self._judged[message.id] = judged
            await self._show_outcomes_of([message])

    async def _show_outcomes_of(self, messages: Sequence[Message]) -> None:
        outcomes = await asyncio.to_thread(
            read_models.outcomes, self._runtime, messages, dict(self._judged)
        )
        if self.is_attached:  # memapp may have been closed meanwhile.
            for message in messages:
                self.put_outcome(message.id, outcomes.get(message.id, Outcome()))

    @background("councils", exclusive=True)
    async def show_councils(self) -> None:
        """Show the councils over the answers."""
        messages = [
            bubble.message for bubble in (*self._above, *self.bubbles) if isinstance(bubble, Said)
        ]
        councils = await asyncio.to_thread(read_models.councils, self._runtime, messages)
        if self.is_attached:
            for shown in councils.values():
                self.put_card(CouncilCard(shown))

    @background("waiting")
    async def hide_answered(self) -> None:
        """Hide the notes about consent requests that were answered elsewhere."""
        if notes := [note for note in self.query(Note) if note.waits]:
            pending_values = {
                value_of(request)
                for request in await asyncio.to_thread(pending.list_pending, self._runtime)
            }
            for note in notes:
                note.display = not pending_values.isdisjoint(note.waits)


def _shown_parts(messages: Sequence[Message]) -> list[tuple[str, str, str]]:
    """Return the parts of messages that the screen shows."""
    return [(message.id, message.status, message.text) for message in messages]
