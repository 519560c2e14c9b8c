"""Roles, ages, origins, situations, traits and names: what follows `I am` and `I was`."""

import re

from memapp.language.english.grammar import EN
from memapp.language.english.salience.salient import Salient, Words, category_of, split_denial
from memapp.language.english.third_person import split_adverbs


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
    category = category_of("is", words) or ("profile" if not denied and _is_name(words) else "")
    is_undertaking = category in ("goals", "activity")
    return Salient(words, category) if category and not (denied and is_undertaking) else None


def _is_name(words: Words) -> bool:
    looks_like_name = 0 < len(words) <= 2 and all(re.fullmatch(r"[A-Z][a-z]+(?:-[A-Z][a-z]+)?", word) for word in words)
    return looks_like_name and words[0].casefold() not in EN.no_person


def was(adverbs: Words, words: Words) -> Salient | None:
    """Keep what somebody was for long, and what happened to them once: `was born in Lima`."""
    denial, rest = split_denial(words)
    more, rest = split_adverbs(rest)
    category = category_of("was", rest)
    return Salient(["was", *adverbs, *denial, *more, *rest], category) if category else None
