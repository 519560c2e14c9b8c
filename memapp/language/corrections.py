"""Corrections in free words: how sure a sentence takes back, ends or changes what a memory says.

Lists of words know "no wait" and "not any more"; "turns out it was the viola" they do not. Two
small regressions, which `benchmarks.fit_corrections` makes of the pairs in
`benchmarks/made_up/corrections`, weigh what a sentence is like, how near it is to the memory, its
mark, and whether it begins with somebody else. They hold for the vectors of one embedding model
only.
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
    """A regression: how much each number counts, and what is there without them."""

    weights: Sequence[float]
    bias: float

    def log_odds(self, rows: Floats) -> Floats:
        return np.asarray(rows @ np.array(self.weights) + self.bias)


@dataclass(frozen=True)
class Regressions:
    """The regressions over a sentence by itself, and over a sentence beside a memory."""

    sentence: Regression
    pair: Regression


def likelihoods(
    sentence: str,
    words: WordFile,
    vector: Floats,
    known: Sequence[tuple[str, float]],
    fit: Regressions | None = None,
) -> Floats:
    """Return how sure a sentence corrects each of some memories, given its vector, and their texts
    and likeness to it.

    The likeness is the cosine of the memory to the sentence without its mark.
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
    """Return what a pair is weighed by: the log-odds of the sentence alone, the likeness, the mark,
    and another subject.
    """
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
    """Return the regressions that memapp comes with."""
    read = json.loads(bundled("assets", "language", "corrections.json").read_text("utf-8"))
    return Regressions(Regression(**read["sentence"]), Regression(**read["pair"]))
