"""Texts in the form of an instruction: they ask, speak to somebody, or tell what to do, where a fact would say what is so."""

import re

from memapp.language.grammar import sentences
from memapp.language.howto import EN
from memapp.language.sentence import is_question
from memapp.language.word_file import words_of


def is_instruction(text: str) -> bool:
    """Return True for a text with a sentence that is a question, speaks to the reader, or begins with something to do."""
    words = words_of(text)
    return any(
        is_question(one, words) or words.finds("others", "to_reader", one) or _begins_with_order(one) for one in sentences(text)
    )


def _begins_with_order(sentence: str) -> bool:
    first = re.search(r"[^\W\d_][\w'’]*", EN.regex("^{lead_in}").sub("", sentence))
    return first is not None and first[0].casefold() in EN.step_verbs
