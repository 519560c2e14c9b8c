"""Pending consent requests: adding, listing, and ending without approval."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Literal

from memapp.domain.changes import Actor, is_foreign, is_memapp
from memapp.domain.consent import (
    BESIDE_PROFILE,
    CHAT,
    CONFLICT,
    FACT,
    HOWTO,
    ConsentRequest,
    Decider,
    expiry,
    like,
)
from memapp.domain.howto import in_full
from memapp.domain.lifecycle import is_over
from memapp.domain.memory import Memory, State
from memapp.domain.profile import FIELDS, VALUE_CHARS, Hint, has_many, has_value, same_value
from memapp.errors import UsageError
from memapp.language.consent import proposes
from memapp.language.normal_form import normalise
from memapp.language.sensitive import unknown_in, values_in
from memapp.runtime import Runtime
from memapp.services.store_reads import reading
from memapp.store import chat, consents, history, memories
from memapp.store.encoding import new_id
from memapp.store.lifecycle import behind, days_of_use
from memapp.store.profile import read_agreed, read_profile
from memapp.store.session import Session

A_DAY = timedelta(days=1)
Ended = Literal["denied", "withdrawn", "expired"]


list_pending = reading(consents.list_pending)
count_pending = reading(consents.count_pending)
get = reading(consents.get_request)
list_snoozed = reading(consents.asleep)
list_files = reading(consents.list_files)
list_of_file = reading(consents.list_of_file)
get_file = reading(consents.get_file)


def rivals(session: Session, request: ConsentRequest) -> list[ConsentRequest]:
    """Return the other requests for the same single-valued field, newest first.

    Approving one settles them. Requests of imports and of other programs are left out.
    """
    if has_many(request.field) or request.field in BESIDE_PROFILE:
        return []
    requests = consents.list_requests(session, state="pending", field=request.field)
    return [
        rival
        for rival in requests
        if rival.id != request.id and not is_foreign(rival.proposer) and is_open(session, rival)
    ]


def other_values(runtime: Runtime, request: ConsentRequest) -> tuple[str, ...]:
    """Return the other pending values of the same field, newest first.

    Approving the request withdraws them.
    """
    rival_requests = rivals(runtime.read(), request)
    return tuple(
        dict.fromkeys(request.new_value for request in rival_requests if request.new_value)
    )


def memory_text(runtime: Runtime, request_id: str) -> str:
    """Return the text of the memory that approval would store; empty if there is none."""
    session = runtime.read()
    memory = held_memory(session, consents.get_request(session, request_id))
    return in_full(memory) if memory else ""


def held_memory(session: Session, request: ConsentRequest) -> Memory | None:
    """Return the memory that approving a request stores, if any.

    A memory with several requests is stored with the last approval.
    """
    memory = consents.memory_of(session, request.id)
    if memory is None or request.field in BESIDE_PROFILE:
        return memory
    if not is_still_supported(request, memory):
        return None
    if same_value(request.field, memory.text, request.new_value):
        return memory
    agreed = read_agreed(session)
    hints = [*values_in(memory.text), *consents.waited_with(session, memory.text)]
    other_hints = [
        hint
        for hint in hints
        if hint.field != request.field or not same_value(hint.field, hint.value, request.new_value)
    ]
    return (
        memory
        if all(
            has_value(hint.field, agreed.get(hint.field, ()), hint.value) for hint in other_hints
        )
        else None
    )


def is_still_supported(request: ConsentRequest, memory: Memory) -> bool:
    """Return True unless the messages behind a held memory were withdrawn.

    If they were, the remaining evidence is read again.
    """
    return not (request.evidence and memory.sources) or bool(
        set(request.evidence) & set(memory.sources)
    )


def expire_due(runtime: Runtime) -> list[ConsentRequest]:
    """Expire the requests nobody decided in time, in one step; return them."""
    session = runtime.read()
    due = consents.due_requests(session)
    if not due:
        return []
    days = days_of_use(session, min(request.expires_at for request in due))
    over = [
        request.id
        for request in due
        if is_over(request.expires_at, days, session.now) and not _was_behind(session, request)
    ]
    return end_all(runtime, over, runtime.actor(name="lifecycle"), "clock", state="expired")


def restart_deadlines(runtime: Runtime) -> None:
    """Give requests that were proposed under a wrong clock a full deadline from now."""
    with runtime.decide() as session:
        for request in consents.list_requests(session, state="pending"):
            if request.created_at - session.now > A_DAY or (
                not is_open(session, request) and _was_behind(session, request)
            ):
                consents.decide(session, request.id, "withdrawn", "clock")
                add_copy(session, request, request.proposer)


def _was_behind(session: Session, request: ConsentRequest) -> bool:
    """Return True if the clock was behind when a request was proposed."""
    return behind(session, request.created_at) > A_DAY


def end_all(
    runtime: Runtime,
    request_ids: Sequence[str],
    actor: Actor,
    by: Decider = "person",
    *,
    state: Ended = "withdrawn",
    undoes: str = "",
) -> list[ConsentRequest]:
    """End the requests that are still pending, as part of a step; return them."""
    if not request_ids:
        return []
    with runtime.decide() as session:
        ended = consents.among(session, request_ids)
        for request in ended:
            end(session, request, state, by, actor, undoes=undoes)
    return ended


def drop_evidence(runtime: Runtime, message_ids: Sequence[str]) -> None:
    """Remove messages from the evidence of pending requests."""
    with runtime.decide() as session:
        consents.drop_evidence(session, message_ids)


def end(
    session: Session,
    request: ConsentRequest,
    state: Ended,
    by: Decider,
    actor: Actor,
    *,
    undoes: str = "",
    reason: str = "",
) -> None:
    """End a request without a change of the profile, in the caller's transaction."""
    consents.decide(session, request.id, state, by)
    consents.note_decision(session, actor, request, state, undoes=undoes, reason=reason)


