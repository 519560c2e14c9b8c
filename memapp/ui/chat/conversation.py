"""The middle of Chat: the conversation, the drawer, the line of news and the composer, and what
their messages ask for.
"""

import asyncio
from pathlib import Path

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.timer import Timer

from memapp.domain import commands
from memapp.domain.chat import Message, Origin, Thread
from memapp.domain.commands import Command
from memapp.domain.text import shorten
from memapp.errors import MemappError, UsageError
from memapp.services import chats, memory_request
from memapp.ui import read_models
from memapp.ui.background import background
from memapp.ui.chat import moving_in
from memapp.ui.chat.composer import ChatComposer
from memapp.ui.chat.state import ChatState
from memapp.ui.chat.transcript import ChatTranscript
from memapp.ui.chat.turn import TurnView
from memapp.ui.dialogs import Question, TextCard
from memapp.ui.messages import (
    Learned,
    LearningFailed,
    ThreadStarted,
    ThreadWanted,
    TurnEnded,
    TurnMoved,
    TurnRefused,
)
from memapp.ui.panels.loop import LoopDrawer
from memapp.ui.pasted import Spans, Writing
from memapp.ui.safe import notify
from memapp.ui.widgets.bubbles import Note
from memapp.ui.widgets.composer import CommandMenu

MINUTE_SECONDS = 60.0
GO_ON = "Please go on."


