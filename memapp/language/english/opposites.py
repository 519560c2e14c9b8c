"""Words that exclude each other, though they stand in the same places and embed alike: opposites and colours.

WordNet's, and scales that everyday English has a fixed pair of words for; two words on different sides never say the same.
"""

from functools import cache, lru_cache

from memapp.language.english.grammar import EN, stems
from memapp.language.english.synonyms import Relation, relations


@lru_cache(maxsize=8192)
def exclude_each_other(one: str, other: str) -> bool:
    """Say whether two words stand on different sides of a scale."""
    if Relation.OPPOSITE in relations(stems(one), stems(other)):
        return True
    first, second = _places(one), _places(other)
    return any(first[scale] != second[scale] for scale in first.keys() & second.keys())


def _places(word: str) -> dict[int, int]:
    """Return on which scales a word stands, and on which side."""
    return {scale: side for stem in stems(word) for scale, side in _sides().get(stem, ())}


@cache
def _sides() -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for number, scale in enumerate(EN.entry("scales")):
        for side, words in enumerate(scale.split("|")):
            for word in words.split():
                found.setdefault(word, []).append((number, side))
    return found
