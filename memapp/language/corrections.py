"""Corrections in free words: how likely a sentence corrects, ends or changes a memory.

Word lists know "no wait" and "not any more", but not "turns out it was the viola". Two small
regressions, fitted by `benchmarks.fit_corrections` on the pairs in
`benchmarks/made_up/corrections`, weigh the sentence's vector, its nearness to the memory, its
correction mark, and whether it begins with somebody else. They hold for the vectors of one
embedding model only.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memapp.language.sentence import corrects, tells_of_another
from memapp.language.word_file import WordFile
from memapp.paths import bundled

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Regression:
    """A logistic regression: weights and bias."""

    weights: Sequence[float]
    bias: float

    def log_odds(self, rows: Floats) -> Floats:
        return np.asarray(rows @ np.array(self.weights) + self.bias)


@dataclass(frozen=True)
class Regressions:
    """The regressions over a sentence alone, and over a sentence with a memory."""

    sentence: Regression
    pair: Regression


def likelihoods(
    sentence: str,
    words: WordFile,
    vector: Floats,
    known: Sequence[tuple[str, float]],
    fit: Regressions | None = None,
) -> Floats:
    """Return the probability that a sentence corrects each memory, given its vector.

    `known` holds the memories' texts with the cosine of each to the sentence without its mark.
    """
    if not known:
        return np.zeros(0)
    fit = fit or fitted()
    is_correction = float(fit.sentence.log_odds(vector))
    rows = np.array(
        [pair_numbers(sentence, words, is_correction, text, like) for text, like in known]
    )
    return np.asarray(1 / (1 + np.exp(-fit.pair.log_odds(rows))))


def pair_numbers(
    sentence: str, words: WordFile, is_correction: float, old: str, likeness: float
) -> list[float]:
    """Return the features of a pair: log-odds of the sentence, likeness, marks, another subject."""
    mark = corrects(sentence, words)
    return [
        is_correction,
        likeness,
        float(mark == "own"),
        float(mark == "over"),
        float(tells_of_another(sentence, old, words)),
    ]


@cache
def fitted() -> Regressions:
    """Return the shipped regressions."""
    read = json.loads(bundled("assets", "language", "corrections.json").read_text("utf-8"))
    return Regressions(Regression(**read["sentence"]), Regression(**read["pair"]))
