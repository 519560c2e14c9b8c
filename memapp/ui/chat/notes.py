"""The quiet lines in the conversation: what came of a message, what it decided, and what went with
it.
"""

from collections.abc import Iterator, Mapping, Sequence

from memapp.domain.changes import is_memapp
from memapp.domain.consent import SHOWN_CHARS, ConsentRequest, change, decided, label
from memapp.domain.provenance import Outcome
from memapp.domain.text import one_line, shorten
from memapp.ui.inbox.read_models import Settled
from memapp.ui.messages import ModeWanted
from memapp.ui.widgets.bubbles import Answer, Note, Said
from memapp.ui.widgets.outcome import OutcomeNote


def with_outcomes(
    bubbles: Sequence[Said | Answer], outcomes: Mapping[str, Outcome]
) -> Iterator[Said | Answer | OutcomeNote]:
    """Yield messages with what came of each, which stands below the answer to it."""
    below: list[OutcomeNote] = []
    for bubble in bubbles:
        if isinstance(bubble, Said):
            yield from below
            id = bubble.message.id
            below = [OutcomeNote(id, outcomes[id])] if id in outcomes else []
        yield bubble
    yield from below


def value_of(request: ConsentRequest) -> tuple[str, str]:
    """Return what a consent request is known by: undo proposes it under a new id."""
    return request.field, request.new_value


def passed_over_note(request: ConsentRequest) -> Note:
    """Return what is said when the message after a question was no plain yes or no, or came too
    late.
    """
    if request.state == "pending":
        line = f"● Still waits in the inbox for your yes or no: {change(request)} · F4"
        return Note(line, ModeWanted("inbox", "requests"), waits=[value_of(request)])
    decision = "approved" if request.state == "applied" else request.state
    became = "" if decision == "withdrawn" else decided(decision, request)
    line = " ".join(filter(None, ["That question is over.", became]))
    return Note(f"{line}  ·  F4, tab shows your profile", ModeWanted("inbox", "profile"))


def settled_note(one: Settled) -> Note:
    """Return what is said about something decided."""
    if one.decision == "denied":
        return Note(f"Not kept, as you said: {label(one.field)}", step=one.step)
    others = "another request" if one.aside == 1 else f"{one.aside} other requests"
    aside = f" · {others} for {label(one.field)} set aside" if one.aside else ""
    twice = " (you typed it twice)" if is_memapp(one.by) else ""
    line = (
        f"Your profile says now: {label(one.field)} “{shorten(one_line(one.value), SHOWN_CHARS)}”"
    )
    return Note(
        line,
        ModeWanted("inbox", "profile"),
        end=f"{twice}{aside}  ·  F4, tab shows it",
        step=one.step,
    )
