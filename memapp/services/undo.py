"""Undo, last step first, across restarts: changes of memories, decisions on the profile."""

from collections.abc import Sequence
from dataclasses import replace

from memapp.domain.changes import Actor, Event, Reverted
from memapp.domain.history import IMPORT, MESSAGE, Entry, Step
from memapp.domain.memory import Memory, State
from memapp.errors import NeedsYes, UsageError
from memapp.language.history import in_words
from memapp.runtime import Runtime
from memapp.services.consent import past_decisions, pending
from memapp.services.store_reads import reading
from memapp.store import changes, chat, consents, history, learning_queue, memories, withdrawn
from memapp.store.history import Touched
from memapp.store.session import Session

undoable = reading(history.undoable_steps)
was_undone = reading(history.was_undone)


def undoable_step(runtime: Runtime, step: str) -> Step | None:
    """Return a step if it can be undone."""
    steps = history.undoable_steps(runtime.read(), step=step) if step else []
    return next(iter(steps), None)


def memories_of(runtime: Runtime, step: str) -> list[str]:
    """Return the ids of the memories a step changed, in order."""
    return [
        entry.subject_id
        for entry in history.entries_of_step(runtime.read(), step)
        if entry.is_of_memory
    ]


def describe(runtime: Runtime, step: Step) -> str:
    """Describe the step in words, as before and after an undo."""
    return (
        past_decisions.describe(runtime, step.id) if step.event is Event.PROFILE else in_words(step)
    )


def undo_last(runtime: Runtime) -> Step:
    """Undo the last step and return it; raise `UsageError` if there is none."""
    steps = undoable(runtime, 1)
    if not steps:
        raise UsageError("There is nothing to undo.")
    undo(runtime, steps[0].id)
    return steps[0]


def undo(runtime: Runtime, step: str) -> str:
    """Undo one step with its consequences; return the step of the undo.

    Restored memories that need approval by now are pending, and stay in the trash; `NeedsYes`
    reports them after the undo.
    """
    actor = runtime.actor()
    with runtime.write() as session:
        entries = history.entries_of_step(session, step)
        if history.was_undone(session, step):
            raise UsageError("This was undone already.")
        # First, since values restored here need no approval below.
        decided = past_decisions.revert(runtime, entries, actor)
        brought_in = next((entry for entry in entries if entry.subject_id.startswith(IMPORT)), None)
        if brought_in:
            _remove_imported(session, runtime, brought_in, actor)
        said_again = _restore_messages(session, entries, actor)
        restored = memories.get_memories(session, [entry.subject_id for entry in entries])
        unsaid = hold_back(session, entries, restored)
        if (
            restored
            or any(entry.is_of_agent for entry in entries)
            or not (decided or brought_in or said_again)
        ):
            changes.apply(session, Reverted(step, runtime.purge_at(), unsaid), actor)
    if unsaid:
        texts = "; ".join(memory.text for memory in restored if memory.id in unsaid).rstrip(".")
        raise NeedsYes(
            f"This stays in the trash, since it says something of your profile: {texts}.",
            "See the inbox.",
        )
    return actor.step


def _remove_imported(session: Session, runtime: Runtime, entry: Entry, actor: Actor) -> None:
    """Remove the chats and requests of an import, except chats the person went on with."""
    threads = entry.meta["threads"]
    for thread_id in set(threads).difference(chat.went_on_with(session, threads)):
        chat.set_thread_deleted(session, thread_id, session.now)
    pending.end_all(
        runtime, consents.ids_of_file(session, entry.meta["file_id"]), actor, undoes=entry.step
    )
    touched = Touched(Event.UNDO, entry.subject_id, None, None)
    history.record(session, actor, actor.step, touched, undoes=entry.step)


def _restore_messages(session: Session, entries: Sequence[Entry], actor: Actor) -> bool:
    """Restore the messages a step withdrew, unless a memory of the step was erased."""
    unsaid = [entry for entry in entries if entry.event is Event.UNSAY]
    of_memories = {entry.subject_id for entry in entries if entry.is_of_memory}
    if not unsaid or len(memories.get_memories(session, list(of_memories))) < len(of_memories):
        return False
    message_ids = [entry.subject_id.removeprefix(MESSAGE) for entry in unsaid]
    withdrawn.reinstate(session, message_ids)
    # They may have been withdrawn before they taught anything.
    learning_queue.learn_again(session, message_ids)
    for entry in unsaid:
        touched = Touched(Event.UNDO, entry.subject_id, None, None)
        history.record(session, actor, actor.step, touched, undoes=entry.step)
    return True


def hold_back(
    session: Session, entries: Sequence[Entry], restored: Sequence[Memory]
) -> tuple[str, ...]:
    """Propose restored memories that need approval, and return their ids.

    Memories written by hand, and those the profile agrees with, need none.
    """
    before = {entry.subject_id: entry.before for entry in reversed(entries) if entry.is_of_memory}
    held = []
    for memory in restored:
        number = before[memory.id]
        version = history.get_version(session, number) if number else None
        if (
            version is None
            or version.state != "live"
            or (memory.state is State.LIVE and memory.text == version.text)
        ):
            continue
        back = replace(memory, text=version.text)
        if memory.origin != "person" and (unknown := pending.unapproved_hints(session, back)):
            pending.hold_for_approval(session, back, unknown)
            held.append(memory.id)
    return tuple(held)
