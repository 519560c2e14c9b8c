"""From the composer to a turn: ordinary messages, commands, earlier messages in other words, and what to do without a model."""

import asyncio
from typing import TYPE_CHECKING

from memapp.domain import commands
from memapp.domain.chat import Message, Thread
from memapp.domain.commands import Command
from memapp.domain.text import shorten
from memapp.errors import UsageError
from memapp.services import chats
from memapp.ui.chat.drafts import Spans
from memapp.ui.dialogs import Question, TextCard
from memapp.ui.messages import ThreadStarted, Unsent
from memapp.ui.widgets.transcript import Note

if TYPE_CHECKING:
    from memapp.ui.screens.chat import ChatScreen

GO_ON = "Please go on."


class Sending:
    """What happens when the person presses enter."""

    def __init__(self, screen: "ChatScreen") -> None:
        self._screen = screen
        self.editing: Message | None = None
        """An earlier message that the composer holds, to be sent in other words."""

    async def send(self, text: str, pasted: Spans) -> None:
        """Send a message, or carry out a command. Raises `UsageError`; what was written then stays where it is."""
        screen = self._screen
        command = commands.parse(text.strip())
        if command is not None:
            await self._carry_out(command)
        elif not text.strip():
            return
        elif screen.busy:
            screen.say("Still answering. Press enter again when it is done; esc stops it.")
        elif not screen.can_answer:
            await self._offer_to_remember(text)
        else:
            unescaped = commands.unescaped(text)
            moved = len(text) - len(unescaped)
            self._submit(unescaped, tuple((max(0, start - moved), end - moved) for start, end in pasted))

    def go_on(self) -> None:
        """Ask for more of an answer that ended at its length limit; nobody typed these words, so nothing is learned from them."""
        screen = self._screen
        if screen.busy:
            screen.say("Still answering. Esc stops it.")
        elif not screen.can_answer:
            screen.say("There is no model to answer. F8 chooses one.", problem=True)
        else:
            screen.drafts.held = True
            screen.talk.send(screen.thread, GO_ON, ((0, len(GO_ON)),), screen.persona_id)

    def retry(self) -> None:
        """Answer the last message again."""
        screen = self._screen
        answer = screen.transcript.replied
        if screen.busy:
            return
        if answer is None:
            screen.say("A remark cannot be answered again; /remark makes another.")
        elif not screen.can_answer:
            screen.say("There is no model to answer. F8 chooses one.", problem=True)
        elif not screen.transcript.complete:
            screen.say("Go to the end of this chat first (G).")
        else:
            screen.turn.replaces = answer.message.id
            screen.drafts.held = True
            screen.talk.retry(answer.message)

    def edit(self, message: Message) -> None:
        """Take an earlier message into the composer, to be sent in other words."""
        screen = self._screen
        if screen.busy:
            screen.say("Still answering. Esc stops it.")
            return
        if self.editing is None:
            screen.drafts.put_aside = (screen.composer.text, screen.composer.pasted)
        self.editing = message
        screen.composer.fill(message.text, message.pasted)
        screen.composer.focus()
        screen.show_status()

    def leave_editing(self) -> None:
        """Give the earlier message up; what was being typed comes back."""
        if self.editing is not None:
            self.editing = None
            text, pasted = self._screen.drafts.put_aside or ("", ())
            self._screen.drafts.put_aside = None
            self._screen.composer.fill(text, pasted)
            self._screen.say("")

    def take_back(self, unsent: Unsent) -> None:
        """Put a message that was not saved back into the composer, before what was typed since."""
        composer = self._screen.composer
        later = f"\n{composer.text}" if composer.text else ""
        composer.swap(unsent.text + later, unsent.pasted)

    def _submit(self, text: str, pasted: Spans) -> None:
        screen = self._screen
        screen.drafts.held = True
        screen.composer.prompts = [text, *(one for one in screen.composer.prompts if one != text)]
        if self.editing is not None:
            message = self.editing
            self.leave_editing()
            screen.turn.replaces = message.id
            screen.talk.resend(message, text, pasted)
        else:
            screen.composer.clear_text()
            screen.talk.send(screen.thread, text, pasted, screen.persona_id)
        screen.show_status()

    async def _carry_out(self, command: Command) -> None:
        screen = self._screen
        match command.name:
            case "help":
                words = "\n".join(f"{form:18} {what}" for form, what in commands.COMMANDS.values())
                screen.app.push_screen(TextCard("Commands", words, note="A message that begins with a slash: begin it with two."))
            case "remember":
                await screen.memories.add(command.text)
            case "evidence":
                await asyncio.to_thread(chats.add_evidence, screen.runtime, (await self._begun()).id, command.text)
                screen.transcript.add_note(Note(f"Evidence added: {shorten(command.text, 200)}"))
            case "remark":
                if screen.busy or not screen.can_answer:
                    raise UsageError("Still answering." if screen.busy else "There is no model to say something.")
                screen.talk.remark(await self._begun())
            case "new":
                screen.composer.clear_text()
                screen.action_new()
                return
            case "quit":
                screen.composer.clear_text()
                await screen.app.action_quit()
                return
            case "persona" if not command.text:
                screen.say(f"Write /persona and a name: {', '.join(screen.runtime.personas)}.")
                return
            case "persona":
                await self.new_chat_with(command.text)
                return
        screen.composer.clear_text()
        await screen.drafts.save()

    async def _begun(self) -> Thread:
        """Return the chat on the screen; a new one begins with this."""
        screen = self._screen
        if screen.thread is None:
            thread = await asyncio.to_thread(chats.new_thread, screen.runtime, screen.persona_id)
            await screen.on_thread_started(ThreadStarted(thread))
        assert screen.thread is not None
        return screen.thread

    async def new_chat_with(self, name: str) -> None:
        """Show a new chat with the persona of this id or name; like every other it is saved with its first message."""
        screen = self._screen
        known = {key: one.name for key, one in screen.runtime.personas.items()}
        found = next((key for key, shown in known.items() if name.lower() in (key, shown.lower())), None)
        if found is None:
            raise UsageError(f"There is no persona {name!r}.", f"There are: {', '.join(sorted(known))}.")
        screen.composer.clear_text()
        screen.open_thread(None, persona=found)

    async def _offer_to_remember(self, text: str) -> None:
        screen = self._screen
        why = screen.runtime.chat.note or "No model is loaded."
        question = Question(
            "No model to answer",
            f"{shorten(why, 300)}\n\nSave what you wrote as a memory instead?",
            "save as a memory",
            "keep writing",
        )
        wanted = await screen.app.push_screen_wait(question)
        if wanted:
            await screen.memories.add(text)
            screen.composer.clear_text()
            await screen.drafts.save()
