"""Counts, rates and the audit log: what memapp did, and how well."""

from datetime import timedelta

from memapp.domain.activity import Learning, Rates
from memapp.domain.changes import Event
from memapp.domain.consolidation import Tidied
from memapp.domain.history import Entry, Moment, Version
from memapp.runtime import Runtime
from memapp.services.reads import reading
from memapp.store import activity, consolidation, expectations, history, interface

UPKEEP_TOLD = "upkeep_told"
"""Up to which entry of the history was told what upkeep did."""
LAST_ENTRIES = 500
"""Of one memory; more than anybody looks through."""


counts = reading(activity.counts)
by_day = reading(activity.by_day)
over_time = reading(activity.over_time)
entries = reading(history.list_entries)
versions = reading(history.list_versions)
version = reading(history.get_version)
check_versions = reading(history.check_versions)


def rates(runtime: Runtime) -> Rates:
    """Return how well the loop does."""
    session = runtime.read()
    return Rates(expectations.hit_rates(session, None), activity.recalled_on_demand(session))


def tidied(runtime: Runtime) -> Tidied:
    """Return what became of the pairs of facts that were looked at in the last seven days."""
    session = runtime.read()
    return consolidation.tidied(session, session.now - timedelta(days=7))


def upkeep_since(runtime: Runtime) -> dict[str, int]:
    """Return how often upkeep did what since this was asked last; nothing when it is asked first."""
    if runtime.database.read_only:
        return {}
    with runtime.write() as session:
        told, now = interface.get_interface(session, UPKEEP_TOLD), history.last_number(session)
        if told != now:
            interface.set_interface(session, UPKEEP_TOLD, now)
        return history.count_upkeep(session, told) if isinstance(told, int) else {}


def learning(runtime: Runtime) -> Learning:
    """Return how many messages wait to be learned from, and how many were set aside."""
    session = runtime.read()
    return Learning(
        waiting=expectations.count_surprises(session, "pending"),
        set_aside=expectations.count_surprises(session, "failed"),
    )


def timeline(runtime: Runtime, memory_id: str) -> tuple[Moment, ...]:
    """Return the versions of a memory, oldest first, without those that look the same as the one
    before.
    """
    known = {version.id: version for version in versions(runtime, memory_id)}
    moments: list[Moment] = []
    for entry in reversed(entries(runtime, memory_id, limit=LAST_ENTRIES)):
        found = known.get(entry.after or 0)
        if found is not None and (not moments or _seen(found) != _seen(moments[-1].version)):
            moments.append(
                Moment(found, entry.event, entry.actor, entry.at, replaced(runtime, entry))
            )
    return tuple(moments)


def replaced(runtime: Runtime, entry: Entry) -> tuple[str, ...]:
    """Return what the first words of a memory replaced, as far as that was not erased."""
    if entry.event is not Event.ADD or entry.actor == "import":
        return ()
    step = history.entries_of_step(runtime.read(), entry.step)
    gave_way = [
        other
        for other in step
        if other.meta.get("reason") == "superseded" or other.meta.get("into") == entry.memory_id
    ]
    return tuple(version(runtime, entry.before).text for entry in gave_way if entry.before)


def _seen(version: Version) -> tuple[object, ...]:
    return (
        version.text,
        version.tags,
        version.category,
        version.importance,
        version.pinned,
        version.state,
        version.steps,
    )
