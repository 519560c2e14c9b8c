"""Asking first: proposals for the profile, the person's decisions on them, and taking those decisions back.

Nothing is decided anywhere else, but for what is to be forgotten (`services.forget`). Every decision is one step of the
history, named by what it returns, and is taken back by that name (`services.undo`).
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from memapp.domain.changes import Actor, Created, ProfileChanged, Reverted
from memapp.domain.chat import OWN_WORDS, Message, MessageStatus, Origin, Role
from memapp.domain.consent import DenyReason, Patch, corroborated, expiry, says_yes
from memapp.domain.duplicates import normalise
from memapp.domain.history import Entry, Event
from memapp.domain.memory import Memory
from memapp.domain.profile import FIELDS, is_sensitive, same_value
from memapp.domain.profile_values import VALUE_CHARS, added_value, adds_up, has_value, with_value
from memapp.domain.text import clean, one_line
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.store import changes, chat, consents, events, history, memories
from memapp.store.rows import new_id

FORGOTTEN = "forgotten"
"""Not of the profile: a fact that was erased and is stated again."""
ALL = 1_000_000
SNOOZE_HOURS = 24
TURNS_BETWEEN_QUESTIONS = 10
_QUESTIONS = {
    "preferred_name": "that your name is {}",
    "pronouns": "that your pronouns are {}",
    "city": "that you live in {}",
    "language": "that your language is {}",
}
_PLAIN = {
    "preferred_name": ("User's name is {}", "User is called {}"),
    "pronouns": ("User's pronouns are {}",),
    "city": ("User lives in {}",),
    "language": ("User's language is {}", "User speaks {}"),
    "health": ("User has {}",),
    FORGOTTEN: ("{}",),
}
"""Sentences that say no more than the value of their field does."""

Decider = Literal["person", "chat", "signals"]

# Proposals -----------------------------------------------------------------------------------------------------------


def propose(
    runtime: Runtime,
    field: str,
    value: str,
    *,
    message_id: str = "",
    typed: bool = False,
    held: Memory | None = None,
    proposer: Literal["worker", "import"] = "worker",
) -> Patch | None:
    """Put a value of a field before the person, with a memory that waits with it.

    The same proposal again only adds its message as evidence; what the profile says already, or what was denied within the
    last week, is not proposed. A benign field applies by itself when two messages that were typed say the same. What the
    person said here takes the place of what an import proposed, with all that came with it.
    Return the patch, or None if there is nothing to decide.
    """
    value = one_line(clean(value))[:VALUE_CHARS]
    with runtime.database.write() as conn:
        now = runtime.clock()
        current = consents.read_profile(conn, runtime.user_id).get(field, "")
        if value and has_value(field, current, value):
            return None
        same = _pending(conn, runtime, field, value)
        brought = [one for one in same if one.proposer == "import" and proposer != "import"]
        patch = next((one for one in same if one not in brought), None)
        if patch is None:
            if _denied_lately(conn, runtime, field, value, now):
                return None
            for one in brought:
                with runtime.database.decide() as deciding:
                    consents.decide(deciding, one.id, "withdrawn", "signals", now)
            patch = _add(conn, runtime, field, current, with_value(field, current, value), proposer, held)
            events.add_event(conn, runtime.user_id, "worker", "propose", "ok", now, meta={"field": field, "patch_id": patch.id})
        if message_id:
            consents.add_evidence(conn, patch.id, message_id, typed=typed)
        if patch.proposer == "worker" and not is_sensitive(field) and value and corroborated(consents.signals(conn, patch.id)):
            with runtime.database.decide() as deciding:
                _approve(deciding, runtime, patch, "signals", Actor(runtime.user_id, "worker", step=new_id(now)))
        return consents.get_patch(conn, runtime.user_id, patch.id)


def _add(conn: sqlite3.Connection, runtime: Runtime, field: str, old: str, new: str, proposer: str, held: Memory | None) -> Patch:
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
    try:
        consents.add_patch(conn, patch, held=held)
    except sqlite3.IntegrityError:
        raise UsageError(f"There is no profile field {field!r}.", f"There are: {', '.join(FIELDS)}.") from None
    return patch


def _pending(conn: sqlite3.Connection, runtime: Runtime, field: str, value: str) -> list[Patch]:
    waiting = consents.list_patches(conn, runtime.user_id, state="pending", field=field, limit=ALL)
    now = runtime.clock()
    return [one for one in waiting if one.expires_at >= now and same_value(field, _addition(one), value)]


def _denied_lately(conn: sqlite3.Connection, runtime: Runtime, field: str, value: str, now: datetime) -> bool:
    denied = consents.list_patches(conn, runtime.user_id, state="denied", field=field)
    return any(one.decided_at and now < expiry(one.decided_at) and same_value(field, _addition(one), value) for one in denied)


def _addition(patch: Patch) -> str:
    return added_value(patch.field, patch.old_value, patch.new_value)


# What waits ----------------------------------------------------------------------------------------------------------


def waiting(runtime: Runtime, *, before: str = "", limit: int = 200) -> list[Patch]:
    """Return what can be decided now, newest first, each against what the profile says now."""
    conn = runtime.database.read()
    known = consents.read_profile(conn, runtime.user_id)
    found = consents.list_waiting(conn, runtime.user_id, runtime.clock(), before=before, limit=limit)
    return [_against(one, known.get(one.field, "")) for one in found]


def get(runtime: Runtime, patch_id: str) -> Patch:
    """Return a proposal whatever became of it; one that waits, against what the profile says now."""
    patch = consents.get_patch(runtime.database.read(), runtime.user_id, patch_id)
    return _against(patch, profile(runtime).get(patch.field, "")) if patch.state == "pending" else patch


def count_waiting(runtime: Runtime) -> int:
    return consents.count_waiting(runtime.database.read(), runtime.user_id, runtime.clock())


def held_text(runtime: Runtime, patch_id: str) -> str:
    """Return what the memory says that waits with a patch; empty if there is none."""
    held = consents.held(runtime.database.read(), runtime.user_id, patch_id)
    return held.text if held else ""


def profile(runtime: Runtime) -> dict[str, str]:
    """Return what the person has agreed to be known about them, by field."""
    return consents.read_profile(runtime.database.read(), runtime.user_id)


def _against(patch: Patch, current: str) -> Patch:
    return replace(patch, old_value=current, new_value=with_value(patch.field, current, _addition(patch)))


# Decisions -----------------------------------------------------------------------------------------------------------


def approve(runtime: Runtime, patch_id: str) -> str:
    """Carry out a proposal and create the memory that waited with it. Return the step."""
    with runtime.database.decide() as conn:
        return _approve(conn, runtime, _undecided(conn, runtime, patch_id), "person", _person(runtime))


def edit_then_approve(runtime: Runtime, patch_id: str, value: str) -> str:
    """Carry out another value in place of the proposed one, which is withdrawn. Return the step."""
    value = _checked(value)
    with runtime.database.decide() as conn:
        patch, actor = _undecided(conn, runtime, patch_id), _person(runtime)
        current = _current(conn, runtime, patch.field)
        if same_value(patch.field, _against(patch, current).new_value, value):
            return _approve(conn, runtime, patch, "person", actor)
        held = consents.held(conn, runtime.user_id, patch.id)
        held = replace(held, text=value) if held and patch.field == FORGOTTEN else None
        edited = _add(conn, runtime, patch.field, current, value, "person", held)
        consents.copy_evidence(conn, patch.id, edited.id)
        consents.decide(conn, patch.id, "withdrawn", "person", runtime.clock())
        consents.note_decision(conn, actor, actor.step, patch, "withdrawn", runtime.clock())
        return _approve(conn, runtime, edited, "person", actor)


def deny(runtime: Runtime, patch_id: str, reason: DenyReason | None = None) -> str:
    """Drop a proposal and what waited with it. Return the step."""
    with runtime.database.decide() as conn:
        return _deny(conn, runtime, _undecided(conn, runtime, patch_id), "person", reason)


def snooze(runtime: Runtime, patch_id: str, hours: int = SNOOZE_HOURS) -> str:
    """Put a proposal out of sight for some hours. Return the step."""
    with runtime.database.decide() as conn:
        patch, actor, now = _undecided(conn, runtime, patch_id), _person(runtime), runtime.clock()
        consents.snooze(conn, patch.id, now + timedelta(hours=hours))
        consents.note_decision(conn, actor, actor.step, patch, "snoozed", now)
        return actor.step


def set_field(runtime: Runtime, field: str, value: str) -> str:
    """Let the person write a field of their own profile; empty takes it away. Return the step."""
    value = _checked(value) if value.strip() else ""
    if field not in FIELDS:
        raise UsageError(f"There is no profile field {field!r}.", f"There are: {', '.join(FIELDS)}.")
    with runtime.database.decide() as conn:
        current = _current(conn, runtime, field)
        if value == current:
            raise UsageError("The profile says that already." if value else "The profile says nothing there.")
        return _replace(conn, runtime, field, current, value, "person", _person(runtime))


def expire_due(runtime: Runtime) -> list[Patch]:
    """End proposals that nobody decided in time; return them."""
    now = runtime.clock()
    due = consents.due_patches(runtime.database.read(), runtime.user_id, now)
    if not due:
        return []
    with runtime.database.decide() as conn:
        for patch in due:
            consents.decide(conn, patch.id, "expired", "clock", now)
            meta = {"patch_id": patch.id, "decision": "expired"}
            events.add_event(conn, runtime.user_id, "worker", "consent", "skipped", now, meta=meta)
    return due


def withdraw(runtime: Runtime, patch_ids: Sequence[str]) -> None:
    """End proposals that go with what brought them; those that were decided meanwhile stay decided."""
    with runtime.database.decide() as conn:
        for patch in consents.list_patches(conn, runtime.user_id, state="pending", limit=ALL):
            if patch.id in patch_ids:
                consents.decide(conn, patch.id, "withdrawn", "person", runtime.clock())


def _approve(conn: sqlite3.Connection, runtime: Runtime, patch: Patch, by: Decider, actor: Actor) -> str:
    if not patch.new_value:
        raise UsageError("This proposal has no value yet.", "Edit it, and it is approved.")
    held = consents.held(conn, runtime.user_id, patch.id)
    patch = _rebased(conn, runtime, patch, by)
    now = runtime.clock()
    consents.decide(conn, patch.id, "approved", by, now)
    if patch.field == FORGOTTEN:
        consents.mark_applied(conn, patch.id)
        consents.note_decision(conn, actor, actor.step, patch, "approved", now)
    else:
        changes.apply(conn, ProfileChanged(patch.id), actor, now)
    if held and memories.find_same(conn, runtime.user_id, normalise(held.text)) is None:
        sources = tuple(consents.still_there(conn, runtime.user_id, held.sources))
        memory = replace(held, id=new_id(now), sources=sources, created_at=now, updated_at=now)
        changes.apply(conn, Created(memory), actor, now)
    return actor.step


def _rebased(conn: sqlite3.Connection, runtime: Runtime, patch: Patch, by: Decider) -> Patch:
    """Add to what the profile says now: since the proposal was made, the field may have got another value beside it."""
    current = _current(conn, runtime, patch.field)
    if not adds_up(patch.field) or patch.old_value == current or patch.proposer == "person":
        return patch
    consents.decide(conn, patch.id, "withdrawn", by, runtime.clock())
    moved = _add(
        conn,
        runtime,
        patch.field,
        current,
        with_value(patch.field, current, _addition(patch)),
        patch.proposer,
        consents.held(conn, runtime.user_id, patch.id),
    )
    consents.copy_evidence(conn, patch.id, moved.id)
    if question := consents.question_of(conn, runtime.user_id, patch.id):
        consents.mark_asked(conn, moved.id, question)
    return moved


def _deny(
    conn: sqlite3.Connection, runtime: Runtime, patch: Patch, by: Literal["person", "chat"], reason: DenyReason | None = None
) -> str:
    actor, now = _person(runtime), runtime.clock()
    consents.decide(conn, patch.id, "denied", by, now)
    consents.note_decision(conn, actor, actor.step, patch, "denied", now, reason=reason or "")
    return actor.step


def _replace(
    conn: sqlite3.Connection,
    runtime: Runtime,
    field: str,
    old: str,
    new: str,
    proposer: Literal["person", "undo"],
    actor: Actor,
    undoes: str = "",
) -> str:
    """Change a field at the person's own word: a patch like any other, approved at once."""
    patch = _add(conn, runtime, field, old, new, proposer, None)
    now = runtime.clock()
    consents.decide(conn, patch.id, "approved", "person", now)
    changes.apply(conn, ProfileChanged(patch.id, undoes), actor, now)
    return actor.step


