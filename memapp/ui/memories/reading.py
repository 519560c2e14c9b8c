"""What Memories and Trash read, on a thread, in the shape they show it."""

from dataclasses import dataclass
from datetime import datetime

from memapp.domain.filters import MemoryFilter, Sort
from memapp.domain.history import Entry, Event, Version
from memapp.domain.memory import Memory
from memapp.runtime import Runtime
from memapp.services import activity, curate

PAGE = 500
"""Rows in a list at most; the next page takes the place of the one before."""
AT_FIRST = 80
"""Rows looked up while the person types: more than a screen shows."""
ENTRIES = 500


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the memories that a filter lets through."""

    rows: tuple[Memory, ...]
    offset: int
    more: bool


@dataclass(frozen=True, slots=True)
class Moment:
    """A memory as it was from one change to the next."""

    version: Version
    event: Event
    actor: str
    at: datetime


def page(runtime: Runtime, wanted: MemoryFilter, sort: Sort, offset: int, size: int) -> Page:
    """Return one page."""
    found = curate.list_memories(runtime, wanted, sort, limit=size + 1, offset=offset)
    return Page(tuple(found[:size]), offset, len(found) > size)


def timeline(runtime: Runtime, memory_id: str) -> tuple[Moment, ...]:
    """Return what a memory was over time, oldest first; changes that nobody can see are left out."""
    versions = {one.id: one for one in activity.versions(runtime, memory_id)}
    entries = reversed(activity.entries(runtime, memory_id, limit=ENTRIES))
    moments: list[Moment] = []
    for entry in entries:
        version = versions.get(entry.after or 0)
        if version is not None and (not moments or _seen(version) != _seen(moments[-1].version)):
            moments.append(_moment(entry, version))
    return tuple(moments)


def _moment(entry: Entry, version: Version) -> Moment:
    return Moment(version, entry.event, entry.actor, entry.at)


def _seen(version: Version) -> tuple[object, ...]:
    return (version.text, version.tags, version.category, version.importance, version.pinned, version.state)
