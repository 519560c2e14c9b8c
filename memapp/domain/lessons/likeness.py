"""How alike two failures are: their shapes by letters and rare words, their commands by rare words."""

import math
import re
from collections import Counter
from collections.abc import Iterable

from memapp.domain.lessons.fingerprint import arguments, is_subcommand, words

_WORD = re.compile(r"--?[a-z][a-z-]*|[a-z_]+")


class Rarity:
    """How rare words are among some texts: what two failures share counts the more the fewer others have it."""

    def __init__(self, texts: Iterable[str]) -> None:
        among = [_words(text) for text in texts]
        self._texts = len(among)
        self._having = Counter(word for words in among for word in words)

    def likeness(self, one: str, other: str) -> float:
        """Return the likeness of two texts, 0 to 1: the cosine of their words, each weighed by the logarithm of its rarity."""
        some, others = _words(one), _words(other)
        both = math.sqrt(self._weight(some) * self._weight(others))
        return self._weight(some & others) / both if both else 0.0

    def _weight(self, words: Iterable[str]) -> float:
        return sum(math.log((self._texts + 1) / (self._having[word] + 0.5)) ** 2 for word in words)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def shape_likeness(one: str, other: str, rarity: Rarity) -> float:
    """Return how alike two shapes are, 0 to 1: half by their letters, half by their rare words."""
    if one == other:
        return 1.0
    from rapidfuzz.fuzz import ratio  # a failure that is known waits for none of it

    return 0.5 * ratio(one, other) / 100 + 0.5 * rarity.likeness(one, other)


def same_use(tool: str, action: str, subject: str, other: str, other_subject: str) -> bool:
    """Say whether two commands use their program for the same: a subcommand that the output does not name must be the same.

    An action that names no program, as a query or a step of another tool, has no subcommand. A program that was once given a
    name in that place, as `find .`, has none either.
    """
    first, other_first = (next(iter(arguments(one)), "") for one in (action, other))
    if not any(word.rpartition("/")[2] == tool for word in words(action)) or _is_name(first) or _is_name(other_first):
        return True
    return _use(first, subject) == _use(other_first, other_subject)


def _is_name(word: str) -> bool:
    return word != "" and not is_subcommand(word)


def _use(first: str, subject: str) -> str:
    return "" if first in subject.split("\n") else first
