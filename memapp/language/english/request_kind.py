"""What a message asks of the memory by its likeness to examples, where its wording is none of the plain forms.

The examples in `benchmarks/made_up/requests/train.jsonl` say what kind of request each is and what it is about; far more of them
are none, though most sound like one. Of these `benchmarks.fit_requests` makes `assets/language/en/requests.npz`: a regression
over the vector of the message and its hashed words for the kind, and three over the words around each word for where that begins
and ends which it is about. It holds for the vectors of one embedding model only.
"""

import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memapp.paths import bundled

Floats = NDArray[np.floating[Any]]
Fitted = Mapping[str, NDArray[Any]]
"""The arrays of a fit, by their names."""
Span = tuple[int, int]

PLACES = 2**15
"""Words and their neighbours are told apart by a hash."""
VECTOR_SCALE, WORDS_SCALE = 6.0, 12.0
MOST_WORDS = 60
"""Nobody asks something of their memory in more words, and among more of them its own words weigh too little."""
REACH = 4
"""So many words around one say whether a request is about it."""
EDGE = 6
SAID = -2.0
"""How likely it must be, as a logarithm, that a request says itself what it is about; chosen by the unseen fifths."""
_WORD = re.compile(r"[\w']+|[^\w\s]")


def reads(model_id: str) -> bool:
    """Say whether requests can be read by the vectors of this embedding model."""
    return model_id == str(fitted()["model_id"])


def kinds(text: str, vector: Floats, by: Fitted | None = None) -> dict[str, float]:
    """Return how likely a message is a request of each kind, given its unit vector; by what is shipped, or by another fit."""
    by = fitted() if by is None else by
    at = hashed(words_of(text))
    asked = vector * VECTOR_SCALE @ by["vector"] + by["bias"]
    asked = asked + by["words"][at].astype(np.float32).sum(0) * (WORDS_SCALE / max(len(at), 1) ** 0.5)
    sure = np.exp(asked - asked.max())
    return {str(name): float(one) for name, one in zip(by["names"], sure / sure.sum(), strict=True)}


def content(text: str, kind: str, by: Fitted | None = None) -> Span | None:
    """Return where in a request of a kind that stands which it is about; None where it says it not itself."""
    by = fitted() if by is None else by
    said = pieces(text)
    if not said:
        return None
    at_words = around([text[slice(*one)] for one in said], kind, frozenset(by["framing"].tolist()))
    weights = np.array([by["places"][one].astype(np.float32).sum(0) for one in at_words]) + by["places_bias"]
    inside, begins, ends = weights.T
    upto = [0.0, *accumulate(inside)]
    best, first, last = max(
        (begins[at] + ends[to] + upto[to + 1] - upto[at], at, to) for at in range(len(said)) for to in range(at, len(said))
    )
    return (said[first][0], said[last][1]) if best > SAID else None


def pieces(text: str) -> list[Span]:
    """Return where the words and signs of a text stand."""
    return [found.span() for found in _WORD.finditer(text.replace("’", "'"))][: 2 * MOST_WORDS]


def words_of(text: str) -> set[str]:
    """Return a text's words, with their neighbours and its ends, and the letters in them, which most misspellings leave."""
    words = ["<", *re.findall(r"[\w']+|[?!:\"]", text.casefold().replace("’", "'")), ">"]
    letters = (f"_{word}_" for word in words if len(word) > 3)
    parts = {f"#{word[at : at + size]}" for word in letters for size in (3, 4) for at in range(len(word) - size + 1)}
    return {*words, *map(" ".join, pairwise(words)), *map(" ".join, zip(words, words[1:], words[2:], strict=False)), *parts}


def around(words: Sequence[str], kind: str, framing: frozenset[str]) -> list[list[int]]:
    """Return for each word of a request where what surrounds it stands among what was fitted; all but `framing` are alike."""
    known = [_framed(word, framing) for word in words]
    padded = ["<"] * REACH + known + [">"] * REACH
    return [hashed(_surroundings(known, padded, at, kind)) for at in range(len(known))]


def _framed(word: str, framing: frozenset[str]) -> str:
    lowered = word.casefold()
    return lowered if lowered in framing else "*A" if word[0].isupper() else "*1" if word[0].isdigit() else "*"


def _surroundings(words: Sequence[str], padded: Sequence[str], at: int, kind: str) -> set[str]:
    def near(steps: Iterable[int], sizes: Iterable[int]) -> list[str]:
        return [f"{step}={' '.join(padded[at + REACH + step :][:size])}" for step in steps for size in sizes]

    edges = [f"start {min(at, EDGE)}", f"end {min(len(words) - 1 - at, EDGE)}"]
    of_kind = [f"{kind} {one}" for one in (*edges, *near(range(-2, 2), (1, 2)))]
    sides = [f"{side} {one}" for side, some in (("<", words[:at]), (">", words[at + 1 :])) for one in _with_pairs(some)]
    return {kind, *near(range(-REACH, REACH), range(1, REACH + 1)), *edges, *of_kind, *sides}


def _with_pairs(words: Sequence[str]) -> list[str]:
    return [*words, *map(" ".join, pairwise(words))]


def hashed(features: Iterable[str]) -> list[int]:
    """Return where features stand among those that were fitted."""
    return sorted({zlib.crc32(one.encode()) % PLACES for one in features})


@cache
def fitted() -> Fitted:
    """Return what was fitted, read once."""
    with np.load(bundled("assets", "language", "en", "requests.npz"), allow_pickle=False) as file:
        return dict(file)
