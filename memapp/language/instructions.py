"""Texts in the form of an instruction: they ask, address the reader or order."""

import re

from memapp.language.grammar import sentences
from memapp.language.howto import EN
from memapp.language.sentence import is_question
from memapp.language.word_file import WordFile, words_of

USER = re.compile(r"\bUser\b")
"""The person, in a fact in the third person."""


def is_instruction(text: str) -> bool:
    """Return True for a text not about the person, or with a sentence that asks or orders."""
    words, parts = words_of(text), sentences(text)
    return bool(parts) and (
        not any(_is_of_person(sentence, words) for sentence in parts)
        or any(_orders(sentence, words) for sentence in parts)
    )


def _is_of_person(sentence: str, words: WordFile) -> bool:
    named = (words.finds("others", name, sentence) for name in ("first_person", "said_of_me"))
    return USER.search(sentence) is not None or any(named)


def _orders(sentence: str, words: WordFile) -> bool:
    if is_question(sentence, words) or words.finds("others", "to_reader", sentence):
        return True
    first = re.search(r"[^\W\d_][\w'’]*", EN.regex("^{lead_in}").sub("", sentence))
    return first is not None and first[0].casefold() in EN.step_verbs
