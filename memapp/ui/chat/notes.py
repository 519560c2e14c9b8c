"""The quiet lines of a conversation: outcomes of messages, decisions, and retracted memories."""

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
    """Yield messages, each answer followed by the outcome of its message."""
    below: list[OutcomeNote] = []
    for bubble in bubbles:
        if isinstance(bubble, Said):
            yield from below
            id = bubble.message.id
            below = [OutcomeNote(id, outcomes[id])] if id in outcomes else []
        yield bubble
    yield from below


def value_of(request: ConsentRequest) -> tuple[str, str]:
    """Return the identity of a consent request; an undo proposes it again under a new id."""
    return request.field, request.new_value


def passed_over_note(request: ConsentRequest) -> Note:
    """Return the notice for a message that answered a question unclearly or too late."""
    if request.state == "pending":
        line = f"● Still pending in the inbox: {change(request)} · F4"
        return Note(line, ModeWanted("inbox", "requests"), waits=[value_of(request)])
    decision = "approved" if request.state == "applied" else request.state
    became = "" if decision == "withdrawn" else decided(decision, request)
    line = " ".join(filter(None, ["That question is over.", became]))
    return Note(f"{line}  ·  F4, tab shows your profile", ModeWanted("inbox", "profile"))


def settled_note(decision: Settled) -> Note:
    """Return the notice for a decision."""
    if decision.decision == "denied":
        return Note(f"Not kept, as you said: {label(decision.field)}", step=decision.step)
    others = "another request" if decision.aside == 1 else f"{decision.aside} other requests"
    aside = f" · {others} for {label(decision.field)} set aside" if decision.aside else ""
    twice = " (you typed it twice)" if is_memapp(decision.by) else ""
    value = shorten(one_line(decision.value), SHOWN_CHARS)
    field = label(decision.field)
    line = (
        f"Your profile says now: {field} “{value}”" if value else f"Gone from your profile: {field}"
    )
    return Note(
        line,
        ModeWanted("inbox", "profile"),
        end=f"{twice}{aside}  ·  F4, tab shows it",
        step=decision.step,
    )
