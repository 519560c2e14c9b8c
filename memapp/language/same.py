"""Whether two sentences say the same: in the same words but for their spelling, or at least with
the same names and numbers.
"""

import re
import unicodedata

from memapp.domain.ranking import words_of as plain_words
from memapp.language.word_file import WordFile, words_of

_NAME = re.compile(r"(?<!^)(?<![.!?] )\b[^\W\d_a-z][^\W\d_]+")


def is_respelt(one: str, other: str) -> bool:
    """Return True for two sentences of the same words in the same order, but for case, accents,
    marks and fillers.
    """
    words = words_of(f"{one} {other}")
    said = _said(one, words)
    return bool(said) and said == _said(other, words)


def keeps_facts(kept: str, gone: str) -> bool:
    """Return True for a sentence that has the names and numbers of another, and denies as much as
    that.
    """
    words = words_of(f"{kept} {gone}")
    facts = {word.casefold() for word in _NAME.findall(gone)} | {
        word for word in plain_words(gone) if word[0].isdigit()
    }
    denied, denied_before = (
        len(re.findall(words.pattern("same", "negations"), text, re.IGNORECASE))
        for text in (kept, gone)
    )
    return facts <= set(plain_words(kept)) and denied == denied_before


def _said(sentence: str, words: WordFile) -> list[str]:
    letters = unicodedata.normalize("NFKD", re.sub(r"['’]", "", sentence))
    plain = plain_words("".join(letter for letter in letters if not unicodedata.combining(letter)))
    return [word for word in plain if not words.is_all("same", "fillers", word)]
