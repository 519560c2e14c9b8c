"""Consolidation: pairs of similar memories, the decision on a pair, and the report's counts."""

from dataclasses import dataclass
from typing import Literal

from memapp.domain.memory import Memory

Policy = Literal["update", "link", "ask", "leave"]
"""Merge the pair, link it, ask the person, or do nothing."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision on a pair."""

    policy: Policy
    by: str = "merge"
    """The actor: `merge` for memapp itself, or the model."""
    kept: Memory | None = None
    """The memory that the other one is merged into."""


LEAVE, LINK = Decision("leave"), Decision("link")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two live memories, the one stated last first."""

    newer: Memory
    older: Memory
    score: float
    """Cosine of the two embeddings."""
    decided: Decision | None = None
    """The decision by rules on the wording, if any."""

    @property
    def ids(self) -> frozenset[str]:
        return frozenset((self.newer.id, self.older.id))

    def other(self, memory: Memory) -> Memory:
        return self.older if memory.id == self.newer.id else self.newer


@dataclass(frozen=True, slots=True)
class Spent:
    """The resources that consolidation used on a day."""

    pairs: int
    tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Tidied:
    """How many pairs were merged, linked, asked about or left."""

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
"""The name of each policy in a report."""


def last_said(memory: Memory) -> str:
    """Return a sort key for when a memory was stated last: the newest source, or its own id."""
    return max(memory.sources, default=memory.id)
