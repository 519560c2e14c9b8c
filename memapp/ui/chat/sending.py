"""From the composer to a turn: ordinary messages, commands, earlier messages in other words, and what to do without a model."""

import asyncio

from memapp.domain import commands
from memapp.domain.chat import Message, Thread
from memapp.domain.commands import Command
from memapp.domain.text import shorten
from memapp.errors import UsageError
from memapp.services import chats
from memapp.ui.chat.drafts import Drafts, Spans
from memapp.ui.chat.state import ChatState
from memapp.ui.chat.status import Status
from memapp.ui.dialogs import Question, TextCard
from memapp.ui.memories.actions import MemoryActions
from memapp.ui.messages import ThreadStarted, ThreadWanted, Unsent
from memapp.ui.widgets.composer import Composer
from memapp.ui.widgets.transcript import Note, Transcript

GO_ON = "Please go on."


class Sending:
    """What happens when the person presses enter."""

    def __init__(
        self, state: ChatState, composer: Composer, transcript: Transcript, drafts: Drafts, status: Status, actions: MemoryActions
    ) -> None:
        self._state = state
        self._composer = composer
        self._transcript = transcript
        self._drafts = drafts
        self._status = status
        self._actions = actions

    async def send(self, text: str, pasted: Spans) -> None:
        """Send a message, or carry out a command. Raises `UsageError`; what was written then stays where it is."""
        command = commands.parse(text.strip())
        if command is not None:
            await self._carry_out(command)
        elif not text.strip():
            return
        elif self._state.busy:
            self._status.say("Still answering. Press enter again when it is done; esc stops it.")
        elif not self._state.can_answer:
            await self._offer_to_remember(text)
        else:
            unescaped = commands.unescaped(text)
            moved = len(text) - len(unescaped)
            self._submit(unescaped, tuple((max(0, start - moved), end - moved) for start, end in pasted))

    def go_on(self) -> None:
        """Ask for more of an answer that ended at its length limit; nobody typed these words, so nothing is learned from them."""
        if self._may_answer():
            self._state.held = True
            self._state.talk.send(self._state.thread, GO_ON, ((0, len(GO_ON)),), self._state.persona_id)

    def retry(self) -> None:
        """Answer the last message again."""
        answer = self._transcript.replied
        if not self._may_answer():
            return
        if answer is None:
            self._status.say("A remark cannot be answered again; /remark makes another.")
        elif not self._transcript.complete:
            self._status.say("Go to the end of this chat first (esc, then end).")
        else:
            self._state.turn.replaces = answer.message.id
            self._state.held = True
            self._state.talk.retry(answer.message)

    def _may_answer(self) -> bool:
        """Return whether an answer can begin now; if not, say why."""
        if self._state.busy:
            self._status.say("Still answering. Esc stops it.")
        elif not self._state.can_answer:
            self._status.say("There is no model to answer. F8 chooses one.", problem=True)
        return not self._state.busy and self._state.can_answer

    def edit(self, message: Message) -> None:
        """Take an earlier message into the composer, to be sent in other words."""
        if self._state.busy:
            self._status.say("Still answering. Esc stops it.")
            return
        if self._state.editing is None:
            self._drafts.put_aside = (self._composer.text, self._composer.pasted)
        self._state.editing = message
        self._composer.fill(message.text, message.pasted)
        self._composer.focus()
        self._status.show()

    def leave_editing(self) -> None:
        """Give the earlier message up; what was being typed comes back."""
        if self._state.editing is not None:
            self._state.editing = None
            text, pasted = self._drafts.put_aside or ("", ())
            self._drafts.put_aside = None
            self._composer.fill(text, pasted)
            self._status.say("")

    def take_back(self, unsent: Unsent) -> None:
        """Put a message that was not saved back into the composer, before what was typed since."""
        composer = self._composer
        later = f"\n{composer.text}" if composer.text else ""
        composer.swap(unsent.text + later, unsent.pasted)

    def _submit(self, text: str, pasted: Spans) -> None:
        self._state.held = True
        self._composer.prompts = [text, *(one for one in self._composer.prompts if one != text)]
        if self._state.editing is not None:
            message = self._state.editing
            self.leave_editing()
            self._state.turn.replaces = message.id
            self._state.talk.resend(message, text, pasted)
        else:
            self._composer.clear_text()
            self._state.talk.send(self._state.thread, text, pasted, self._state.persona_id)
        self._status.show()

    async def _carry_out(self, command: Command) -> None:
        match command.name:
            case "help":
                words = "\n".join(f"{form:18} {what}" for form, what in commands.COMMANDS.values())
                note = "A message that begins with a slash: begin it with two."
                self._composer.app.push_screen(TextCard("Commands", words, note=note))
            case "remember":
                await self._actions.add(command.text)
            case "evidence":
                await asyncio.to_thread(chats.add_context_card, self._state.runtime, (await self._begun()).id, command.text)
                self._transcript.add_note(Note(f"Evidence added: {shorten(command.text, 200)}"))
            case "remark":
                if self._state.busy or not self._state.can_answer:
                    raise UsageError("Still answering." if self._state.busy else "There is no model to say something.")
                self._state.talk.remark(await self._begun())
            case "new":
                self._composer.clear_text()
                self._transcript.screen.post_message(ThreadWanted(None))
                return
            case "quit":
                self._composer.clear_text()
                await self._composer.app.action_quit()
                return
            case "persona" if not command.text:
                self._status.say(f"Write /persona and a name: {', '.join(self._state.runtime.personas)}.")
                return
            case "persona":
                persona = self._persona(command.text)
                self._composer.clear_text()
                self._transcript.screen.post_message(ThreadWanted(None, persona=persona))
                return
        self._composer.clear_text()
        await self._drafts.save()

    async def _begun(self) -> Thread:
        """Return the chat on the screen; a new one begins with this."""
        state = self._state
        if state.thread is None:
            await state.begin(await asyncio.to_thread(chats.new_thread, state.runtime, state.persona_id))
            assert state.thread is not None
            self._transcript.post_message(ThreadStarted(state.thread))
        return state.thread

    def _persona(self, name: str) -> str:
        """Return the id of the persona with this id or name."""
        known = {key: one.name for key, one in self._state.runtime.personas.items()}
        found = next((key for key, shown in known.items() if name.lower() in (key, shown.lower())), None)
        if found is None:
            raise UsageError(f"There is no persona {name!r}.", f"There are: {', '.join(sorted(known))}.")
        return found

    async def _offer_to_remember(self, text: str) -> None:
        why = self._state.runtime.chat.note or "No model is loaded."
        question = Question(
            "No model to answer",
            f"{shorten(why, 300)}\n\nSave what you wrote as a memory instead?",
            "save as a memory",
            "keep writing",
        )
        wanted = await self._composer.app.push_screen_wait(question)
        if wanted:
            await self._actions.add(text)
            self._composer.clear_text()
            await self._drafts.save()
