"""What a sentence says that only the person's yes makes known, told by its words where no model may
judge it.
"""

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
    """Return what a sentence says that needs a yes and that the profile does not say.

    These are the values that it states, else all of it where it has a sensitive word. Beside its
    fields a profile may hold whole sentences that the person said yes to. A secret is a hint
    without a value: it is neither asked about nor remembered.
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
    """Return the same of the person's own sentences in a message."""
    return [
        hint
        for word in sentences(own_words(text, words_of(text)))
        for hint in unknown_in(word, profile)
    ]


def values_in(text: str) -> list[Hint]:
    """Return the values that a sentence states and that need a yes."""
    return [hint for hint in stated(text, words_of(text)) if is_sensitive_field(hint.field)]


def may_apply_by_itself(field: str, value: str) -> bool:
    """Return True for a value that may enter the profile without a yes: its field is benign, and it
    has no sensitive word.
    """
    return not (
        is_sensitive_field(field) or tells_secret(value) or is_sensitive(value, words_of(value))
    )
