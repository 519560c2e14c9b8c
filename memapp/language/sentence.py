"""What a sentence is by its form: a question, one that leans on the sentence before, one that
corrects another.
"""

import re
from typing import Literal

from memapp.domain.ranking import words_of as plain_words
from memapp.language.grammar import sentences
from memapp.language.own_words import own_words
from memapp.language.secrets import has_secret
from memapp.language.word_file import WordFile, words_of

STEM = 5
"""Letters by which two forms of a word are the same."""


def is_question(sentence: str, words: WordFile) -> bool:
    """Return True for a question, also one without its mark."""
    return (
        sentence.endswith(("?", '?"', "?!")) or words.begins("others", "asks", sentence) is not None
    )


def is_for_now(sentence: str, words: WordFile) -> bool:
    """Return True for an order, a plan for the hours to come, and a word about having told memapp
    something.
    """
    return words.begins("others", "for_now", sentence) is not None


def points_back(text: str, words: WordFile) -> bool:
    """Return True for a text with a word that points at what was said before it: `is that ok for
    me?`.
    """
    return re.search(rf"\b{words.pattern('context', 'points')}", text, re.IGNORECASE) is not None


def leans(sentence: str, words: WordFile, *, is_first: bool) -> bool:
    """Return True for a sentence that says nothing without the one before: it begins with, or
    hinges on, what was named there.
    """
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
    """Return the beginning of a sentence up to its last clause that ends within so many characters;
    else to the last word.
    """
    if len(sentence) <= most:
        return sentence
    ends = [
        match.start()
        for match in re.finditer(words.pattern("clauses", "between"), sentence, re.IGNORECASE)
    ]
    end = max((end for end in ends if 0 < end <= most), default=sentence.rfind(" ", 0, most))
    return sentence[: end if end > 0 else most].rstrip(" ,;:")


def corrects(sentence: str, words: WordFile) -> Literal["", "own", "over"]:
    """Return `own` for what can only be about one's own words, `over` for what says that something
    ended, else nothing.
    """
    if words.begins("correction", "own", sentence, after="filler"):
        return "own"
    return "over" if words.finds("correction", "over", sentence) else ""


def without_mark(sentence: str, words: WordFile) -> str:
    """Return a correction without the words that say that it is one; the sentence where it is
    nothing but those.
    """
    mark = words.begins("correction", "own", sentence, after="filler")
    return (sentence[mark.end() :].lstrip(",:. !") if mark else "") or sentence


def tells_of_another(sentence: str, other: str, words: WordFile) -> bool:
    """Return True if a sentence begins with somebody or something of the person's whom another
    sentence does not name.
    """
    mine = words.begins("correction", "mine", sentence, after="filler")
    named = re.findall(r"[^\W\d_]+", sentence[mine.end() :])[:2] if mine else []
    return bool(named) and not any(
        re.search(rf"\b{word[:STEM]}", other, re.IGNORECASE) for word in named
    )


def tells_more(message: str, expected: str, words: WordFile) -> bool:
    """Return True for a message with a statement that corrects something, or has a word which was
    not expected.
    """
    known = {word[:STEM] for word in plain_words(expected)}
    for sentence in sentences(own_words(message, words)):
        new = (
            word
            for word in plain_words(sentence)
            if word not in words.common and word[:STEM] not in known
        )
        if not is_question(sentence, words) and (corrects(sentence, words) or any(new)):
            return True
    return False


def tells_secret(sentence: str) -> bool:
    """Return True for a password, a key, a PIN or the number of a card."""
    if has_secret(sentence) or re.search(r"\b(?:\d[ -]?){12,19}\b", sentence):
        return True
    return words_of(sentence).finds("secrets", "named", sentence) is not None


def may_tell_secret(sentence: str) -> bool:
    """Return True for a sentence that gives a password, a key or a PIN in one word, which may be it
    or say how it is.
    """
    return words_of(sentence).finds("secrets", "doubted", sentence) is not None


def is_sensitive(sentence: str, words: WordFile) -> bool:
    """Return True for a sentence with a word of health, money, faith, love, politics, law or
    origin.
    """
    return words.finds("sensitive", "named", sentence) is not None


def category(sentence: str, words: WordFile) -> str:
    """Return the category of a sentence that the person says of themselves."""
    found = (name for name in words.sections["category"] if words.finds("category", name, sentence))
    return next(found, "profile")
