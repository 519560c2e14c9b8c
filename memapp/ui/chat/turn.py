"""The running turn on the screen: its answer as it streams, the loop in the drawer, and how it ended."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from memapp.domain.chat import Message, MessageStatus
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
    Waiting,
)
from memapp.errors import MemappError
from memapp.services import chats
from memapp.ui import read_models
from memapp.ui.chat.showing import AnswersShown, Showing
from memapp.ui.chat.state import ChatState, RunningTurn
from memapp.ui.chat.status import Status
from memapp.ui.messages import TurnMoved
from memapp.ui.panels.loop import LoopDrawer, LoopState
from memapp.ui.widgets.bubbles import Answer, Said
from memapp.ui.widgets.transcript import Note, Transcript


class TurnView:
    """What the screen shows of the turn that runs, or ran last."""

    def __init__(self, state: ChatState, transcript: Transcript, drawer: LoopDrawer, showing: Showing, status: Status) -> None:
        self._state = state
        self._transcript = transcript
        self._drawer = drawer
        self._showing = showing
        self._status = status

    @property
    def _turn(self) -> RunningTurn:
        return self._state.turn

    async def follow(self, moved: TurnMoved) -> None:
        """Let the screen follow one event of the turn."""
        turn, answer = self._turn, self._answer()
        match moved.event:
            case Accepted(message=message, reply=reply):
                turn.thread_id, turn.reply, turn.text, turn.stopped = moved.thread_id, reply, "", False
                turn.loop = LoopState(begun=True)
                turn.phase = "Thinking · esc stops"
                await self._add(message, reply)
            case Checked(expected=expected):
                turn.loop.expected = expected
            case Waiting(note=note):
                turn.phase = "Your message is saved and waits for the model · esc stops"
                if answer:
                    answer.say(note or "waiting for the model…")
            case Predicted(needed_info=needed, source=source):
                turn.loop.needed_info, turn.loop.source = needed, source
                if answer:
                    answer.say(f"looking up {' · '.join(needed)}" if needed else "…")
            case Found(hits=hits):
                turn.loop.hits = hits
                if answer:
                    answer.explain(hits)
            case Thinking():
                if answer:
                    answer.say("thinking…")
            case Streamed(text=text):
                turn.text += text
                turn.phase = "Writing · esc stops"
                if answer:
                    answer.add(text)
            case Restarted():
                turn.text = ""
                turn.phase = "That would have been a repetition; writing again · esc stops"
                if answer:
                    answer.restart()
            case Completed(reply=reply, expects=expects):
                turn.loop.expects = expects
                await self._end(reply)
            case Failed(reply=reply, error=error):
                await self._end(reply, str(error))
            case Asked(question=question):
                await self._show_question(question)
            case AnswersLeft(taken_back=taken_back, kept=kept):
                self._note(moved.thread_id, "Took back", taken_back)
                self._note(moved.thread_id, "Not taken back, since it was changed later or in part erased", kept)
        self.show_loop()

    async def refused(self, error: MemappError) -> None:
        """End a turn that ended with an error and no event."""
        turn = self._turn
        if turn.reply is not None and turn.doing:
            await self._end(replace(turn.reply, text=turn.text, status=MessageStatus.FAILED), str(error))
        self.ended()

    def stop(self) -> None:
        """Say that it stops; it is over as soon as the model has let go."""
        self._turn.stopped = True

    def ended(self) -> None:
        """Forget what only a running turn needs."""
        turn = self._turn
        turn.phase, turn.stopped, turn.reply, turn.replaces = "", False, None, ""

    def clear_loop(self) -> None:
        """Begin with an empty loop: another chat is shown."""
        if not self._turn.doing:
            self._turn.loop = LoopState()
            self.show_loop()

    async def explain(self, replies: Sequence[Message]) -> None:
        """Put below answers what they were made from."""
        found = await asyncio.to_thread(read_models.explanations, self._state.runtime, replies)
        if not self._transcript.is_attached:
            return  # memapp closed meanwhile
        last = self._transcript.last_answer
        for one in found:
            answer = self._transcript.answer(one.reply_id)
            if answer is not None:
                answer.explain(one.trace.hits, one.variant)
            if answer is last and not self._turn.doing:
                trace = one.trace
                self._turn.loop = LoopState(
                    trace.expected, trace.needed_info, "", trace.hits, trace.expects, trace.right, begun=True
                )
                self.show_loop()

    async def switch_variant(self, reply: Message, step: int) -> None:
        """Make the answer before or after this one the one that counts."""
        runtime, transcript = self._state.runtime, self._transcript
        variants = await asyncio.to_thread(chats.variants, runtime, reply)
        at = next((number for number, one in enumerate(variants) if one.id == reply.id), 0) + step
        if not 0 <= at < len(variants) or self._turn.doing:
            return
        last = transcript.replied
        if last is None or last.message.id != reply.id or not transcript.complete:
            self._status.say("Only the last answer can be switched: what follows was said to it.")
            return
        await asyncio.to_thread(chats.choose_variant, runtime, variants[at])
        await transcript.cut_from(reply.id)
        await transcript.put_back(self._showing.bubble(replace(variants[at], active=True)))
        await self.explain([variants[at]])

    def show_loop(self) -> None:
        """Bring the drawer up to date, if it is open."""
        if self._drawer.screen.has_class("-loop"):
            self._drawer.show(self._turn.loop)

    def _answer(self) -> Answer | None:
        """Return the widget of the running answer, if its chat is shown."""
        return self._transcript.answer(self._turn.reply.id) if self._turn.reply else None

    async def _add(self, message: Message | None, reply: Message) -> None:
        state, transcript = self._state, self._transcript
        if state.thread is None or state.thread.id != self._turn.thread_id:
            return
        if not transcript.complete:
            await self._showing.messages(state.thread)
            return
        if self._turn.replaces:
            await transcript.cut_from(self._turn.replaces)
        shown = {one.message.id for one in transcript.bubbles}
        said = [Said(message)] if message is not None and message.id not in shown else []
        await transcript.append(*said, self._showing.bubble(reply))

    async def _show_question(self, question: Message) -> None:
        """Put a question of memapp itself below the answer, also one that stood below the answer that was retried."""
        if self._state.thread_id == question.thread_id and self._transcript.complete:
            if there := self._transcript.answer(question.id):
                await there.remove()
            await self._transcript.append(self._showing.bubble(question))

    def _note(self, thread_id: str, said: str, decided: Sequence[str]) -> None:
        """Say below the conversation what became of answers that left it, if it is shown."""
        if decided and self._state.thread_id == thread_id:
            self._transcript.add_note(Note(f"{said}: {', '.join(decided)}"))

    async def _end(self, reply: Message, problem: str = "") -> None:
        answer, app = self._answer(), self._transcript.app
        self._turn.phase, self._turn.reply = "", None
        self._status.show()
        if not app.app_focus and not reply.unprompted:
            app.bell()  # terminals mark the window, so that one sees from elsewhere that it is there
        if answer:
            await answer.finish(reply, problem)
        if answer or self._drawer.screen.has_class("-loop"):
            self._transcript.post_message(AnswersShown([reply]))
