"""Texts in the form of an instruction: they ask, speak to somebody, or tell what to do, where a
fact would say what is so.
"""

import re

from memapp.language.grammar import sentences
from memapp.language.howto import EN
from memapp.language.sentence import is_question
from memapp.language.word_file import WordFile, words_of

USER = re.compile(r"\bUser\b")
"""Who is meant where a fact is told in the third person."""


def is_instruction(text: str) -> bool:
    """Return True for a text that says nothing of the person, or with a sentence that asks, speaks
    to the reader or orders.
    """
    words, said = words_of(text), sentences(text)
    return bool(said) and (
        not any(_is_of_person(text, words) for text in said)
        or any(_orders(text, words) for text in said)
    )


def _is_of_person(sentence: str, words: WordFile) -> bool:
    named = (words.finds("others", name, sentence) for name in ("first_person", "said_of_me"))
    return USER.search(sentence) is not None or any(named)


def _orders(sentence: str, words: WordFile) -> bool:
    if is_question(sentence, words) or words.finds("others", "to_reader", sentence):
        return True
    first = re.search(r"[^\W\d_][\w'’]*", EN.regex("^{lead_in}").sub("", sentence))
    return first is not None and first[0].casefold() in EN.step_verbs
