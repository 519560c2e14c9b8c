"""Taking back what was done, last step first, across restarts: changes of memories and decisions about the profile alike."""

from memapp.domain.changes import Actor, Reverted
from memapp.domain.history import IMPORT, Event, Step, in_words
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services.consent import decisions, pending
from memapp.store import changes, chat, history, memories
from memapp.store.history import Touched
from memapp.store.rows import new_id


def undoable(runtime: Runtime, limit: int = 50) -> list[Step]:
    """Return what can be taken back, last first."""
    return history.undoable_steps(runtime.database.read(), runtime.user_id, limit)


def told(runtime: Runtime, step: Step) -> str:
    """Return what a step did, as it is called wherever it can be taken back or was."""
    return decisions.told(runtime, step.id) if step.event is Event.PROFILE else in_words(step)


def undo_last(runtime: Runtime) -> Step:
    """Take back the last step and return what it was. Raises `UsageError` if there is none."""
    steps = undoable(runtime, 1)
    if not steps:
        raise UsageError("There is nothing to take back.")
    undo(runtime, steps[0].id)
    return steps[0]


def undo(runtime: Runtime, step: str) -> str:
    """Take back one step with its consequences; return the step that did it."""
    entries = history.entries_of_step(runtime.database.read(), runtime.user_id, step)
    if any(entry.event is Event.PROFILE for entry in entries):
        return decisions.take_back(runtime, step)
    now = runtime.clock()
    actor = Actor(runtime.user_id, "person", step=new_id(now))
    with runtime.database.write() as conn:
        if history.was_taken_back(conn, runtime.user_id, step):
            raise UsageError("This was taken back already.")
        brought_in = next((entry for entry in entries if entry.memory_id.startswith(IMPORT)), None)
        if brought_in:
            for thread_id in brought_in.meta["threads"]:
                chat.set_thread_deleted(conn, runtime.user_id, thread_id, now)
            pending.withdraw(runtime, brought_in.meta["patches"])
        if not brought_in or memories.get_memories(conn, runtime.user_id, [entry.memory_id for entry in entries]):
            changes.apply(conn, Reverted(step, runtime.purge_at()), actor, now)
        if brought_in:
            touched = Touched(Event.UNDO, brought_in.memory_id, None, None)
            history.record(conn, actor, actor.step, touched, now, undoes=step)
    return actor.step
