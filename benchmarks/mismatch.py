"""Does the expectation check tell a right guess from a wrong one?

Labelled pairs (expected, actual) of two kinds: single requests by intent, and turns of dialogues by
their acts. Both rules run on the same pairs; the default also without its embedder, which is
reported and not bounded.

python -m benchmarks.mismatch [--small] [--data ../shared/data]
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from benchmarks import MISSED, bundled_embedder
from memapp.domain.expectation import MismatchRule
from memapp.inference.embedder import ChildEmbedder
from memapp.language.expectation import mismatch

SETS = {"clinc150": "clinc150/dev/intent_pairs.jsonl", "sgd": "sgd/dev/voe_pairs.jsonl"}
BALANCED_ACCURACY = 0.80
FALSE_ALARMS = 0.20
SMALL_STEP = 11
"""The small form takes every eleventh pair."""


class Pair(BaseModel):
    """One guess beside what was said, and whether they are the same."""

    expected: str
    actual: str
    label: str
    kind: str


Rule = Callable[[Pair, float], bool]
"""Tells whether a pair is a surprise, given the cosine of its texts."""

RULES: Mapping[str, Rule] = {
    "fuzzy": lambda pair, _: (
        mismatch(pair.expected, pair.actual, similarity=None, rule=MismatchRule.FUZZY).surprised
    ),
    "meaning": lambda pair, cosine: (
        mismatch(pair.expected, pair.actual, similarity=cosine).surprised
    ),
    "no embedder": lambda pair, _: mismatch(pair.expected, pair.actual, similarity=None).surprised,
}
DEFAULT = "meaning"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="every eleventh pair")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args()
    files = {name: options.data / file for name, file in SETS.items()}
    if absent := [str(file) for file in files.values() if not file.exists()]:
        print(f"skipped: {' and '.join(absent)} not found.")
        return 0
    missed: list[str] = []
    with closing(bundled_embedder()) as embedder:
        for name, file in files.items():
            pairs = read_pairs(file)[:: SMALL_STEP if options.small else 1]
            missed += report(name, pairs, cosines(embedder, pairs))
    for miss in missed:
        print(f"MISSED: {miss}", file=sys.stderr)
    return MISSED if missed else 0


def read_pairs(file: Path) -> list[Pair]:
    with file.open(encoding="utf-8") as lines:
        return [Pair.model_validate(json.loads(line)) for line in lines]


def cosines(embedder: ChildEmbedder, pairs: Sequence[Pair]) -> NDArray[np.float32]:
    texts = sorted({text for pair in pairs for text in (pair.expected, pair.actual)}, key=len)
    rows = dict(zip(texts, embedder.embed(texts), strict=True))
    return np.array([rows[pair.expected] @ rows[pair.actual] for pair in pairs])


def report(name: str, pairs: Sequence[Pair], similarities: NDArray[np.float32]) -> list[str]:
    """Print the rows of one set, and return the bounds that the default misses."""
    different = np.array([pair.label == "different" for pair in pairs])
    kinds = sorted({(pair.label, pair.kind) for pair in pairs}, reverse=True)
    print(f"{name}, {len(pairs):,} pairs")
    print(f"  {'rule':12}{'balanced':>10}{'false alarms':>14}{'recall':>8}   surprised, by kind")
    missed: list[str] = []
    for rule, surprises in RULES.items():
        surprised = np.array(
            [
                surprises(pair, float(cosine))
                for pair, cosine in zip(pairs, similarities, strict=True)
            ]
        )
        false_alarms, recall = surprised[~different].mean(), surprised[different].mean()
        balanced = (recall + 1 - false_alarms) / 2
        by_kind = ", ".join(f"{kind} {share(surprised, pairs, kind):.2f}" for _, kind in kinds)
        print(
            f"  {rule:12}{balanced:10.3f}{false_alarms:14.3f}{recall:8.3f}   {by_kind}", flush=True
        )
        if rule == DEFAULT and balanced < BALANCED_ACCURACY:
            missed.append(f"{name}: balanced accuracy {balanced:.3f} is below {BALANCED_ACCURACY}")
        if rule == DEFAULT and false_alarms > FALSE_ALARMS:
            missed.append(f"{name}: false alarms {false_alarms:.3f} are above {FALSE_ALARMS}")
    return missed


def share(surprised: NDArray[np.bool_], pairs: Sequence[Pair], kind: str) -> float:
    return float(surprised[[pair.kind == kind for pair in pairs]].mean())


if __name__ == "__main__":
    sys.exit(main())
