"""The quiet lines below an answer about the profile: what waits for the person's word, and what their message decided.

They take neither the focus nor the text.
"""

import asyncio
from typing import TYPE_CHECKING

from memapp.domain.chat import Message
from memapp.domain.consent import SHOWN_CHARS, Patch, change, label
from memapp.domain.text import one_line, shorten
from memapp.services.consent import pending, questions
from memapp.ui.inbox.reading import Settled, proposed_by, settled_by
from memapp.ui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from memapp.ui.screens.chat import ChatScreen


class WaitingLine:
    """One line a turn for what waits, one for each thing decided, for one screen."""

    def __init__(self, screen: "ChatScreen") -> None:
        self._screen = screen
        self._message: Message | None = None
        self._settled: list[tuple[str, str]] = []
        """What is said about each thing decided, with its step."""
        self._passed_over: Patch | None = None

    async def accepted(self, message: Message | None, reply: Message) -> None:
        """Look at once what a new message decided; what it states waits from now on."""
        self._message, self._settled, self._passed_over = message, [], None
        if message is None or reply.seq != message.seq + 1:
            return  # a remark, or an old message answered again
        for one in await asyncio.to_thread(settled_by, self._screen.runtime, message):
            self._settled.append((settled_line(one), one.step))
            self._screen.undone.push(one.said, one.step)
        self._passed_over = await asyncio.to_thread(questions.passed_over, self._screen.runtime, message)
        self._screen.app.memories_changed()

    async def ended(self) -> None:
        """Say it below the answer, if its chat is shown."""
        message, self._message = self._message, None
        if message is None:
            return
        found = await asyncio.to_thread(proposed_by, self._screen.runtime, message)
        thread = self._screen.thread
        if thread is not None and thread.id == message.thread_id:
            for line, step in self._settled:
                self._screen.transcript.note(line, step=step)
            if self._passed_over is not None:
                line = passed_over_line(self._passed_over)
                self._screen.transcript.note(line, Transcript.InboxWanted(), waits=[addition(self._passed_over)])
            if found:
                waits = [addition(one) for one in found]
                self._screen.transcript.note(waiting_line(found), Transcript.InboxWanted(), waits=waits)
        self._screen.app.count_badges()

    async def look_again(self) -> None:
        """Hide the lines about what waits no longer, since it was answered elsewhere."""
        if self._screen.transcript.waiting:
            left = {addition(one) for one in await asyncio.to_thread(pending.waiting, self._screen.runtime)}
            for note in self._screen.transcript.waiting:
                note.display = not left.isdisjoint(note.waits)


def addition(patch: Patch) -> tuple[str, str]:
    """Return what a proposal is known by: its value changes with a yes to another, and undo proposes it under a new id."""
    return patch.field, patch.addition


def waiting_line(found: tuple[Patch, ...]) -> str:
    """Return what is said about proposals, newest first."""
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return f"● Waiting for you: {change(found[0])}{more} · F4"


def passed_over_line(patch: Patch) -> str:
    """Return what is said when the message after a question was no plain yes or no."""
    return f"● Still waits in the inbox for your yes or no: {change(patch)} · F4"


def settled_line(one: Settled) -> str:
    """Return what is said about something decided."""
    if one.decision == "denied":
        return f"Not kept, as you said: {label(one.field)}"
    others = "another proposal" if one.aside == 1 else f"{one.aside} other proposals"
    aside = f" · {others} for {label(one.field)} set aside" if one.aside else ""
    twice = " (you typed it twice)" if one.by == "worker" else ""
    return f"Your profile says now: {label(one.field)} “{shorten(one_line(one.value), SHOWN_CHARS)}”{twice}{aside}"
