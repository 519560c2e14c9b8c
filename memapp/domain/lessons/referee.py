"""A model as referee of steps with an unknown outcome, and when its judgement counts.

The judgement only counts after the model judged enough steps with a known outcome, without being
told, clearly more often right than a coin.
"""

from dataclasses import dataclass
from typing import Literal

Standing = Literal["counts", "does not count", "not tried enough"]
FEWEST = 20
"""The fewest known steps that a model is tried on."""
FEWEST_OF_A_KIND = 5
"""The fewest that worked and that failed: a constant answer is always right about one kind."""
GOOD_ENOUGH = 0.65
MOST = 100
"""The most known steps that a model is tried on."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Calibration:
    """How a model judged steps with a known outcome."""

    model: str
    """The identity of the model."""
    name: str
    worked: int = 0
    worked_right: int = 0
    """Steps that worked and were judged so."""
    failed: int = 0
    failed_right: int = 0
    judged: int = 0
    """Steps with an outcome known from nothing else."""

    @property
    def known(self) -> int:
        return self.worked + self.failed

    @property
    def balanced_accuracy(self) -> float | None:
        """Return the mean share of right judgements of both kinds, 0 to 1, if both exist."""
        if not (self.worked and self.failed):
            return None
        return (self.worked_right / self.worked + self.failed_right / self.failed) / 2

    @property
    def standing(self) -> Standing:
        """Return whether the model's judgement of other steps counts."""
        if self.known < FEWEST or min(self.worked, self.failed) < FEWEST_OF_A_KIND:
            return "not tried enough"
        return (
            "counts"
            if (self.balanced_accuracy or 0.0) >= GOOD_ENOUGH - _ROUNDING
            else "does not count"
        )
