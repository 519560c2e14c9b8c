"""The running turn on the screen: its answer as it streams, the loop in the drawer, and how it ended."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memapp.domain.chat import Message, MessageStatus, Role
from memapp.domain.turn import (
    Accepted,
    AnswersLeft,
    Asked,
    Checked,
    Completed,
    Failed,
    Found,
    Predicted,
    Restarted,
    Streamed,
    Thinking,
    Unlearned,
    Waiting,
)
from memapp.errors import MemappError
from memapp.services import chats
from memapp.ui import reading
from memapp.ui.messages import TurnMoved
from memapp.ui.panels.loop import LoopDrawer, LoopState
from memapp.ui.widgets.bubbles import Answer, Said
from memapp.ui.widgets.transcript import Note, Transcript

if TYPE_CHECKING:
    from memapp.ui.screens.chat import ChatScreen


class TurnView:
    """What is known of the turn that runs, or ran last; it goes on while another chat is shown."""

    def __init__(self, screen: "ChatScreen") -> None:
        self._screen = screen
        self.thread_id = ""
        self.replaces = ""
        """The message that the coming turn replaces: an answer that is retried, or a message that is edited."""
        self._reply: Message | None = None
        self._text = ""
        self._doing = ""
        self._stopped = False
        self._loop = LoopState()

    def bubbles(self, messages: Sequence[Message]) -> list[Said | Answer]:
        """Return the widgets of messages; the one that is being written goes on where it is."""
        return [self._bubble(one) for one in messages]

    def doing(self) -> str:
        """Return what the turn is doing now; empty when none runs."""
        return "Stopping…" if self._doing and self._stopped else self._doing

    def stop(self) -> None:
        """The person stopped it; it is over as soon as the model has let go."""
        self._stopped = True

    async def follow(self, moved: TurnMoved) -> None:
        """Let the screen follow one event of the turn."""
        answer = self._answer()
        match moved.event:
            case Accepted(message=message, reply=reply):
                self.thread_id, self._reply, self._text = moved.thread_id, reply, ""
                self._loop = LoopState(begun=True)
                self._doing = "Thinking · esc stops"
                await self._add(message, reply)
            case Checked(expected=expected):
                self._loop.expected = expected
            case Waiting(note=note):
                self._doing = "Your message is saved and waits for the model · esc stops"
                if answer:
                    answer.say(note or "waiting for the model…")
            case Predicted(needed_info=needed, source=source):
                self._loop.needed_info, self._loop.source = needed, source
                if answer:
                    answer.say(f"looking up {' · '.join(needed)}" if needed else "…")
            case Found(hits=hits):
                self._loop.hits = hits
                if answer:
                    answer.explain(hits)
            case Thinking():
                if answer:
                    answer.say("thinking…")
            case Streamed(text=text):
                self._text += text
                self._doing = "Writing · esc stops"
                if answer:
                    answer.add(text)
            case Restarted():
                self._text = ""
                self._doing = "That would have been a repetition; writing again · esc stops"
                if answer:
                    answer.restart()
            case Completed(reply=reply, expects=expects):
                self._loop.expects = expects
                await self._end(reply)
            case Failed(reply=reply, error=error):
                await self._end(reply, str(error))
            case Asked(question=question):
                await self._show_question(question)
            case AnswersLeft(taken_back=taken_back, kept=kept):
                self._note(moved.thread_id, "Took back", taken_back)
                self._note(moved.thread_id, "Not taken back, since it was changed later or in part erased", kept)
            case Unlearned(texts=texts, step=step):
                thread = self._screen.thread
                self._screen.memories.unlearned(texts, step, shown=thread is not None and thread.id == moved.thread_id)
        self.show_loop()

    async def refused(self, error: MemappError) -> None:
        """End a turn that ended with an error and no event."""
        reply = self._reply
        if reply is not None and self._doing:
            await self._end(replace(reply, text=self._text, status=MessageStatus.FAILED), str(error))
        self.ended()

    def clear_loop(self) -> None:
        """Begin with an empty loop: another chat is shown."""
        if not self._doing:
            self._loop = LoopState()
            self.show_loop()

    def ended(self) -> None:
        self._doing, self._stopped = "", False
        self._reply = None
        self.replaces = ""

    async def explain(self, replies: Sequence[Message]) -> None:
        """Put below answers what they were made from."""
        screen = self._screen
        found = await asyncio.to_thread(reading.explanations, screen.runtime, replies)
        if not screen.query(Transcript):
            return  # memapp closed meanwhile
        last = screen.transcript.last_answer
        for one in found:
            answer = screen.transcript.answer(one.reply_id)
            if answer is not None:
                answer.explain(one.trace.hits, one.variant)
            if answer is last and not self._doing:
                trace = one.trace
                self._loop = LoopState(trace.expected, trace.needed_info, "", trace.hits, trace.expects, trace.right, begun=True)
                self.show_loop()

    async def switch_variant(self, reply: Message, step: int) -> None:
        """Make the answer before or after this one the one that counts."""
        runtime, transcript = self._screen.runtime, self._screen.transcript
        variants = await asyncio.to_thread(chats.variants, runtime, reply)
        at = next((number for number, one in enumerate(variants) if one.id == reply.id), 0) + step
        if not 0 <= at < len(variants) or self._doing:
            return
        last = transcript.replied
        if last is None or last.message.id != reply.id or not transcript.complete:
            self._screen.say("Only the last answer can be switched: what follows was said to it.")
            return
        await asyncio.to_thread(chats.choose_variant, runtime, variants[at])
        await transcript.cut_from(reply.id)
        await transcript.put_back(self._bubble(replace(variants[at], active=True)))
        await self.explain([variants[at]])

    def show_loop(self) -> None:
        """Bring the drawer up to date, if it is open."""
        if self._screen.has_class("-loop"):
            self._screen.query_one(LoopDrawer).show(self._loop)

    def _bubble(self, message: Message) -> Said | Answer:
        if message.role is Role.USER:
            return Said(message)
        running = self._reply is not None and message.id == self._reply.id and bool(self._doing)
        answer = Answer(message, self._screen.persona_name, streaming=running, text=self._text if running else None)
        if running:
            answer.hits = self._loop.hits
        return answer

    def _answer(self) -> Answer | None:
        """Return the widget of the running answer, if its chat is shown."""
        return self._screen.transcript.answer(self._reply.id) if self._reply else None

    async def _add(self, message: Message | None, reply: Message) -> None:
        screen = self._screen
        if screen.thread is None or screen.thread.id != self.thread_id:
            return
        if not screen.transcript.complete:
            await screen.showing.messages(screen.thread)
            return
        if self.replaces:
            await screen.transcript.cut_from(self.replaces)
        shown = {one.message.id for one in screen.transcript.bubbles}
        said = [Said(message)] if message is not None and message.id not in shown else []
        await screen.transcript.append(*said, self._bubble(reply))

    async def _show_question(self, question: Message) -> None:
        """Put a question of memapp itself below the answer, also one that stood below the answer that was retried."""
        screen = self._screen
        if screen.thread is not None and screen.thread.id == question.thread_id and screen.transcript.complete:
            if there := screen.transcript.answer(question.id):
                await there.remove()
            await screen.transcript.append(self._bubble(question))

    def _note(self, thread_id: str, said: str, decided: Sequence[str]) -> None:
        """Say below the conversation what became of answers that left it, if it is shown."""
        if decided and self._screen.thread is not None and self._screen.thread.id == thread_id:
            self._screen.transcript.add_note(Note(f"{said}: {', '.join(decided)}"))

    async def _end(self, reply: Message, problem: str = "") -> None:
        answer = self._answer()
        self._doing, self._reply = "", None
        self._screen.show_status()
        if not self._screen.app.app_focus and not reply.unprompted:
            self._screen.app.bell()  # terminals mark the window, so that one sees from elsewhere that it is there
        if answer:
            await answer.finish(reply, problem)
        if answer or self._screen.has_class("-loop"):
            self._screen.explain_more([reply])  # not awaited: a busy disk must not hold up what comes next
