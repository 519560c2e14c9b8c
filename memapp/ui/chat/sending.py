"""The way from the composer to a turn: messages, commands, retries and councils."""

import asyncio
from pathlib import Path

from textual import on
from textual.containers import Vertical

from memapp.domain import commands
from memapp.domain.chat import Origin, Thread
from memapp.domain.commands import Command
from memapp.domain.text import shorten
from memapp.errors import UsageError
from memapp.services import chats
from memapp.services.memory_requests import requests
from memapp.ui.background import background
from memapp.ui.chat import import_command
from memapp.ui.chat.composer import ChatComposer
from memapp.ui.chat.state import ChatState
from memapp.ui.chat.transcript import ChatTranscript
from memapp.ui.dialogs import Question, TextCard
from memapp.ui.messages import (
    ThreadStarted,
    ThreadWanted,
)
from memapp.ui.panels.loop_trace import LoopDrawer
from memapp.ui.pasted_spans import Spans, Writing
from memapp.ui.safe_text import notify
from memapp.ui.widgets.bubbles import Note
from memapp.ui.widgets.composer import CommandMenu

GO_ON = "Please go on."


class Sending(Vertical):
    """The composer with the transcript it sends to."""

    def __init__(self, state: ChatState) -> None:
        super().__init__(id="conversation")
        self.state = state
        self.drawer, self._commands = LoopDrawer(), CommandMenu()
        self.composer = ChatComposer(state, self._commands)
        self.status = self.composer.status
        self.transcript = ChatTranscript(state, self.status, self.drawer)

    async def send(self, writing: Writing) -> None:
        """Send a message or run a command. Raises `UsageError`, and keeps the text then."""
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
        """Return True if a message only asks the memory for something: no model is needed."""
        state = self.state
        return await asyncio.to_thread(
            requests.needs_no_model,
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
        """Run a shell command exactly as it was written."""
        state, composer = self.state, self.composer
        if state.busy:
            raise UsageError("Still busy. Esc stops the command.")
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
        """Ask for the rest of a truncated answer. Nothing is learned from this prompt."""
        if self._can_answer():
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
        if not self._can_answer():
            return
        if answer is None:
            self.status.say("A remark cannot be answered again; /remark makes another.")
        elif not self.transcript.complete:
            self.status.say("Go to the end of this chat first (esc, then end).")
        else:
            self.state.turn.replaces = answer.message.id
            self.state.held_in = self.state.thread_id
            self.state.talk.retry(answer.message)

    def _can_answer(self) -> bool:
        """Return True if an answer can begin now; otherwise show why not."""
        if self.state.busy:
            self.status.say("Still answering. Esc stops it.")
        elif not self.state.can_answer:
            self.status.say(
                "There is no model to answer. Choose one under Models (F8).", problem=True
            )
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
                note = "To send a message that begins with a slash, type two."
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
                    (await self._open_thread()).id,
                    command.text,
                )
                self.transcript.add_note(Note(f"Evidence added: {shorten(command.text, 200)}"))
            case "council":
                self._hold_council(command.text)
                return
            case "import":
                self._bring_in(import_command.path_of(command.text))
            case "remark":
                if self.state.busy or not self.state.can_answer:
                    raise UsageError(
                        "Still answering."
                        if self.state.busy
                        else "There is no model to say something."
                    )
                self.state.talk.remark(await self._open_thread())
            case "new":
                self._begin_new()
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
                self._begin_new(self.state.runtime.persona_called(command.text))
                return
        self.composer.clear_text()
        await self.composer.save()

    @background("import")
    async def _bring_in(self, path: Path) -> None:
        await import_command.bring_in(self, self.state.session, self.status, path)

    def _hold_council(self, question: str) -> None:
        """Ask a question and review the answer; without a question, review the last answer."""
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

    def _begin_new(self, persona: str = "") -> None:
        self.composer.clear_text()
        self.screen.post_message(ThreadWanted(None, persona=persona))

    async def _open_thread(self) -> Thread:
        """Return the thread on the screen; create one for a new chat."""
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
