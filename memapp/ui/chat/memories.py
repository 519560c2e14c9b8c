"""What a person does with memories on the screen: show, write, edit, pin, discard. Each can be undone."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from memapp.domain.changes import Revision
from memapp.domain.memory import MAX_MEMORY_CHARS, Memory
from memapp.domain.text import one_line, shorten
from memapp.services import chats, curate
from memapp.services.merge import Written
from memapp.ui.dialogs import Line
from memapp.ui.safe import copy
from memapp.ui.screens.detail import MemoryCard
from memapp.ui.widgets.transcript import Note, Transcript

if TYPE_CHECKING:
    from memapp.ui.screens.chat import ChatScreen

HINTS = (
    "memapp keeps short facts from what you type. A click on undo, or ctrl+z in an empty composer, takes one back.",
    "F3 shows every memory: search, edit, pin, see where it comes from. F5 is the trash.",
    "The chips below an answer are the memories it used: go there with esc, choose with the arrow keys.",
)
"""Shown once each, with the first three facts."""


class MemoryDeeds:
    """What is done with memories, for one screen."""

    def __init__(self, screen: "ChatScreen") -> None:
        self._screen = screen
        self._runtime = screen.runtime
        self._hinted_at = ""

    async def show(self, memory_id: str, why: str = "") -> None:
        """Open a memory, and do what the person then wants."""
        memory = await asyncio.to_thread(curate.get, self._runtime, memory_id)
        wanted = await self._screen.app.push_screen_wait(MemoryCard(memory, why, self._runtime.clock()))
        match wanted.deed if wanted else None:
            case "discard":
                self._did("In the trash:", memory.text, await asyncio.to_thread(curate.discard, self._runtime, memory.id))
            case "pin":
                label = "Unpinned" if memory.pinned else "Pinned"
                revision = await asyncio.to_thread(curate.pin, self._runtime, memory.id, pinned=not memory.pinned)
                self._did(label, memory.text, revision)
            case "edit" if wanted and wanted.text != memory.text:
                self._did("Edited", memory.text, await asyncio.to_thread(curate.edit, self._runtime, memory.id, wanted.text))
            case "copy":
                copy(self._screen, memory.text)
            case "jump" if memory.sources:
                await self._screen.go_to_message(memory.sources[0])

    async def add(self, text: str, *sources: str) -> None:
        """Remember something in the person's own words, perhaps about messages."""
        revision = await asyncio.to_thread(partial(curate.add, self._runtime, text, sources=sources))
        self._screen.session.fresh_memory = revision.memory_id
        self._did("Remembered", text, revision)

    async def write(self, text: str, *sources: str) -> None:
        """Let the person put something into the words to be remembered; `sources` are the messages it is taken from."""
        note = f"One fact in your own words, at most {MAX_MEMORY_CHARS} characters."
        line = Line("Remember", shorten(one_line(text), MAX_MEMORY_CHARS), str, note=note, length=MAX_MEMORY_CHARS)
        written = await self._screen.app.push_screen_wait(line)
        if written:
            await self.add(written, *sources)

    async def learned(self, written: Written, *, shown: bool) -> None:
        """Say quietly that a fact was learned or changed; with the first three, say what can be done about it."""
        memory, before = written.memory, written.before
        done = "Updated" if before else "Remembered"
        self._screen.session.undone.push(f"{done} “{shorten(memory.text, 40)}”", written.step)
        self._screen.session.fresh_memory = memory.id
        if shown:
            self._screen.transcript.add_note(learned_note(memory, before.text if before else "", written.step))
            if self._runtime.settings.hints:
                await self._hint()

    def unlearned(self, texts: Sequence[str], step: str, *, shown: bool) -> None:
        """Say quietly what went with words that the person replaced."""
        more = f" and {len(texts) - 1} more" if len(texts) > 1 else ""
        self._screen.session.undone.push(f"Let go of “{shorten(texts[0], 40)}”", step)
        self._screen.session.memories_changed()
        if shown:
            self._screen.transcript.add_note(Note(f"No longer remembered: {texts[0]}", end=more, step=step))

    async def _hint(self) -> None:
        """Say one thing about memories that is worth knowing, after each of the first three answers that taught a fact."""
        given = await asyncio.to_thread(chats.choice, self._runtime, "hints", 0)
        message = self._screen.transcript.last_answer
        if isinstance(given, int) and given < len(HINTS) and message is not None and message.message.id != self._hinted_at:
            self._hinted_at = message.message.id
            self._screen.transcript.add_note(Note(f"({HINTS[given]})"))
            await asyncio.to_thread(chats.remember_choice, self._runtime, "hints", given + 1)

    def _did(self, done: str, text: str, revision: Revision) -> None:
        self._screen.session.did(self._screen, f"{done} “{shorten(one_line(text), 40)}”", revision.step)


def learned_note(memory: Memory, was: str, step: str) -> Note:
    """Return the line about a fact that a message taught, or changed from what it was."""
    line = f"Updated: {memory.text} (was: {was})" if was else f"Remembered: {memory.text}"
    return Note(line, Transcript.MemoryOpened(memory.id), end="  ·  F3", step=step)
