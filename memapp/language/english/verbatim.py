"""What is kept as it was typed: a sentence that tells something by itself, though no fact can be made of its words."""

import re
from collections.abc import Sequence

from memapp.language.english.grammar import expand, is_verb, tokens, word_at
from memapp.language.english.grounding import SAID
from memapp.language.english.life_domains import is_request
from memapp.language.english.profile import stated
from memapp.language.english.statements import says_little
from memapp.language.english.writing import is_vague
from memapp.language.lexicon import lexicon

EN = lexicon("telling")
FEWEST_WORDS = 3
MOST_CHARS = 200
_FOREIGN = re.compile(r"[#\[\]{}<>\\|@\"]|\bUser\b")
"""Code, links, words of others, and the word that facts use for the person."""


def verbatim(sentence: str) -> str:
    """Return the fact that somebody said a sentence, in its words: `User said: no mushrooms, can't stand them.`

    Empty where it asks or commands, speaks to memapp or of what another sentence tells, or states a value of the profile.
    """
    text = sentence.strip().rstrip(" .!")
    words = tokens(expand(text))
    if len(words) < FEWEST_WORDS or len(text) > MOST_CHARS or _FOREIGN.search(text) or stated(text):
        return ""
    tells = any(is_verb(word.casefold()) for word in words) and EN.second_person.isdisjoint(map(str.casefold, words))
    return f"{SAID}{text}." if tells and not (_asks(text, words) or _points_back(words) or says_little(sentence)) else ""


def _asks(text: str, words: Sequence[str]) -> bool:
    """Say whether somebody asks or commands: `what a novel costs`, `recommend a novel`."""
    first = words[0].casefold()
    begins = first == "please" or first in EN.question_words | EN.common_verbs
    return begins or is_request(text) or EN.regex("{asks_unmarked}").match(" ".join(words)) is not None


def _points_back(words: Sequence[str]) -> bool:
    """Say whether the words go on about what was named before: `that`, `model ones`, or `he` with nobody else named."""
    if any(word.casefold() in ("one", "ones") and is_vague(words, at) for at, word in enumerate(words)):
        return True
    at = next((at for at, word in enumerate(words) if word.casefold() not in EN.coordinators | EN.interjections), 0)
    if word_at(words, at) in EN.demonstratives | EN.pronouns - EN.of_oneself_first:
        return True
    somebody = next((at for at, word in enumerate(words) if word.casefold() in EN.of_somebody), None)
    return somebody is not None and not any(_names(words, at) for at in range(somebody))


def _names(words: Sequence[str], at: int) -> bool:
    is_day = word_at(words, at).removesuffix("s") in EN.weekdays | EN.months
    return word_at(words, at) in ("my", "our") or (at > 0 and words[at][0].isupper() and words[at] != "I" and not is_day)
