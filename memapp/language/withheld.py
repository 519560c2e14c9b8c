"""What of a message may be told where something in it waits for the person's yes or was denied: the
sentences beside it.

A sentence with a word of a value is cut out, and so is what leans on it, what states another value
of its field, and what has a sensitive word. Where a value cannot be found in the message, nothing
of it is told.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from memapp.domain.consent import BESIDE_PROFILE, FACT
from memapp.domain.profile import Hint, normal_value
from memapp.language.asked import stem
from memapp.language.grammar import sentences
from memapp.language.own_words import QUOTED, own_words
from memapp.language.profile import stated
from memapp.language.sentence import STEM, is_sensitive, leans
from memapp.language.word_file import WordFile, words_of

FEW_WORDS = 4
"""Of more telling words, as a sentence has, two thirds give it away, or one that is sensitive by
itself.
"""
CALLED = "preferred_name"
"""A reply says this value only to greet the person, so that its other sentences tell nothing of it.
"""
PERSON = frozenset({"user"})
"""Stands for the person in what was learned in the third person; no message says it."""
KEPT = 2048
"""The words of so many texts are kept: each hit of a search is held against each value that waits.
"""
MOST_CHARS = 2000
"""A longer message is hidden whole: each sentence is read for what it says."""


def told_beside(text: str, withheld: Sequence[Hint]) -> str:
    """Return the sentences of a person's message that may be told, a line each; empty if there are
    none.
    """
    words = words_of(text)
    is_hidden = any(hint.field in BESIDE_PROFILE and hint.field != FACT for hint in withheld)
    if len(text) > MOST_CHARS or is_hidden or words.finds("requests", "keep_out", text):
        return ""
    own = own_words(text, words)
    return (
        "\n".join(_kept(sentences(own), withheld, words))
        if all(says_again(own, hint) for hint in withheld)
        else ""
    )


def told_of_reply(text: str, withheld: Sequence[Hint]) -> str:
    """Return what may be told of a model's reply: nothing if it has a word of a value, but beside a
    name the rest.
    """
    said = [hint for hint in withheld if has_word_of(text, [hint])]
    if any(hint.field != CALLED for hint in said):
        return ""
    return (
        "\n".join(sentence for sentence in sentences(text) if not has_word_of(sentence, said))
        if said
        else text
    )


def has_word_of(text: str, withheld: Sequence[Hint]) -> bool:
    """Return True for a text that has a telling word of a value."""
    return any(_is_inside(text, hint) or _said(text, _telling(hint)) for hint in withheld)


def says_any(text: str, withheld: Sequence[Hint]) -> bool:
    """Return True for a text that hints at a value: it says it again, or has a word that alone
    gives it away.
    """
    return any(says_again(text, hint) or _said(text, _telling_alone(hint)) for hint in withheld)


def says_again(text: str, one: Hint) -> bool:
    """Return True for a text that gives a value away: it has all of its telling words, or of many
    two thirds, in any order.
    """
    many, said = len(_telling(one)), _said(text, _telling(one))
    return _is_inside(text, one) or 0 < many == said or (many > FEW_WORDS and 3 * said >= 2 * many)


def _kept(said: Sequence[str], withheld: Sequence[Hint], words: WordFile) -> Iterator[str]:
    fields = {hint.field for hint in withheld}
    is_cut = False
    for sentence in said:
        if is_cut and leans(sentence, words, is_first=False):
            continue
        is_cut = (
            QUOTED in sentence
            or has_word_of(sentence, withheld)
            or is_sensitive(sentence, words)
            or any(hint.field in fields for hint in stated(sentence, words))
        )
        if not is_cut:
            yield sentence


def _is_inside(text: str, one: Hint) -> bool:
    """Return True for a value of a script that may be written without spaces, where it stands in a
    text as it is.
    """
    value = normal_value(one.field, one.value)
    return not value.isascii() and value in normal_value(one.field, text)


def _said(text: str, words: Sequence[frozenset[str]]) -> int:
    """Return how many words, each given as its forms, a text has."""
    stems = _stems(text)
    return sum(not forms.isdisjoint(stems) for forms in words)


@lru_cache(maxsize=KEPT)
def _telling(one: Hint) -> Sequence[frozenset[str]]:
    """Return the words by which a text gives a value away, each as its forms; all, if none says
    anything by itself.
    """
    words, plain = words_of(one.value), _words(one.value)
    telling = [word for word in plain if word not in words.common and word not in PERSON]
    return [_forms(word, words) for word in telling or plain]


@lru_cache(maxsize=KEPT)
def _telling_alone(one: Hint) -> Sequence[frozenset[str]]:
    """Return those of them that each give it away: of a few all, of many those that are sensitive."""
    if len(_telling(one)) <= FEW_WORDS:
        return _telling(one)
    words = words_of(one.value)
    return [_forms(word, words) for word in _words(one.value) if is_sensitive(word, words)]


@lru_cache(maxsize=KEPT)
def _stems(text: str) -> frozenset[str]:
    words = words_of(text)
    return frozenset(form for word in _words(text) for form in _forms(word, words))


def _words(text: str) -> list[str]:
    """Return the words of a text, each once, in small letters and without the `s` behind an
    apostrophe.
    """
    return [
        word
        for word in dict.fromkeys(re.findall(r"[^\W_]+", normal_value("", text)))
        if word != "s"
    ]


def _forms(word: str, words: WordFile) -> frozenset[str]:
    """Return the beginnings by which two forms of a word are the same."""
    return frozenset({word[:STEM], stem(word, words)[:STEM]})
