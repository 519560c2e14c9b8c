"""The quiet lines in the conversation: what a message taught or decided, what went with it, what waits for the person's word.

They take neither the focus nor the text.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence

from memapp.domain.changes import is_memapp
from memapp.domain.chat import Message
from memapp.domain.consent import SHOWN_CHARS, ConsentRequest, change, decided, label
from memapp.domain.memory import Memory
from memapp.domain.second_person import addressed
from memapp.domain.text import one_line, shorten
from memapp.domain.turn import Accepted, Retracted
from memapp.services import chats
from memapp.services.consent import pending, questions
from memapp.ui.chat.state import ChatState
from memapp.ui.inbox.read_models import Settled, proposed_by, settled_since
from memapp.ui.messages import InboxWanted, Learned, MemoryWanted
from memapp.ui.read_models import Outcome
from memapp.ui.widgets.bubbles import Answer, Note, Said
from memapp.ui.widgets.transcript import Transcript

HINTS = (
    "memapp keeps short facts from what you type. A click on undo, or ctrl+z in an empty composer, takes one back.",
    "F3 shows every memory: search, edit, pin, see where it comes from. F5 is the trash.",
    "The chips below an answer are the memories it used: go there with esc, choose with the arrow keys.",
)
"""Shown once each, with the first three facts."""


class Notes:
    """What one conversation says about memories and the profile."""

    def __init__(self, state: ChatState, transcript: Transcript) -> None:
        self._state = state
        self._session = state.session
        self._transcript = transcript
        self._hinted_at = ""
        self._message: Message | None = None
        self._settled: tuple[Settled, ...] = ()
        self._passed_over: ConsentRequest | None = None

    # Memories --------------------------------------------------------------------------------------------------------

    async def learned(self, event: Learned) -> None:
        """Say quietly that a fact was learned or changed; with the first three, say what can be done about it."""
        memory, before, step = event.written.memory, event.written.before, event.written.step
        done = "Updated" if before else "Remembered"
        self._session.undone.push(f"{done} “{shorten(addressed(memory.text), 40)}”", step)
        self._session.fresh_memory = memory.id
        if self._state.thread_id == event.thread_id != "":
            self._transcript.add_note(learned_note(memory, before.text if before else "", step))
            if self._state.runtime.settings.hints:
                await self._hint()

    def retracted(self, thread_id: str, gone: Retracted) -> None:
        """Say quietly what went with words that the person replaced."""
        more = f" and {len(gone.texts) - 1} more" if len(gone.texts) > 1 else ""
        first = addressed(gone.texts[0])
        self._session.undone.push(f"Let go of “{shorten(first, 40)}”", gone.step)
        self._session.memories_changed()
        if self._state.thread_id == thread_id:
            self._transcript.add_note(Note(f"No longer remembered: {first}", end=more, step=gone.step))

    async def _hint(self) -> None:
        """Say one thing about memories that is worth knowing, after each of the first three answers that taught a fact."""
        given = await asyncio.to_thread(chats.choice, self._state.runtime, "hints", 0)
        message = self._transcript.last_answer
        if isinstance(given, int) and given < len(HINTS) and message is not None and message.message.id != self._hinted_at:
            self._hinted_at = message.message.id
            self._transcript.add_note(Note(f"({HINTS[given]})"))
            await asyncio.to_thread(chats.remember_choice, self._state.runtime, "hints", given + 1)

    # The profile: one line a turn for what waits, one for each thing decided -----------------------------------------

    async def accepted(self, accepted: Accepted) -> None:
        """Look at once what a new message decided; what it states waits from now on."""
        message, self._message, self._settled, self._passed_over = accepted.message, accepted.message, (), None
        if message is None or accepted.decided_after is None:
            return
        self._settled = await asyncio.to_thread(settled_since, self._state.runtime, accepted.decided_after)
        for one in self._settled:
            self._session.undone.push(one.said, one.step)
        self._passed_over = await asyncio.to_thread(questions.passed_over, self._state.runtime, message)
        self._session.memories_changed()

    async def ended(self) -> None:
        """Say it below the answer, if its chat is shown."""
        message, self._message = self._message, None
        if message is None:
            return
        found = await asyncio.to_thread(proposed_by, self._state.runtime, message)
        if self._state.thread_id == message.thread_id:
            said = [_settled_note(one) for one in self._settled]
            said += [_passed_over_note(self._passed_over)] if self._passed_over is not None else []
            for note in [*said, *([request_note(found)] if found else [])]:
                self._transcript.add_note(note)
        if found:
            self._session.memories_changed()

    async def look_again(self) -> None:
        """Hide the lines about what waits no longer, since it was answered elsewhere."""
        if self._transcript.waiting:
            left = {_value_of(one) for one in await asyncio.to_thread(pending.list_pending, self._state.runtime)}
            for note in self._transcript.waiting:
                note.display = not left.isdisjoint(note.waits)


def with_notes(bubbles: Sequence[Said | Answer], outcomes: Mapping[str, Outcome]) -> Iterator[Said | Answer | Note]:
    """Yield messages with the lines on each, which stand below the answer to it."""
    below: list[Note] = []
    for bubble in bubbles:
        if isinstance(bubble, Said):
            yield from below
            below = _notes(outcomes[bubble.message.id]) if bubble.message.id in outcomes else []
        yield bubble
    yield from below


def _notes(outcome: Outcome) -> list[Note]:
    notes = [learned_note(one.memory, one.was, one.step) for one in outcome.learned]
    return [*notes, request_note(outcome.waiting)] if outcome.waiting else notes


def learned_note(memory: Memory, was: str, step: str) -> Note:
    """Return the line about a fact that a message taught, or changed from what it was."""
    text = addressed(memory.text)
    line = f"Updated: {text} (was: {addressed(was)})" if was else f"Remembered: {text}"
    return Note(line, MemoryWanted(memory.id), end="  ·  F3", step=step)


def request_note(found: tuple[ConsentRequest, ...]) -> Note:
    """Return what is said about consent requests, newest first."""
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    line = f"● Waiting for you: {change(found[0])}{more} · F4"
    return Note(line, InboxWanted(), waits=[_value_of(one) for one in found])


def _value_of(request: ConsentRequest) -> tuple[str, str]:
    """Return what a consent request is known by: undo proposes it under a new id."""
    return request.field, request.new_value


def _passed_over_note(request: ConsentRequest) -> Note:
    """Return what is said when the message after a question was no plain yes or no, or came too late."""
    if request.state == "pending":
        line = f"● Still waits in the inbox for your yes or no: {change(request)} · F4"
        return Note(line, InboxWanted(), waits=[_value_of(request)])
    became = "" if request.state == "withdrawn" else decided("approved" if request.state == "applied" else request.state, request)
    line = " ".join(filter(None, ["That question is over.", became]))
    return Note(f"{line}  ·  F4, tab shows your profile", InboxWanted("profile"))


def _settled_note(one: Settled) -> Note:
    """Return what is said about something decided."""
    if one.decision == "denied":
        return Note(f"Not kept, as you said: {label(one.field)}", step=one.step)
    others = "another request" if one.aside == 1 else f"{one.aside} other requests"
    aside = f" · {others} for {label(one.field)} set aside" if one.aside else ""
    twice = " (you typed it twice)" if is_memapp(one.by) else ""
    line = f"Your profile says now: {label(one.field)} “{shorten(one_line(one.value), SHOWN_CHARS)}”"
    return Note(line, InboxWanted("profile"), end=f"{twice}{aside}  ·  F4, tab shows it", step=one.step)
