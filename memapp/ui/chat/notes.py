"""The quiet lines in the conversation: what a message taught or decided, what went with it, what waits for the person's word.

They take neither the focus nor the text.
"""

from collections.abc import Iterator, Mapping, Sequence

from memapp.domain.changes import is_memapp
from memapp.domain.consent import SHOWN_CHARS, ConsentRequest, change, decided, label
from memapp.domain.memory import Memory
from memapp.domain.text import one_line, shorten
from memapp.language.english.second_person import addressed
from memapp.ui.inbox.read_models import Settled
from memapp.ui.messages import InboxWanted, MemoryWanted
from memapp.ui.read_models import Outcome
from memapp.ui.widgets.bubbles import Answer, Note, Said


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
    return Note(line, InboxWanted(), waits=[value_of(one) for one in found])


def value_of(request: ConsentRequest) -> tuple[str, str]:
    """Return what a consent request is known by: undo proposes it under a new id."""
    return request.field, request.new_value


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