class Conversation(Vertical):
    """What is said, and where the person writes."""

    def __init__(self, state: ChatState) -> None:
        super().__init__(id="conversation")
        self.state = state
        self.drawer, self._commands = LoopDrawer(), CommandMenu()
        self.composer = ChatComposer(state, self._commands)
        self.status = self.composer.status
        self.transcript = ChatTranscript(state, self.status, self.drawer)
        self.turn = TurnView(state, self.transcript, self.drawer, self.status)
        self._settled = ""
        """What stood in the composer when something began to be erased."""
        self._silence: Timer | None = None

    def compose(self) -> ComposeResult:
        yield self.transcript
        yield self.drawer
        yield self.status
        yield self._commands
        yield self.composer

    def on_mount(self) -> None:
        self.state.session.changed.subscribe(self, lambda _: self._memories_changed())
        self.state.session.taken_back.subscribe(self, self.transcript.took_back)

    # Which chat is shown --------------------------------------------------------------------------

    async def show(
        self, thread: Thread | None, at: Message | None = None, persona: str = ""
    ) -> None:
        """Show a chat, or an empty one in which `persona` answers; `at` is the message to show it
        at.
        """
        state = self.state
        self.status.say("")  # what was said about another chat stays there
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
        """Save what is being typed before something is erased: it is looked through too."""
        self.composer.leave_editing()
        self.composer.stop_timers()  # else it would be saved once more, behind the erasing
        kept = await asyncio.to_thread(chats.keeps_drafts, self.state.runtime)
        self._settled = self.composer.text if kept else ""
        await self.composer.save()

    async def show_again(self) -> None:
        """Show what the file holds since something was erased: words that are gone stay nowhere
        here, to be saved again.
        """
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
        # Here, not on the screen: what the turn does next comes here too, and belongs to this
        # thread.
        if event.turn == self.state.begun_by != 0:
            await self.state.begin(event.thread)
        elif event.turn:  # another chat was opened since; what was sent is no draft any more
            await asyncio.to_thread(chats.save_draft, self.state.runtime, "", "")

    async def on_turn_moved(self, event: TurnMoved) -> None:
        await self.turn.follow(event)
        if self.state.held:
            self.state.held_in = None
            self.composer.save_soon()
        self.status.look()

    async def on_turn_refused(self, event: TurnRefused) -> None:
        """Nothing may be lost: a message that was not saved goes back into the composer."""
        self.state.held_in = None
        if event.unsent is not None:
            self.composer.take_back(event.unsent)
        await self.turn.refused(event.error)
        self.status.say(f"{event.error.title}: {event.error}", problem=True)

    def on_turn_ended(self, event: TurnEnded) -> None:
        if event.turn != self.state.talk.turns:
            return  # enter was quicker, and what is known now is of the next turn
        self.turn.ended()
        self.status.turn_ended()
        self.transcript.show_councils()
        self.state.talk.rest(event.thread_id)
        self.begin_silence()
        self._say_what_waits()

    def rest(self) -> None:
        """Let the time between two turns be used, or that before the first one."""
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
    async def _say_what_waits(self) -> None:
        await self.turn.say_what_waits()

    def begin_silence(self) -> None:
        """Begin to wait for a silence, after which the persona may say something unasked, if the
        person set that.
        """
        if self._silence is not None:
            self._silence.stop()
        minutes = self.state.runtime.settings.remark_after_minutes
        self._silence = (
            self.set_timer(minutes * MINUTE_SECONDS, self.end_silence) if minutes else None
        )

    def end_silence(self) -> None:
        """Let the persona say something, once a silence and never into what is being written."""
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
        except (
            Exception
        ) as error:  # of what reads commands: what was written still stands in the composer
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
        """What is written while the conversation has the focus is meant for the composer."""
        self.screen.set_focus(self.composer)
        if event.pasted:
            self.composer.paste(event.text)
        else:
            self.composer.insert(event.text)

    # From the composer to a turn ------------------------------------------------------------------

    async def send(self, writing: Writing) -> None:
        """Send a message, or carry out a command. Raises `UsageError`; what was written then stays
        where it is.
        """
        text = writing.text
        command = commands.parse(text)
        if command is not None and command.name in commands.RUNS:
            self._run(command, writing)
        elif command is not None:
            await self._carry_out(command)
        elif not text.strip():
            return
        elif self.state.busy:
            self.status.say("Still answering. Press enter again when it is done; esc stops it.")
        elif not self.state.can_answer and not await self._is_for_memory(writing):
            await self._offer_to_remember(text)
        else:
            unescaped = commands.unescaped(text)
            moved = len(text) - len(unescaped)
            self._submit(
                unescaped,
                tuple((max(0, start - moved), end - moved) for start, end in writing.pasted),
            )

    async def _is_for_memory(self, writing: Writing) -> bool:
        """Say whether a message asks something of the memory and no more: then no model need
        answer.
        """
        state = self.state
        return await asyncio.to_thread(
            memory_request.needs_no_model,
            state.runtime,
            state.thread_id,
            writing.text,
            writing.pasted,
        )

    def _submit(self, text: str, pasted: Spans) -> None:
        state, composer = self.state, self.composer
        state.held_in = state.thread_id
        composer.prompts = [text, *(prompt for prompt in composer.prompts if prompt != text)]
        if (message := state.editing) is not None:
            composer.leave_editing()
            state.turn.replaces = message.id
            state.talk.resend(message, text, pasted)
        else:
            composer.clear_text()
            state.talk.send(state.thread, text, pasted, state.persona_id)
            state.begun_by = 0 if state.thread else state.talk.turns
        self.status.look()

    def _run(self, command: Command, written: Writing) -> None:
        """Run what the person wrote, in full as it stands there."""
        state, composer = self.state, self.composer
        if state.busy:
            raise UsageError("Still busy. Esc stops what runs.")
        state.held_in = state.thread_id
        if not command.is_private:
            composer.prompts = [
                written.text,
                *(prompt for prompt in composer.prompts if prompt != written.text),
            ]
        composer.leave_editing()
        composer.clear_text()
        state.talk.run(state.thread, command, written, state.persona_id)
        state.begun_by = 0 if state.thread else state.talk.turns
        self.status.look()

    @on(ChatTranscript.GoOnWanted)
    def go_on(self) -> None:
        """Ask for more of an answer that ended at its length limit; nobody typed these words, so
        nothing is learned from them.
        """
        if self._may_answer():
            self.state.held_in = self.state.thread_id
            self.state.talk.send(
                self.state.thread, GO_ON, ((0, len(GO_ON)),), self.state.persona_id
            )

    @on(ChatTranscript.CouncilWanted)
    def _council_wanted(self, event: ChatTranscript.CouncilWanted) -> None:
        if self.state.busy:
            self.status.say("Still answering. Esc stops it.")
        else:
            self.state.talk.council(self.state.thread_id, event.message_id)

    @on(ChatTranscript.RetryWanted)
    def retry(self) -> None:
        answer = self.transcript.replied
        if not self._may_answer():
            return
        if answer is None:
            self.status.say("A remark cannot be answered again; /remark makes another.")
        elif not self.transcript.complete:
            self.status.say("Go to the end of this chat first (esc, then end).")
        else:
            self.state.turn.replaces = answer.message.id
            self.state.held_in = self.state.thread_id
            self.state.talk.retry(answer.message)

    def _may_answer(self) -> bool:
        """Return whether an answer can begin now; if not, say why."""
        if self.state.busy:
            self.status.say("Still answering. Esc stops it.")
        elif not self.state.can_answer:
            self.status.say("There is no model to answer. F8 chooses one.", problem=True)
        return not self.state.busy and self.state.can_answer

    @on(ChatTranscript.EditWanted)
    def _edit_wanted(self, event: ChatTranscript.EditWanted) -> None:
        if self.state.busy:
            self.status.say("Still answering. Esc stops it.")
        elif event.message.origin is Origin.COMMAND:
            self.composer.fill(Writing(event.message.text), undoable=True)
            self.composer.focus()
        else:
            self.composer.edit_message(event.message)

    async def _carry_out(self, command: Command) -> None:
        match command.name:
            case "help":
                words = "\n".join(f"{form:18} {what}" for form, what in commands.COMMANDS.values())
                note = "A message that begins with a slash: begin it with two."
                self.app.push_screen(TextCard("Commands", words, note=note))
            case "remember":
                await self.transcript.actions.add(command.text)
            case "howto":
                await self.transcript.actions.write_howto(command.text)
            case "forget" | "know" if self.state.busy:
                raise UsageError("Still answering.")
            case "forget" | "know":
                self._submit(f"/{command.name} {command.text}".strip(), ())
                return
            case "undo":
                notify(self, await self.state.session.undo())
            case "evidence":
                await asyncio.to_thread(
                    chats.add_context_card,
                    self.state.runtime,
                    (await self._begun()).id,
                    command.text,
                )
                self.transcript.add_note(Note(f"Evidence added: {shorten(command.text, 200)}"))
            case "council":
                self._hold_council(command.text)
                return
            case "import":
                self._bring_in(moving_in.path_of(command.text))
            case "remark":
                if self.state.busy or not self.state.can_answer:
                    raise UsageError(
                        "Still answering."
                        if self.state.busy
                        else "There is no model to say something."
                    )
                self.state.talk.remark(await self._begun())
            case "new":
                self._leave_for()
                return
            case "quit":
                self.composer.clear_text()
                await self.app.action_quit()
                return
            case "persona" if not command.text:
                self.status.say(
                    f"Write /persona and a name: {', '.join(self.state.runtime.personas)}."
                )
                return
            case "persona":
                self._leave_for(self.state.runtime.persona_called(command.text))
                return
        self.composer.clear_text()
        await self.composer.save()

    @background("import")
    async def _bring_in(self, path: Path) -> None:
        await moving_in.bring_in(self, self.state.session, self.status, path)

    def _hold_council(self, question: str) -> None:
        """Ask a question and hold a council over the answer; without one, over the last answer."""
        state, reply = self.state, self.transcript.replied
        if state.busy or (question and not state.can_answer):
            raise UsageError("Still answering." if state.busy else "There is no model to answer.")
        if not question and (reply is None or reply.message.reply_to is None):
            raise UsageError("There is no answer to review.", "Write /council and a question.")
        self.composer.clear_text()
        if question:
            state.held_in = state.thread_id
            state.talk.ask_council(state.thread, question, state.persona_id)
            state.begun_by = 0 if state.thread else state.talk.turns
        elif reply is not None and reply.message.reply_to is not None:
            state.talk.council(state.thread_id, reply.message.reply_to)
        self.status.look()

    def _leave_for(self, persona: str = "") -> None:
        self.composer.clear_text()
        self.screen.post_message(ThreadWanted(None, persona=persona))

    async def _begun(self) -> Thread:
        """Return the chat on the screen; a new one begins with this."""
        state = self.state
        if state.thread is None:
            await state.begin(
                await asyncio.to_thread(chats.new_thread, state.runtime, state.persona_id)
            )
            assert state.thread is not None
            self.post_message(ThreadStarted(state.thread))
        return state.thread

    async def _offer_to_remember(self, text: str) -> None:
        why = self.state.runtime.chat.note or "No model is loaded."
        question = Question(
            "No model to answer",
            f"{shorten(why, 300)}\n\nSave what you wrote as a memory instead?",
            "save as a memory",
            "keep writing",
        )
        if await self.app.push_screen_wait(question):
            await self.transcript.actions.add(text)
            self.composer.clear_text()
            await self.composer.save()
