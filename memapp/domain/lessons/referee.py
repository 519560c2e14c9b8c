"""A model as referee of steps of which nothing else tells how they went, and when what it says of
them counts.

It counts only after it judged enough steps whose outcome is known, without being told that, and was
right about them clearly more often than a coin.
"""

from dataclasses import dataclass
from typing import Literal

Standing = Literal["counts", "does not count", "not tried enough"]
FEWEST = 20
"""Steps with a known outcome that a model has to be tried on."""
FEWEST_OF_A_KIND = 5
"""Of them so many at least worked, and so many failed: who says the same of every step is right
about one kind always.
"""
GOOD_ENOUGH = 0.65
MOST = 100
"""After so many known steps it is known well enough what a model is worth."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Calibration:
    """How a model judged steps whose outcome is known."""

    model: str
    """What it is known by."""
    name: str
    worked: int = 0
    worked_right: int = 0
    """Of those that worked, of how many it said so."""
    failed: int = 0
    failed_right: int = 0
    judged: int = 0
    """Steps of which nothing else tells how they went."""

    @property
    def known(self) -> int:
        return self.worked + self.failed

    @property
    def balanced_accuracy(self) -> float | None:
        """The mean of the shares that were judged right of both kinds, 0 to 1; None while one of
        them is missing.
        """
        if not (self.worked and self.failed):
            return None
        return (self.worked_right / self.worked + self.failed_right / self.failed) / 2

    @property
    def standing(self) -> Standing:
        """Say whether what the model says of other steps counts."""
        if self.known < FEWEST or min(self.worked, self.failed) < FEWEST_OF_A_KIND:
            return "not tried enough"
        return (
            "counts"
            if (self.balanced_accuracy or 0.0) >= GOOD_ENOUGH - _ROUNDING
            else "does not count"
        )
