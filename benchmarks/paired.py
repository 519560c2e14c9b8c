"""The statistics of an experiment whose arms hold the same conversations: how many it takes, and
what came out.

Several guesses of one conversation resemble each other more than guesses of different ones, so the
conversation is what was drawn, and not the guess. Tests and intervals are scipy's, which comes with
sentence-transformers.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

ALPHA, POWER = 0.05, 0.80
RESAMPLES = 9_999


@dataclass(frozen=True)
class Plan:
    """What is assumed before an experiment."""

    base: float
    """Share of guesses that match in the arm without."""
    discordant: float
    """Share of guesses that match in one of the two arms only."""
    correlation: float
    """Of two guesses' differences within one conversation."""
    guesses: float
    """In a conversation."""

    @property
    def variance(self) -> float:
        """Of a conversation's difference between the arms; the more its guesses are alike, the less
        each of them adds.
        """
        return self.discordant * (1 + (self.guesses - 1) * self.correlation) / self.guesses

    def conversations(self, effect: float) -> int:
        """Return how many conversations find a difference in the share of matches: the paired
        normal approximation.
        """
        return math.ceil(_z() ** 2 * max(0.0, self.variance - effect**2) / effect**2)

    def detectable(self, conversations: int) -> float:
        """Return the smallest difference that so many conversations find."""
        return _z() * math.sqrt(self.variance / conversations)


def _z() -> float:
    return float(scipy.stats.norm.ppf(1 - ALPHA / 2) + scipy.stats.norm.ppf(POWER))


@dataclass(frozen=True)
class Difference:
    """How two arms differ in their share of matches."""

    base: float
    change: float
    low: float
    high: float
    chi_square_p: float
    """Of the guesses as if each stood alone, as the seed has it: too small where guesses of a
    conversation are alike.
    """
    paired_p: float
    """The one that decides: which arm is which is exchanged conversation by conversation."""
    only_without: int
    only_with: int
    deviation: float
    """Of the conversations' differences; from it follows what this run could have seen."""
    conversations: int

    @property
    def detectable(self) -> float:
        return _z() * self.deviation / math.sqrt(self.conversations)


def compare(without: Sequence[Sequence[bool]], with_it: Sequence[Sequence[bool]]) -> Difference:
    """Compare the matches of two arms, conversation by conversation and guess by guess."""
    matches = [np.array([sum(item) for item in arm], float) for arm in (without, with_it)]
    guesses = np.array([len(item) for item in without], float)
    assert [len(item) for item in with_it] == [len(item) for item in without], (
        "the arms do not hold the same conversations"
    )
    before, after = matches
    pairs = [
        pair
        for item, other in zip(without, with_it, strict=True)
        for pair in zip(item, other, strict=True)
    ]
    low, high = _interval(before, after, guesses)
    return Difference(
        base=float(before.sum() / guesses.sum()),
        change=float((after.sum() - before.sum()) / guesses.sum()),
        low=low,
        high=high,
        chi_square_p=_chi_square(before.sum(), after.sum(), guesses.sum()),
        paired_p=_exchanged(before, after),
        only_without=sum(pair and not other for pair, other in pairs),
        only_with=sum(other and not pair for pair, other in pairs),
        deviation=float(np.std((after - before) / guesses.mean(), ddof=1)),
        conversations=len(guesses),
    )


def _chi_square(before: float, after: float, guesses: float) -> float:
    table = [[before, guesses - before], [after, guesses - after]]
    return (
        1.0
        if not before + after
        else float(scipy.stats.chi2_contingency(table, correction=False).pvalue)
    )


def _exchanged(before: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    def difference(
        one: NDArray[np.float64], other: NDArray[np.float64], axis: int
    ) -> NDArray[np.float64]:
        return np.sum(other, axis=axis) - np.sum(one, axis=axis)

    options = {
        "permutation_type": "samples",
        "vectorized": True,
        "n_resamples": RESAMPLES,
        "rng": np.random.default_rng(1),
    }
    return float(scipy.stats.permutation_test((before, after), difference, **options).pvalue)


def _interval(
    before: NDArray[np.float64], after: NDArray[np.float64], guesses: NDArray[np.float64]
) -> tuple[float, float]:
    """Return 95 % of the bootstrap over conversations."""

    def change(
        one: NDArray[np.float64], other: NDArray[np.float64], of: NDArray[np.float64], axis: int
    ) -> NDArray[np.float64]:
        return (np.sum(other, axis=axis) - np.sum(one, axis=axis)) / np.sum(of, axis=axis)

    options = {"paired": True, "vectorized": True, "n_resamples": RESAMPLES, "method": "percentile"}
    found = scipy.stats.bootstrap(
        (before, after, guesses), change, rng=np.random.default_rng(1), **options
    )
    return float(found.confidence_interval.low), float(found.confidence_interval.high)
