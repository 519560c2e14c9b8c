"""The composer of Chat: drafts, editing of earlier messages, and the external editor."""

import asyncio
import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from textual.app import SuspendNotSupported

from memapp.domain.chat import MAX_MESSAGE_CHARS, Message
from memapp.domain.commands import runs_something
from memapp.domain.text import clean
from memapp.errors import MemappError, UsageError
from memapp.runtime import Runtime
from memapp.services import chats
from memapp.ui.background import background
from memapp.ui.chat.state import ChatState
from memapp.ui.chat.status import Status
from memapp.ui.pasted_spans import Writing
from memapp.ui.widgets.composer import CommandMenu, Composer

FALLBACK_EDITOR = "vi"
AS_PASTED = "Words from an editor count as pasted: memapp learns nothing from them."


class ChatComposer(Composer):
    """A composer that saves a draft for each chat at every pause: a crash loses nothing."""

    def __init__(self, state: ChatState, commands: CommandMenu) -> None:
        super().__init__(commands)
        self._state = state
        self.status = Status(state, self)
        """The line above the composer."""
        self._one_at_a_time = asyncio.Lock()
        self._put_aside: Writing | None = None
        """The draft that was put aside when an earlier message was opened for editing."""

    def show_notice(self, words: str, *, problem: bool = False) -> None:
        self.status.say(words, problem=problem)

    # Drafts ---------------------------------------------------------------------------------------

    def paused(self) -> None:
        self.status.typed_on()
        self.save_soon()

    @background("draft")
    async def save_soon(self) -> None:
        """Save the draft in the background."""
        await self.save()

    async def save(self) -> None:
        """Save the draft."""
        if self._state.held or self._put_aside is not None:
            return
        async with self._one_at_a_time:
            await asyncio.to_thread(_save, self._state.runtime, self._state.thread_id, self.writing)

    async def leave(self) -> None:
        """Save the draft, including words typed meanwhile, and clear the composer."""
        self.leave_editing()
        saved = None
        while self.text != saved:
            saved = self.text
            await self.save()
        self.clear_text()

    async def load(self) -> None:
        if self.text or self._state.held_in == self._state.thread_id:
            return  # The draft of this chat is the message on its way.
        draft = await asyncio.to_thread(_load, self._state.runtime, self._state.thread_id)
        if not self.text:
            self.fill(draft)

    def save_now(self) -> None:
        """Save the draft before the app ends; a message on its way remains the draft."""
        if self._state.held:
            return
        try:
            _save(self._state.runtime, self._state.thread_id, self._put_aside or self.writing)
        except MemappError:
            return  # Quitting must not fail; the draft of the last pause is saved.

    # Earlier messages -----------------------------------------------------------------------------

    async def recall_prompts(self) -> None:
        """Load the earlier prompts for the up key."""
        self.prompts = await asyncio.to_thread(chats.typed_prompts, self._state.runtime)

    def edit_message(self, message: Message) -> None:
        """Open an earlier message for editing."""
        if self._state.editing is None:
            self._put_aside = self.writing
        self._state.editing = message
        self.fill(Writing(message.text, message.pasted))
        self.focus()
        self.status.look()

    def leave_editing(self) -> None:
        """Stop editing the earlier message, and restore the draft."""
        if self._state.editing is not None:
            self._state.editing = None
            aside, self._put_aside = self._put_aside, None
            self.fill(aside or Writing())
            self.status.say("")

    def put_back(self, unsent: Writing) -> None:
        """Put an unsaved message back, before the words typed since."""
        later = f"\n{self.text}" if self.text else ""
        self.fill(Writing(unsent.text + later, unsent.pasted), undoable=True)

    # Another editor -------------------------------------------------------------------------------

    def action_editor(self) -> None:
        """Edit the message in the program that EDITOR names; memapp waits."""
        try:
            with self.app.suspend():
                text = _edited(self.text)
        except SuspendNotSupported:
            self.show_notice("Another editor cannot be opened from here.", problem=True)
        except UsageError as error:
            self.show_notice(str(error), problem=True)
        else:
            if text != self.text:
                self.select_all()
                self.paste(text)  # Pasted and typed words cannot be told apart after the editor.
                self.show_notice(AS_PASTED)


def _edited(text: str) -> str:
    """Return the text after editing. Raises `UsageError` if the editor cannot start or fails."""
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or FALLBACK_EDITOR
    # Folder and file are readable by the person only.
    with tempfile.TemporaryDirectory(prefix="memapp-") as folder:
        path = Path(folder) / "message.md"
        path.touch(mode=0o600)
        path.write_text(text, "utf-8")
        try:
            ended = subprocess.run([*shlex.split(command), str(path)], check=False).returncode
        except (OSError, ValueError):
            raise UsageError(
                f"The editor {command!r} cannot be started.", "Name another one in EDITOR."
            ) from None
        if ended:
            raise UsageError(
                f"The editor ended with an error ({ended}).", "Your message is as it was."
            )
        return clean(path.read_text("utf-8", errors="replace")).removesuffix("\n")


def _save(runtime: Runtime, thread_id: str, writing: Writing) -> None:
    if runs_something(writing.text):
        writing = Writing()  # The text may hold a secret, or be a command that leaves no trace.
    if writing.text == chats.get_draft(runtime, thread_id):
        return
    if writing.pasted or chats.choice(runtime, f"pasted:{thread_id}"):
        chats.remember_choice(runtime, f"pasted:{thread_id}", writing.pasted)
    chats.save_draft(runtime, thread_id, writing.text[:MAX_MESSAGE_CHARS])


def _load(runtime: Runtime, thread_id: str) -> Writing:
    spans = chats.choice(runtime, f"pasted:{thread_id}", [])
    pasted = (
        tuple((int(start), int(end)) for start, end in spans) if isinstance(spans, list) else ()
    )
    return Writing(chats.get_draft(runtime, thread_id), pasted)