def _undecided(conn: sqlite3.Connection, runtime: Runtime, patch_id: str) -> Patch:
    patch = consents.get_patch(conn, runtime.user_id, patch_id)
    if patch.state != "pending":
        raise UsageError("This was decided already.")
    if patch.expires_at < runtime.clock():
        raise UsageError("The time to decide on this is over.", "Write it into the profile yourself.")
    return patch


def _checked(value: str) -> str:
    value = one_line(clean(value))
    if not value:
        raise UsageError("There is no value.")
    if len(value) > VALUE_CHARS:
        raise UsageError(f"A value has at most {VALUE_CHARS} characters, this has {len(value)}.")
    return value


def _current(conn: sqlite3.Connection, runtime: Runtime, field: str) -> str:
    return consents.read_profile(conn, runtime.user_id).get(field, "")


def _person(runtime: Runtime) -> Actor:
    return Actor(runtime.user_id, "person", step=new_id(runtime.clock()))


# Taking a decision back ----------------------------------------------------------------------------------------------


def take_back(runtime: Runtime, step: str, purge_at: datetime) -> str:
    """Take back a step that decided something, with the memory that it created; what was proposed waits again.

    Return the step that did it. Raises `UsageError` when the profile has been changed again since.
    """
    with runtime.database.decide() as conn:
        actor = _person(runtime)
        entries = history.entries_of_step(conn, runtime.user_id, step)
        if history.was_taken_back(conn, runtime.user_id, step):
            raise UsageError("This was taken back already.")
        if any(entry.event is not Event.PROFILE for entry in entries):
            changes.apply(conn, Reverted(step, purge_at), actor, runtime.clock())
        for entry in reversed([one for one in entries if one.event is Event.PROFILE]):
            _take_back(conn, runtime, entry, actor)
        return actor.step


