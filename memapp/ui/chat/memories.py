"""The quiet lines in the conversation about memories: what a message taught, and what went with it."""

import asyncio
from collections.abc import Sequence

from memapp.domain.memory import Memory
from memapp.domain.second_person import addressed
from memapp.domain.text import shorten
from memapp.services import chats
from memapp.services.merge import Written
from memapp.ui.messages import MemoryWanted
from memapp.ui.session import AppSession
from memapp.ui.widgets.transcript import Note, Transcript

HINTS = (
    "memapp keeps short facts from what you type. A click on undo, or ctrl+z in an empty composer, takes one back.",
    "F3 shows every memory: search, edit, pin, see where it comes from. F5 is the trash.",
    "The chips below an answer are the memories it used: go there with esc, choose with the arrow keys.",
)
"""Shown once each, with the first three facts."""


class MemoryNotes:
    """What one conversation says about memories."""

    def __init__(self, session: AppSession, transcript: Transcript) -> None:
        self._session = session
        self._runtime = session.runtime
        self._transcript = transcript
        self._hinted_at = ""

    async def learned(self, written: Written, *, shown: bool) -> None:
        """Say quietly that a fact was learned or changed; with the first three, say what can be done about it."""
        memory, before = written.memory, written.before
        done = "Updated" if before else "Remembered"
        self._session.undone.push(f"{done} “{shorten(addressed(memory.text), 40)}”", written.step)
        self._session.fresh_memory = memory.id
        if shown:
            self._transcript.add_note(learned_note(memory, before.text if before else "", written.step))
            if self._runtime.settings.hints:
                await self._hint()

    def retracted(self, texts: Sequence[str], step: str, *, shown: bool) -> None:
        """Say quietly what went with words that the person replaced."""
        more = f" and {len(texts) - 1} more" if len(texts) > 1 else ""
        gone = addressed(texts[0])
        self._session.undone.push(f"Let go of “{shorten(gone, 40)}”", step)
        self._session.memories_changed()
        if shown:
            self._transcript.add_note(Note(f"No longer remembered: {gone}", end=more, step=step))

    async def _hint(self) -> None:
        """Say one thing about memories that is worth knowing, after each of the first three answers that taught a fact."""
        given = await asyncio.to_thread(chats.choice, self._runtime, "hints", 0)
        message = self._transcript.last_answer
        if isinstance(given, int) and given < len(HINTS) and message is not None and message.message.id != self._hinted_at:
            self._hinted_at = message.message.id
            self._transcript.add_note(Note(f"({HINTS[given]})"))
            await asyncio.to_thread(chats.remember_choice, self._runtime, "hints", given + 1)


def learned_note(memory: Memory, was: str, step: str) -> Note:
    """Return the line about a fact that a message taught, or changed from what it was."""
    text = addressed(memory.text)
    line = f"Updated: {text} (was: {addressed(was)})" if was else f"Remembered: {text}"
    return Note(line, MemoryWanted(memory.id), end="  ·  F3", step=step)
