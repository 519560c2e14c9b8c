"""Subjects that people name to their memory: `the piano`, `my trip to Oslo`."""

from memapp.language.questions import bare_words, stem
from memapp.language.word_file import WordFile, words_of


def subject_of(named: str) -> frozenset[str]:
    """Return the stems of the telling words of a subject, or else of all its words."""
    words = words_of(named)
    plain = bare_words(named, words)
    telling = [
        word
        for word in plain
        if word not in words.common and not words.is_all("others", "first_person", word)
    ]
    return _stems(telling or plain, words)


def is_about(text: str, subject: frozenset[str]) -> bool:
    """Return True for a text with all words of a subject."""
    return bool(subject) and subject <= _all(text)


def shares(text: str, subject: frozenset[str]) -> bool:
    """Return True for a text with any word of a subject."""
    return not subject.isdisjoint(_all(text))


def _all(text: str) -> frozenset[str]:
    words = words_of(text)
    return _stems(bare_words(text, words), words)


def _stems(plain: list[str], words: WordFile) -> frozenset[str]:
    return frozenset(stem(word, words) for word in plain)
