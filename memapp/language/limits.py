"""Limits that a person states, such as an allergy, an intolerance or a diet."""

import re

from memapp.domain.ranking import words_of as plain_words
from memapp.language.grammar import sentences
from memapp.language.questions import content, stem
from memapp.language.word_file import CODES, WordFile
from memapp.language.word_file import words as words_in

FEWEST_LETTERS = 3
"""A shorter word names nothing to avoid."""


def is_limit(text: str, words: WordFile) -> bool:
    """Return True for a text that states a limit."""
    return words.finds("limits", "named", _straight(text)) is not None


def bears_on(text: str) -> bool:
    """Return True for a request in any language that limits bear on: about food."""
    return any(words_in(code).finds("limits", "asked", text) for code in CODES)


def forbidden(text: str, words: WordFile) -> frozenset[str]:
    """Return the stems of the things a text forbids: behind the words for the limit, or before."""
    text = _straight(text)
    limits = list(re.finditer(words.pattern("limits", "named"), text, re.IGNORECASE))
    ends = [*(match.start() for match in limits[1:]), len(text)]
    named: set[str] = set()
    for limit, end in zip(limits, ends, strict=True):
        behind = (
            limit.groupdict().get("what")
            or re.split(words.pattern("limits", "ends"), text[limit.end() : end], flags=re.I)[0]
        )
        named.update(_things(behind, words) or _things(text[: limit.start()], words)[-1:])
    return frozenset(named)


def names_forbidden(reply: str, limit: str, words: WordFile) -> bool:
    """Return True for a reply that names a forbidden thing without the limit or its omission."""
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
