"""The judge of a statement, by likeness to labelled examples: lasting, meant, sensitive?

Word lists end where wording begins; nearness in meaning does not. The examples in
`benchmarks/made_up/statements` and their labels are data, from which `benchmarks.fit_judge` makes
`assets/language/en/judge.npz`: for each question a regression over the sentence's vector and a few
named features. The questions whether a sentence lasts, and which topic is sensitive, also go by the
nearest examples, which say the same in other words; these, and whether it is meant, also by the
words, which the vector blurs. Whether it is sensitive at all goes by the likeness to all examples
instead of that regression, which takes long sentences for sensitive. The fit holds for the vectors
of one embedding model only.
"""

import re
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memapp.domain.judgement import Judgement
from memapp.language.grammar import expand
from memapp.language.lexicon import lexicon
from memapp.paths import bundled

Floats = NDArray[np.floating[Any]]
Fitted = Mapping[str, NDArray[Any]]
"""The arrays of a fit, by name."""

VECTOR_SCALE = 6.0
"""Scales the numbers of a unit vector of 384 to about the size of the features."""
FEATURE_SCALE = 0.3
NEARNESS = 0.04
"""The decay of an example's weight with distance: exp((cosine - 1) / NEARNESS)."""
LEAST_SHARE = 1e-3
NEIGHBOURS = 0.5
"""The weight of the nearest examples for the first question, beside the regression."""
LIKENESS = 0.3
"""Like NEARNESS, for sensitivity, to which all examples contribute."""
SENSITIVE_BY = (0.15, 0.3, 0.4, 1.8)
"""The weights of topics, nearest examples, words and likeness to all for sensitivity: found on an
eighth that the fit had not seen, with less for the topics, which take long sentences for
sensitive.
"""
QUESTIONS = ("lasts", "is_meant", "is_of_others")
WORDED = ("lasts", "is_meant", "is_sensitive")
"""The questions that words contribute to: the first of QUESTIONS, and sensitivity."""
BUCKETS = 2**18
"""Words and pairs of neighbours are hashed. Of the 130,000 in the examples two in five share a
bucket.
"""
_EN = lexicon("judge")


def judges(model_id: str) -> bool:
    """Return True if the judge was fitted to the vectors of an embedding model."""
    return model_id == str(fitted()["model_id"])


def judge(texts: Sequence[str], vectors: Floats, by: Fitted | None = None) -> list[Judgement]:
    """Return the judgements of statements, given their vectors in rows of 384, by a fit.

    A statement with a zero vector, of which the embedding model knows too little, neither lasts nor
    is meant.
    """
    by = fitted() if by is None else by
    rows = inputs(texts, vectors, by["mean"], by["deviation"])
    cosines = projected(vectors, by["projection"]) @ by["examples"].T / 127
    near = _nearness(cosines, by["weight"])
    names = [str(name) for name in by["topic_names"]]
    lasting, passing = (
        np.clip(near @ (by["lasting"] == label), LEAST_SHARE, None) for label in (1, -1)
    )
    by_words = _worded(texts, by)
    log_odds = rows @ by["questions"] + by["questions_bias"]
    log_odds[:, QUESTIONS.index("lasts")] += NEIGHBOURS * np.log(lasting / passing)
    log_odds[:, : len(WORDED) - 1] += by_words[:, :-1]
    answers = _logistic(log_odds) * vectors.any(axis=1, keepdims=True)
    linear = rows @ by["topics"] + by["topics_bias"]
    linear[:, names.index("")] -= by_words[:, -1]
    shares = near @ (by["labels"][:, None] == np.arange(len(names))) + 1e-9
    shares /= shares.sum(1, keepdims=True)
    near_topics = np.log(np.clip(shares, LEAST_SHARE, None))
    topics = _softmax(_log_softmax(linear) + near_topics)
    of_topics, of_nearest = (
        _log_odds(1 - shared[:, names.index("")]) for shared in (topics, shares)
    )
    signals = [
        of_topics,
        of_nearest,
        by_words[:, -1],
        likeness(cosines) @ by["sensitive"] + by["sensitive_bias"],
    ]
    sensitive = _logistic(np.array(SENSITIVE_BY) @ signals)
    return [
        Judgement(
            lasts=float(answer[0]),
            is_meant=float(answer[1]),
            is_of_others=float(answer[2]),
            topics={name: float(sure) for name, sure in zip(names, topic, strict=True) if name},
            sensitive=float(sure_of_any),
        )
        for answer, topic, sure_of_any in zip(answers, topics, sensitive, strict=True)
    ]


