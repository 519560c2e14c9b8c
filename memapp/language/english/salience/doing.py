"""Habits, tastes, skills and aims: what somebody does, likes, can do, used to do and wants to do."""

import re

from memapp.language.english.grammar import EN, third_person, word_at
from memapp.language.english.salience.having import owned
from memapp.language.english.salience.salient import Salient, Words, category_of, lower, split_denial, tells
from memapp.language.english.third_person import split_adverbs


def do_not(verb: str, words: Words, adverbs: Words) -> Salient | None:
    """Keep `do not eat meat`, `do not have children`; what somebody does not do just now is left out."""
    kept = None
    if verb == "have" and set(lower(words[:3])) & EN.denied:
        kept = owned([], "have", words)
    elif verb in EN.deniable:
        kept = present([], verb, words, third=False)
    if kept is None:
        return None
    return Salient(["does", "not", *[word for word in adverbs if word.casefold() != "even"], *kept.words], kept.category)


def did(adverbs: Words, words: Words) -> Salient | None:
    """Keep `did not finish school`; only what was not done can be told from an anecdote."""
    category = category_of("did", words)
    return Salient(["did", "not", *adverbs, *words[1:]], category) if category else None


def can(adverbs: Words, words: Words) -> Salient | None:
    """Keep skills and what somebody cannot bear: `can speak Dutch`, `cannot eat gluten`."""
    denial, rest = split_denial(words)
    more, rest = split_adverbs(rest)
    category = category_of("can", [*denial, *rest])
    return Salient(["can", *adverbs, *denial, *more, *rest], category) if category else None


def used(adverbs: Words, words: Words) -> Salient | None:
    """Keep `used to play chess`."""
    category = category_of("used", words)
    return Salient(["used", *adverbs, *words], category) if category else None


def aim(verb: str, adverbs: Words, words: Words) -> Salient | None:
    """Keep wishes, hopes and plans for a life: `want to become a nurse`; and habits: `try to eat healthy food`."""
    category = category_of(verb, [*adverbs, *words] if verb == "tries" else words)
    return Salient([*adverbs, verb, *words], category) if category else None


def present(adverbs: Words, verb: str, words: Words, *, third: bool = True) -> Salient | None:
    """Keep the simple present of doing and liking: it tells a habit or a taste by itself."""
    if not _is_telling_verb(verb, words) or _needs_place(words):
        return None
    if verb in EN.transitive_liking:
        category = category_of("taste", words)
    elif _is_habit(adverbs, verb, words):
        category = "profile" if verb in ("live", "own", "work", "speak", "come", "suffer") else "activity"
    else:
        category = ""
    return Salient([*adverbs, third_person(verb) if third else verb, *words], category) if category else None


def _is_telling_verb(verb: str, words: Words) -> bool:
    is_kept = (verb == "believe" and words[:1] == ["in"]) or (verb == "keep" and bool(EN.animals & set(lower(words[:2]))))
    if verb in EN.passing_verbs and not is_kept:
        return False
    is_word = re.fullmatch(r"[a-z]+(?:-[a-z]+)?", verb) is not None and not verb.endswith("ing")
    return is_word and verb not in EN.function_words | EN.pronouns | EN.finite | EN.negations | EN.adjectives


def _is_habit(adverbs: Words, verb: str, words: Words) -> bool:
    first = word_at(words, 0)
    if verb == "live" and first == "in" and set(lower(words[1:3])) & EN.nowhere:
        return False
    is_frequent = tells("frequent", [*adverbs, *words])
    if verb not in EN.common_verbs | EN.solo_verbs and not is_frequent:
        return False
    if (first in EN.vague_objects and words[:2] != ["when", "I"]) or (not words and verb not in EN.solo_verbs):
        return False
    if verb in ("make", "take") and first in ("sure", "care", "it", "time", "note", "sense", "up") and words[1:2] != ["of"]:
        return False
    if verb in EN.habit_if_frequent:
        return is_frequent
    is_move = verb in ("make", "go", "help", "watch", "take", "buy", "visit")
    return (
        is_frequent or not is_move or (first not in ("ahead", "with", "for", "back", "out") and not {"sure", "back"} & set(words))
    )


def _needs_place(words: Words) -> bool:
    """`I love the food` needs to be told where; `I love the sea` and `I love the smell of rain` do not."""
    lowered = lower(words)
    if word_at(words, 0) != "the" or len(words) < 2:
        return False
    if "of" in lowered and lowered[1] not in ("idea", "one", "rest", "look", "sound", "fact", "thought"):
        return False
    end = next((at for at, word in enumerate(lowered) if at and (word in EN.function_words or word in ",;")), len(words))
    is_known = lowered[end - 1] in EN.generic_the or (lowered[1] == "color" and end > 2) or words[1][:1].isupper()
    return not is_known
