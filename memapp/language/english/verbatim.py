"""What is kept as it was typed: a sentence that tells something by itself, though no fact can be made of its words."""

import re

from memapp.language.english.grammar import expand, tokens, word_at
from memapp.language.english.profile import stated
from memapp.language.lexicon import lexicon

EN = lexicon("telling")
SAID = "User said: "
FEWEST_WORDS = 3
MOST_CHARS = 200
_FOREIGN = re.compile(r"[#\[\]{}<>\\|@\"]|\bUser\b")
"""Code, links, words of others, and the word that facts use for the person."""


def verbatim(sentence: str) -> str:
    """Return the fact that somebody said a sentence, in its words: `User said: no mushrooms, can't stand them.`

    Empty where it asks or commands, is about somebody or something in another sentence, or states a value of the profile.
    """
    text = sentence.strip().rstrip(" .!")
    words = tokens(expand(text))
    if len(words) < FEWEST_WORDS or len(text) > MOST_CHARS or _FOREIGN.search(text) or _asks(words) or _points_back(words):
        return ""
    return "" if stated(text) else f"{SAID}{text}."


def _asks(words: list[str]) -> bool:
    """Say whether these are the words of a question or a command: `what a novel costs`, `recommend a novel`."""
    first = words[0].casefold()
    if first in EN.question_words or EN.regex("{asks_unmarked}").match(" ".join(words)):
        return True
    return first == "please" or first in EN.common_verbs


def _points_back(words: list[str]) -> bool:
    """Say whether the words go on about what was named before: `that`, or `he` with nobody else named."""
    at = next((at for at, word in enumerate(words) if word.casefold() not in EN.coordinators | EN.interjections), 0)
    if word_at(words, at) in EN.demonstratives | EN.pronouns - EN.first_person:
        return True
    somebody = next((at for at, word in enumerate(words) if word.casefold() in EN.of_somebody), len(words))
    return somebody < len(words) and not any(_names(words, at) for at in range(somebody))


def _names(words: list[str], at: int) -> bool:
    return word_at(words, at) in ("my", "our") or (at > 0 and words[at][0].isupper() and words[at] != "I")
