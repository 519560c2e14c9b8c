"""The person's decisions on what waits, and the profile that they make. `past_decisions` takes them
back.

Every decision is one step of the history, named by what it returns, and is taken back by that name
(`services.undo`).
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
from memapp.language.profile import says_value
from memapp.language.secrets import has_secret
from memapp.language.wording import normalise
from memapp.runtime import Runtime
from memapp.services import rubric
from memapp.services.consent import pending
from memapp.services.reads import reading
from memapp.store import changes, chat, consents, expectations, memories
from memapp.store.encoding import new_id
from memapp.store.forget import erasing
from memapp.store.profile import read_profile
from memapp.store.session import Session

SNOOZE_HOURS = 24
LAST_HOURS = 12
"""What was put off comes up again so long before its time is over, at least."""
READ_AGAIN = 100
"""So many memories that name a lost value are read, the shortest: those that state it say little
else.
"""
KNOWN = "The profile says that already."

Decider = Literal["person", "chat", "signals"]


profile = reading(read_profile)
standing = reading(consents.list_standing)


def approve(runtime: Runtime, request_id: str) -> str:
    """Carry out a request and create the memory that waited with it. Return the step.

    Of a file it is all that waits but for what would replace something in the profile: that is
    decided one by one.
    """
    actor, file = runtime.actor(), pending.get_file(runtime, request_id)
    with runtime.decide() as session:
        said_yes = 0
        for request in pending.meant(session, [request_id]):
            if (
                not file
                or request.field in BESIDE_PROFILE
                or not replaced(request, pending.current(session, request.field))
            ):
                carry_out(session, runtime, request, "person", actor)
                said_yes += 1
        if not said_yes:
            raise UsageError(
                "What waits would replace what your profile says.",
                "Open it, and decide one by one.",
            )
    return actor.step


def edit_then_approve(runtime: Runtime, request_id: str, value: str) -> str:
    """Carry out another value in place of the proposed one, which is withdrawn. Return the step."""
    value = _checked(value)
    with runtime.decide() as session:
        request = pending.undecided(session, request_id)
        if has_many(request.field) and has_value(
            request.field, pending.current(session, request.field), value
        ):
            raise UsageError(KNOWN)
        return _carry_out_as(session, runtime, request, value, runtime.actor())


def deny(runtime: Runtime, *request_ids: str, reason: DenyReason | None = None) -> str:
    """Drop requests, or all that waits of files, and what waited with them: all, or none. Return
    the step.
    """
    actor = runtime.actor()
    with runtime.decide() as session:
        for request in pending.meant(session, request_ids):
            pending.end(session, request, "denied", "person", actor, reason=reason or "")
    return actor.step


def snooze(runtime: Runtime, *request_ids: str) -> str:
    """Put requests, or all that waits of files, out of sight for some hours: all, or none. Return
    the step.
    """
    actor = runtime.actor()
    with runtime.decide() as session:
        for request in pending.meant(session, request_ids):
            left = request.expires_at - session.now
            if left < timedelta(hours=SNOOZE_HOURS + LAST_HOURS):
                raise UsageError(
                    f"Only {left // timedelta(hours=1)} hours are left to decide on this.",
                    "It cannot be put off any more.",
                )
            consents.snooze(session, request.id, session.now + timedelta(hours=SNOOZE_HOURS))
            consents.note_decision(session, actor, request, "snoozed")
    return actor.step


def set_field(runtime: Runtime, field: str, value: str, old: str = "") -> str:
    """Let the person write a value of their own profile, in the place of the old one or else as a
    new one. Return the step.

    A new value stands beside the others; in a field with one value it takes the place of what is
    there.
    """
    value, old = _checked(value), old if has_many(field) else ""
    if field not in FIELDS:
        raise UsageError(
            f"There is no profile field {field!r}.", f"There are: {', '.join(FIELDS)}."
        )
    with runtime.decide() as session:
        says, actor = pending.current(session, field), runtime.actor()
        others = [text for text in says if text != old] if has_many(field) else []
        if value in says or has_value(field, others, value):
            raise UsageError(KNOWN)
        settled = pending.pending_for(session, field, value)
        read = [
            request for request in settled if not is_foreign(request.proposer)
        ]  # what an import would bring along, the person has not read
        if read and not old:
            return _carry_out_as(session, runtime, read[0], value, actor)
        pending.end_all(runtime, [request.id for request in settled], actor)
        _write(session, runtime, field, old, value, actor)
        return actor.step


def keep_as_asked(runtime: Runtime, field: str, value: str, message_id: str, actor: Actor) -> None:
    """Approve a value that the person asked to remember, as part of a step: that is their yes, also
    to what waited with it.
    """
    value = value[:VALUE_CHARS]
    with runtime.decide() as session:
        if not value or (
            field != FORGOTTEN and has_value(field, pending.current(session, field), value)
        ):
            return
        waiting = [
            request
            for request in pending.pending_for(session, field, value)
            if not is_foreign(request.proposer)
        ]
        request = waiting[0] if waiting else pending.add(session, field, "", value, "person")
        consents.add_evidence(session, request.id, message_id, typed=True)
        carry_out(session, runtime, consents.get_request(session, request.id), "person", actor)


def forget_value(runtime: Runtime, field: str, value: str, actor: Actor) -> None:
    """Take a value of the profile away that the person asked to forget, as part of a step."""
    with runtime.decide() as session:
        if value in pending.current(session, field):
            _write(session, runtime, field, value, "", actor)


def forget_said_by(runtime: Runtime, gone: Sequence[Memory], actor: Actor) -> None:
    """Take away, as part of a step, what the profile has from memories that went to the trash and
    no other memory says.
    """
    with runtime.decide() as session:
        for request in consents.list_standing(session):
            says = _saying(session, request.field, request.new_value)
            if any(
                says(memory.text) and not set(memory.sources).isdisjoint(request.evidence)
                for memory in gone
            ):
                known = memories.list_memories(session, ALL_LIVE, limit=runtime.settings.max_facts)
                if not any(says(memory.text) for memory in known):
                    _write(session, runtime, request.field, request.new_value, "", actor)


def take_away(runtime: Runtime, field: str, value: str = "") -> str:
    """Let the person take one value of their profile away, or all that a field says. Return the
    step.
    """
    with runtime.decide() as session:
        says, actor = pending.current(session, field), runtime.actor()
        gone = [text for text in says if not value or same_value(field, text, value)]
        if not gone:
            raise UsageError(
                "The profile does not say that." if value else "The profile says nothing there."
            )
        for text in gone:
            _write(session, runtime, field, text, "", actor)
        return actor.step


def carry_out(
    session: Session, runtime: Runtime, request: ConsentRequest, by: Decider, actor: Actor
) -> str:
    """Approve a request in the caller's transaction, and remember what waited with it. Return the
    step.

    Other values that wait for a field with one value are withdrawn.
    """
    if not request.new_value:
        raise UsageError("This request has no value yet.", "Edit it, and it is approved.")
    memory, said_in = pending.brought_by(session, request), request.evidence
    lost = replaced(request, pending.current(session, request.field))
    consents.decide(session, request.id, "approved", by)
    if request.field in BESIDE_PROFILE:
        consents.mark_applied(session, request.id)
        if request.field == FORGOTTEN:
            erasing.let_be_known(session, request.new_value)
        if request.field == RUBRIC:
            rubric.carry_out(session, request.new_value, actor)
        elif request.old_value and (
            gone := memories.find_same(session, normalise(request.old_value))
        ):
            if memory and memory.id == gone:  # other words for it
                changes.apply(
                    session,
                    Updated(
                        gone, text=memory.text, steps=memory.steps or None, origin=memory.origin
                    ),
                    actor,
                )
            else:
                changes.apply(session, SoftDeleted(gone, "superseded", runtime.purge_at()), actor)
        consents.note_decision(session, actor, request, "approved")
    else:
        changes.apply(session, ProfileChanged(request.id), actor)
        retire(session, runtime, request, lost, actor)
        for other in pending.rivals(session, request):
            pending.end(session, other, "withdrawn", by, actor)
        expectations.learn_again(
            session, said_in
        )  # what more these messages say of it needs no yes any more
    if memory and memories.find_same(session, normalise(memory.text)) is None:
        _remember(session, memory, actor)
    return actor.step


def _carry_out_as(
    session: Session, runtime: Runtime, request: ConsentRequest, value: str, actor: Actor
) -> str:
    """Carry out a request as the person wrote it, to the letter. Return the step."""
    if request.new_value == value:
        return carry_out(session, runtime, request, "person", actor)
    if request.field == CONFLICT:
        return _keep_instead(session, runtime, request, value, actor)
    memory = consents.memory_of(session, request.id)
    if memory and request.field in BESIDE_PROFILE:
        memory = replace(memory, text=value)
    elif memory and not (
        same_value(request.field, request.new_value, value)
        and pending.is_still_said(request, memory)
    ):
        memory = None
    edited = pending.add(session, request.field, "", value, "person", memory, request.file_id)
    consents.copy_evidence(session, request.id, edited.id)
    pending.end(session, request, "withdrawn", "person", actor)
    return carry_out(session, runtime, consents.get_request(session, edited.id), "person", actor)


def _keep_instead(
    session: Session, runtime: Runtime, request: ConsentRequest, value: str, actor: Actor
) -> str:
    """Keep the older of two memories of which only one holds, or other words in the place of both.
    Return the step.
    """
    gone = request.old_value
    if normalise(value) == normalise(request.old_value):
        gone = request.new_value
    elif newer := memories.find_same(session, normalise(request.new_value)):
        changes.apply(session, Updated(newer, text=value), actor)
    chosen = pending.add(session, CONFLICT, gone, value, "person")
    pending.end(session, request, "withdrawn", "person", actor)
    return carry_out(session, runtime, chosen, "person", actor)


def _remember(session: Session, memory: Memory, actor: Actor) -> None:
    """Bring a memory that waited: out of the trash where it lies there as it is, else like any new
    fact.
    """
    there, now = memories.get_memories(session, [memory.id]), session.now
    if there and there[0].text == memory.text:
        changes.apply(session, Restored(memory.id), actor)
        return
    sources = tuple(chat.still_there(session, memory.sources))
    if memory.origin == "import":  # as it was written there; what it repeats is found in idle time
        came = replace(
            memory,
            id=memory.id if memory.id and not there else new_id(now),
            sources=sources,
            updated_at=now,
        )
        changes.apply(session, Created(came), actor)
        return
    fact = replace(memory, id=new_id(now), sources=sources, created_at=now, updated_at=now)
    changes.apply(session, Created(fact), actor)


def put_in_place(
    session: Session,
    field: str,
    old: str,
    new: str,
    proposer: Literal["person", "undo"],
    actor: Actor,
    undoes: str = "",
) -> ConsentRequest:
    """Change a value at the person's own word: a request like any other, approved at once."""
    request = pending.add(session, field, old, new, proposer)
    consents.decide(session, request.id, "approved", "person")
    changes.apply(session, ProfileChanged(request.id, undoes), actor)
    return request


