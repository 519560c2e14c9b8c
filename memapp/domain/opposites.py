"""Words that exclude each other, though they stand in the same places and embed alike: opposites and colours.

Only scales that everyday English has a fixed pair of words for; two words on different sides of one never say the same.
"""

from functools import lru_cache

from memapp.domain.english import stems

_SCALES = [
    "small little tiny miniature short | big large huge giant tall long enormous massive great",
    "young teenage | old elderly adult",
    "new modern | old ancient used",
    "near close beside | far away distant",
    "inside indoors | outside outdoors",
    "front | behind back rear",
    "top above upper high | bottom below lower low beneath",
    "left | right",
    "first start begin beginning early | last end finish stop late",
    "hot warm | cold cool",
    "good | bad poor",
    "rich wealthy | poor",
    "few | many | every all | some",
    "same identical | different various other",
    "full | empty",
    "open | closed shut",
    "shallow | deep",
    "wide thick broad | narrow thin",
    "light bright | dark dim",
    "wet | dry",
    "clean | dirty",
    "strong hard heavy | weak soft easy light",
    "fast quick | slow",
    "happy glad | sad unhappy",
    "alive | dead",
    "day morning | night evening",
    "summer | winter | spring | autumn",
    "sun | moon",
    "man boy guy gentleman | woman girl lady",
    "male | female",
    "father dad brother son husband uncle | mother mom mum sister daughter wife aunt",
    "buy | sell",
    "win | lose",
    "attack | defend",
    "include including | exclude excluding",
    "arrive come enter | leave go exit",
    "black | white | red | green | blue | yellow gold golden | orange | purple | pink | brown | grey gray silver | blond blonde",
]


@lru_cache(maxsize=8192)
def exclude_each_other(one: str, other: str) -> bool:
    """Say whether two words stand on different sides of a scale."""
    first, second = _places(one), _places(other)
    return any(first[scale] != second[scale] for scale in first.keys() & second.keys())


def _places(word: str) -> dict[int, int]:
    """Return on which scales a word stands, and on which side."""
    return {scale: side for stem in stems(word) for scale, side in _SIDES.get(stem, ())}


def _sides() -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for number, scale in enumerate(_SCALES):
        for side, words in enumerate(scale.split("|")):
            for word in words.split():
                found.setdefault(word, []).append((number, side))
    return found


_SIDES = _sides()
