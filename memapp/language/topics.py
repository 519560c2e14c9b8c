"""Topics: the words that tell what a sentence is about."""

import re
from functools import cache

from memapp.language.questions import stem
from memapp.language.word_file import WordFile, words

SHORTEST = 3
"""The fewest letters of a topic."""
_WORD = re.compile(r"[^\W\d_]+")


def topics_of(sentence: str, of: WordFile) -> dict[str, str]:
    """Return the stems of possible topics, each with the word as written."""
    topics: dict[str, str] = {}
    for word in _WORD.findall(sentence):
        plain = word.casefold()
        if (
            len(word) >= SHORTEST
            and plain not in of.common
            and not of.is_all("questions", "empty", plain)
        ):
            topics.setdefault(stem(plain, of), word)
    listed, stems = _everyday(of.code)
    return {
        topic: word
        for topic, word in topics.items()
        if topic not in stems and word.casefold() not in listed
    }


@cache
def _everyday(code: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the everyday words, and the stems of those that are long enough for an ending."""
    of = words(code)
    listed = f"{of.sections['topics']['everyday']} {of.sections['questions']['numbers']}".split()
    stems = frozenset(stem(word, of) for word in listed if len(word) > SHORTEST + 1)
    return frozenset(listed), stems