def _take_back(conn: sqlite3.Connection, runtime: Runtime, entry: Entry, actor: Actor) -> None:
    patch = consents.get_patch(conn, runtime.user_id, entry.meta["patch_id"])
    decision = entry.meta.get("decision", "changed")
    if decision == "changed":
        _restore_value(conn, runtime, patch, entry, actor)
    elif decision == "snoozed":
        consents.snooze(conn, patch.id, None)
    if decision in ("denied", "withdrawn") or (decision in ("changed", "approved") and patch.proposer != "person"):
        _reopen(conn, runtime, patch)
    if decision != "changed":
        consents.note_decision(conn, actor, actor.step, patch, "reopened", runtime.clock(), undoes=entry.step)


def _restore_value(conn: sqlite3.Connection, runtime: Runtime, patch: Patch, entry: Entry, actor: Actor) -> None:
    """Give a field the value it had, by the opposite patch."""
    current = _current(conn, runtime, patch.field)
    if current != patch.new_value:
        raise UsageError("The profile was changed again since then.", "Take that back first.")
    before = entry.meta["before"]
    previous = consents.get_patch(conn, runtime.user_id, before).new_value if before else ""
    _replace(conn, runtime, patch.field, current, previous, "undo", actor, undoes=entry.step)


def _reopen(conn: sqlite3.Connection, runtime: Runtime, patch: Patch) -> None:
    """Let a proposal wait again, as a copy: a decided patch stays as it was decided. A copy never applies by itself."""
    current = _current(conn, runtime, patch.field)
    value = with_value(patch.field, current, _addition(patch))
    copy = _add(conn, runtime, patch.field, current, value, "undo", consents.held(conn, runtime.user_id, patch.id))
    consents.copy_evidence(conn, patch.id, copy.id)


