"""Consolidation: pairs of memories that may say the same, what may be decided on one, and the
counts of a report.
"""

from dataclasses import dataclass
from typing import Literal

from memapp.domain.memory import Memory

Policy = Literal["update", "link", "ask", "leave"]
"""One of the two takes the other in, they are related, the person decides, or nothing is done."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What is to become of a pair."""

    policy: Policy
    by: str = "merge"
    """The actor: `merge` for memapp itself, or the model."""
    kept: Memory | None = None
    """The memory that takes the other in."""


LEAVE, LINK = Decision("leave"), Decision("link")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two live memories, the one that was said last first."""

    newer: Memory
    older: Memory
    score: float
    """Their cosine."""
    decided: Decision | None = None
    """What its words decide."""

    @property
    def ids(self) -> frozenset[str]:
        return frozenset((self.newer.id, self.older.id))

    def other(self, one: Memory) -> Memory:
        return self.older if one.id == self.newer.id else self.newer


@dataclass(frozen=True, slots=True)
class Spent:
    """What consolidation used up on a day."""

    pairs: int
    tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Tidied:
    """How many pairs of memories became what."""

    merged: int = 0
    linked: int = 0
    asked: int = 0
    left: int = 0

    @property
    def pairs(self) -> int:
        return self.merged + self.linked + self.asked + self.left

    def __str__(self) -> str:
        always = f"merged {self.merged}, linked {self.linked}, left {self.left}"
        return f"{always}, asked about {self.asked}" if self.asked else always


COUNTED = {"update": "merged", "link": "linked", "ask": "asked", "leave": "left"}
"""Under which name a report counts a policy."""


def last_said(memory: Memory) -> str:
    """Return what sorts memories by when they were said last: the id of the newest message that
    says it, or its own.
    """
    return max(memory.sources, default=memory.id)
