"""The `Change` union: every way in which a memory can change, each with its inverse.

`store.changes.apply` is the only code that carries one out.
"""

from dataclasses import dataclass

from memapp.domain.memory import Memory


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


@dataclass(frozen=True, slots=True)
class Pinned:
    memory_id: str
    pinned: bool


@dataclass(frozen=True, slots=True)
class SoftDeleted:
    memory_id: str
    reason: str
    """`person` or `overflow`."""


@dataclass(frozen=True, slots=True)
class Restored:
    memory_id: str


Change = Created | Updated | Pinned | SoftDeleted | Restored


@dataclass(frozen=True, slots=True)
class Revision:
    """What a change did: the memory it touched, and the change that takes it back."""

    memory_id: str
    change: Change
    inverse: Change
