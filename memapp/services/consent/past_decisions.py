"""The decisions that were made, as the history has them: told in words, taken back, and what was
put off brought up again.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from memapp.domain.changes import Actor, Event, is_foreign
from memapp.domain.consent import (
    CHAT,
    FORGOTTEN,
    ConsentRequest,
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
from memapp.store import consents, history
from memapp.store.forget import erasing
from memapp.store.session import Session


def describe(runtime: Runtime, step: str) -> str:
    """Return what a step decided, in words: `Approved Home “Bergen”`. Requests that were set aside
    with it are left out.
    """
    session = runtime.read()
    entries = history.entries_of_step(session, step)
    decided_on = [entry for entry in entries if entry.event is Event.PROFILE]
    decided_on.sort(key=lambda entry: _decision(entry) == "withdrawn")
    found = next(iter(_not_erased(session, decided_on)), None)
    if found is None:
        return f"Changed {label(entries[0].memory_id.partition(':')[2])}"
    decision, request = _decision(found[0]), found[1]
    of_file = [
        entry for entry in decided_on if _decision(entry) != "withdrawn"
    ]  # a value of the profile is changed, a fact approved
    if request.file_id and len(of_file) > 1:
        chats = sum(entry.memory_id == f"profile:{CHAT}" for entry in of_file)
        name = consents.file_name(session, request.file_id)
        return in_words_of(decision, f"{waiting_of(len(of_file) - chats, chats)} from {name}")
    more = sum(_decision(entry) == decision for entry in decided_on) - 1
    moved = sum(entry.event is Event.DELETE for entry in entries)
    went = f" and trashed {counted(moved, 'memory', 'memories')}" if moved else ""
    return decided(decision, request, more) + went


def wake(runtime: Runtime) -> list[str]:
    """Bring up all that was put off, by taking that back; return the steps that were taken back."""
    session = runtime.read()
    actor, steps = runtime.actor(), []
    for request in pending.asleep(runtime):
        put_off = (
            entry
            for entry in consents.entries_about(session, request)
            if entry.meta.get("decision") == "snoozed"
        )
        if entry := next(put_off, None):
            entries = {
                other.meta["request_id"]: other
                for other in history.entries_of_step(session, entry.step)
            }
            asleep = consents.among(
                session, list(entries), asleep=True
            )  # of a file all, and what was put off with it
            take_back(runtime, [entries[request.id] for request in asleep], actor)
            steps += [entry.step] if asleep else []
    return steps


def take_back(runtime: Runtime, entries: Sequence[Entry], actor: Actor) -> bool:
    """Take back what a step decided, in the caller's transaction; what was proposed waits again.
    Say whether there was anything.

    What was erased since is left out, and what came before it. Raises `UsageError` when the profile
    has been changed again since.
    """
    with runtime.decide() as session:
        found = [
            entry
            for entry in _not_erased(session, entries)
            if history.is_reached(session, entry[0])
        ]
        for entry, request in reversed(found):
            _take_back(session, runtime, entry, request, actor)
    return bool(found)


def _decision(entry: Entry) -> str:
    return str(entry.meta.get("decision", "changed"))


def _not_erased(
    session: Session, entries: Sequence[Entry]
) -> Iterator[tuple[Entry, ConsentRequest]]:
    """Yield the decisions among some entries, each with its request, but for those whose words were
    erased since.
    """
    for entry in entries:
        with suppress(NotFound):
            if entry.event is Event.PROFILE:
                _value_before(session, entry)
                yield entry, consents.get_request(session, entry.meta["request_id"])


def _take_back(
    session: Session, runtime: Runtime, entry: Entry, request: ConsentRequest, actor: Actor
) -> None:
    decision = _decision(entry)
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
    asked = request.field != CHAT and pending.pending_for(
        session, request.field, request.new_value
    )  # chats may share a title
    if reopened and not is_known and not asked:
        # a decided one stays as it was decided; this never applies by itself
        again = (
            "import"
            if request.file_id
            else request.proposer
            if is_foreign(request.proposer)
            else "undo"
        )
        pending.add_again(session, request, again)
    if decision != "changed":
        consents.note_decision(session, actor, request, "reopened", undoes=entry.step)


def _restore_value(
    session: Session, runtime: Runtime, request: ConsentRequest, entry: Entry, actor: Actor
) -> None:
    """Put the value before back in the place of the one that a decision brought, by the opposite
    request.

    What says that one and came in another step goes, too; what came in this step is taken back with
    it.
    """
    says, value = pending.current(session, request.field), _value_before(session, entry)
    others = [text for text in says if text != request.new_value]
    in_the_way = (
        (bool(value) and has_value(request.field, others, value))
        if has_many(request.field)
        else bool(others)
    )
    if in_the_way or (request.new_value and request.new_value not in says):
        raise UsageError("The profile was changed again since then.", "Take that back first.")
    opposite = decisions.put_in_place(
        session, request.field, request.new_value, value, "undo", actor, undoes=entry.step
    )
    of_step = {other.memory_id for other in history.entries_of_step(session, entry.step)}
    decisions.retire(session, runtime, opposite, request.new_value, actor, spared=of_step)
    known = (
        [other.id for other in pending.pending_for(session, request.field, value)] if value else []
    )
    pending.end_all(runtime, known, actor, undoes=entry.step)


def _value_before(session: Session, entry: Entry) -> str:
    """Return what a field said before a decision. Raises `NotFound` when that was erased since."""
    before = request_before(session, entry)
    return before.new_value if before else ""


def request_before(session: Session, entry: Entry) -> ConsentRequest | None:
    """Return the request whose value a decision replaced; None where there was no value. Raises
    `NotFound` if it was erased.
    """
    if not (before := entry.meta.get("before", "")):
        return None
    request = consents.get_request(session, before)
    if request.state != "applied" or entry.memory_id != f"profile:{request.field}":
        raise NotFound(f"The profile never said what request {request.id} does.")
    return request
