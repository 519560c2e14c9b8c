"""The slots that hold one thing at a time, and the facts that fill them: where somebody lives, what their name or job is.

Two fillers of such a slot cannot both be true. Everything else (likes, pets, hobbies, plans) may be said any number of times,
and so may anything about somebody of whom there can be several: `User's sister lives in Oslo` may be followed by another sister.
Where somebody comes from is no such slot: it never changes, so a second place is a wider or a narrower one.
"""

from dataclasses import dataclass
from functools import lru_cache

from memapp.language.english.grammar import EN, expand, stems, tokens
from memapp.language.english.parsed_fact import hedges_of

_WHO = r"(?P<who>user|user's (?:[^\s]+ ){0,2}?[^\s]+) "
_OWN_ATTRIBUTE = r"user's (?P<name>favou?rite .+?|{attributes}) is (?:(?:an?|the) )?(?P<what>\S.*)"
_FAVOURITE_LAST = r"(?:(?:an?|the) )?(?P<what>\S.*?) is user's (?P<name>favou?rite .+)"


@dataclass(frozen=True, slots=True)
class FactSlot:
    """What a fact says of whom, where only one thing can be said."""

    who: str
    name: str
    filler: tuple[frozenset[str], ...]
    """The words of it, each with what it may be a form of."""


@lru_cache(maxsize=1024)
def slot_of(text: str) -> FactSlot | None:
    """Return the slot that a fact fills, if it is one that holds one thing at a time."""
    if "User" not in text:
        return None
    written = tokens(expand(text))
    words = [word.casefold() for word in written]
    if set(words) & (EN.added | EN.negations) or hedges_of(written) - {"go", "going"}:
        return None
    plain = " ".join(word for word in words if word not in EN.passed_over)
    attribute = EN.regex(_OWN_ATTRIBUTE).fullmatch(plain) or EN.regex(_FAVOURITE_LAST).fullmatch(plain)
    if attribute:
        name = attribute["name"].replace("favourite", "favorite").replace("colour", "color")
        return _slot("user", name, attribute["what"])
    for name, pattern in EN.table("slots").items():
        found = EN.regex(_WHO + pattern).fullmatch(plain)
        if found and is_one(text):
            return _slot(found["who"], EN.forms("exclusive")[found["what"]] if name == "state" else name, found["what"])
    return None


@lru_cache(maxsize=1024)
def is_one(text: str) -> bool:
    """Say whether the fact is about the person, or about one certain person, not about one of several."""
    words = text.split()
    if words[:1] == ["User"]:
        return words[1:2] != ["and"]
    if words[:1] != ["User's"] or len(words) < 3:
        return False
    has_name = words[2][:1].isupper() and words[2].casefold() not in EN.finite
    return has_name or (words[1].casefold() in EN.unique and words[2] != "and")


def _slot(who: str, name: str, what: str) -> FactSlot | None:
    words = what.split()
    end = next((at for at, word in enumerate(words) if at and word in EN.filler_ends), len(words))
    is_list = end < len(words) and words[end] in ("and", "or")
    is_count = words[0] in EN.numbers and name not in ("age", "height")
    return None if is_list or is_count else FactSlot(who, name, tuple(stems(word) for word in words[:end]))
