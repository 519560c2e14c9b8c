"""Taking back what was done, last step first, across restarts: changes of memories and decisions
about the profile alike.
"""

from collections.abc import Sequence
from dataclasses import replace

from memapp.domain.changes import Actor, Event, Reverted
from memapp.domain.history import IMPORT, MESSAGE, Entry, Step
from memapp.domain.memory import Memory, State
from memapp.errors import NeedsYes, UsageError
from memapp.language.history import in_words
from memapp.runtime import Runtime
from memapp.services.consent import past_decisions, pending
from memapp.services.reads import reading
from memapp.store import changes, chat, consents, expectations, history, memories, search
from memapp.store.history import Touched
from memapp.store.session import Session

undoable = reading(history.undoable_steps)
was_taken_back = reading(history.was_taken_back)


def find(runtime: Runtime, step: str) -> Step | None:
    """Return a step if it can be taken back."""
    found = history.undoable_steps(runtime.read(), step=step) if step else []
    return next(iter(found), None)


def memories_of(runtime: Runtime, step: str) -> list[str]:
    """Return the ids of the memories that a step changed, in the order in which it did."""
    return [
        entry.memory_id
        for entry in history.entries_of_step(runtime.read(), step)
        if entry.is_of_memory
    ]


def describe(runtime: Runtime, step: Step) -> str:
    """Return what a step did, as it is called wherever it can be taken back or was."""
    return (
        past_decisions.describe(runtime, step.id) if step.event is Event.PROFILE else in_words(step)
    )


def undo_last(runtime: Runtime) -> Step:
    """Take back the last step and return what it was. Raises `UsageError` if there is none."""
    steps = undoable(runtime, 1)
    if not steps:
        raise UsageError("There is nothing to take back.")
    undo(runtime, steps[0].id)
    return steps[0]


def undo(runtime: Runtime, step: str) -> str:
    """Take back one step with its consequences; return the step that did it.

    What would be known again that way and needs a yes by now waits for it in the trash; `NeedsYes`
    says so, afterwards.
    """
    actor = runtime.actor()
    with runtime.write() as session:
        entries = history.entries_of_step(session, step)
        if history.was_taken_back(session, step):
            raise UsageError("This was taken back already.")
        decided = past_decisions.take_back(
            runtime, entries, actor
        )  # first: what it says then needs no yes
        brought_in = next((entry for entry in entries if entry.memory_id.startswith(IMPORT)), None)
        if brought_in:
            _take_away(session, runtime, brought_in, actor)
        said_again = _bring_up_again(session, entries, actor)
        there = memories.get_memories(session, [entry.memory_id for entry in entries])
        unsaid = hold_back(session, entries, there)
        if (
            there
            or any(entry.is_of_agent for entry in entries)
            or not (decided or brought_in or said_again)
        ):
            changes.apply(session, Reverted(step, runtime.purge_at(), unsaid), actor)
    if unsaid:
        texts = "; ".join(memory.text for memory in there if memory.id in unsaid).rstrip(".")
        raise NeedsYes(
            f"This stays in the trash, since it says something of your profile: {texts}.",
            "See the inbox.",
        )
    return actor.step


def _take_away(session: Session, runtime: Runtime, entry: Entry, actor: Actor) -> None:
    """Take back the chats and consent requests that a file brought, but no chat that the person
    went on with.
    """
    threads = entry.meta["threads"]
    for thread_id in set(threads).difference(chat.went_on_with(session, threads)):
        chat.set_thread_deleted(session, thread_id, session.now)
    pending.end_all(
        runtime, consents.ids_of_file(session, entry.meta["file_id"]), actor, undoes=entry.step
    )
    touched = Touched(Event.UNDO, entry.memory_id, None, None)
    history.record(session, actor, actor.step, touched, undoes=entry.step)


def _bring_up_again(session: Session, entries: Sequence[Entry], actor: Actor) -> bool:
    """Let the messages speak again that a step withdrew, unless a memory that went with them was
    erased since.
    """
    unsaid = [entry for entry in entries if entry.event is Event.UNSAY]
    of_memories = {entry.memory_id for entry in entries if entry.is_of_memory}
    if not unsaid or len(memories.get_memories(session, list(of_memories))) < len(of_memories):
        return False
    message_ids = [entry.memory_id.removeprefix(MESSAGE) for entry in unsaid]
    search.bring_up_again(session, message_ids)
    expectations.learn_again(
        session, message_ids
    )  # they may have been withdrawn before they taught anything
    for entry in unsaid:
        touched = Touched(Event.UNDO, entry.memory_id, None, None)
        history.record(session, actor, actor.step, touched, undoes=entry.step)
    return True


def hold_back(
    session: Session, entries: Sequence[Entry], there: Sequence[Memory]
) -> tuple[str, ...]:
    """Put before the person what would be known again and is neither by hand nor agreed on; return
    those memories.
    """
    before = {entry.memory_id: entry.before for entry in reversed(entries) if entry.is_of_memory}
    held = []
    for memory in there:
        number = before[memory.id]
        was = history.get_version(session, number) if number else None
        if (
            was is None
            or was.state != "live"
            or (memory.state is State.LIVE and memory.text == was.text)
        ):
            continue
        back = replace(memory, text=was.text)
        if memory.origin != "person" and (unknown := pending.unknown_of(session, back)):
            pending.put_back(session, back, unknown)
            held.append(memory.id)
    return tuple(held)
