"""Messages with a part under a pending or denied consent request, reduced to the other sentences.

A sentence with a word of a withheld value is cut, and so is what leans on it, what states another
value of its field, and what has a sensitive word. If a value cannot be found in the message, the
whole message is withheld.
"""

import re
from collections.abc import Iterator, Sequence

from memapp.domain.consent import BESIDE_PROFILE, FACT
from memapp.domain.profile import Hint, normal_value
from memapp.domain.text_cache import text_cache
from memapp.language.grammar import sentences
from memapp.language.own_words import QUOTED, own_words
from memapp.language.profile import stated
from memapp.language.questions import stem
from memapp.language.sentence import STEM, is_sensitive, leans
from memapp.language.word_file import WordFile, words_of

FEW_WORDS = 4
"""With more telling words, as in a sentence, two thirds reveal a value, or one that is sensitive.
"""
CALLED = "preferred_name"
"""The field whose value a reply only uses to greet: the other sentences reveal nothing."""
PERSON = frozenset({"user"})
"""Words for the person in third-person memories, which no message has."""
KEPT = 2048
"""The cached texts: each hit of a search is compared with each pending value."""
MOST_CHARS = 2000
"""A longer message is withheld whole: each sentence would have to be read."""


def told_beside(text: str, withheld: Sequence[Hint]) -> str:
    """Return the sentences of a message that reveal nothing withheld, one a line."""
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
    """Return a model's reply if it has no word of a withheld value, or but the person's name."""
    revealed = [hint for hint in withheld if has_word_of(text, [hint])]
    if any(hint.field != CALLED for hint in revealed):
        return ""
    return (
        "\n".join(sentence for sentence in sentences(text) if not has_word_of(sentence, revealed))
        if revealed
        else text
    )


def has_word_of(text: str, withheld: Sequence[Hint]) -> bool:
    """Return True for a text with a telling word of a value."""
    return any(_is_inside(text, hint) or _said(text, _telling(hint)) for hint in withheld)


def says_any(text: str, withheld: Sequence[Hint]) -> bool:
    """Return True for a text that reveals a value, or has a word that alone reveals one."""
    return any(says_again(text, hint) or _said(text, _telling_alone(hint)) for hint in withheld)


def says_again(text: str, hint: Hint) -> bool:
    """Return True for a text with all telling words of a value, or of many two thirds."""
    many, said = len(_telling(hint)), _said(text, _telling(hint))
    return _is_inside(text, hint) or 0 < many == said or (many > FEW_WORDS and 3 * said >= 2 * many)


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


def _is_inside(text: str, hint: Hint) -> bool:
    """Return True for a text that contains a value of a script without spaces."""
    value = normal_value(hint.field, hint.value)
    return not value.isascii() and value in normal_value(hint.field, text)


def _said(text: str, words: Sequence[frozenset[str]]) -> int:
    """Return how many words, each given as its forms, a text has."""
    stems = _stems(text)
    return sum(not forms.isdisjoint(stems) for forms in words)


@text_cache(KEPT)
def _telling(hint: Hint) -> Sequence[frozenset[str]]:
    """Return the forms of each telling word of a value; of all words if none tells."""
    words, plain = words_of(hint.value), _words(hint.value)
    telling = [word for word in plain if word not in words.common and word not in PERSON]
    return [_forms(word, words) for word in telling or plain]


@text_cache(KEPT)
def _telling_alone(hint: Hint) -> Sequence[frozenset[str]]:
    """Return the forms of words that alone reveal a value: if few all, else sensitive ones."""
    if len(_telling(hint)) <= FEW_WORDS:
        return _telling(hint)
    words = words_of(hint.value)
    return [_forms(word, words) for word in _words(hint.value) if is_sensitive(word, words)]


@text_cache(KEPT)
def _stems(text: str) -> frozenset[str]:
    words = words_of(text)
    return frozenset(form for word in _words(text) for form in _forms(word, words))


def _words(text: str) -> list[str]:
    """Return the words of a text, each once, in lower case, without a possessive `s`."""
    return [
        word
        for word in dict.fromkeys(re.findall(r"[^\W_]+", normal_value("", text)))
        if word != "s"
    ]


def _forms(word: str, words: WordFile) -> frozenset[str]:
    """Return the beginnings by which two forms of a word are equal."""
    return frozenset({word[:STEM], stem(word, words)[:STEM]})