def _write(
    session: Session, runtime: Runtime, field: str, old: str, new: str, actor: Actor
) -> None:
    """Change a value as the person writes it, and retire what the memories say of the one that
    goes.
    """
    says = pending.current(session, field)
    request = put_in_place(session, field, old, new, "person", actor)
    retire(session, runtime, request, replaced(request, says), actor)


def retire(
    session: Session,
    runtime: Runtime,
    request: ConsentRequest,
    lost: str,
    actor: Actor,
    spared: Collection[str] = (),
) -> None:
    """Move to the trash the memories that say the value which goes with a request; what the person
    pinned stays.
    """
    if not lost or same_value(request.field, lost, request.new_value):
        return
    reason: Literal["superseded", "person"] = "superseded" if request.new_value else "person"
    says = _saying(session, request.field, lost)
    for memory_id, text in memories.unpinned_texts_naming(session, lost, READ_AGAIN).items():
        if memory_id not in spared and says(text):
            changes.apply(session, SoftDeleted(memory_id, reason, runtime.purge_at()), actor)


def _saying(session: Session, field: str, value: str) -> Callable[[str], bool]:
    """Return what is True for the text of a memory that states a value of the profile, or came with
    it.
    """
    brought = consents.texts_brought_by(session, field, value)
    return lambda text: text in brought or says_value(text, field, value)


def _checked(value: str) -> str:
    value = one_line(clean(value))
    if not value:
        raise UsageError("There is no value.")
    if len(value) > VALUE_CHARS:
        raise UsageError(f"A value has at most {VALUE_CHARS} characters, this has {len(value)}.")
    if has_secret(value):
        raise UsageError("The profile keeps no passwords and no keys.")
    return value
