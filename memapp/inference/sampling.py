"""The choice of the next token from the scores of the whole vocabulary.

numpy goes through the whole vocabulary; the rest is plain Python. Each step of the model empties
the processor's caches, and then every call into numpy costs more than a short loop.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import accumulate
from math import exp

import numpy as np
from numpy.typing import NDArray

from memapp.domain.prompt import Sampling
from memapp.inference.native import Grammar

TOP_K = 40
GRAMMAR_SHORTLIST = 64
"""The likeliest tokens that a grammar checks before the whole vocabulary, which is rarely needed
and slow.
"""

GROUP = 64
"""The scores compared at once in the search for the highest."""


DRY_BASE = 1.75
LONGEST_RUN = 40
"""The longest counted repetition; longer ones are penalised no more."""
BEGINNING = -1


class RepeatedRuns:
    """Finds tokens that would continue a repetition (DRY, as in llama.cpp).

    The beginning of a reply counts as a token, so that replies do not all begin alike. A run never
    goes on from one reply into the next.
    """

    def __init__(self, said: Sequence[Sequence[int]], multiplier: float, allowed: int) -> None:
        self._multiplier = multiplier
        self._allowed = allowed
        self._tokens: list[int] = []
        self._places: defaultdict[int, list[int]] = defaultdict(list)
        self._runs: dict[int, int] = {}
        """For the current end of the text, where the same run continued before, with its length."""
        for reply in (*said, ()):
            for token in (BEGINNING, *reply):
                self.accept(token)

    def accept(self, token: int) -> None:
        """Add a token to the reply."""
        self._runs = {place + 1: self._runs.get(place, 0) + 1 for place in self._places[token]}
        self._places[token].append(len(self._tokens))
        self._tokens.append(token)

    def penalties(self) -> dict[int, float]:
        """Return the penalty of each token that would continue a run.

        It is multiplier * base ** (length - allowed).
        """
        longest: dict[int, int] = {}
        for place, length in self._runs.items():
            token = self._tokens[place]
            if length >= self._allowed and token != BEGINNING:
                longest[token] = max(length, longest.get(token, 0))
        over = {
            token: min(length, LONGEST_RUN) - self._allowed for token, length in longest.items()
        }
        return {token: self._multiplier * DRY_BASE**more for token, more in over.items()}


class TokenSampler:
    """Picks the tokens of a reply: repetition penalties, grammar, then temperature and truncation.

    Truncation is by top-k, top-p and min-p.
    """

    def __init__(
        self,
        sampling: Sampling,
        grammar: Grammar | None,
        ends: Callable[[int], bool],
        said: Sequence[Sequence[int]] = (),
    ) -> None:
        self._sampling = sampling
        self._runs = (
            RepeatedRuns(said, sampling.dry_multiplier, sampling.dry_allowed)
            if sampling.dry_multiplier
            else None
        )
        self._grammar = grammar
        self._ends = ends
        self._random = np.random.default_rng(sampling.seed)

    def pick(self, scores: NDArray[np.float32]) -> int:
        """Return the next token, and remember it; changes `scores` in place."""
        for repeated, loss in self._runs.penalties().items() if self._runs is not None else ():
            scores[repeated] -= loss
        token = self._choose(
            _likeliest(scores, 1 if self._sampling.temperature <= 0 else TOP_K), scores
        )
        if self._grammar is not None:
            token = self._lawful(token, scores, self._grammar)
            if not self._ends(token):
                self._grammar.accept(token)
        if self._runs is not None:
            self._runs.accept(token)
        return token

    def _lawful(self, token: int, scores: NDArray[np.float32], grammar: Grammar) -> int:
        """Return the token if the grammar allows it, else one of the likeliest allowed ones."""
        if grammar.allowed(np.array([token]))[0]:
            return token
        for count in (GRAMMAR_SHORTLIST, len(scores)):
            tokens = _likeliest(scores, count)
            lawful = tokens[grammar.allowed(tokens)]
            if len(lawful):
                return self._choose(lawful[:TOP_K], scores)
        raise GrammarDeadEnd

    def _choose(self, tokens: NDArray[np.int64], scores: NDArray[np.float32]) -> int:
        """Return one of some tokens, given the likeliest first."""
        if self._sampling.temperature <= 0 or len(tokens) == 1:
            return int(tokens[0])
        top = scores[tokens].tolist()
        highest = top[0]
        likely = list(accumulate(exp(score - highest) for score in top))
        count = 1 + bisect_left(likely, self._sampling.top_p * likely[-1])
        count = min(count, sum(exp(score - highest) >= self._sampling.min_p for score in top))
        weights = list(
            accumulate(exp((score - highest) / self._sampling.temperature) for score in top[:count])
        )
        return int(tokens[bisect_right(weights, self._random.random() * weights[-1])])


class GrammarDeadEnd(Exception):
    """No token of the vocabulary can follow; the reply ends here."""


def _likeliest(scores: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """Return the tokens with the highest scores, highest first."""
    if count == 1:
        return np.array([scores.argmax()])
    tokens = _promising(scores, count)
    return tokens[(-scores[tokens]).argsort(kind="stable")[:count]]


def _promising(scores: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """Return a few tokens, the `count` likeliest among them, faster than by partitioning all.

    Of so many groups the best ones' own highest scores are at least as high as the lowest score
    that is needed.
    """
    groups = len(scores) // GROUP
    if groups < count:
        return np.arange(len(scores))
    highest = scores[: groups * GROUP].reshape(GROUP, groups).max(axis=0)
    highest.partition(groups - count)
    return np.flatnonzero(scores >= highest[groups - count])