def deny(
    session: Session,
    requests: Sequence[ConsentRequest],
    by: Decider,
    actor: Actor,
    *,
    reason: str = "",
) -> None:
    """Deny requests, and withdraw the pending ones whose memories quote a denied one."""
    for request in requests:
        end(session, request, "denied", by, actor, reason=reason)
    for request in _quoting(session, requests):
        end(session, request, "withdrawn", by, actor)


def _quoting(session: Session, requests: Sequence[ConsentRequest]) -> list[ConsentRequest]:
    """Return the pending requests whose memory quotes that of another request.

    A sentence that leans on the one before is held together with it.
    """
    held = (consents.memory_of(session, request.id) for request in requests)
    quoted = [f" {normalise(memory.text)} " for memory in held if memory]
    found = []
    for request in consents.list_requests(session, state="pending") if quoted else ():
        memory = None if is_foreign(request.proposer) else consents.memory_of(session, request.id)
        text = f" {normalise(memory.text)} " if memory else ""
        if any(part in text and part != text for part in quoted):
            found.append(request)
    return found


def add(
    session: Session,
    field: str,
    old: str,
    new: str,
    proposer: str,
    memory: Memory | None = None,
    file_id: str = "",
    quote: str = "",
) -> ConsentRequest:
    """Add a request to put `new` in place of `old`, with the memory held until approval.

    Either value may be empty.
    """
    if field not in FIELDS and field not in BESIDE_PROFILE:
        raise UsageError(
            f"There is no profile field {field!r}.", f"There are: {', '.join(FIELDS)}."
        )
    now = session.now
    request = ConsentRequest(
        id=new_id(now),
        user_id=session.user_id,
        field=field,
        old_value=old,
        new_value=new,
        evidence=(),
        proposer=proposer,
        state="pending",
        created_at=now,
        expires_at=expiry(now),
        file_id=file_id,
        quote=quote,
    )
    consents.add_request(session, request, memory=memory)
    return request


