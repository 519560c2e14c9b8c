"""The activity of memapp, counted: operations by kind and day, and how well the loop does."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Count:
    """How often one part of the app did one thing."""

    node: str
    """`hotpath`, `context`, `episodic` or `worker`."""
    op: str
    today: int
    week: int
    """In the last seven days."""
    total: int
    failed: int
    """Of the total, how many ended in an error."""


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    count: int


@dataclass(frozen=True, slots=True)
class Tally:
    """What was counted of one thing on one day."""

    what: str
    """The kind of memories, or `recalled`, `expected`, `done`."""
    day: date
    held: int
    of: int
    """Of how many, where it is a share; the same number where it is none."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with what it was counted from."""

    held: int
    of: int

    @property
    def share(self) -> float | None:
        """0 to 1; None when nothing was counted yet."""
        return self.held / self.of if self.of else None

    def __str__(self) -> str:
        return (
            f"{self.held / self.of:.0%} ({self.held:,} of {self.of:,})"
            if self.of
            else "nothing counted yet"
        )


@dataclass(frozen=True, slots=True)
class HitRates:
    """How the guesses of the next message came out, of those compared."""

    as_predicted: Rate
    """The person wrote what was predicted."""
    same_topic: Rate
    """The person wrote something else on the same topic."""


@dataclass(frozen=True, slots=True)
class Rates:
    """How well the loop does."""

    guesses: HitRates
    recalled_on_demand: Rate
    """Turns that needed a second search into the memory."""


@dataclass(frozen=True, slots=True)
class Learning:
    """How the queue of what memapp learns from stands."""

    waiting: int
    """Messages that are still to be learned from."""
    set_aside: int
    """Messages that could not be learned from, however often it was tried."""
