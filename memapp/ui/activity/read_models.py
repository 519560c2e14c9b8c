"""The log, the numbers and the steps of Activity, read on a thread."""

from dataclasses import dataclass, replace
from datetime import date

from memapp.domain.activity import Count, Rates, Tally
from memapp.domain.changes import Event
from memapp.domain.consolidation import Tidied
from memapp.domain.history import MESSAGE, Entry, Step, Version
from memapp.domain.memory import State
from memapp.errors import NotFound
from memapp.runtime import Runtime
from memapp.services import activity, curate, undo

PAGE = 200
STEPS = 200


@dataclass(frozen=True, slots=True)
class LogLine:
    entry: Entry
    said: str
    """The text of the memory; empty for the profile and for a memory that is not live."""
    pinned: bool | None = None
    """True if a pin was set, False if it was removed, None for other changes."""
    entries: int = 1
    """The number of entries for messages with the same words; this is the first."""


@dataclass(frozen=True, slots=True)
class Undoable:
    """A step that can be undone."""

    step: Step
    said: str
    """The step in words."""


def numbers(runtime: Runtime) -> tuple[Rates, list[Count], Tidied]:
    return activity.rates(runtime), activity.counts(runtime), activity.tidied(runtime)


def over_time(runtime: Runtime) -> tuple[list[Tally], date]:
    """Return the counts of each day, and the date of today."""
    return activity.over_time(runtime), runtime.clock().astimezone().date()


def log_page(runtime: Runtime, before: int | None = None) -> tuple[tuple[LogLine, ...], bool]:
    """Return the page of the log before an entry, or the newest; and True if older pages exist."""
    entries = activity.entries(runtime, before=before, limit=PAGE + 1)
    ids = {entry.subject_id for entry in entries[:PAGE] if entry.event is not Event.PROFILE}
    # The words of memories that are not live stay out of the log.
    texts = {
        memory.id: memory.text
        for memory in curate.get_many(runtime, ids)
        if memory.state is State.LIVE
    }
    lines: list[LogLine] = []
    for entry in entries[:PAGE]:
        if entry.subject_id.startswith(MESSAGE) and lines and _is_alike(lines[-1].entry, entry):
            lines[-1] = replace(lines[-1], entry=entry, entries=lines[-1].entries + 1)
        else:
            lines.append(LogLine(entry, texts.get(entry.subject_id, ""), _pinned(runtime, entry)))
    return tuple(lines), len(entries) > PAGE


def _is_alike(before: Entry, entry: Entry) -> bool:
    return before.subject_id.startswith(MESSAGE) and (before.step, before.event) == (
        entry.step,
        entry.event,
    )


def undoable(runtime: Runtime, *, by_upkeep: bool = False) -> tuple[Undoable, ...]:
    """Return the steps that can be undone, or those of upkeep, newest first."""
    return tuple(
        Undoable(step, undo.describe(runtime, step))
        for step in undo.undoable(runtime, STEPS, by_upkeep=by_upkeep)
    )


def compared(runtime: Runtime, entry: Entry) -> tuple[Version, Version] | None:
    """Return the text before and after an entry; None if the entry changed no text."""
    if entry.before is None or entry.after is None or entry.before == entry.after:
        return None
    try:
        return activity.version(runtime, entry.before), activity.version(runtime, entry.after)
    except NotFound:
        return None


def _pinned(runtime: Runtime, entry: Entry) -> bool | None:
    if entry.event is not Event.PIN or entry.after is None:
        return None
    try:
        return activity.version(runtime, entry.after).pinned
    except NotFound:
        return None
