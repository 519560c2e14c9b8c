"""Past decisions: described in words, reverted, and brought up again after a snooze."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from memapp.domain.changes import Actor, Event, is_foreign
from memapp.domain.consent import (
    CHAT,
    FORGOTTEN,
    ConsentRequest,
    change,
    decided,
    in_words_of,
    label,
    waiting_of,
)
from memapp.domain.history import Entry
from memapp.domain.profile import has_many, has_value
from memapp.domain.text import counted
from memapp.errors import NotFound, UsageError
from memapp.runtime import Runtime
from memapp.services.consent import decisions, pending
from memapp.store import consents, history, saved_values
from memapp.store.forget import erasing
from memapp.store.session import Session

OVERRULED_TOLD = "overruled_told"
"""The number of the last history entry up to which overruled decisions were told."""
OVERRULED = {
    "applied": "Your yes to {change} on {machine} came first: it counts, not your no here.",
    "denied": "Your no to {change} on {machine} came first: it counts, not your yes here.",
    "withdrawn": "Your yes to {change} here came after another answer on {machine}: it does not"
    " count.",
}
"""How a person is told, by the state of the request."""


def describe(runtime: Runtime, step: str) -> str:
    """Describe the decision of a step: `Approved Home “Bergen”`.

    Requests that were withdrawn along with it are left out.
    """
    session = runtime.read()
    entries = history.entries_of_step(session, step)
    decided_on = [entry for entry in entries if entry.event is Event.PROFILE]
    decided_on.sort(key=lambda entry: _decision_of(entry) == "withdrawn")
    first_decision = next(iter(_not_erased(session, decided_on)), None)
    if first_decision is None:
        return f"Changed {label(entries[0].subject_id.partition(':')[2])}"
    decision, request = _decision_of(first_decision[0]), first_decision[1]
    # The decision is `changed` for profile values and `approved` for facts.
    of_file = [entry for entry in decided_on if _decision_of(entry) != "withdrawn"]
    if request.file_id and len(of_file) > 1:
        chats = sum(entry.subject_id == f"profile:{CHAT}" for entry in of_file)
        name = consents.file_name(session, request.file_id)
        return in_words_of(decision, f"{waiting_of(len(of_file) - chats, chats)} from {name}")
    more = sum(_decision_of(entry) == decision for entry in decided_on) - 1
    moved = sum(entry.event is Event.DELETE for entry in entries)
    went = f" and trashed {counted(moved, 'memory', 'memories')}" if moved else ""
    return decided(decision, request, more) + went


def overruled(runtime: Runtime, after: int | None = None) -> list[str]:
    """Describe the decisions that came second to one on another machine.

    Those after a history entry, or else all since the last call.
    """
    session = runtime.read()
    since = saved_values.get_value(session, OVERRULED_TOLD, 0) if after is None else after
    found, last = history.overruled(session, since), history.last_number(session)
    if found and after is None and not runtime.database.read_only:
        with runtime.write() as writing:
            saved_values.set_value(writing, OVERRULED_TOLD, last)
    requests = [(consents.get_request(session, id), machine) for id, machine in found]
    return [
        OVERRULED[request.state].format(change=change(request), machine=machine)
        for request, machine in requests
        if request.state in OVERRULED
    ]


def wake_snoozed(runtime: Runtime) -> list[str]:
    """Bring up all snoozed requests by reverting their snoozes; return the reverted steps."""
    session = runtime.read()
    actor, steps = runtime.actor(), []
    for request in pending.list_snoozed(runtime):
        put_off = (
            entry
            for entry in consents.entries_about(session, request)
            if entry.meta.get("decision") == "snoozed"
        )
        if entry := next(put_off, None):
            entries = {
                put_off_entry.meta["request_id"]: put_off_entry
                for put_off_entry in history.entries_of_step(session, entry.step)
            }
            # For a file, all requests snoozed in the same step.
            asleep = consents.among(session, list(entries), asleep=True)
            revert(runtime, [entries[request.id] for request in asleep], actor)
            steps += [entry.step] if asleep else []
    return steps


def revert(runtime: Runtime, entries: Sequence[Entry], actor: Actor) -> bool:
    """Revert the decisions among some entries; return True if there were any.

    Requests become pending again. Erased decisions, and those before an erasure, are left out.
    Raises `UsageError` when the profile has changed since.
    """
    with runtime.decide() as session:
        reached = [
            entry
            for entry in _not_erased(session, entries)
            if history.is_reached(session, entry[0])
        ]
        for entry, request in reversed(reached):
            _revert(session, runtime, entry, request, actor)
    return bool(reached)


def _decision_of(entry: Entry) -> str:
    return str(entry.meta.get("decision", "changed"))


def _not_erased(
    session: Session, entries: Sequence[Entry]
) -> Iterator[tuple[Entry, ConsentRequest]]:
    """Yield the decisions among some entries with their requests, except erased ones."""
    for entry in entries:
        with suppress(NotFound):
            if entry.event is Event.PROFILE:
                _value_before(session, entry)
                yield entry, consents.get_request(session, entry.meta["request_id"])


def _revert(
    session: Session, runtime: Runtime, entry: Entry, request: ConsentRequest, actor: Actor
) -> None:
    decision = _decision_of(entry)
    if decision == "changed":
        _restore_value(session, runtime, request, entry, actor)
    elif decision == "snoozed":
        consents.snooze(session, request.id, None)
    elif decision == "approved" and request.field == FORGOTTEN:
        erasing.remember_wordings(session, [request.new_value])
    reopened = decision in ("denied", "withdrawn", "expired") or (
        decision in ("changed", "approved") and request.proposer != "person"
    )
    is_known = has_value(request.field, pending.current(session, request.field), request.new_value)
    # Chats may share a title.
    open_requests = request.field != CHAT and pending.pending_for(
        session, request.field, request.new_value
    )
    if reopened and not is_known and not open_requests:
        # The decided request stays decided; its copy never applies by itself.
        proposer = (
            "import"
            if request.file_id
            else request.proposer
            if is_foreign(request.proposer)
            else "undo"
        )
        pending.add_copy(session, request, proposer)
    if decision != "changed":
        consents.note_decision(session, actor, request, "reopened", undoes=entry.step)


def _restore_value(
    session: Session, runtime: Runtime, request: ConsentRequest, entry: Entry, actor: Actor
) -> None:
    """Restore the value a decision replaced, by the opposite request.

    Memories that state the removed value go to the trash; `undo` reverts those of the same step.
    """
    says, value = pending.current(session, request.field), _value_before(session, entry)
    other_values = [known_value for known_value in says if known_value != request.new_value]
    in_the_way = (
        (bool(value) and has_value(request.field, other_values, value))
        if has_many(request.field)
        else bool(other_values)
    )
    if in_the_way or (request.new_value and request.new_value not in says):
        raise UsageError("The profile was changed again since then.", "Undo that first.")
    opposite = decisions.approve_at_once(
        session, request.field, request.new_value, value, "undo", actor, undoes=entry.step
    )
    of_step = {other.subject_id for other in history.entries_of_step(session, entry.step)}
    decisions.trash_memories_stating(
        session, runtime, opposite, request.new_value, actor, spared=of_step
    )
    known_ids = (
        [other.id for other in pending.pending_for(session, request.field, value)] if value else []
    )
    pending.end_all(runtime, known_ids, actor, undoes=entry.step)


def _value_before(session: Session, entry: Entry) -> str:
    """Return the value of a field before a decision; raise `NotFound` if it was erased."""
    before = request_before(session, entry)
    return before.new_value if before else ""


def request_before(session: Session, entry: Entry) -> ConsentRequest | None:
    """Return the request whose value a decision replaced, if any; raise `NotFound` if erased."""
    if not (before := entry.meta.get("before", "")):
        return None
    request = consents.get_request(session, before)
    if request.state != "applied" or entry.subject_id != f"profile:{request.field}":
        raise NotFound(f"The profile never said what request {request.id} does.")
    return request
