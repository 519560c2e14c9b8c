"""The conversation of Chat: transcript, drawer, status line and composer, and their messages."""

import asyncio

from textual import on, work
from textual.app import ComposeResult
from textual.timer import Timer

from memapp.domain.chat import Message, Thread
from memapp.errors import MemappError
from memapp.services import chats
from memapp.ui import read_models
from memapp.ui.background import background
from memapp.ui.chat.composer import ChatComposer
from memapp.ui.chat.sending import Sending
from memapp.ui.chat.state import ChatState
from memapp.ui.chat.transcript import ChatTranscript
from memapp.ui.chat.turn import TurnView
from memapp.ui.messages import (
    Learned,
    LearningFailed,
    ThreadStarted,
    TurnEnded,
    TurnMoved,
    TurnRefused,
)
from memapp.ui.widgets.composer import CommandMenu

MINUTE_SECONDS = 60.0


class Conversation(Sending):
    """The transcript of a chat above the composer."""

    def __init__(self, state: ChatState) -> None:
        super().__init__(state)
        self.turn = TurnView(state, self.transcript, self.drawer, self.status)
        self._settled = ""
        """The text of the composer when an erasure began."""
        self._silence: Timer | None = None

    def compose(self) -> ComposeResult:
        yield self.transcript
        yield self.drawer
        yield self.status
        yield self._commands
        yield self.composer

    def on_mount(self) -> None:
        self.state.session.changed.subscribe(self, lambda _: self._memories_changed())
        self.state.session.step_undone.subscribe(self, self.transcript.show_step_undone)

    # The open chat --------------------------------------------------------------------------------

    async def show(
        self, thread: Thread | None, at: Message | None = None, persona: str = ""
    ) -> None:
        """Show a chat at the message `at`, or an empty chat in which `persona` answers."""
        state = self.state
        self.status.say("")  # A notice about another chat stays there.
        state.thread, state.begun_by = thread, 0
        state.persona_id = thread.persona if thread else persona or state.runtime.settings.persona
        await self.composer.load()
        if thread is None:
            await self.transcript.welcome()
            self.turn.clear_loop()
        else:
            await self.transcript.show_thread(thread, at)
        self.status.look()
        self.rest()

    async def settle(self) -> None:
        """Save the draft before an erasure, which also searches drafts."""
        self.composer.leave_editing()
        self.composer.stop_timers()  # A timer would save the draft again after the erasure.
        keeps_drafts = await asyncio.to_thread(chats.keeps_drafts, self.state.runtime)
        self._settled = self.composer.text if keeps_drafts else ""
        await self.composer.save()

    async def show_again(self) -> None:
        """Show the chat again after an erasure, so that no erased word is saved again."""
        self.state.thoughts.clear()
        typed_since = self.composer.text.removeprefix(self._settled)
        self.composer.clear_text()
        await self.composer.recall_prompts()
        await self.show(
            await asyncio.to_thread(read_models.last_thread, self.state.runtime),
            persona=self.state.persona_id,
        )
        self.composer.move_cursor(self.composer.document.end)
        self.composer.insert(typed_since)

    def _memories_changed(self) -> None:
        self.transcript.hide_answered()
        self.transcript.show_outcomes()
        if not self.state.busy:
            self.transcript.explain_all()

    # The running turn -----------------------------------------------------------------------------

    async def on_thread_started(self, event: ThreadStarted) -> None:
        # Handled here and not by the screen: the next events of the turn also arrive here, and
        # belong to this thread.
        if event.turn == self.state.begun_by != 0:
            await self.state.begin(event.thread)
        elif event.turn:  # Another chat was opened since; the sent message is no draft any more.
            await asyncio.to_thread(chats.save_draft, self.state.runtime, "", "")

    async def on_turn_moved(self, event: TurnMoved) -> None:
        await self.turn.follow(event)
        if self.state.held:
            self.state.held_in = None
            self.composer.save_soon()
        self.status.look()

    async def on_turn_refused(self, event: TurnRefused) -> None:
        """Show the error of a turn; an unsaved message goes back into the composer."""
        self.state.held_in = None
        if event.unsent is not None:
            self.composer.put_back(event.unsent)
        await self.turn.refused(event.error)
        self.status.say(f"{event.error.title}: {event.error}", problem=True)

    def on_turn_ended(self, event: TurnEnded) -> None:
        if event.turn != self.state.talk.turns:
            return  # The next turn has begun already.
        self.turn.ended()
        self.status.turn_ended()
        self.transcript.show_councils()
        self.state.talk.rest(event.thread_id)
        self.begin_silence()
        self._show_decisions()

    def rest(self) -> None:
        """Start idle work between two turns, or prefill before the first."""
        if self.state.busy:
            return
        if self.state.thread is not None:
            self.state.talk.rest(self.state.thread.id)
        else:
            self.state.talk.warm("", "", self.state.persona_id)

    async def on_learned(self, event: Learned) -> None:
        await self.turn.learned(event)

    def on_learning_failed(self, event: LearningFailed) -> None:
        self.status.say(event.why, problem=event.lasts)

    @background("waiting")
    async def _show_decisions(self) -> None:
        await self.turn.show_decisions()

    def begin_silence(self) -> None:
        """Start the timer for an unprompted remark, if the settings ask for one."""
        if self._silence is not None:
            self._silence.stop()
        minutes = self.state.runtime.settings.remark_after_minutes
        self._silence = (
            self.set_timer(minutes * MINUTE_SECONDS, self.end_silence) if minutes else None
        )

    def end_silence(self) -> None:
        """Ask for an unprompted remark, once per silence and never while the person is writing."""
        thread, last = self.state.thread, self.transcript.last_answer
        quiet = not self.state.busy and self.state.can_answer and not self.composer.text
        if (
            quiet
            and thread is not None
            and thread.deleted_at is None
            and last is not None
            and not last.message.unprompted
        ):
            self.state.talk.remark(thread)

    # The composer ---------------------------------------------------------------------------------

    @on(ChatComposer.Sent)
    @work(group="send", exclusive=True)
    async def _sent(self, event: ChatComposer.Sent) -> None:
        try:
            await self.send(event.writing)
        except MemappError as error:
            self.status.say(str(error), problem=True)
        except Exception as error:  # A bug in parsing a command: the composer still holds the text.
            self.status.say(
                str(self.state.talk.bug(error, "kept this from being sent")), problem=True
            )

    @on(CommandMenu.OptionSelected)
    def _command_chosen(self, event: CommandMenu.OptionSelected) -> None:
        self.composer.take(event.option.id or "")

    @on(ChatComposer.ScrollWanted)
    def _scroll_wanted(self, event: ChatComposer.ScrollWanted) -> None:
        if event.step < 0:
            self.transcript.scroll_page_up(animate=False)
        else:
            self.transcript.scroll_page_down(animate=False)

    @on(ChatComposer.Hesitated)
    def _hesitated(self, event: ChatComposer.Hesitated) -> None:
        self.begin_silence()
        if not event.text.startswith("/"):
            self.state.talk.warm(self.state.thread_id, event.text, self.state.persona_id)

    @on(ChatTranscript.CharacterTyped)
    def _written(self, event: ChatTranscript.CharacterTyped) -> None:
        """Move typed characters from the transcript to the composer."""
        self.screen.set_focus(self.composer)
        if event.pasted:
            self.composer.paste(event.text)
        else:
            self.composer.insert(event.text)
