"""The language of a text, and what is read of what is written in it."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Protocol

from memapp.domain.utterance import Draft, Statement, Told
from memapp.language.any import AnyLanguage
from memapp.language.english.grammar import stems
from memapp.language.english.language import English
from memapp.language.english.statements import chat_spelling
from memapp.language.english.synonyms import is_known as is_in_wordnet
from memapp.language.lexicon import lexicon

KNOWN = 0.2
"""A text is English from this share of known words on: chat and names have few, another language has next to none."""
HELD = 1 / 3
"""Fewer words that are known, or stand in the table of synonyms, has one English message in 8,000, and nearly all in others."""
FEWEST_WORDS = 2
"""Fewer tell nothing: names, and answers in one word."""
_EN = lexicon("known")


class Language(Protocol):
    """A language, as far as memapp learns from what is said in it."""

    reads_tone: bool
    """Whether a statement is meant, and lasts, can be judged by the message: else what is in doubt is asked about."""

    def read(self, message: str, before: Sequence[str] = ()) -> Told:
        """Read a message; `before` is what the person said in its chat until then, the latest last."""

    def statement_of(self, fact: str, message: str) -> Statement:
        """Return a fact that a model made of a message as the statement by which it is judged."""

    def check_grounding(self, fact: str, message: str) -> list[str]:
        """Return what a fact that a model made of a message says that was not typed."""

    def touches(self, fact: str, message: str) -> str:
        """Return the field of the profile that a message says a fact is of, beyond the fact's own words; empty for none."""

    def facts_in(self, asked: str) -> Sequence[Draft]:
        """Return the facts that hold all of what somebody asks to be remembered."""


_ENGLISH: Language = English()
_ANY: Language = AnyLanguage()


def language_of(text: str) -> Language:
    """Return English, unless the words of a text say that it is something else."""
    if not _is_latin(text):
        return _ANY
    if _EN.regex("{surely}").match(text):
        return _ENGLISH
    known = [_is_known(word) for word in _telling(text)]
    return _ENGLISH if len(known) < FEWEST_WORDS or sum(known) >= KNOWN * len(known) else _ANY


def is_foreign(text: str) -> bool:
    """Say whether a text is surely not English: rare words and names alone do not tell, if English has them."""
    if language_of(text) is _ENGLISH:
        return False
    words = _telling(text)
    held = sum(_is_known(word) or is_in_wordnet(word.casefold()) for word in words)
    return not _is_latin(text) or (len(words) > FEWEST_WORDS and held < HELD * len(words))


def _is_latin(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    return 2 * sum(unicodedata.name(letter, "").startswith("LATIN") for letter in letters) >= len(letters)


def _telling(text: str) -> list[str]:
    """Return the words of a text that can tell its language."""
    words = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", text.replace("’", "'"))
    return [word for at, word in enumerate(words) if _tells(word, is_first=at == 0)]


def _tells(word: str, *, is_first: bool) -> bool:
    """Say whether a word can tell its language: a name is of any."""
    is_name = word[0].isupper() and not is_first and not _is_known(word)
    return word.casefold() not in _EN.shared and not is_name


def _is_known(word: str) -> bool:
    return word.isascii() and (word.casefold() in chat_spelling() or not stems(word).isdisjoint(_EN.known))
