"""What Memories and Trash read, on a thread, in the shape they show it."""

from collections.abc import Sequence
from dataclasses import dataclass

from memapp.domain.filters import MemoryFilter, Sort
from memapp.domain.memory import Memory, State
from memapp.runtime import Runtime
from memapp.services import curate

PAGE = 500
"""Rows in a list at most; the next page takes the place of the one before."""
AT_FIRST = 80
"""Rows looked up while the person types: more than a screen shows."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the memories that a filter lets through."""

    rows: tuple[Memory, ...]
    offset: int
    more: bool


def page(runtime: Runtime, wanted: MemoryFilter, sort: Sort, offset: int, size: int) -> Page:
    """Return one page."""
    found = curate.list_memories(runtime, wanted, sort, limit=size + 1, offset=offset)
    return Page(tuple(found[:size]), offset, len(found) > size)


def still_there(runtime: Runtime, memory_ids: Sequence[str], *, live: bool) -> dict[str, Memory]:
    """Return those of some memories that are live, or that are in the trash, as they are now."""
    return {one.id: one for one in curate.get_many(runtime, memory_ids) if (one.state is State.LIVE) == live}
