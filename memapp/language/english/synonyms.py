"""What English words have to do with each other, of WordNet: the same, of a kind, derived, opposite.

`benchmarks.make_synonyms` makes `assets/language/en/synonyms.txt` of the database, of common words in their common senses.
"""

from enum import StrEnum
from functools import cache, lru_cache

from memapp.paths import bundled


class Relation(StrEnum):
    """What a word is to another; the value is how the file marks it."""

    SAME = "="
    """Most often."""
    ALIKE = "~"
    """In some of their senses: `purse`, `bag`."""
    DERIVED = "+"
    """Of another part of speech: `allergic`, `allergy`."""
    NEAR = "&"
    """An adjective of nearly the same meaning."""
    OF_A_KIND = "@"
    """The first is a kind of the second: `poodle`, `dog`."""
    OPPOSITE = "!"


@lru_cache(maxsize=8192)
def relations(one: frozenset[str], other: frozenset[str]) -> frozenset[Relation]:
    """Return what any of some forms of a word is to any of another's; what is of a kind counts in this direction only."""
    there = {relation for word in one for relation, words in _related(word).items() if not words.isdisjoint(other)}
    back = {relation for word in other for relation, words in _related(word).items() if not words.isdisjoint(one)}
    return frozenset(there | (back - {Relation.OF_A_KIND}))


def are_two_of_a_kind(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether two words name different things of one kind: `piano` and `guitar`, no `sofa` and `couch`."""
    kinds, others = ({kind for word in side for kind in _related(word).get(Relation.OF_A_KIND, ())} for side in (one, other))
    return not kinds.isdisjoint(others) and not relations(one, other)


def is_known(word: str) -> bool:
    """Say whether a word, or a verb with its particle (`turn_down`), is a thing of its own."""
    return word in _lines()


@lru_cache(maxsize=8192)
def _related(word: str) -> dict[Relation, frozenset[str]]:
    return {Relation(group[0]): frozenset(group[1:].split(",")) for group in _lines().get(word, "").split()}


@cache
def _lines() -> dict[str, str]:
    text = bundled("assets", "language", "en", "synonyms.txt").read_text("utf-8")
    return {word: rest for word, _, rest in (line.partition(" ") for line in text.splitlines() if not line.startswith("#"))}
