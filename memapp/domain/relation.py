"""Relations between memories, and the likeness needed for one."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

RelationType = Literal["related_to", "evidence"]
"""`evidence` leads from an insight to a memory that supports it."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation, seen from one memory."""

    memory_id: str
    to_id: str
    strength: float
    """0 to 1."""


@dataclass(frozen=True, slots=True)
class Related:
    """A memory that is related to another."""

    id: str
    text: str
    strength: float
    relation: str
    """The type: see `RelationType`."""
    since: datetime


def strongest(
    likeness: Iterable[tuple[str, float]], link_min: float, top_k: int
) -> tuple[tuple[str, float], ...]:
    """Return the likest memories, at most `top_k` from `link_min` on, with strengths."""
    enough = [
        (memory_id, min(round(cosine, 4), 1.0))
        for memory_id, cosine in likeness
        if cosine >= link_min
    ]
    return tuple(sorted(enough, key=lambda pair: (-pair[1], pair[0]))[:top_k])
