"""Taking back what was done, last step first, across restarts: changes of memories and decisions about the profile alike."""

from datetime import datetime, timedelta

from memapp.domain.changes import Actor, Reverted
from memapp.domain.history import Event, Step
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services import consent
from memapp.store import changes, history


def undoable(runtime: Runtime, limit: int = 50) -> list[Step]:
    """Return what can be taken back, last first."""
    return history.undoable_steps(runtime.database.read(), runtime.user_id, limit)


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
        return consent.take_back(runtime, step, purge_at(runtime))
    with runtime.database.write() as conn:
        return changes.apply(conn, Reverted(step, purge_at(runtime)), Actor(runtime.user_id, "person"), runtime.clock()).step


def purge_at(runtime: Runtime) -> datetime:
    """Return when what goes to the trash now leaves it for good."""
    return runtime.clock() + timedelta(days=runtime.settings.purge_days)
