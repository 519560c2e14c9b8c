"""Which facts fill a slot that holds one thing at a time, and with what: where somebody lives, what their name or job is.

Two fillers of such a slot cannot both be true. Everything else (likes, pets, hobbies, plans) may be said any number of times,
and so may anything about somebody of whom there can be several: `User's sister lives in Oslo` may be followed by another sister.
Where somebody comes from is no such slot: it never changes, so a second place is a wider or a narrower one.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from memapp.domain.english import FILLERS, FINITE, NEGATIONS, NUMBERS, expand, stems, tokens, word_set
from memapp.domain.parsed_fact import FOR_NOW, hedges_of

_PASSED_OVER = FILLERS | FOR_NOW | {","}
_ADDED = word_set("also too another second")
"""With these the person says that something holds in addition."""
_UNIQUE = word_set("mother father mom mum dad wife husband partner boyfriend girlfriend boss landlord")
"""Whom somebody has one of; anybody else may be one of several unless a name is given."""
_ATTRIBUTES = (
    "name|nickname|surname|job|profession|occupation|birthday|age|height|hair|nationality|religion|"
    "zodiac sign|mother tongue|native language|star sign|shoe size|blood type"
)
_STATES = {
    state: group
    for group, states in {
        "relationship": "single married divorced widowed engaged",
        "handedness": "left-handed right-handed",
        "work": "employed unemployed retired",
    }.items()
    for state in states.split()
}
_WHO = r"^(?P<who>user|user's (?:[^\s]+ ){0,2}?[^\s]+) "
_WHAT = r"(?P<what>(?!(?:an?|the|user's|this|some|many)\b)\S.*)"
_PATTERNS = [
    (name, re.compile(_WHO + rest + "$"))
    for name, rest in [
        ("home", rf"(?:lives|resides|is living|is based) in {_WHAT}"),
        ("employer", rf"(?:works|is employed) (?:at|for|by) {_WHAT}"),
        ("job", r"(?:works|is working|is employed) as (?:(?:an?|the) )?(?P<what>\S.*)"),
        ("age", r"is (?P<what>\S+) years? old"),
        ("name", r"(?:is called|is named|goes by) (?P<what>\S.*)"),
        ("state", rf"is (?P<what>{'|'.join(_STATES)})(?: .*)?"),
    ]
]
_OWN_ATTRIBUTE = re.compile(rf"^user's (?P<name>(?:favou?rite .+?)|(?:{_ATTRIBUTES})) is (?:(?:an?|the) )?(?P<what>\S.*)$")
_FAVOURITE_LAST = re.compile(r"^(?:(?:an?|the) )?(?P<what>\S.*?) is user's (?P<name>favou?rite .+)$")
_FILLER_ENDS = word_set("with and or since for but where because near when while by as who which that in on at from to, ; until")


@dataclass(frozen=True, slots=True)
class FactSlot:
    """What a fact says of whom, where only one thing can be said."""

    who: str
    name: str
    filler: tuple[frozenset[str], ...]
    """The words of it, each with what it may be a form of."""


@lru_cache(maxsize=4096)
def slot_of(text: str) -> FactSlot | None:
    """Return the slot that a fact fills, if it is one that holds one thing at a time."""
    if "User" not in text:
        return None
    written = tokens(expand(text))
    words = [word.casefold() for word in written]
    if set(words) & (_ADDED | NEGATIONS) or hedges_of(written) - {"go", "going"}:
        return None
    plain = " ".join(word for word in words if word not in _PASSED_OVER)
    attribute = _OWN_ATTRIBUTE.match(plain) or _FAVOURITE_LAST.match(plain)
    if attribute:
        name = attribute["name"].replace("favourite", "favorite").replace("colour", "color")
        return _slot("user", name, attribute["what"])
    for name, pattern in _PATTERNS:
        found = pattern.match(plain)
        if found and is_one(text):
            return _slot(found["who"], _STATES[found["what"]] if name == "state" else name, found["what"])
    return None


@lru_cache(maxsize=4096)
def is_one(text: str) -> bool:
    """Say whether the fact is about the person, or about one certain person, not about one of several."""
    words = text.split()
    if words[:1] == ["User"]:
        return words[1:2] != ["and"]
    if words[:1] != ["User's"] or len(words) < 3:
        return False
    has_name = words[2][:1].isupper() and words[2].casefold() not in FINITE
    return has_name or (words[1].casefold() in _UNIQUE and words[2] != "and")


def _slot(who: str, name: str, what: str) -> FactSlot | None:
    words = what.split()
    end = next((at for at, word in enumerate(words) if at and word in _FILLER_ENDS), len(words))
    is_list = end < len(words) and words[end] in ("and", "or")
    is_count = words[0] in NUMBERS and name not in ("age", "height")
    return None if is_list or is_count else FactSlot(who, name, tuple(stems(word) for word in words[:end]))
