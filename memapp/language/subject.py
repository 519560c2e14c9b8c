"""Whether a text is about what somebody names to their memory: `the piano`, `my trip to Oslo`."""

from memapp.language.asked import bare_words, stem
from memapp.language.word_file import WordFile, words_of


def subject_of(named: str) -> frozenset[str]:
    """Return the stems of the words that say what is named; of all of its words where none does."""
    words = words_of(named)
    plain = bare_words(named, words)
    telling = [
        word
        for word in plain
        if word not in words.common and not words.is_all("others", "first_person", word)
    ]
    return _stems(telling or plain, words)


def is_about(text: str, subject: frozenset[str]) -> bool:
    """Return True for a text that has all that is named."""
    return bool(subject) and subject <= _all(text)


def shares(text: str, subject: frozenset[str]) -> bool:
    """Return True for a text that has any of what is named."""
    return not subject.isdisjoint(_all(text))


def _all(text: str) -> frozenset[str]:
    words = words_of(text)
    return _stems(bare_words(text, words), words)


def _stems(plain: list[str], words: WordFile) -> frozenset[str]:
    return frozenset(stem(word, words) for word in plain)
