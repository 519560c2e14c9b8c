"""Who somebody is or was: a role, an age, an origin, a situation, a trait, a name. What follows `I am` and `I was`."""

import re

from memapp.domain.english import EN
from memapp.domain.salience.aims import undertaking
from memapp.domain.salience.salient import Salient, Words, lower, split_denial, word_at
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
    elif first.isdigit() or first in EN.numbers:
        keeps = _is_age(words)
    elif first in EN.doing:
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
        return second in EN.only_ones and "one" not in lower(words)
    is_open = words[-1].casefold() in EN.function_words | {"fan"} or second in EN.vague_objects
    is_passing = second in EN.roles_passing and not (second in EN.before_role and _is_noun(word_at(words, 2)))
    return second != "" and not is_passing and not is_open


def _is_noun(word: str) -> bool:
    is_small = word in EN.function_words | EN.adverbs | EN.vague_objects | {"", "like", ",", "again"}
    return not is_small and not word.endswith(("ing", "ed"))


def _is_age(words: Words) -> bool:
    lowered = lower(words)
    has_unit = bool({"years", "year", "feet", "foot", "cm", "months", "ft"} & set(lowered[1:3]))
    is_number = len(words) == 1 or has_unit or lowered[1] in EN.numbers or lowered[1] in (",", "and")
    return is_number and not {"away", "late"} & set(lowered)


def _is_origin_or_situation(words: Words) -> bool:
    first, second = word_at(words, 0), word_at(words, 1)
    if first in ("called", "named") and len(words) > 1:
        return words[1][:1].isupper() or second == "after"
    if first == "in":
        return bool(set(lower(words[1:4])) & EN.situations)
    if first in ("from", "into") or (first == "originally" and second == "from"):
        return len(words) > 1 and second not in EN.vague_objects
    return False


def _is_trait(words: Words) -> bool:
    first, second = word_at(words, 0), word_at(words, 1)
    if second in EN.table("traits_with").get(first, "").split() and len(words) > 2 and word_at(words, 2) not in EN.vague_objects:
        return True
    if first in EN.adjectives and (second in {""} | EN.after_trait | EN.adjectives):
        return True
    return EN.regex("{two_word_traits}").fullmatch(" ".join(words)) is not None


def _is_name(words: Words) -> bool:
    looks_like_name = len(words) <= 2 and all(re.fullmatch(r"[A-Z][a-z]+(?:-[A-Z][a-z]+)?", word) for word in words)
    return looks_like_name and word_at(words, 0) not in EN.adverbs | EN.passing_things


def was(adverbs: Words, words: Words) -> Salient | None:
    """Keep what somebody was for long, and what happened to them once: `was born in Lima`."""
    denial, rest = split_denial(words)
    more, rest = split_adverbs(rest)
    first, second, lowered = word_at(rest, 0), word_at(rest, 1), set(lower(rest))
    lasts = first in EN.happenings
    if first in ("a", "an") and len(rest) > 2:
        lasts = (second not in EN.roles_passing and not lowered & {"when", "if"}) or second == "child"
    if first == "in":
        lasts = bool(set(lower(rest[1:4])) & EN.situations)
    return Salient(["was", *adverbs, *denial, *more, *rest], "profile") if lasts and len(rest) > 1 else None
