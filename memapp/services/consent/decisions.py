"""The person's decisions on consent requests, and the resulting profile.

Each decision is one step of the history, which `services.undo` reverts through `past_decisions`.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Literal

from memapp.domain.changes import (
    Actor,
    Created,
    ProfileChanged,
    Restored,
    SoftDeleted,
    Updated,
    is_foreign,
)
from memapp.domain.consent import (
    BESIDE_PROFILE,
    CONFLICT,
    FORGOTTEN,
    RUBRIC,
    ConsentRequest,
    DenyReason,
    replaced,
)
from memapp.domain.filters import ALL_LIVE
from memapp.domain.memory import Memory
from memapp.domain.profile import FIELDS, VALUE_CHARS, has_many, has_value, same_value
from memapp.domain.text import clean, one_line
from memapp.errors import UsageError
from memapp.language.normal_form import normalise
from memapp.language.profile import says_value
from memapp.language.secrets import has_secret
from memapp.runtime import Runtime
from memapp.services import rubric
from memapp.services.consent import pending
from memapp.services.store_reads import reading
from memapp.store import changes, chat, consents, learning_queue, memories
from memapp.store.encoding import new_id
from memapp.store.forget import erasing
from memapp.store.profile import read_profile
from memapp.store.session import Session

SNOOZE_HOURS = 24
LAST_HOURS = 12
"""A snoozed request comes up again at least this long before it expires."""
READ_AGAIN = 100
"""Memories that name a removed value are read up to this number, the shortest first."""
KNOWN = "Your profile says that already."

Decider = Literal["person", "chat", "signals"]


profile = reading(read_profile)
standing = reading(consents.list_standing)


def approve(runtime: Runtime, request_id: str) -> str:
    """Approve a request, or the pending requests of a file; return the step.

    Each approved request also stores the memory held with it. Requests of a file that would replace
    a profile value are left to single decisions.
    """
    actor, file = runtime.actor(), pending.get_file(runtime, request_id)
    with runtime.decide() as session:
        approved_count = 0
        for request in pending.open_requests_of(session, [request_id]):
            if (
                not file
                or request.field in BESIDE_PROFILE
                or not replaced(request, pending.current(session, request.field))
            ):
                carry_out(session, runtime, request, "person", actor)
                approved_count += 1
        if not approved_count:
            raise UsageError(
                "These would replace values in your profile.",
                "Open them, and decide one by one.",
            )
    return actor.step


def edit_then_approve(runtime: Runtime, request_id: str, value: str) -> str:
    """Approve another value in place of the proposed one, which is withdrawn; return the step."""
    value = _valid_value(value)
    with runtime.decide() as session:
        request = pending.undecided(session, request_id)
        if has_many(request.field) and has_value(
            request.field, pending.current(session, request.field), value
        ):
            raise UsageError(KNOWN)
        return _approve_as_written(session, runtime, request, value, runtime.actor())


def deny(runtime: Runtime, *request_ids: str, reason: DenyReason | None = None) -> str:
    """Deny requests, or the pending requests of files, all or none; return the step."""
    actor = runtime.actor()
    with runtime.decide() as session:
        denied = list(pending.open_requests_of(session, request_ids))
        pending.deny(session, denied, "person", actor, reason=reason or "")
    return actor.step


def snooze(runtime: Runtime, *request_ids: str) -> str:
    """Hide requests, or the pending requests of files, all or none; return the step."""
    actor = runtime.actor()
    with runtime.decide() as session:
        for request in pending.open_requests_of(session, request_ids):
            left = request.expires_at - session.now
            if left < timedelta(hours=SNOOZE_HOURS + LAST_HOURS):
                raise UsageError(
                    f"Only {left // timedelta(hours=1)} hours are left to decide on this.",
                    "It can no longer be put off.",
                )
            consents.snooze(session, request.id, session.now + timedelta(hours=SNOOZE_HOURS))
            consents.note_decision(session, actor, request, "snoozed")
    return actor.step


def set_field(runtime: Runtime, field: str, value: str, old: str = "") -> str:
    """Write a profile value by the person's hand, as a new one or over `old`; return the step.

    A field with several values keeps the others; a field with one value loses its old value.
    """
    value, old = _valid_value(value), old if has_many(field) else ""
    if field not in FIELDS:
        raise UsageError(
            f"There is no profile field {field!r}.", f"There are: {', '.join(FIELDS)}."
        )
    with runtime.decide() as session:
        says, actor = pending.current(session, field), runtime.actor()
        other_values = (
            [known_value for known_value in says if known_value != old] if has_many(field) else []
        )
        if value in says or has_value(field, other_values, value):
            raise UsageError(KNOWN)
        settled = pending.pending_for(session, field, value)
        # A proposal of an import may hold a memory the person has not read.
        read = [request for request in settled if not is_foreign(request.proposer)]
        if read and not old:
            return _approve_as_written(session, runtime, read[0], value, actor)
        pending.end_all(runtime, [request.id for request in settled], actor)
        _replace_value(session, runtime, field, old, value, actor)
        return actor.step


def approve_as_asked(
    runtime: Runtime, field: str, value: str, message_id: str, actor: Actor
) -> None:
    """Approve a value that the person asked memapp to remember, as part of a step.

    The person's request is the consent, also to the memory held with the value.
    """
    value = value[:VALUE_CHARS]
    with runtime.decide() as session:
        if not value or (
            field != FORGOTTEN and has_value(field, pending.current(session, field), value)
        ):
            return
        open_requests = [
            request
            for request in pending.pending_for(session, field, value)
            if not is_foreign(request.proposer)
        ]
        request = (
            open_requests[0] if open_requests else pending.add(session, field, "", value, "person")
        )
        consents.add_evidence(session, request.id, message_id, typed=True)
        carry_out(session, runtime, consents.get_request(session, request.id), "person", actor)


def remove_value(runtime: Runtime, field: str, value: str, actor: Actor) -> None:
    """Remove a profile value the person asked to forget, as part of a step."""
    with runtime.decide() as session:
        if value in pending.current(session, field):
            _replace_value(session, runtime, field, value, "", actor)


def remove_values_of_trashed(runtime: Runtime, trashed: Sequence[Memory], actor: Actor) -> None:
    """Remove profile values that only memories in the trash support, as part of a step."""
    with runtime.decide() as session:
        for request in consents.list_standing(session):
            says = _value_predicate(session, request.field, request.new_value)
            if any(
                says(memory.text) and not set(memory.sources).isdisjoint(request.evidence)
                for memory in trashed
            ):
                live_memories = memories.list_memories(
                    session, ALL_LIVE, limit=runtime.settings.max_facts
                )
                if not any(says(memory.text) for memory in live_memories):
                    _replace_value(session, runtime, request.field, request.new_value, "", actor)


def clear_field(runtime: Runtime, field: str, value: str = "") -> str:
    """Remove one value of a profile field, or all of them; return the step."""
    with runtime.decide() as session:
        says, actor = pending.current(session, field), runtime.actor()
        removed = [
            known_value
            for known_value in says
            if not value or same_value(field, known_value, value)
        ]
        if not removed:
            raise UsageError(
                "Your profile does not say that." if value else "Your profile says nothing there."
            )
        for known_value in removed:
            _replace_value(session, runtime, field, known_value, "", actor)
        return actor.step


def carry_out(
    session: Session, runtime: Runtime, request: ConsentRequest, by: Decider, actor: Actor
) -> str:
    """Approve a request in the caller's transaction and store its memory; return the step.

    Rival requests for a field with one value are withdrawn.
    """
    if not request.new_value:
        raise UsageError("This request has no value yet.", "Edit it, and it is approved.")
    memory, said_in = pending.held_memory(session, request), request.evidence
    lost = replaced(request, pending.current(session, request.field))
    consents.decide(session, request.id, "approved", by)
    if request.field in BESIDE_PROFILE:
        consents.mark_applied(session, request.id)
        if request.field == FORGOTTEN:
            erasing.let_be_known(session, request.new_value)
        if request.field == RUBRIC:
            rubric.carry_out(session, request.new_value, actor)
        elif request.old_value and (
            old_id := memories.find_same(session, normalise(request.old_value))
        ):
            if memory and memory.id == old_id:  # the same memory in other words
                changes.apply(
                    session,
                    Updated(
                        old_id, text=memory.text, steps=memory.steps or None, origin=memory.origin
                    ),
                    actor,
                )
            else:
                changes.apply(session, SoftDeleted(old_id, "superseded", runtime.purge_at()), actor)
        consents.note_decision(session, actor, request, "approved")
    else:
        changes.apply(session, ProfileChanged(request.id), actor)
        trash_memories_stating(session, runtime, request, lost, actor)
        for rival in pending.rivals(session, request):
            pending.end(session, rival, "withdrawn", by, actor)
        # Further values in these messages may need no approval any more.
        learning_queue.learn_again(session, said_in)
    if memory and memories.find_same(session, normalise(memory.text)) is None:
        _store_held_memory(session, memory, actor)
    return actor.step


def _approve_as_written(
    session: Session, runtime: Runtime, request: ConsentRequest, value: str, actor: Actor
) -> str:
    """Approve a request with the value as the person wrote it; return the step."""
    if request.new_value == value:
        return carry_out(session, runtime, request, "person", actor)
    if request.field == CONFLICT:
        return _resolve_conflict(session, runtime, request, value, actor)
    memory = consents.memory_of(session, request.id)
    if memory and request.field in BESIDE_PROFILE:
        memory = replace(memory, text=value)
    elif memory and not (
        same_value(request.field, request.new_value, value)
        and pending.is_still_supported(request, memory)
    ):
        memory = None
    edited = pending.add(session, request.field, "", value, "person", memory, request.file_id)
    consents.copy_evidence(session, request.id, edited.id)
    pending.end(session, request, "withdrawn", "person", actor)
    return carry_out(session, runtime, consents.get_request(session, edited.id), "person", actor)


def _resolve_conflict(
    session: Session, runtime: Runtime, request: ConsentRequest, value: str, actor: Actor
) -> str:
    """Resolve a conflict by the older memory or by other words; return the step."""
    dropped = request.old_value
    if normalise(value) == normalise(request.old_value):
        dropped = request.new_value
    elif newer := memories.find_same(session, normalise(request.new_value)):
        changes.apply(session, Updated(newer, text=value), actor)
    chosen = pending.add(session, CONFLICT, dropped, value, "person")
    pending.end(session, request, "withdrawn", "person", actor)
    return carry_out(session, runtime, chosen, "person", actor)


def _store_held_memory(session: Session, memory: Memory, actor: Actor) -> None:
    """Restore a held memory that lies unchanged in the trash, else create a new one."""
    stored, now = memories.get_memories(session, [memory.id]), session.now
    if stored and stored[0].text == memory.text:
        changes.apply(session, Restored(memory.id), actor)
        return
    sources = tuple(chat.still_there(session, memory.sources))
    # Imported memories stay as written; duplicates are merged in idle time.
    if memory.origin == "import":
        imported = replace(
            memory,
            id=memory.id if memory.id and not stored else new_id(now),
            sources=sources,
            updated_at=now,
        )
        changes.apply(session, Created(imported), actor)
        return
    fact = replace(memory, id=new_id(now), sources=sources, created_at=now, updated_at=now)
    changes.apply(session, Created(fact), actor)


def approve_at_once(
    session: Session,
    field: str,
    old: str,
    new: str,
    proposer: Literal["person", "undo"],
    actor: Actor,
    undoes: str = "",
) -> ConsentRequest:
    """Change a profile value at the person's word, by a request that is approved at once."""
    request = pending.add(session, field, old, new, proposer)
    consents.decide(session, request.id, "approved", "person")
    changes.apply(session, ProfileChanged(request.id, undoes), actor)
    return request


