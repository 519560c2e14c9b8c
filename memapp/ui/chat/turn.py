"""The running turn on the screen: the streaming answer, the loop, and the outcomes."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from memapp.domain.chat import Message, MessageStatus, Origin
from memapp.domain.consent import ConsentRequest
from memapp.domain.text import counted, one_line, shorten
from memapp.domain.turn_events import (
    Accepted,
    Asked,
    CarriedOut,
    Compared,
    Completed,
    CouncilSat,
    Failed,
    Found,
    Predicted,
    Restarted,
    Retracted,
    RevertedAnswers,
    Streamed,
    Thinking,
    Waiting,
)
from memapp.errors import MemappError
from memapp.services import chats
from memapp.services.chats import Trace
from memapp.services.consent import questions
from memapp.services.open_turn import best_effort
from memapp.ui.chat.notes import passed_over_note, settled_note
from memapp.ui.chat.state import ChatState, RunningTurn
from memapp.ui.chat.status import Status
from memapp.ui.chat.transcript import ChatTranscript
from memapp.ui.inbox.read_models import Settled, settled_since
from memapp.ui.messages import Learned, TurnMoved
from memapp.ui.panels.loop_trace import LoopDrawer
from memapp.ui.read_models import ShownCouncil
from memapp.ui.session import recorded
from memapp.ui.widgets.bubbles import Answer, Note, Said
from memapp.ui.widgets.council import CouncilCard

HINTS = (
    "memapp keeps sentences of what you type. "
    "A click on undo, or ctrl+z in an empty composer, removes one again.",
    "F3 shows every memory: search, edit, pin, see where it comes from. F5 is the trash.",
    "The chips below an answer are the memories it used: "
    "go there with esc, choose with the arrow keys.",
)
"""Hints, shown once each with the first three facts."""
NOT_TAKEN_BACK = "Not undone, because it was changed or partly erased since"


class TurnView:
    """The view of the turn that is running or ran last."""

    def __init__(
        self, state: ChatState, transcript: ChatTranscript, drawer: LoopDrawer, status: Status
    ) -> None:
        self._state = state
        self._transcript = transcript
        self._drawer = drawer
        self._status = status
        self._accepted: Accepted | None = None
        """The message of the last turn, until its statements and decisions are read."""
        self._message: Message | None = None
        self._settled: tuple[Settled, ...] = ()
        self._passed_over: ConsentRequest | None = None
        """The decision of that message and the question left open by it, shown after the turn."""
        self._hinted_at = ""

    @property
    def _turn(self) -> RunningTurn:
        return self._state.turn

    async def follow(self, moved: TurnMoved) -> None:
        """Update the screen for an event of the turn."""
        turn, answer = self._turn, self._answer()
        turn.loop = loop = (
            Trace() if isinstance(moved.event, Accepted) or turn.loop is None else turn.loop
        )
        match moved.event:
            case Accepted():
                await self._begin(moved.thread_id, moved.event)
            case Compared(expected=expected):
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
            case Thinking(text=text, retracts=retracts):
                await self._think(answer, text, retracts=retracts)
            case Streamed(text=text):
                turn.text += text
                if not (turn.reply and turn.reply.origin is Origin.COMMAND):
                    turn.phase = "Writing · esc stops"
                if answer:
                    answer.add(text)
            case Restarted():
                turn.text = ""
                turn.phase = "The answer was a repetition; writing again · esc stops"
                if answer:
                    answer.restart()
            case Completed(reply=reply):
                await self._end(reply)
            case Failed(reply=reply, error=error):
                await self._end(reply, str(error))
            case Asked(question=question):
                await self._show_question(question)
            case RevertedAnswers(undone=undone, kept=kept):
                self._note(moved.thread_id, "Undone", undone)
                self._note(moved.thread_id, NOT_TAKEN_BACK, kept)
            case CarriedOut(text=text, step=step, is_reply=is_reply):
                await self._carried_out(moved.thread_id, text, step, is_reply=is_reply)
            case Retracted():
                self._retracted(moved.thread_id, moved.event)
            case CouncilSat():
                self._council(moved.thread_id, moved.event)
        self.show_loop()
        # The turn has read the statements and decisions of its message by now.
        if self._accepted is not None and moved.event is not self._accepted:
            accepted, self._accepted = self._accepted, None
            await self._look_at_decisions(accepted)

    async def _begin(self, thread_id: str, accepted: Accepted) -> None:
        turn, reply = self._turn, accepted.reply
        turn.thread_id, turn.reply, turn.text, turn.stopped = thread_id, reply, "", False
        is_command = reply.origin is Origin.COMMAND
        turn.phase = f"{'Running' if is_command else 'Thinking'} · esc stops"
        await self._add(accepted.message, reply)
        self._accepted = accepted

    async def refused(self, error: MemappError) -> None:
        """End a turn that failed without an event."""
        turn = self._turn
        if turn.reply is not None and turn.doing:
            await self._end(
                replace(turn.reply, text=turn.text, status=MessageStatus.FAILED), str(error)
            )
        self.ended()

    def ended(self) -> None:
        """Reset the state of the running turn."""
        turn = self._turn
        turn.phase, turn.stopped, turn.reply, turn.replaces = "", False, None, ""

    def clear_loop(self) -> None:
        """Clear the loop for another chat."""
        if not self._turn.doing:
            self._turn.loop = None
            self.show_loop()

    def show_loop(self) -> None:
        self._drawer.show(self._turn.loop)

    async def _think(self, answer: Answer | None, text: str, *, retracts: bool) -> None:
        """Show thoughts under the answer; the streamed text may turn out to be a thought."""
        if retracts:
            self._turn.text = ""
        added = self._state.thoughts.add(self._turn.reply.id, text) if self._turn.reply else ""
        if answer:
            if retracts:
                answer.restart()
            answer.say("thinking…")
            await answer.think(added)

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
        shown = {bubble.message.id for bubble in transcript.bubbles}
        said = [Said(message)] if message is not None and message.id not in shown else []
        await transcript.append(*said, transcript.bubble(reply))

    async def _show_question(self, question: Message) -> None:
        """Show a question of memapp below the answer, also after a retry."""
        if self._state.thread_id == question.thread_id and self._transcript.complete:
            if shown := self._transcript.answer(question.id):
                await shown.remove()
            await self._transcript.append(self._transcript.bubble(question))

    def _note(self, thread_id: str, deed: str, decided: Sequence[str]) -> None:
        """Show a note below the conversation about a deleted answer, if its chat is shown."""
        if decided and self._state.thread_id == thread_id:
            self._transcript.add_note(Note(f"{deed}: {', '.join(decided)}"))

    async def _end(self, reply: Message, problem: str = "") -> None:
        answer, app = self._answer(), self._transcript.app
        self._turn.phase, self._turn.reply = "", None
        self._status.look()
        if not app.app_focus and not reply.unprompted:
            # Terminals mark a window after a bell.
            app.bell()
        if answer:
            await answer.finish(reply, problem)
        if answer or self._drawer.screen.has_class("-loop"):
            self._transcript.explain([reply])

    # Outcomes of the message ----------------------------------------------------------------------

    async def learned(self, event: Learned) -> None:
        """Show that a fact was learned, changed or ended; the first three come with a hint."""
        if isinstance(event.news, Retracted):
            self._retracted(event.thread_id, event.news)
            return
        memory, before, step = event.news.memory, event.news.before, event.news.step
        done = "Updated" if before else "Remembered"
        self._state.session.undone.push(f"{done} “{shorten(memory.text, 40)}”", step)
        self._state.session.fresh_memory = memory.id
        if self._state.thread_id == event.thread_id != "":
            self._transcript.show_outcomes()
            if self._state.runtime.settings.hints:
                await self._hint()

    def _retracted(self, thread_id: str, news: Retracted) -> None:
        """Show the memories that were retracted with replaced words, and those restored."""
        deeds = [
            (words, texts)
            for words, texts in (
                ("No longer remembered", news.texts),
                ("Remembered again", news.again),
            )
            if texts
        ]
        does, first = deeds[0]
        self._state.session.undone.push(f"{does} “{shorten(first[0], 40)}”", news.step)
        self._state.session.memories_changed()
        for deed, texts in deeds if self._state.thread_id == thread_id else ():
            more = f" and {len(texts) - 1} more" if len(texts) > 1 else ""
            text = texts[0].rstrip("." if more else "")
            self._transcript.add_note(Note(f"{deed}: {text}", end=more, step=news.step))

    def _council(self, thread_id: str, sat: CouncilSat) -> None:
        """Show the progress of a council."""
        calls = counted(sat.calls, "call")
        progress = f"{sat.spoken} of {sat.of} reviewers have spoken · at most {calls} of a model"
        self._turn.phase = f"Council: {sat.spoken} of {sat.of} · esc stops"
        if self._state.thread_id == thread_id:
            self._transcript.put_card(
                CouncilCard(ShownCouncil(sat.round, sat.round.dissents, True, progress))
            )

    async def _carried_out(self, thread_id: str, text: str, step: str, *, is_reply: bool) -> None:
        """Offer to undo what the message asked of the memory."""
        line, session = one_line(text), self._state.session
        if step:
            done = await asyncio.to_thread(recorded, self._state.runtime, step)
            session.undone.push(done.label if done else shorten(line, 60), step)
            session.memories_changed()
        if self._state.thread_id == thread_id and (step or not is_reply):
            self._transcript.add_note(Note("ctrl+z undoes it" if is_reply else line, step=step))

    async def _hint(self) -> None:
        """Show one hint after each of the first three answers with a learned fact."""
        given = await asyncio.to_thread(chats.choice, self._state.runtime, "hints", 0)
        message = self._transcript.last_answer
        if (
            isinstance(given, int)
            and given < len(HINTS)
            and message is not None
            and message.message.id != self._hinted_at
        ):
            self._hinted_at = message.message.id
            self._transcript.add_note(Note(f"({HINTS[given]})"))
            await asyncio.to_thread(chats.remember_choice, self._state.runtime, "hints", given + 1)

    async def _look_at_decisions(self, accepted: Accepted) -> None:
        """Read the decisions of a new message at once; its requests are pending from now on."""
        message = self._message = accepted.message
        self._settled, self._passed_over = (), None
        if message is None or accepted.decided_after is None:
            return
        self._settled = await asyncio.to_thread(
            settled_since, self._state.runtime, accepted.decided_after
        )
        for decision in self._settled:
            self._state.session.undone.push(decision.said, decision.step)
        passed_over = partial(questions.passed_over, self._state.runtime, message)
        attempt = partial(
            best_effort, self._state.runtime, message.thread_id, "passed_over", passed_over
        )
        self._passed_over = await asyncio.to_thread(attempt)
        self._state.session.memories_changed()

    async def show_decisions(self) -> None:
        """Show the decisions and outcomes of the message below the answer, in its chat."""
        message, self._message = self._message, None
        if message is None:
            return
        if self._state.thread_id == message.thread_id:
            notes = [settled_note(decision) for decision in self._settled]
            notes += [passed_over_note(self._passed_over)] if self._passed_over is not None else []
            for note in notes:
                self._transcript.add_note(note)
            self._transcript.show_outcomes()
