"""Sensitive statements, recognised by words alone where no model may judge."""

from collections.abc import Collection, Mapping

from memapp.domain.consent import FACT
from memapp.domain.profile import Hint, has_value
from memapp.domain.profile import is_sensitive as is_sensitive_field
from memapp.language.grammar import sentences
from memapp.language.own_words import own_words
from memapp.language.profile import stated, without_statements
from memapp.language.sentence import is_sensitive, tells_secret
from memapp.language.word_file import words_of


def unknown_in(text: str, profile: Mapping[str, Collection[str]]) -> list[Hint]:
    """Return the statements of a sentence that need approval and are not in the profile.

    The result is the values it states, or else the whole sentence if it has a sensitive word. A
    profile may also hold whole sentences that the person approved. A secret is a hint without a
    value: never asked about nor remembered.
    """
    if tells_secret(text):
        return [Hint("contact", "")]
    if any(has_value(field, values, text) for field, values in profile.items()):
        return []
    if lacking := [
        hint
        for hint in values_in(text)
        if not has_value(hint.field, profile.get(hint.field, ()), hint.value)
    ]:
        return lacking
    words = words_of(text)
    return [Hint(FACT, text)] if is_sensitive(without_statements(text, words), words) else []


def unknown_in_message(text: str, profile: Mapping[str, Collection[str]]) -> list[Hint]:
    """Return the same for the person's own sentences in a message."""
    return [
        hint
        for sentence in sentences(own_words(text, words_of(text)))
        for hint in unknown_in(sentence, profile)
    ]


def values_in(text: str) -> list[Hint]:
    """Return the values in a sentence that need approval."""
    return [hint for hint in stated(text, words_of(text)) if is_sensitive_field(hint.field)]


def may_apply_by_itself(field: str, value: str) -> bool:
    """Return True for a value that needs no approval: a benign field without sensitive words."""
    return not (
        is_sensitive_field(field) or tells_secret(value) or is_sensitive(value, words_of(value))
    )