def _replace_value(
    session: Session, runtime: Runtime, field: str, old: str, new: str, actor: Actor
) -> None:
    """Change a profile value and retire the memories that state the old one."""
    says = pending.current(session, field)
    request = approve_at_once(session, field, old, new, "person", actor)
    trash_memories_stating(session, runtime, request, replaced(request, says), actor)


def trash_memories_stating(
    session: Session,
    runtime: Runtime,
    request: ConsentRequest,
    lost: str,
    actor: Actor,
    spared: Collection[str] = (),
) -> None:
    """Move the unpinned memories that state a removed value to the trash."""
    if not lost or same_value(request.field, lost, request.new_value):
        return
    reason: Literal["superseded", "person"] = "superseded" if request.new_value else "person"
    says = _value_predicate(session, request.field, lost)
    for memory_id, memory_text in memories.unpinned_texts_naming(session, lost, READ_AGAIN).items():
        if memory_id not in spared and says(memory_text):
            changes.apply(session, SoftDeleted(memory_id, reason, runtime.purge_at()), actor)


def _value_predicate(session: Session, field: str, value: str) -> Callable[[str], bool]:
    """Return a predicate for texts that state a profile value or came with its request."""
    brought = consents.texts_brought_by(session, field, value)
    return lambda text: text in brought or says_value(text, field, value)


def _valid_value(value: str) -> str:
    value = one_line(clean(value))
    if not value:
        raise UsageError("There is no value.")
    if len(value) > VALUE_CHARS:
        raise UsageError(f"A value has at most {VALUE_CHARS} characters, this has {len(value)}.")
    if has_secret(value):
        raise UsageError("The profile keeps no passwords or keys.")
    return value
