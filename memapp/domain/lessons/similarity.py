"""The likeness of two failures: of shapes by letters and rare words, of commands by rare words."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property

from memapp.domain.lessons.fingerprint import arguments, is_subcommand, words

_WORD = re.compile(r"--?[a-z][a-z-]*|[a-z_]+")

_BEHIND_OPTION = re.compile(r"^[^-]*\s-\w\s+[^-]")
"""The first argument follows an option of one letter."""
_BESIDE_NAMES = ".,:;!?'\"`()[]{}<>"


class Rarity:
    """The rarity of words among some texts; a shared word counts more the rarer it is."""

    def __init__(self, texts: Collection[str]) -> None:
        self._texts = texts

    @cached_property
    def _weights(self) -> Mapping[str, float]:
        """Return the squared weight of each word in the texts."""
        having = Counter(word for text in self._texts for word in _words(text))
        return {word: self._weight_of(count) for word, count in having.items()}

    def _weight_of(self, having: int) -> float:
        return math.log((len(self._texts) + 1) / (having + 0.5)) ** 2

    def likeness(self, one: str, other: str) -> float:
        """Return the likeness of two texts, 0 to 1: the cosine of their words, by rarity."""
        some, others = _words(one), _words(other)
        both = math.sqrt(self._weight(some) * self._weight(others))
        return self._weight(some & others) / both if both else 0.0

    def _weight(self, words: Iterable[str]) -> float:
        unheard = self._weight_of(0)
        return sum(self._weights.get(word, unheard) for word in words)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def shape_likeness(one: str, other: str, rarity: Rarity, least: float = 0.0) -> float:
    """Return the likeness of two shapes, 0 to 1; 0 if below `least`.

    Half is by letters, half by rare words.
    """
    if one == other or _are_renamed(one, other):
        return 1.0
    from rapidfuzz.fuzz import ratio  # a known failure does not wait for the import

    letters = ratio(one, other) / 100
    if (letters + 1.0) / 2 < least:  # whatever the words say
        return 0.0
    alike = 0.5 * letters + 0.5 * rarity.likeness(one, other)
    return alike if alike >= least else 0.0


def _are_renamed(one: str, other: str) -> bool:
    """Return True for shapes that differ by one name only, which occurs several times."""
    first, second = one.split(), other.split()
    changed = [
        tuple(word.strip(_BESIDE_NAMES) for word in pair)
        for pair in zip(first, second, strict=False)
        if len({*pair}) > 1
    ]
    return len(first) == len(second) and len(changed) > 1 and len({*changed}) == 1


def same_use(tool: str, action: str, subject: str, other: str, other_subject: str) -> bool:
    """Return True if two commands have the same subcommand, not counting words named in the output.

    An action that names no program, such as a query, has no subcommand, nor has a program that was
    once given a name in that place, such as `find .`.
    """
    uses, other_uses = _uses(action), _uses(other)
    if not names_program(tool, action) or any(map(_is_name, (*uses, *other_uses))):
        return True
    return not {_use(use, subject) for use in uses}.isdisjoint(
        _use(use, other_subject) for use in other_uses
    )


def _uses(action: str) -> list[str]:
    """Return the possible subcommands: the first argument, and the second behind a short option."""
    return (arguments(action) or [""])[: 2 if _BEHIND_OPTION.search(action) else 1]


def names_program(tool: str, action: str) -> bool:
    """Return True for a command with its program, and not a query or another tool's step."""
    return any(word.rpartition("/")[2] == tool for word in words(action))


def _is_name(word: str) -> bool:
    return word != "" and not is_subcommand(word)


def _use(first: str, subject: str) -> str:
    return "" if first in subject.split("\n") else first