def add_copy(session: Session, request: ConsentRequest, proposer: str) -> ConsentRequest:
    """Add a copy of a request, with its evidence, question and held memory."""
    memory = consents.memory_of(session, request.id)
    copy = add(
        session,
        request.field,
        request.old_value,
        request.new_value,
        proposer,
        memory,
        request.file_id,
        request.quote,
    )
    consents.copy_evidence(session, request.id, copy.id)
    for question in chat.still_there(session, [consents.question_of(session, request.id)]):
        consents.mark_asked(session, copy.id, question)
    return copy


def unapproved_hints(session: Session, memory: Memory) -> list[Hint]:
    """Return the hints of a memory that need approval before the memory may be restored.

    These are the values in its text and those asked about when it was learned, unless the profile
    agrees by now. A memory stored without a question counts by its text alone, unless it was
    learned here: then the judge let it pass.
    """
    agreed = read_agreed(session)
    unknown = unknown_in(memory.text, agreed)
    asked_hints = consents.waited_with(session, memory.text)
    is_agreed = any(has_value(field, values, memory.text) for field, values in agreed.items())
    if is_agreed or any(not hint.value for hint in unknown):
        return unknown
    lacking = [
        hint
        for hint in asked_hints
        if not has_value(hint.field, agreed.get(hint.field, ()), hint.value)
    ]
    learned = history.list_entries(session, subject_id=memory.id, limit=None)[-1:]
    is_judged = memory.origin == "said" and any(is_memapp(entry.actor) for entry in learned)
    text_hints = (
        [hint for hint in unknown if hint.field != FACT] if asked_hints or is_judged else unknown
    )
    return list(dict.fromkeys([*lacking, *text_hints]))


def hold_for_approval(session: Session, memory: Memory, unknown: Sequence[Hint]) -> None:
    """Propose the profile values that a restored memory would reveal, and hold the memory.

    The memory returns with the last approval (`held_memory`). No pending value is proposed again.
    """
    memory = replace(memory, state=State.LIVE, reason="", merged_into="")
    for hint in unknown:
        if not hint.value or pending_for(session, hint.field, hint.value):
            continue
        request = add(session, hint.field, "", hint.value[:VALUE_CHARS], "undo", memory)
        for message_id in chat.still_there(session, memory.sources):
            consents.add_evidence(session, request.id, message_id, typed=False)


def pending_for(session: Session, field: str, value: str) -> list[ConsentRequest]:
    """Return the open requests for a value."""
    # An import may bring thousands of these, so they are compared in SQL.
    alike = {"value": value} if field in (FACT, CHAT, HOWTO) else {"like": like(field, value)}
    requests = consents.list_requests(session, state="pending", field=field, **alike)
    return [
        request for request in requests if is_open(session, request) and proposes(request, value)
    ]


def of_message(session: Session, message_id: str) -> list[ConsentRequest]:
    """Return the requests a message is evidence for, decided or not."""
    return consents.list_requests(session, message_id=message_id)


def is_open(session: Session, request: ConsentRequest) -> bool:
    """Return True while a request can still be decided."""
    return request.expires_at >= session.now


def undecided(session: Session, request_id: str) -> ConsentRequest:
    """Return a request that can still be decided; raise `UsageError` for any other."""
    request = consents.get_request(session, request_id)
    if request.state != "pending":
        raise UsageError("This was decided already.")
    if not is_open(session, request):
        raise UsageError(
            "The time to decide on this is over.", "Write it into the profile yourself."
        )
    asked_of = (request.old_value, request.new_value) if request.field == CONFLICT else ()
    if any(memories.find_same(session, normalise(memory_text)) is None for memory_text in asked_of):
        raise UsageError(
            "One of the two is no longer in your memory.", "There is nothing left to decide."
        )
    return request


def open_requests_of(session: Session, ids: Sequence[str]) -> Iterator[ConsentRequest]:
    """Yield the open requests of some ids; the id of a file stands for all its requests."""
    for pending_id in ids:
        yield from consents.list_of_file(session, pending_id) or [undecided(session, pending_id)]


def current(session: Session, field: str) -> tuple[str, ...]:
    return read_profile(session).get(field, ())
