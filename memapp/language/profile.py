"""The values of the profile stated in a sentence: `my name is Ana`, `i live in Oslo`."""

from collections.abc import Iterator

from memapp.domain.profile import FIELDS, Hint, same_value
from memapp.domain.ranking import words_of as plain_words
from memapp.language.word_file import CODES, WordFile, words, words_of


def stated(sentence: str, words: WordFile) -> Iterator[Hint]:
    """Yield the values that the person states about themselves."""
    for field in words.sections["profile"]:
        if statement := words.finds("profile", field, sentence):
            yield Hint(field, statement["value"].strip(" .,"))


def takes_sentence(field: str) -> bool:
    """Return True for a field with sentences as values, as opposed to a name, a place or a day."""
    return field in FIELDS and (
        field == "contact" or field not in words(CODES[0]).sections["profile"]
    )


def says_value(text: str, field: str, value: str) -> bool:
    """Return True for a text that is a value of a field, or states the value."""
    if same_value(field, text, value):
        return True
    return any(
        hint.field == field and same_value(field, hint.value, value)
        for hint in stated(text, words_of(text))
    )


def says_more(text: str) -> bool:
    """Return True for a text with more than statements of values."""
    spoken = words_of(text)
    return any(word not in spoken.common for word in plain_words(without_statements(text, spoken)))


def without_statements(text: str, words: WordFile) -> str:
    """Return a text without the words that state a value of the profile."""
    for field in words.sections["profile"]:
        if statement := words.finds("profile", field, text):
            text = f"{text[: statement.start()]} {text[statement.end() :]}"
    return text