# Asking in the chat --------------------------------------------------------------------------------------------------


def ask(runtime: Runtime, patch_id: str, thread_id: str) -> Message:
    """Ask about one proposal in a chat, in memapp's own words; the next typed message there may answer.

    Raises `UsageError` for one that was not read from a chat here: the inbox shows who proposed it.
    """
    with runtime.database.decide() as conn:
        patch = _undecided(conn, runtime, patch_id)
        if not _came_up(patch):
            raise UsageError("This did not come up in a chat.", "Decide on it in the inbox.")
        label = FIELDS[patch.field].label.lower() if patch.field in FIELDS else "what you had me forget"
        what = _QUESTIONS.get(patch.field, f"about you - {label}: {{}}").format(patch.new_value)
        words = _words(patch, consents.held(conn, runtime.user_id, patch.id))
        text, now = f"Shall I remember {what}{words}? (yes / no)", runtime.clock()
        question = chat.add_message(
            conn, runtime.user_id, thread_id, Role.ASSISTANT, text, now, origin=Origin.MODEL, unprompted=True, model=OWN_WORDS
        )
        consents.mark_asked(conn, patch.id, question.id)
        return question


def ask_about(runtime: Runtime, message: Message) -> Message | None:
    """Ask below the reply to a message about what it proposed, unless memapp asked in this chat a short while ago."""
    conn = runtime.database.read()
    if not any(reply.status is MessageStatus.COMPLETE for reply in chat.variants(conn, runtime.user_id, message.id)):
        return None
    since = consents.messages_since_question(conn, runtime.user_id, message.thread_id)
    if not runtime.settings.ask_in_chat or (since is not None and since < TURNS_BETWEEN_QUESTIONS):
        return None
    for patch in consents.list_waiting(conn, runtime.user_id, runtime.clock()):
        if not _came_up(patch) or message.id not in patch.evidence or not patch.new_value:
            continue
        if not consents.question_of(conn, runtime.user_id, patch.id):
            return ask(runtime, patch.id, message.thread_id)
    return None


