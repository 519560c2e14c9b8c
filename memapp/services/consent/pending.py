"""Proposals that wait for the person: adding them, listing them against the current profile, and ending them unanswered."""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Literal

from memapp.domain.changes import Actor
from memapp.domain.consent import FORGOTTEN, Patch, expiry, like, proposes, rebased
from memapp.domain.lifecycle import is_over
from memapp.domain.memory import Memory, State
from memapp.domain.profile import FIELDS
from memapp.domain.profile_hints import Hint, unknown_in
from memapp.domain.profile_values import VALUE_CHARS, adds_up, fits, has_value, with_value
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.store import chat, consents
from memapp.store.lifecycle import behind, days_of_use
from memapp.store.rows import new_id

A_DAY = timedelta(days=1)


def waiting(runtime: Runtime, *, limit: int | None = None) -> list[Patch]:
    """Return the proposals that can be decided now, newest first, each updated to the current profile."""
    conn = runtime.database.read()
    known = consents.read_profile(conn, runtime.user_id)
    found = consents.list_waiting(conn, runtime.user_id, runtime.clock(), limit=limit)
    return [rebased(one, known.get(one.field, "")) for one in found]


def get(runtime: Runtime, patch_id: str) -> Patch:
    """Return a proposal in any state; one that waits is updated to the current profile."""
    conn = runtime.database.read()
    patch = consents.get_patch(conn, runtime.user_id, patch_id)
    return rebased(patch, current(conn, runtime, patch.field)) if patch.state == "pending" else patch


def count_waiting(runtime: Runtime) -> int:
    return consents.count_waiting(runtime.database.read(), runtime.user_id, runtime.clock())


def asleep(runtime: Runtime) -> list[Patch]:
    """Return snoozed proposals, the next to wake first."""
    now = runtime.clock()
    found = consents.list_patches(runtime.database.read(), runtime.user_id, state="pending")
    put_off = [(one.snoozed_until, one) for one in found if one.snoozed_until and is_open(runtime, one)]
    return [one for until, one in sorted(put_off, key=lambda pair: pair[0]) if until > now]


def rivals(conn: sqlite3.Connection, runtime: Runtime, patch: Patch) -> list[Patch]:
    """Return the other proposals for the same single-valued field, newest first: a yes to one settles them.

    Proposals from an import are left out.
    """
    if adds_up(patch.field) or patch.field == FORGOTTEN:
        return []
    found = consents.list_patches(conn, runtime.user_id, state="pending", field=patch.field)
    return [one for one in found if one.id != patch.id and one.proposer != "import" and is_open(runtime, one)]


def other_values(runtime: Runtime, patch: Patch) -> tuple[str, ...]:
    """Return the other values that wait for the same field, newest first: a yes to this proposal withdraws them."""
    found = rivals(runtime.database.read(), runtime, patch)
    return tuple(dict.fromkeys(one.new_value for one in found if one.new_value))


def held_text(runtime: Runtime, patch_id: str) -> str:
    """Return the text of the memory that approving a patch would store; empty if there is none."""
    conn = runtime.database.read()
    held = brought_by(conn, runtime, consents.get_patch(conn, runtime.user_id, patch_id))
    return held.text if held else ""


def brought_by(conn: sqlite3.Connection, runtime: Runtime, patch: Patch) -> Memory | None:
    """Return the memory that approving a patch stores. One that states several values is stored with the last yes it needs."""
    held = consents.held(conn, runtime.user_id, patch.id)
    if held is None or patch.field == FORGOTTEN:
        return held
    if not is_still_said(patch, held):
        return None
    stated = unknown_in(held.text, {})
    if len(stated) < 2:
        return held
    known = consents.read_profile(conn, runtime.user_id)
    known[patch.field] = rebased(patch, known.get(patch.field, "")).new_value
    return held if all(has_value(one.field, known.get(one.field, ""), one.value) for one in stated) else None


def is_still_said(patch: Patch, held: Memory) -> bool:
    """Say whether a waiting memory comes from the evidence; else its words were taken back, and the others are read again."""
    return not (patch.evidence and held.sources) or bool(set(patch.evidence) & set(held.sources))


def expire_due(runtime: Runtime) -> list[Patch]:
    """Mark proposals as expired that nobody decided in time, in one step; return them."""
    now, conn = runtime.clock(), runtime.database.read()
    due = consents.due_patches(conn, runtime.user_id, now)
    if not due:
        return []
    days = days_of_use(conn, runtime.user_id, min(patch.expires_at for patch in due))
    over = [patch.id for patch in due if is_over(patch.expires_at, days, now) and not _was_behind(conn, runtime, patch)]
    return _end(runtime, over, "expired", "clock", Actor(runtime.user_id, "lifecycle", step=new_id(now)))


def begin_again(runtime: Runtime) -> None:
    """Let what was proposed while the clock was wrong wait from now on, and no longer than anything else."""
    now = runtime.clock()
    with runtime.database.decide() as conn:
        for patch in consents.list_patches(conn, runtime.user_id, state="pending"):
            if patch.created_at - now > A_DAY or (not is_open(runtime, patch) and _was_behind(conn, runtime, patch)):
                consents.decide(conn, runtime.user_id, patch.id, "withdrawn", "clock", now)
                add_again(conn, runtime, patch, patch.proposer)


def _was_behind(conn: sqlite3.Connection, runtime: Runtime, patch: Patch) -> bool:
    """Say whether the clock was behind when something was proposed."""
    return behind(conn, runtime.user_id, patch.created_at, runtime.clock()) > A_DAY


