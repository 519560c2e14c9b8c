"""The judgement of a sentence: lasting, meant, about whom, and on which sensitive topic."""

from collections.abc import Mapping
from dataclasses import dataclass

DEFAULT_IMPORTANCE = 2
RULES = "rules"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of a sentence, each value from 0 to 1."""

    lasts: float
    """A friend would remember the sentence for months."""
    is_meant: float
    """Meant as true: no joke, quotation, task or small talk."""
    is_of_others: float
    """About somebody close to the person, and not the person."""
    topics: Mapping[str, float]
    """The probability of each sensitive topic, by the name of its profile field."""
    sensitive: float = 0.0
    """The probability of any sensitive topic, on a separate scale that works better than the
    topics, above all for long sentences.
    """

    @property
    def topic(self) -> str:
        """Return the most likely sensitive topic."""
        return max(self.topics, key=self.topics.__getitem__)

    @property
    def all_topics(self) -> float:
        """Return the probabilities of all topics, added up: above 1 where several are likely."""
        return sum(self.topics.values())