def _came_up(patch: Patch) -> bool:
    return patch.proposer == "worker"


def _words(patch: Patch, held: Memory | None) -> str:
    """Name the sentence that a yes would keep, where it says more than the value does."""
    plain = (form.format(_addition(patch)) for form in _PLAIN.get(patch.field, ()))
    if held is None or any(same_value(patch.field, held.text, one) for one in plain):
        return ""
    return f', in the words "{one_line(clean(held.text))}"'


def open_question(runtime: Runtime, messages: Sequence[Message]) -> Message | None:
    """Return the question of memapp itself that a chat ends with, if it ends with one."""
    last = messages[-1] if messages else None
    if last is None or not last.unprompted:
        return None
    return last if consents.asked_in(runtime.database.read(), runtime.user_id, last.id) else None


def hear(runtime: Runtime, question: Message, reply: Message) -> bool | None:
    """Read the message right after a question: a typed yes approves, a typed no denies, anything else leaves it waiting."""
    with runtime.database.decide() as conn:
        patch = consents.asked_in(conn, runtime.user_id, question.id)
        if patch is None or patch.state != "pending" or reply.pasted or patch.expires_at < runtime.clock():
            return None
        yes = says_yes(reply.typed_text, patch.field, patch.new_value)
        if yes:
            _approve(conn, runtime, patch, "chat", Actor(runtime.user_id, "person", reply.thread_id, new_id(runtime.clock())))
        elif yes is False:
            _deny(conn, runtime, patch, "chat")
        return yes
