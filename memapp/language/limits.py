"""Limits: what somebody must not be given, or does not take, by what a person said: an allergy, an
intolerance, a diet.
"""

import re

from memapp.domain.ranking import words_of as plain_words
from memapp.language.asked import content, stem
from memapp.language.grammar import sentences
from memapp.language.word_file import CODES, WordFile
from memapp.language.word_file import words as words_in

FEWEST_LETTERS = 3
"""A shorter word names nothing that can be left out."""


def is_limit(text: str, words: WordFile) -> bool:
    """Return True for a text that tells a limit."""
    return words.finds("limits", "named", _straight(text)) is not None


def bears_on(text: str) -> bool:
    """Return True for a request, or what it needs to know, that a limit bears on: it is about food,
    in whatever language.
    """
    return any(words_in(code).finds("limits", "asked", text) for code in CODES)


def forbidden(text: str, words: WordFile) -> frozenset[str]:
    """Return the stems of what a text forbids: what stands behind the words that tell the limit,
    else the word before them.
    """
    text = _straight(text)
    found = list(re.finditer(words.pattern("limits", "named"), text, re.IGNORECASE))
    ends = [*(match.start() for match in found[1:]), len(text)]
    named: set[str] = set()
    for limit, end in zip(found, ends, strict=True):
        told = (
            limit.groupdict().get("what")
            or re.split(words.pattern("limits", "ends"), text[limit.end() : end], flags=re.I)[0]
        )
        named.update(_things(told, words) or _things(text[: limit.start()], words)[-1:])
    return frozenset(named)


def names_forbidden(reply: str, limit: str, words: WordFile) -> bool:
    """Return True for a reply with a sentence that names what a limit forbids, and neither the
    limit nor to leave that out.
    """
    stems = forbidden(limit, words)
    for sentence in map(_straight, sentences(reply)):
        named = {stem(word, words) for word in plain_words(sentence)}
        if stems & named and not any(
            words.finds("limits", entry, sentence) for entry in ("named", "left_out")
        ):
            return True
    return False


def _things(text: str, words: WordFile) -> list[str]:
    return [word for word in content(text, words) if word.isalpha() and len(word) >= FEWEST_LETTERS]


def _straight(text: str) -> str:
    return text.replace("’", "'")
