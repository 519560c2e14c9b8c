"""The judgement of a sentence: whether it lasts and is meant, whose it is, and which sensitive
topic it touches.
"""

from collections.abc import Mapping
from dataclasses import dataclass

DEFAULT_IMPORTANCE = 2
RULES = "rules"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a sentence is judged to be, each from 0 to 1."""

    lasts: float
    """A friend would remember it for months."""
    is_meant: float
    """It is told as true: no joke, no quotation, no task, no small talk."""
    is_of_others: float
    """It is about somebody close to the person, not about the person."""
    topics: Mapping[str, float]
    """How sure it touches each sensitive topic, by the name of its profile field."""
    sensitive: float = 0.0
    """How sure it touches any, on its own scale: told apart better than by the topics, the more so
    of long sentences.
    """

    @property
    def topic(self) -> str:
        """The sensitive topic it most likely touches."""
        return max(self.topics, key=self.topics.__getitem__)

    @property
    def is_sensitive(self) -> float:
        """How sure it touches any."""
        return sum(self.topics.values())