def inputs(texts: Sequence[str], vectors: Floats, mean: Floats, deviation: Floats) -> Floats:
    """Return the inputs of the regressions: the vector, and the standardised named features."""
    named = (np.array([features(text) for text in texts], dtype=np.float32) - mean) / deviation
    return np.hstack([vectors * VECTOR_SCALE, named * FEATURE_SCALE]).astype(np.float32)


def features(text: str) -> list[float]:
    """Return the named features of a text: length, those of `judge.toml`, then signs."""
    words = re.findall(r"[\w'-]+", text)
    named = [
        _EN.regex(rf"\b(?:{'|'.join(patterns)})\b").search(text) is not None
        for patterns in _EN.entry("features").values()
    ]
    signs = [
        text.rstrip().endswith("?"),
        "!" in text,
        '"' in text,
        ":" in text,
        text == text.lower(),
    ]
    signs += [re.search(r"\b[A-Z]{3,}\b", text) is not None, re.search(r"\d", text) is not None]
    return [min(len(words), 40) / 20, *map(float, named), *map(float, signs)]


def worded(text: str) -> list[int]:
    """Return the buckets of a text's words and pairs of neighbours, its ends included."""
    words = ["<", *re.findall(r"[\w'@#]+|[?!:\"]", expand(text).casefold()), ">"]
    return sorted(
        {zlib.crc32(word.encode()) % BUCKETS for word in [*words, *map(" ".join, pairwise(words))]}
    )


def _worded(texts: Sequence[str], by: Fitted) -> Floats:
    """Return the log-odds that the words of each text give to the questions of `WORDED`."""
    log_odds = []
    for text in texts:
        at = worded(text)
        rarity = by["rarity"][at].astype(np.float32)
        log_odds.append(
            rarity @ by["words"][at].astype(np.float32) / max(float(np.linalg.norm(rarity)), 1e-6)
        )
    return np.array(log_odds) + by["words_bias"]


def _nearness(cosines: Floats, weight: Floats) -> Floats:
    """Return the weight of each example for each vector; for one vector they sum to 1."""
    weights = np.exp((cosines - 1) / NEARNESS) * weight
    return np.asarray(weights / weights.sum(1, keepdims=True))


def likeness(cosines: Floats) -> Floats:
    """Return the likeness of texts with some cosines for sensitivity, from 0 to 1."""
    return np.asarray(np.exp((cosines - 1) / LIKENESS))


def projected(vectors: Floats, projection: Floats) -> Floats:
    """Return unit vectors in the directions in which the examples differ most; zero stays zero."""
    rows = vectors @ projection
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6))


def _log_odds(shares: Floats) -> Floats:
    likely = np.clip(shares, LEAST_SHARE, 1 - LEAST_SHARE)
    return np.asarray(np.log(likely / (1 - likely)))


def _logistic(values: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-values)))


def _log_softmax(values: Floats) -> Floats:
    shifted = values - values.max(1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(1, keepdims=True)))


def _softmax(values: Floats) -> Floats:
    return np.asarray(np.exp(_log_softmax(values)))


@cache
def fitted() -> Fitted:
    """Return the shipped fit, read once, with its largest arrays in single precision."""
    with np.load(bundled("assets", "language", "en", "judge.npz"), allow_pickle=False) as file:
        return dict(file) | {
            name: file[name].astype(np.float32) for name in ("examples", "projection")
        }
