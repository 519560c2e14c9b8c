"""Who somebody is or was: a role, an age, an origin, a situation, a trait, a name. What follows `I am` and `I was`."""

import re

from memapp.domain.english import ADVERBS, FUNCTION_WORDS, NUMBERS, word_set
from memapp.domain.salience.aims import undertaking
from memapp.domain.salience.salient import Salient, Words, lower, split_denial, word_at
from memapp.domain.salience.word_tables import (
    ADJECTIVES,
    ADJECTIVES_WITH,
    DOING,
    PASSING_THINGS,
    ROLES_PASSING,
    SITUATIONS,
    VAGUE_OBJECTS,
)
from memapp.domain.third_person import split_adverbs


def am(adverbs: Words, words: Words) -> Salient | None:
    """Keep who or what somebody is."""
    denial, rest = split_denial(words)
    more, rest = split_adverbs(rest)
    if not denial:
        denial, rest = split_denial(rest)
    kept = complement(rest, bool(denial))
    if kept is None or {"almost", "hardly"} & set(more):
        return None
    return Salient(["is", *adverbs, *denial, *[word for word in more if word.casefold() != "even"], *kept.words], kept.category)


def complement(words: Words, denied: bool) -> Salient | None:
    """Keep what somebody is for long: a role, an age, an origin, an undertaking, a trait, a name."""
    if not words:
        return None
    first = word_at(words, 0)
    if first in ("a", "an", "the", "more", "much"):
        keeps = _is_role(words)
    elif first.isdigit() or first in NUMBERS:
        keeps = _is_age(words)
    elif first in DOING:
        return undertaking(words, denied)
    else:
        keeps = _is_origin_or_situation(words) or _is_trait(words) or (not denied and _is_name(words))
    is_taste = first in ("interested", "fond", "passionate", "obsessed")
    return Salient(words, "preferences" if is_taste else "profile") if keeps else None


def _is_role(words: Words) -> bool:
    first, second = word_at(words, 0), word_at(words, 1)
    if first in ("more", "much"):
        return second in ("of", "a") and len(words) > 3
    if first == "the":
        return second in _ONLY_ONES and "one" not in lower(words)
    is_open = words[-1].casefold() in FUNCTION_WORDS | {"fan"} or second in VAGUE_OBJECTS
    is_passing = second in ROLES_PASSING and not (second in _BEFORE_ROLE and _is_noun(word_at(words, 2)))
    return second != "" and not is_passing and not is_open


_BEFORE_ROLE = word_set("baby child kid teen guest customer human")
"""With a noun behind it, such a word is no role of itself: `a child psychologist`."""


def _is_noun(word: str) -> bool:
    is_small = word in FUNCTION_WORDS | ADVERBS | VAGUE_OBJECTS | {"", "like", ",", "again"}
    return not is_small and not word.endswith(("ing", "ed"))


_ONLY_ONES = word_set("oldest youngest middle only owner manager head president captain mother father eldest")


def _is_age(words: Words) -> bool:
    lowered = lower(words)
    has_unit = bool({"years", "year", "feet", "foot", "cm", "months", "ft"} & set(lowered[1:3]))
    is_number = len(words) == 1 or has_unit or lowered[1] in NUMBERS or lowered[1] in (",", "and")
    return is_number and not {"away", "late"} & set(lowered)


def _is_origin_or_situation(words: Words) -> bool:
    first, second = word_at(words, 0), word_at(words, 1)
    if first in ("called", "named") and len(words) > 1:
        return words[1][:1].isupper() or second == "after"
    if first == "in":
        return bool(set(lower(words[1:4])) & SITUATIONS)
    if first in ("from", "into") or (first == "originally" and second == "from"):
        return len(words) > 1 and second not in VAGUE_OBJECTS
    return False


def _is_trait(words: Words) -> bool:
    first, second = word_at(words, 0), word_at(words, 1)
    if second in ADJECTIVES_WITH.get(first, "").split() and len(words) > 2 and word_at(words, 2) not in VAGUE_OBJECTS:
        return True
    if first in ADJECTIVES and (second in _AFTER_TRAIT or second in ADJECTIVES):
        return True
    return " ".join(lower(words)) in _TWO_WORD_TRAITS


_AFTER_TRAIT = word_set("and to in at by with on as but ,") | {""}
_TWO_WORD_TRAITS = {"color blind", "colour blind", "lactose intolerant", "gluten intolerant", "gluten free"}


def _is_name(words: Words) -> bool:
    looks_like_name = len(words) <= 2 and all(re.fullmatch(r"[A-Z][a-z]+(?:-[A-Z][a-z]+)?", word) for word in words)
    return looks_like_name and word_at(words, 0) not in ADVERBS | PASSING_THINGS


def was(adverbs: Words, words: Words) -> Salient | None:
    """Keep what somebody was for long, and what happened to them once: `was born in Lima`."""
    denial, rest = split_denial(words)
    more, rest = split_adverbs(rest)
    first, second, lowered = word_at(rest, 0), word_at(rest, 1), set(lower(rest))
    lasts = first in _HAPPENINGS
    if first in ("a", "an") and len(rest) > 2:
        lasts = (second not in ROLES_PASSING and not lowered & {"when", "if"}) or second == "child"
    if first == "in":
        lasts = bool(set(lower(rest[1:4])) & SITUATIONS)
    return Salient(["was", *adverbs, *denial, *more, *rest], "profile") if lasts and len(rest) > 1 else None


_HAPPENINGS = word_set(
    "born raised adopted homeschooled diagnosed married divorced named bullied drafted trained "
    "convicted arrested sentenced jailed imprisoned deported"
)
