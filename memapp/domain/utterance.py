"""Utterances: the statements of a message, what each is judged to be, and the facts that may be made of them."""

from collections.abc import Mapping
from dataclasses import dataclass

from memapp.domain.profile import Stated

DEFAULT_IMPORTANCE = 2
RULES = "rules"


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a person says, as they said it and as a fact would say it."""

    said: str
    """The clause, in the first person and with chat spelling written out."""
    sentence: str
    """The sentence that it stands in, as it was typed."""
    fact: str = ""
    """A sentence about User that keeps the writing rules; empty where none can be made of the words."""
    whole: str = ""
    """The sentence with whom it begins in place of `he`; empty where it is as it was typed."""
    told: str = ""
    """What a sentence tells beside what it asks; empty where it asks nothing."""


@dataclass(frozen=True, slots=True)
class Told:
    """A message as it was read."""

    statements: tuple[Statement, ...]
    stated: tuple[Stated, ...]
    """The values of the profile that it states."""
    standing: tuple[Statement, ...]
    """The sentences that can be understood by themselves or with the one before, each with the fact that it was said."""
    may_tell: bool
    """It is worth asking a model what it tells."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a statement is judged to be, each from 0 to 1."""

    lasts: float
    """A friend would remember it for months."""
    is_meant: float
    """It is told as true: no joke, no quotation, no task, no small talk."""
    is_of_others: float
    """It is about somebody close to the person, not about the person."""
    topics: Mapping[str, float]
    """How sure it touches each sensitive topic, by the name of its profile field."""
    sensitive: float = 0.0
    """How sure it touches any, on its own scale: told apart better than by the topics, the more so of long sentences."""

    @property
    def topic(self) -> str:
        """The sensitive topic it most likely touches."""
        return max(self.topics, key=self.topics.__getitem__)

    @property
    def is_sensitive(self) -> float:
        """How sure it touches any."""
        return sum(self.topics.values())
