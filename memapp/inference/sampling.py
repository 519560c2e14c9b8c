"""From scores to words: which token comes next, and which part of the text may be shown already.

numpy goes through the whole vocabulary; what is left of it is plain Python. Each step of the model drives everything else out of
the processor's caches, and then every call into numpy costs more than a short loop.
"""

import codecs
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable
from itertools import accumulate
from math import exp
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memapp.domain.prompt import Sampling

TOP_K = 40
PENALTY_WINDOW = 64
GRAMMAR_SHORTLIST = 64
"""How many of the likeliest tokens a grammar checks before the whole vocabulary; the rest is rarely needed and slow."""

GROUP = 64
"""Scores that are looked at together when the highest are searched."""
THOUGHTS = "<think>", "</think>"
"""Between these, models that were trained to think first do so."""
TAIL_LINE = r'root ::= " "? [^ \x00-\x1F\x7F] [^\x00-\x1F\x7F]* "\n"?'
"""What a tail is held to: small models like to end the turn, or the line, before they have said anything."""


class AllowsTokens(Protocol):
    """A grammar, as sampling sees it."""

    def allowed(self, tokens: NDArray[np.int64]) -> NDArray[np.bool_]: ...

    def accept(self, token: int) -> None: ...


class TokenSampler:
    """Picks tokens for one reply: repeat penalty, then grammar, then temperature with top-k and top-p."""

    def __init__(self, sampling: Sampling, grammar: AllowsTokens | None, ends: Callable[[int], bool]) -> None:
        self._sampling = sampling
        self._grammar = grammar
        self._ends = ends
        self._random = np.random.default_rng(sampling.seed)
        self._recent: deque[int] = deque(maxlen=PENALTY_WINDOW)

    def pick(self, scores: NDArray[np.float32]) -> int:
        """Choose the next token and remember it; `scores` is changed in place."""
        self._penalise(scores)
        token = self._choose(_likeliest(scores, 1 if self._sampling.temperature <= 0 else TOP_K), scores)
        if self._grammar is not None:
            token = self._lawful(token, scores, self._grammar)
            if not self._ends(token):
                self._grammar.accept(token)
        self._recent.append(token)
        return token

    def follow(self, grammar: AllowsTokens) -> None:
        """Hold what comes next to another grammar."""
        self._grammar = grammar

    def _penalise(self, scores: NDArray[np.float32]) -> None:
        """As in the CTRL paper (arXiv 1909.05858): positive scores are divided, negative ones multiplied."""
        penalty = self._sampling.repeat_penalty
        if penalty == 1 or not self._recent:
            return
        for token in set(self._recent):
            score = scores.item(token)
            scores[token] = score / penalty if score > 0 else score * penalty

    def _lawful(self, token: int, scores: NDArray[np.float32], grammar: AllowsTokens) -> int:
        """Keep the token if the grammar allows it, else choose among the likeliest that it allows."""
        if grammar.allowed(np.array([token]))[0]:
            return token
        for count in (GRAMMAR_SHORTLIST, len(scores)):
            tokens = _likeliest(scores, count)
            lawful = tokens[grammar.allowed(tokens)]
            if len(lawful):
                return self._choose(lawful[:TOP_K], scores)
        raise GrammarDeadEnd

    def _choose(self, tokens: NDArray[np.int64], scores: NDArray[np.float32]) -> int:
        """Choose from tokens that are sorted by score, the likeliest first."""
        if self._sampling.temperature <= 0 or len(tokens) == 1:
            return int(tokens[0])
        top = scores[tokens].tolist()
        highest = top[0]
        likely = list(accumulate(exp(score - highest) for score in top))
        kept = 1 + bisect_left(likely, self._sampling.top_p * likely[-1])
        weights = list(accumulate(exp((score - highest) / self._sampling.temperature) for score in top[:kept]))
        return int(tokens[bisect_right(weights, self._random.random() * weights[-1])])


class GrammarDeadEnd(Exception):
    """No token of the vocabulary can follow; the reply ends here."""


class Aloud:
    """Leaves out what a model writes down of its thoughts before it speaks: `<think>...</think>` at the very beginning."""

    def __init__(self) -> None:
        self._held = ""
        self._settled = False

    def feed(self, text: str) -> str:
        """Take a part of the reply; return what of it is said aloud, as far as that is clear."""
        if self._settled:
            return text
        self._held += text
        begun = self._held.lstrip()
        if begun.startswith(THOUGHTS[0]):
            spoken = begun.partition(THOUGHTS[1])[2].lstrip()
        else:
            spoken = "" if THOUGHTS[0].startswith(begun) else self._held
        if spoken:
            self._settled, self._held = True, ""
        return spoken

    @property
    def thinks(self) -> bool:
        """Whether what came so far is thought."""
        return self._held.lstrip().startswith(THOUGHTS[0])

    def rest(self) -> str:
        """What is still held back when the reply has ended, unless it was thought."""
        return "" if self.thinks else self._held


class ReplyText:
    """Turns token bytes into text, holding back half characters, thoughts and whatever may be the start of a stop string."""

    def __init__(self, stop: tuple[str, ...]) -> None:
        self._stop = tuple(text for text in stop if text)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._aloud = Aloud()
        self._held = ""
        self.stopped_at = ""
        """The stop string that was met."""

    def feed(self, data: bytes) -> str:
        """Take the bytes of a token; return what may be shown now."""
        self._held += self._aloud.feed(self._decoder.decode(data))
        found = [(self._held.find(text), text) for text in self._stop if text in self._held]
        if found:
            at, self.stopped_at = min(found)
            shown, self._held = self._held[:at], self._held[at + len(self.stopped_at) :]
            return shown
        safe = len(self._held) - self._possible_start()
        shown, self._held = self._held[:safe], self._held[safe:]
        return shown

    @property
    def thinks(self) -> bool:
        """Whether what came so far is for nobody."""
        return self._aloud.thinks

    def rest(self) -> str:
        """What is still held back; after a stop string, what followed it. Half a character is dropped."""
        held, self._held = self._held + self._aloud.rest(), ""
        return held

    def _possible_start(self) -> int:
        """Length of the longest end of the held text that begins a stop string."""
        longest = max((len(text) for text in self._stop), default=1) - 1
        for size in range(min(longest, len(self._held)), 0, -1):
            end = self._held[-size:]
            if any(text.startswith(end) for text in self._stop):
                return size
        return 0


def _likeliest(scores: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """The tokens with the highest scores, highest first."""
    if count == 1:
        return np.array([scores.argmax()])
    tokens = _promising(scores, count)
    return tokens[(-scores[tokens]).argsort(kind="stable")[:count]]


def _promising(scores: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """A few tokens that have the `count` highest scores among them; four times as fast as partitioning all scores.

    Of so many groups the best ones' own highest scores are at least as high as the lowest score that is looked for.
    """
    groups = len(scores) // GROUP
    if groups < count:
        return np.arange(len(scores))
    highest = scores[: groups * GROUP].reshape(GROUP, groups).max(axis=0)
    highest.partition(groups - count)
    return np.flatnonzero(scores >= highest[groups - count])
