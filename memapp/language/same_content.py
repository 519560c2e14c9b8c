"""Sentences that say the same: up to spelling, or with the same names and numbers."""

import re
import unicodedata

from memapp.domain.ranking import words_of as plain_words
from memapp.language.word_file import WordFile, words_of

_NAME = re.compile(r"(?<!^)(?<![.!?] )\b[^\W\d_a-z][^\W\d_]+")


def is_respelt(sentence: str, other: str) -> bool:
    """Return True for sentences that differ only in case, accents, marks and fillers."""
    words = words_of(f"{sentence} {other}")
    spoken = _said(sentence, words)
    return bool(spoken) and spoken == _said(other, words)


def keeps_facts(kept: str, dropped: str) -> bool:
    """Return True for a sentence with the names, numbers and negations of another."""
    words = words_of(f"{kept} {dropped}")
    facts = {word.casefold() for word in _NAME.findall(dropped)} | {
        word for word in plain_words(dropped) if word[0].isdigit()
    }
    denied, denied_before = (
        len(re.findall(words.pattern("same", "negations"), text, re.IGNORECASE))
        for text in (kept, dropped)
    )
    return facts <= set(plain_words(kept)) and denied == denied_before


def _said(sentence: str, words: WordFile) -> list[str]:
    letters = unicodedata.normalize("NFKD", re.sub(r"['’]", "", sentence))
    plain = plain_words("".join(letter for letter in letters if not unicodedata.combining(letter)))
    return [word for word in plain if not words.is_all("same", "fillers", word)]
