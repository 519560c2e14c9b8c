"""Relations between memories, and which likeness is enough for one."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

RelationType = Literal["related_to", "evidence"]
"""`evidence` leads from an insight to a memory that it rests on."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation as seen from one memory."""

    memory_id: str
    to_id: str
    strength: float
    """0 to 1."""


@dataclass(frozen=True, slots=True)
class Related:
    """A memory that another one is related to."""

    id: str
    text: str
    strength: float
    relation: str
    """What kind of relation: see `RelationType`."""
    since: datetime


def strongest(
    likeness: Iterable[tuple[str, float]], link_min: float, top_k: int
) -> tuple[tuple[str, float], ...]:
    """Return the likest memories, at most `top_k` of those at or above `link_min`, with their
    likeness as strength.
    """
    enough = [
        (memory_id, min(round(cosine, 4), 1.0))
        for memory_id, cosine in likeness
        if cosine >= link_min
    ]
    return tuple(sorted(enough, key=lambda pair: (-pair[1], pair[0]))[:top_k])
