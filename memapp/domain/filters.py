"""Filters of memories: which are wanted, and in which order."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from memapp.domain.memory import Kind, State


class Sort(StrEnum):
    """The orders of a list of memories."""

    NEWEST = "newest"
    OLDEST = "oldest"
    IMPORTANT = "important"
    """Pinned first, then by importance."""
    USED = "used"
    """Most often recalled first."""
    CHANGED = "changed"
    """Last changed first."""


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Conditions for memories. Empty parts do not count; all others must hold."""

    state: State | None = State.LIVE
    """None for every state but live."""
    words: tuple[str, ...] = ()
    """All must occur; the last may be a prefix. A word of symbols only, such as 🍵, is searched as
    it is.
    """
    phrases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    category: str = ""
    kind: Kind | None = None
    pinned: bool | None = None
    after: date | None = None
    """Created on that day of the person or later."""
    before: date | None = None
    problems: tuple[str, ...] = ()
    """Parts that were not understood, in words for the person."""


ALL_LIVE = MemoryFilter()
"""Every memory that is not in the trash."""
