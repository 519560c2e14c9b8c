"""Counts of what memapp did: operations by kind and day, and how well predictions and recall do."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Count:
    """How often one part of the app ran one operation."""

    node: str
    """A `Node` of `store.events`, as stored."""
    op: str
    today: int
    week: int
    """In the last seven days."""
    total: int
    failed: int
    """Of the total, those that ended in an error."""


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    count: int


@dataclass(frozen=True, slots=True)
class Tally:
    """One count of one day."""

    what: str
    """The kind of memories, or `recalled`, `expected`, `done`."""
    day: date
    held: int
    of: int
    """The whole that `held` is a share of; equal to `held` where there is no share."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share, with the counts behind the share."""

    held: int
    of: int

    @property
    def share(self) -> float | None:
        """Return the share, 0 to 1; None when nothing was counted yet."""
        return self.held / self.of if self.of else None

    def __str__(self) -> str:
        return (
            f"{self.held / self.of:.0%} ({self.held:,} of {self.of:,})"
            if self.of
            else "nothing counted yet"
        )


@dataclass(frozen=True, slots=True)
class HitRates:
    """How many predictions of the next message were right, of those compared."""

    as_predicted: Rate
    """The person wrote what was predicted."""
    same_topic: Rate
    """The person wrote something else on the same topic."""


@dataclass(frozen=True, slots=True)
class Rates:
    """How well predictions and recall do."""

    guesses: HitRates
    recalled_on_demand: Rate
    """Turns that needed a second search into the memory."""


@dataclass(frozen=True, slots=True)
class Learning:
    """The queue of messages to learn from."""

    waiting: int
    """Messages still to be learned from."""
    set_aside: int
    """Messages that failed at every attempt."""