def withdraw(
    runtime: Runtime, patch_ids: Sequence[str], actor: Actor, by: Literal["person", "signals"] = "person", undoes: str = ""
) -> None:
    """Withdraw proposals whose cause is gone, as part of a step; those already decided stay decided."""
    _end(runtime, patch_ids, "withdrawn", by, actor, undoes)


def drop_evidence(runtime: Runtime, message_ids: Sequence[str]) -> None:
    """Let messages say nothing any more for what waits."""
    with runtime.database.decide() as conn:
        consents.drop_evidence(conn, runtime.user_id, message_ids)


def _end(
    runtime: Runtime,
    patch_ids: Sequence[str],
    state: Literal["withdrawn", "expired"],
    by: Literal["person", "signals", "clock"],
    actor: Actor,
    undoes: str = "",
) -> list[Patch]:
    """End those of some proposals that wait still; return them."""
    if not patch_ids:
        return []
    now = runtime.clock()
    with runtime.database.decide() as conn:
        ended = [one for one in consents.list_patches(conn, runtime.user_id, state="pending") if one.id in patch_ids]
        for patch in ended:
            consents.decide(conn, runtime.user_id, patch.id, state, by, now)
            consents.note_decision(conn, actor, patch, state, now, undoes=undoes)
    return ended


def add(conn: sqlite3.Connection, runtime: Runtime, field: str, old: str, new: str, proposer: str, held: Memory | None) -> Patch:
    """Queue a proposal to change a field from one value to another, with the memory that waits with it."""
    if field not in FIELDS and field != FORGOTTEN:
        raise UsageError(f"There is no profile field {field!r}.", f"There are: {', '.join(FIELDS)}.")
    now = runtime.clock()
    patch = Patch(
        id=new_id(now),
        user_id=runtime.user_id,
        field=field,
        old_value=old,
        new_value=new,
        evidence=(),
        proposer=proposer,
        state="pending",
        created_at=now,
        expires_at=expiry(now),
    )
    consents.add_patch(conn, patch, held=held)
    return patch


def add_again(conn: sqlite3.Connection, runtime: Runtime, patch: Patch, proposer: str) -> Patch:
    """Queue a copy of a proposal, updated to the current profile, with its evidence, its question and its waiting memory."""
    moved = rebased(patch, current(conn, runtime, patch.field))
    held = consents.held(conn, runtime.user_id, patch.id)
    copy = add(conn, runtime, moved.field, moved.old_value, moved.new_value, proposer, held)
    consents.copy_evidence(conn, patch.id, copy.id)
    for question in chat.still_there(conn, runtime.user_id, [consents.question_of(conn, runtime.user_id, patch.id)]):
        consents.mark_asked(conn, runtime.user_id, copy.id, question)
    return copy


def put_back(conn: sqlite3.Connection, runtime: Runtime, memory: Memory, unknown: Sequence[Hint]) -> None:
    """Propose the profile values that restoring this memory would reveal, and hold the memory with them.

    It comes back with the last yes that it needs (`brought_by`). Values that wait already are not proposed again.
    """
    held = replace(memory, state=State.LIVE, reason="", merged_into="")
    for one in unknown:
        if not one.value or waiting_for(conn, runtime, one.field, one.value):
            continue
        says = current(conn, runtime, one.field)
        patch = add(conn, runtime, one.field, says, with_value(one.field, says, one.value[:VALUE_CHARS]), "undo", held)
        for message_id in chat.still_there(conn, runtime.user_id, memory.sources):
            consents.add_evidence(conn, patch.id, message_id, typed=False)


def waiting_for(conn: sqlite3.Connection, runtime: Runtime, field: str, value: str) -> list[Patch]:
    """Return the proposals of one value that can still be decided."""
    found = consents.list_patches(conn, runtime.user_id, state="pending", field=field, like=like(field, value))
    return [one for one in found if is_open(runtime, one) and proposes(one, value)]


def known_with(conn: sqlite3.Connection, runtime: Runtime, field: str, value: str) -> list[Patch]:
    """Return the proposals of a field that ask for nothing more once it has a value."""
    found = consents.list_patches(conn, runtime.user_id, state="pending", field=field)
    return [one for one in found if is_open(runtime, one) and has_value(field, value, one.addition)]


def has_room(conn: sqlite3.Connection, runtime: Runtime, patch: Patch) -> bool:
    """Say whether what a proposal adds fits beside what its field says now."""
    return fits(patch.field, current(conn, runtime, patch.field), patch.addition)


def is_open(runtime: Runtime, patch: Patch) -> bool:
    """Say whether there is still time to decide."""
    return patch.expires_at >= runtime.clock()


def undecided(conn: sqlite3.Connection, runtime: Runtime, patch_id: str) -> Patch:
    """Return a proposal that can still be decided. Raises `UsageError` for one that was decided or has expired."""
    patch = consents.get_patch(conn, runtime.user_id, patch_id)
    if patch.state != "pending":
        raise UsageError("This was decided already.")
    if not is_open(runtime, patch):
        raise UsageError("The time to decide on this is over.", "Write it into the profile yourself.")
    return patch


def current(conn: sqlite3.Connection, runtime: Runtime, field: str) -> str:
    """Return what the profile says in a field."""
    return consents.read_profile(conn, runtime.user_id).get(field, "")
