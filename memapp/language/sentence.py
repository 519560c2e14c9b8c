"""The form of a sentence: a question, a follow-up, a correction."""

import re
from typing import Literal

from memapp.domain.ranking import words_of as plain_words
from memapp.language.card_numbers import has_card_number
from memapp.language.grammar import sentences
from memapp.language.own_words import own_words
from memapp.language.secrets import has_secret
from memapp.language.word_file import WordFile, words_of

STEM = 5
"""The number of letters by which two forms of a word are the same."""


def is_question(sentence: str, words: WordFile) -> bool:
    """Return True for a question, with its mark or without."""
    return (
        sentence.endswith(("?", '?"', "?!")) or words.begins("others", "asks", sentence) is not None
    )


def is_for_now(sentence: str, words: WordFile) -> bool:
    """Return True for an order, a plan for the next hours, or a remark on having told memapp."""
    return words.begins("others", "for_now", sentence) is not None


def points_back(text: str, words: WordFile) -> bool:
    """Return True for a text that points back to earlier text: `is that ok for me?`."""
    return re.search(rf"\b{words.pattern('context', 'points')}", text, re.IGNORECASE) is not None


def leans(sentence: str, words: WordFile, *, is_first: bool) -> bool:
    """Return True for a sentence that begins with, or hinges on, a reference to the one before."""
    if words.begins("context", "points", sentence, after="opens"):
        return True
    pointing = words.finds("context", "pronouns", sentence)
    if is_first or pointing is None:
        return False
    named = words.finds("context", "names", sentence)
    capital = re.search(r"(?<!^)\b[^\W\d_a-z]\w+", sentence)
    starts = [match.start() for match in (named, capital) if match]
    return not starts or min(starts) > pointing.start()


def cut_at_clause(sentence: str, most: int, words: WordFile) -> str:
    """Return the beginning of a sentence up to the last clause, or else word, within a length."""
    if len(sentence) <= most:
        return sentence
    ends = [
        match.start()
        for match in re.finditer(words.pattern("clauses", "between"), sentence, re.IGNORECASE)
    ]
    end = max((end for end in ends if 0 < end <= most), default=sentence.rfind(" ", 0, most))
    return sentence[: end if end > 0 else most].rstrip(" ,;:")


def corrects(sentence: str, words: WordFile) -> Literal["", "own", "over"]:
    """Return `own` for a correction of the person's own words, `over` for an end, else nothing."""
    if words.begins("correction", "own", sentence, after="filler"):
        return "own"
    return "over" if words.finds("correction", "over", sentence) else ""


def without_mark(sentence: str, words: WordFile) -> str:
    """Return a correction without its mark, unless nothing else is left."""
    mark = words.begins("correction", "own", sentence, after="filler")
    return (sentence[mark.end() :].lstrip(",:. !") if mark else "") or sentence


def tells_of_another(sentence: str, other: str, words: WordFile) -> bool:
    """Return True for a sentence that begins with a relative or thing the other does not name."""
    mine = words.begins("correction", "mine", sentence, after="filler")
    named = re.findall(r"[^\W\d_]+", sentence[mine.end() :])[:2] if mine else []
    return bool(named) and not any(
        re.search(rf"\b{word[:STEM]}", other, re.IGNORECASE) for word in named
    )


def tells_more(message: str, expected: str, words: WordFile) -> bool:
    """Return True for a message with a statement that corrects, or has an unexpected word."""
    expected_stems = {word[:STEM] for word in plain_words(expected)}
    for sentence in sentences(own_words(message, words)):
        new = (
            word
            for word in plain_words(sentence)
            if word not in words.common and word[:STEM] not in expected_stems
        )
        if not is_question(sentence, words) and (corrects(sentence, words) or any(new)):
            return True
    return False


def tells_secret(sentence: str) -> bool:
    """Return True for a sentence with a password, a key, a PIN, or what may be a card number."""
    return names_secret(sentence) or has_card_number(sentence)


def names_secret(sentence: str) -> bool:
    """Return True for a sentence with a password, a key or a PIN."""
    return (
        has_secret(sentence) or words_of(sentence).finds("secrets", "named", sentence) is not None
    )


def may_tell_secret(sentence: str) -> bool:
    """Return True for a sentence in which one word may be, or describe, a secret.

    A number like that of a card may also be that of a device or an article.
    """
    return words_of(sentence).finds("secrets", "doubted", sentence) is not None or has_card_number(
        sentence
    )


def is_sensitive(sentence: str, words: WordFile) -> bool:
    """Return True for a sentence with a sensitive word, such as of health, money or faith."""
    return words.finds("sensitive", "named", sentence) is not None


def category(sentence: str, words: WordFile) -> str:
    """Return the category of a person's sentence about themselves."""
    found = (name for name in words.sections["category"] if words.finds("category", name, sentence))
    return next(found, "profile")
