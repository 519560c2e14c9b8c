"""Compares what somebody names to their memory, `the piano`, `I never lived in Oslo`, with what that holds."""

from collections.abc import Sequence

from memapp.language.english.grammar import EN, expand, is_adverb, tokens
from memapp.language.english.memory_question import forms_of, keys

Subject = Sequence[frozenset[str]]
"""The words that say what is meant, each in its forms."""


def subject_of(content: str, *, is_wide: bool = False) -> Subject:
    """Return the words of what is named that say something, or all of them if none does; `is_wide`: `wife` for `family` too."""
    words = [word for word in tokens(expand(content)) if any(map(str.isalnum, word))]
    telling = [word for word in words if not _says_nothing(word.casefold())]
    return tuple(dict.fromkeys(forms_of(word) if is_wide else keys([word]) for word in telling or words))


def is_about(text: str, subject: Subject) -> bool:
    """Say whether a text has all that is named."""
    held = keys(tokens(expand(text)))
    return bool(subject) and all(one & held for one in subject)


def shares(text: str, subject: Subject) -> bool:
    """Say whether a text has any of what is named."""
    held = keys(tokens(expand(text)))
    return any(one & held for one in subject)


def _says_nothing(word: str) -> bool:
    passing = EN.function_words | EN.pronouns | EN.negations | EN.finite | EN.stop_words | {"user", "user's", "any", "more"}
    return word in passing or is_adverb(word)
