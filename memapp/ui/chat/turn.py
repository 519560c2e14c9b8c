"""The running turn on the screen: its answer as it streams, the loop in the drawer, and how it ended."""

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
from memapp.services.chats import Trace
from memapp.ui.chat.state import ChatState, RunningTurn
from memapp.ui.chat.status import Status
from memapp.ui.chat.transcript import ChatTranscript
from memapp.ui.messages import TurnMoved
from memapp.ui.panels.loop import LoopDrawer
from memapp.ui.widgets.bubbles import Answer, Note, Said


class TurnView:
    """What the screen shows of the turn that runs, or ran last."""

    def __init__(self, state: ChatState, transcript: ChatTranscript, drawer: LoopDrawer, status: Status) -> None:
        self._state = state
        self._transcript = transcript
        self._drawer = drawer
        self._status = status

    @property
    def _turn(self) -> RunningTurn:
        return self._state.turn

    async def follow(self, moved: TurnMoved) -> None:
        """Let the screen follow one event of the turn."""
        turn, answer = self._turn, self._answer()
        turn.loop = loop = Trace() if isinstance(moved.event, Accepted) or turn.loop is None else turn.loop
        match moved.event:
            case Accepted(message=message, reply=reply):
                turn.thread_id, turn.reply, turn.text, turn.stopped = moved.thread_id, reply, "", False
                turn.phase = "Thinking · esc stops"
                await self._add(message, reply)
            case Checked(expected=expected):
                loop.expected = expected
            case Waiting(note=note):
                turn.phase = "Your message is saved and waits for the model · esc stops"
                if answer:
                    answer.say(note or "waiting for the model…")
            case Predicted(needed_info=needed, source=source):
                loop.needed_info, loop.source = needed, source
                if answer:
                    answer.say(f"looking up {' · '.join(needed)}" if needed else "…")
            case Found(hits=hits):
                loop.hits = hits
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
                loop.expects = expects
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

    def ended(self) -> None:
        """Forget what only a running turn needs."""
        turn = self._turn
        turn.phase, turn.stopped, turn.reply, turn.replaces = "", False, None, ""

    def clear_loop(self) -> None:
        """Begin with an empty loop: another chat is shown."""
        if not self._turn.doing:
            self._turn.loop = None
            self.show_loop()

    def show_loop(self) -> None:
        """Bring the drawer up to date."""
        self._drawer.show(self._turn.loop)

    def _answer(self) -> Answer | None:
        """Return the widget of the running answer, if its chat is shown."""
        return self._transcript.answer(self._turn.reply.id) if self._turn.reply else None

    async def _add(self, message: Message | None, reply: Message) -> None:
        state, transcript = self._state, self._transcript
        if state.thread is None or state.thread.id != self._turn.thread_id:
            return
        if not transcript.complete:
            await transcript.show_thread(state.thread)
            return
        if self._turn.replaces:
            await transcript.cut_from(self._turn.replaces)
        shown = {one.message.id for one in transcript.bubbles}
        said = [Said(message)] if message is not None and message.id not in shown else []
        await transcript.append(*said, transcript.bubble(reply))

    async def _show_question(self, question: Message) -> None:
        """Put a question of memapp itself below the answer, also one that stood below the answer that was retried."""
        if self._state.thread_id == question.thread_id and self._transcript.complete:
            if there := self._transcript.answer(question.id):
                await there.remove()
            await self._transcript.append(self._transcript.bubble(question))

    def _note(self, thread_id: str, said: str, decided: Sequence[str]) -> None:
        """Say below the conversation what became of answers that left it, if it is shown."""
        if decided and self._state.thread_id == thread_id:
            self._transcript.add_note(Note(f"{said}: {', '.join(decided)}"))

    async def _end(self, reply: Message, problem: str = "") -> None:
        answer, app = self._answer(), self._transcript.app
        self._turn.phase, self._turn.reply = "", None
        self._status.look()
        if not app.app_focus and not reply.unprompted:
            app.bell()  # terminals mark the window, so that one sees from elsewhere that it is there
        if answer:
            await answer.finish(reply, problem)
        if answer or self._drawer.screen.has_class("-loop"):
            self._transcript.explain([reply])
