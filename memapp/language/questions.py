"""Questions about the person or earlier chats: recognising them, and their content words."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal

from memapp.domain.ranking import words_of as plain_words
from memapp.domain.text import one_line
from memapp.language.grammar import sentences
from memapp.language.sentence import is_question
from memapp.language.word_file import WordFile

Asked = Literal["", "own", "perhaps", "anything", "replied"]
FEW_WORDS = 8
"""The longest question that may depend on the statement before it: `What was it about?`"""
SHORTEST_STEM = 3
REQUEST_WORDS = 3
"""A shorter sentence, such as a greeting, is no request."""


def asked_about(message: str, words: WordFile) -> Asked:
    """Return the subject of a message: the person (`own`), maybe so, an earlier reply, or anything.

    Empty for a message that asks nothing, asks for advice, or asks about memapp.
    """
    asking = [sentence for sentence in sentences(one_line(message)) if _asks(sentence, words)]
    if not asking:
        return ""
    if words.finds("questions", "replied", message):
        return "replied"
    goes_on = [name for name in ("told", "first_person") if words.finds("questions", name, message)]
    return next(
        (kind for sentence in reversed(asking) if (kind := _kind(sentence, words, goes_on))),
        "",
    )


def _asks(sentence: str, words: WordFile) -> bool:
    return is_question(sentence, words) or any(
        words.begins("questions", name, sentence) for name in ("requests", "asks")
    )


def _kind(sentence: str, words: WordFile, goes_on: Sequence[str]) -> Asked:
    """Return the subject of a question; `goes_on` names the references in its message."""
    is_short = len(sentence.split()) <= FEW_WORDS
    leans = "first_person" in goes_on and words.finds("questions", "leaning", sentence)
    if words.finds("questions", "told", sentence) or (is_short and ("told" in goes_on or leans)):
        return "own"
    if words.finds("questions", "advice", sentence):
        return ""
    if words.finds("questions", "checks", sentence):
        return "own"
    is_open = words.begins("questions", "requests", sentence) or words.begins(
        "questions", "asks", sentence
    )
    if words.finds("questions", "first_person", sentence):
        return "own" if is_open else "perhaps"
    return "" if words.finds("questions", "companion", sentence) and not is_open else "anything"


def wants_something(message: str, words: WordFile) -> bool:
    """Return True for a message with a question or a request, and not only a statement.

    A request has no `I`.
    """
    return any(
        _asks(sentence, words)
        or words.finds("questions", "advice", sentence)
        or (
            len(sentence.split()) >= REQUEST_WORDS
            and not words.finds("others", "first_person", sentence)
        )
        for sentence in sentences(one_line(message))
    )


def asked_fields(question: str, words: WordFile) -> list[str]:
    """Return the fields of the profile that a question asks for, and for nothing else."""
    telling = set(content(question, words))
    said = {stem(word, words) for word in bare_words(question, words)}
    fields = {
        field: {stem(name, words) for name in names.split("|")}
        for field, names in words.sections["asked_profile"].items()
    }
    named = said & set().union(*fields.values())
    return [field for field, names in fields.items() if named and named | telling <= names]


def content(text: str, words: WordFile) -> list[str]:
    """Return the stems of a text's content words, each once."""
    informative = (
        word
        for word in dict.fromkeys(bare_words(text, words))
        if words.common.isdisjoint((word, _plain(word)))
    )
    return list(
        dict.fromkeys(
            stem(word, words)
            for word in informative
            if not words.begins("questions", "empty", word)
        )
    )


def bare_words(text: str, words: WordFile) -> list[str]:
    """Return the words of a text in lower case, without optional letters."""
    return plain_words(re.sub(words.pattern("questions", "mute"), "", text.casefold()))


def stem(word: str, words: WordFile) -> str:
    """Return a word without accents and ending, as far as the word file knows endings."""
    word = _plain(word)
    ending = words.finds("questions", "endings", word)
    return (
        word[: ending.start()]
        if ending and (ending.start() >= SHORTEST_STEM or word[0].isdigit())
        else word
    )


def _plain(word: str) -> str:
    if word.isascii():
        return word
    return re.sub(r"[\u0300-\u036f]", "", unicodedata.normalize("NFD", word))
