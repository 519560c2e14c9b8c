"""The provenance of a memory, and its uses; and what came of a message."""

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
    """On how many different days."""
    last: datetime


@dataclass(frozen=True, slots=True)
class UsedIn:
    """A reply that a memory was recalled for."""

    message: Message
    score: float
    why: str
    """Which signals matched, in words and numbers."""


@dataclass(frozen=True, slots=True)
class Taught:
    """What a message taught, as far as it is still remembered."""

    memory: Memory
    was: str
    """What gave way to it then, or what it said before; empty where it was new."""
    step: str
    """What takes it back; empty where that cannot be done, or would take back a decision of the
    person.
    """


WhyNot = Literal[
    "passing",
    "not meant",
    "secret",
    "known",
    "denied",
    "taken back",
    "full",
    "tomorrow",
    "expected",
    "kept out",
]
"""Why a sentence made no memory: what the judge found of it, what the person decided, or a limit.
"""


@dataclass(frozen=True, slots=True)
class NotKept:
    """A sentence of a message that made no memory."""

    said: str
    """In the person's words."""
    why: WhyNot


Item = Taught | ConsentRequest | NotKept


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a message, as far as it still holds."""

    learned: tuple[Taught, ...] = ()
    waiting: tuple[ConsentRequest, ...] = ()
    not_kept: tuple[NotKept, ...] = ()

    @property
    def items(self) -> tuple[Item, ...]:
        return (*self.learned, *self.waiting, *self.not_kept)


@dataclass(frozen=True, slots=True)
class Provenance:
    """All of it for one memory."""

    sources: tuple[Message, ...]
    """The messages that it came from, oldest first; those deleted since are left out."""
    access_count: AccessCount | None
    """None if it was never used."""
    replies: tuple[UsedIn, ...]
    """Newest first."""
