"""The `Change` union: every way in which a memory can change.

`store.changes.apply` is the only code that carries one out. The inverse of a change is `Reverted` with the step it was part
of; only a purge has none, since nothing is left to go back to.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memapp.domain.memory import Memory


@dataclass(frozen=True, slots=True)
class Actor:
    """Who makes a change, from which chat, and as part of which step."""

    user_id: str
    name: Literal["person", "worker", "import"]
    """`worker` is memapp itself."""
    thread_id: str = ""
    step: str = ""
    """Changes of one step are taken back together; empty for a step of its own."""


@dataclass(frozen=True, slots=True)
class Created:
    memory: Memory


@dataclass(frozen=True, slots=True)
class Updated:
    """Other words for the same fact, or other tags, importance or category; None leaves a part as it is."""

    memory_id: str
    text: str | None = None
    tags: tuple[str, ...] | None = None
    importance: int | None = None
    category: str | None = None
    sources: tuple[str, ...] = ()
    """Messages to be added to those it came from."""


@dataclass(frozen=True, slots=True)
class Merged:
    """A memory taken in by another, which says the same; the other gets its sources too."""

    memory_id: str
    into: str
    purge_at: datetime


@dataclass(frozen=True, slots=True)
class Linked:
    """A memory found to be about things that others are about too."""

    memory_id: str
    to: tuple[tuple[str, float], ...]
    """The others with the strength of the relation, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Pinned:
    memory_id: str
    pinned: bool


@dataclass(frozen=True, slots=True)
class SoftDeleted:
    memory_id: str
    reason: Literal["person", "overflow", "unused", "superseded"]
    purge_at: datetime


@dataclass(frozen=True, slots=True)
class Restored:
    memory_id: str


@dataclass(frozen=True, slots=True)
class Purged:
    """A memory removed for good, with every copy of its text inside the database. It has no inverse."""

    memory_id: str


@dataclass(frozen=True, slots=True)
class ProfileChanged:
    """An approved patch carried out. It is taken back by the opposite patch, so that nothing goes around consent."""

    patch_id: str
    undoes: str = ""
    """The step that this takes back, for an opposite patch."""


@dataclass(frozen=True, slots=True)
class Reverted:
    """Everything put back as it was before a step."""

    step: str
    purge_at: datetime
    """For a memory that the step created: it goes to the trash."""
    held_back: tuple[str, ...] = ()
    """Memories that stay as they are: what they said before needs a yes by now."""


Change = Created | Updated | Merged | Linked | Pinned | SoftDeleted | Restored | Purged | ProfileChanged | Reverted


@dataclass(frozen=True, slots=True)
class Revision:
    """What a change did."""

    step: str
    """What to name to take it back."""
    number: int
    """The person's revision after it."""
    memory_id: str
    """The memory it touched; the first one, if it was several."""
    change: Change
