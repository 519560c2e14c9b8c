"""Counts, rates and the audit log: how often memapp did each thing, and how well."""

from datetime import timedelta
from operator import attrgetter

from memapp.domain.activity import Learning, Rates
from memapp.domain.changes import Event
from memapp.domain.consolidation import Tidied
from memapp.domain.history import Entry, Moment, Version
from memapp.runtime import Runtime
from memapp.services.store_reads import reading
from memapp.store import (
    activity,
    consolidation,
    expectations,
    history,
    learning_queue,
    saved_values,
)

UPKEEP_TOLD = "upkeep_told"
"""The number of the last history entry whose upkeep was shown."""
LAST_ENTRIES = 500
"""Of one memory; nobody reads more."""


counts = reading(activity.counts)
by_day = reading(activity.by_day)
over_time = reading(activity.over_time)
entries = reading(history.list_entries)
versions = reading(history.list_versions)
version = reading(history.get_version)
last_number = reading(history.last_number)
check_versions = reading(history.check_versions)


def rates(runtime: Runtime) -> Rates:
    """Return the hit rates of predictions and of recall on demand."""
    session = runtime.read()
    return Rates(expectations.hit_rates(session, None), activity.recalled_on_demand(session))


def tidied(runtime: Runtime) -> Tidied:
    """Return the results of consolidation over the last seven days."""
    session = runtime.read()
    return consolidation.tidied(session, session.now - timedelta(days=7))


def upkeep_since(runtime: Runtime) -> dict[str, int]:
    """Return the counts of upkeep since the last call; an empty dict on the first call."""
    if runtime.database.read_only:
        return {}
    with runtime.write() as session:
        last, newest = (
            saved_values.get_value(session, UPKEEP_TOLD),
            history.last_number(session),
        )
        if last != newest:
            saved_values.set_value(session, UPKEEP_TOLD, newest)
        return history.count_upkeep(session, last) if isinstance(last, int) else {}


def learning(runtime: Runtime) -> Learning:
    """Return how many messages are still to be learned from, and how many failed."""
    session = runtime.read()
    return Learning(
        waiting=learning_queue.count(session, "pending"),
        set_aside=learning_queue.count(session, "failed"),
    )


def timeline(runtime: Runtime, memory_id: str) -> tuple[Moment, ...]:
    """Return the versions of a memory, oldest first, without repeats of the same content."""
    by_id = {version.id: version for version in versions(runtime, memory_id)}
    moments: list[Moment] = []
    # by time: what another machine did may have come after what was done here later
    in_order = attrgetter("at", "number")
    for entry in sorted(entries(runtime, memory_id, limit=LAST_ENTRIES), key=in_order):
        after = by_id.get(entry.after or 0)
        if after is not None and (not moments or _content(after) != _content(moments[-1].version)):
            moments.append(
                Moment(after, entry.event, entry.actor, entry.at, replaced(runtime, entry))
            )
    return tuple(moments)


def replaced(runtime: Runtime, entry: Entry) -> tuple[str, ...]:
    """Return the texts that a new memory superseded, except for erased ones."""
    if entry.event is not Event.ADD or entry.actor == "import":
        return ()
    step = history.entries_of_step(runtime.read(), entry.step)
    superseded = [
        change
        for change in step
        if change.meta.get("reason") == "superseded" or change.meta.get("into") == entry.subject_id
    ]
    return tuple(version(runtime, change.before).text for change in superseded if change.before)


def _content(version: Version) -> tuple[object, ...]:
    return (
        version.text,
        version.tags,
        version.category,
        version.importance,
        version.pinned,
        version.state,
        version.steps,
    )
