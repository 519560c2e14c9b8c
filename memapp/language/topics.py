"""Topics: the words of a sentence that say what it is about."""

import re
from functools import cache

from memapp.language.asked import stem
from memapp.language.word_file import WordFile, words

SHORTEST = 3
"""Letters of a word that may be a topic."""
_WORD = re.compile(r"[^\W\d_]+")


def topics_of(sentence: str, of: WordFile) -> dict[str, str]:
    """Return the stems of the words that may be a topic, each with the word as it was written."""
    found: dict[str, str] = {}
    for word in _WORD.findall(sentence):
        plain = word.casefold()
        if (
            len(word) >= SHORTEST
            and plain not in of.common
            and not of.is_all("questions", "empty", plain)
        ):
            found.setdefault(stem(plain, of), word)
    listed, stems = _everyday(of.code)
    return {
        item: word
        for item, word in found.items()
        if item not in stems and word.casefold() not in listed
    }


@cache
def _everyday(code: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words that come up in any chat, and the stems of those that are long enough to
    have an ending.
    """
    of = words(code)
    listed = f"{of.sections['topics']['everyday']} {of.sections['questions']['numbers']}".split()
    return frozenset(listed), frozenset(
        stem(word, of) for word in listed if len(word) > SHORTEST + 1
    )
