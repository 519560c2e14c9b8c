"""Life domains: a short fixed list of what a fact about the person bears on, and what a request is about.

A request rarely names what bears on it: somebody who asks for a restaurant does not say again what they must not eat. Rules of
language find the facts that bear on every request of a kind; nearness in meaning, which `services.life_domains` brings, the rest.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from memapp.language.english.grammar import EN as WORDS
from memapp.language.english.grammar import is_adverb, root, tokens
from memapp.language.lexicon import lexicon

_EN = lexicon("domains")
LEAST_ALIKE, LEAST_ALIKE_LIKED = 0.2, 0.25
"""A fact less like a request than this, without what all facts and all requests have in common, is about something else.

What somebody likes must be more like it than what keeps them from something: passed over, it hurts less.
"""
BESIDE_BEST = 0.10
"""One that is so much less like the request than what fits best is about something beside it."""
PLAINLY_ABOUT = {"food": 0.25, "travel": 0.30}
"""From here on a request is plainly about the domain that it is nearest to; what is vital is told once too often."""


def phrases() -> Mapping[str, Sequence[str]]:
    """Return for each domain what it is near to in meaning."""
    named: Mapping[str, Sequence[str]] = _EN.entry("phrases")
    return named


def domains_of(fact: str) -> list[str]:
    """Return the domains that a fact bears on by rule, whatever the words of a request are."""
    return [name for name, pattern in _EN.table("facts").items() if _found(pattern, fact)]


def is_vital(fact: str) -> bool:
    """Say whether a fact tells what somebody must not be given to eat: a diet, an allergy, a fast."""
    return _found("{vital}", fact)


def kept_out_by(fact: str) -> frozenset[str]:
    """Return the roots of the foods that a fact tells not to give somebody: `walnut` of `User is allergic to walnuts.`

    A kind of food stands for all that is of it, and a diet for all that it keeps out: `salmon` of `User does not eat fish.`
    """
    found = _EN.regex("{kept_out}").finditer(fact) if is_vital(fact) else ()
    foods = [text for one in found for text in one.groupdict().values() if text]
    words = (word for text in foods for word in tokens(text) if word.isalpha() and word.casefold() not in WORDS.function_words)
    return frozenset(_with_what_is_of_them(map(root, words)))


def disliked_in(text: str) -> frozenset[str]:
    """Return the roots of the foods that a text about food tells not to be liked or wanted: `olive` of `I can't stand olives`."""
    found = _EN.regex("{disliked}").finditer(re.sub("[’ʼ]", "'", text))
    words = (word.casefold() for one in found for part in one.groupdict().values() for word in tokens(part or ""))
    foods = (word for word in words if word.isalpha() and not word.endswith("ing") and not _is_of_any_food(word))
    return frozenset(_with_what_is_of_them(map(root, foods)))


def _is_of_any_food(word: str) -> bool:
    return word in _EN.of_any_food | WORDS.function_words | WORDS.pronouns or is_adverb(word)


def _with_what_is_of_them(foods: Iterable[str]) -> set[str]:
    kinds = {root(kind): words.split() for kind, words in _EN.table("kinds").items()}
    found: set[str] = set()
    new = set(foods)
    while new:
        found |= new
        new = {root(word) for food in new for word in kinds.get(food, ())} - found
    return found


def serves(sentence: str, foods: frozenset[str]) -> bool:
    """Say whether a sentence names one of some foods, and not to leave it out."""
    return any(names(sentence, food) for food in foods) and not _found("{leaves_out}", sentence)


def names(text: str, food: str) -> bool:
    """Say whether a text has a word of this root."""
    return food in map(root, tokens(text.replace("-", " ")))


def touches_food(message: str) -> bool:
    """Say whether a message is about food by its words, request or not: what is vital is told once too often."""
    return _found(_EN.table("requests")["food"], message)


def is_constraint(text: str) -> bool:
    """Say whether a text keeps somebody from something or to something: a dislike, a fear, a rule of theirs, a plan."""
    return _found("{constraint}|{plan}", text)


def least_alike(text: str) -> float:
    """Return how like a request a text must be to bear on it."""
    return LEAST_ALIKE if is_constraint(text) else LEAST_ALIKE_LIKED


def is_request(message: str) -> bool:
    """Say whether a message asks for advice or a plan, which what is known of the person may change."""
    return _found("{request}", message) and not _found("{of_others}", message)


def needed_by(request: str, cosines: Mapping[str, float]) -> list[str]:
    """Return the domains whose facts bear on a request: by its words, and by the domain that it is plainly about.

    `cosines` say how near it is to each domain.
    """
    tags = [name for name, pattern in _EN.table("requests").items() if _found(pattern, request)]
    foremost = max(cosines, key=lambda name: cosines[name], default="")
    if cosines.get(foremost, 0.0) >= PLAINLY_ABOUT.get(foremost, 1.0):
        tags += _EN.table("along")[foremost].split()
    return list(dict.fromkeys(tags))


def frames(name: Literal["asking_frames", "stating_frames"]) -> list[str]:
    """Return sentences of all domains that ask for advice, or state what somebody avoids: what they share is no domain's."""
    written = _EN.entry(name)
    return [written[place % len(written)].format(named[0]) for place, named in enumerate(phrases().values())]


def _found(pattern: str, text: str) -> bool:
    return bool(_EN.regex(pattern).search(re.sub("[’ʼ]", "'", text)))
