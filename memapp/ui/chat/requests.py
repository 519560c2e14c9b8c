"""The quiet lines below an answer about the profile: what waits for the person's word, and what their message decided.

They take neither the focus nor the text.
"""

import asyncio

from memapp.domain.changes import is_memapp
from memapp.domain.chat import Message
from memapp.domain.consent import SHOWN_CHARS, ConsentRequest, change, decided, label
from memapp.domain.text import one_line, shorten
from memapp.domain.turn import Accepted
from memapp.services.consent import pending, questions
from memapp.ui.chat.state import ChatState
from memapp.ui.inbox.read_models import Settled, proposed_by, settled_since
from memapp.ui.messages import InboxWanted, Proposed
from memapp.ui.widgets.transcript import Note, Transcript


class RequestsLine:
    """One line a turn for what waits, one for each thing decided."""

    def __init__(self, state: ChatState, transcript: Transcript) -> None:
        self._state = state
        self._transcript = transcript
        self._message: Message | None = None
        self._settled: tuple[Settled, ...] = ()
        self._passed_over: ConsentRequest | None = None

    async def accepted(self, accepted: Accepted) -> None:
        """Look at once what a new message decided; what it states waits from now on."""
        message, self._message, self._settled, self._passed_over = accepted.message, accepted.message, (), None
        if message is None or accepted.decided_after is None:
            return
        self._settled = await asyncio.to_thread(settled_since, self._state.runtime, accepted.decided_after)
        for one in self._settled:
            self._state.session.undone.push(one.said, one.step)
        self._passed_over = await asyncio.to_thread(questions.passed_over, self._state.runtime, message)
        self._state.session.memories_changed()

    async def ended(self) -> None:
        """Say it below the answer, if its chat is shown."""
        message, self._message = self._message, None
        if message is None:
            return
        found = await asyncio.to_thread(proposed_by, self._state.runtime, message)
        if self._state.thread_id == message.thread_id:
            for one in self._settled:
                self._transcript.add_note(settled_note(one))
            if self._passed_over is not None:
                self._transcript.add_note(passed_over_note(self._passed_over))
            if found:
                self._transcript.add_note(request_note(found))
        if found:
            self._transcript.post_message(Proposed())

    async def look_again(self) -> None:
        """Hide the lines about what waits no longer, since it was answered elsewhere."""
        if self._transcript.waiting:
            left = {value_of(one) for one in await asyncio.to_thread(pending.list_pending, self._state.runtime)}
            for note in self._transcript.waiting:
                note.display = not left.isdisjoint(note.waits)


def value_of(request: ConsentRequest) -> tuple[str, str]:
    """Return what a consent request is known by: undo proposes it under a new id."""
    return request.field, request.new_value


def request_note(found: tuple[ConsentRequest, ...]) -> Note:
    """Return what is said about consent requests, newest first."""
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    line = f"● Waiting for you: {change(found[0])}{more} · F4"
    return Note(line, InboxWanted(), waits=[value_of(one) for one in found])


def passed_over_note(request: ConsentRequest) -> Note:
    """Return what is said when the message after a question was no plain yes or no, or came too late."""
    if request.state == "pending":
        line = f"● Still waits in the inbox for your yes or no: {change(request)} · F4"
        return Note(line, InboxWanted(), waits=[value_of(request)])
    became = "" if request.state == "withdrawn" else decided("approved" if request.state == "applied" else request.state, request)
    line = " ".join(filter(None, ["That question is over.", became]))
    return Note(f"{line}  ·  F4, tab shows your profile", InboxWanted("profile"))


def settled_note(one: Settled) -> Note:
    """Return what is said about something decided."""
    if one.decision == "denied":
        return Note(f"Not kept, as you said: {label(one.field)}", step=one.step)
    others = "another request" if one.aside == 1 else f"{one.aside} other requests"
    aside = f" · {others} for {label(one.field)} set aside" if one.aside else ""
    twice = " (you typed it twice)" if is_memapp(one.by) else ""
    line = f"Your profile says now: {label(one.field)} “{shorten(one_line(one.value), SHOWN_CHARS)}”"
    return Note(line, InboxWanted("profile"), end=f"{twice}{aside}  ·  F4, tab shows it", step=one.step)
