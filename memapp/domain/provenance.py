"""The provenance and the uses of a memory, and the outcome of a message."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memapp.domain.chat import Message
from memapp.domain.consent import ConsentRequest
from memapp.domain.memory import Memory


@dataclass(frozen=True, slots=True)
class AccessCount:
    """How often a memory stood in a prompt."""

    count: int
    days: int
    """The number of different days."""
    last: datetime


@dataclass(frozen=True, slots=True)
class UsedIn:
    """A reply with a memory in its prompt."""

    message: Message
    score: float
    why: str
    """The matching signals, in words and numbers."""


@dataclass(frozen=True, slots=True)
class Taught:
    """A memory learned from a message, as far as it still exists."""

    memory: Memory
    was: str
    """The superseded or earlier text; empty for a new memory."""
    step: str
    """The step to undo; empty if impossible, or if undo would revert a decision of the person."""


WhyNot = Literal[
    "passing",
    "not meant",
    "secret",
    "known",
    "denied",
    "undone",
    "full",
    "tomorrow",
    "expected",
    "kept out",
]
"""Why a sentence made no memory: the judge, the person's decision, or a limit."""
JudgedSentences = Sequence[tuple[str, WhyNot | None]]
"""The sentences of a message, each with the judge's reason against it; None if kept."""


@dataclass(frozen=True, slots=True)
class NotKept:
    """A sentence of a message that made no memory."""

    said: str
    """The sentence in the person's words."""
    why: WhyNot


Item = Taught | ConsentRequest | NotKept


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a message, as far as it still holds."""

    learned: tuple[Taught, ...] = ()
    waiting: tuple[ConsentRequest, ...] = ()
    not_kept: tuple[NotKept, ...] = ()

    @property
    def items(self) -> tuple[Item, ...]:
        return (*self.learned, *self.waiting, *self.not_kept)


@dataclass(frozen=True, slots=True)
class Provenance:
    """The sources and the uses of a memory."""

    sources: tuple[Message, ...]
    """The source messages, oldest first, without deleted ones."""
    access_count: AccessCount | None
    """None for a memory never used."""
    replies: tuple[UsedIn, ...]
    """Newest first."""
