"""Checks that a model's reply about the person is supported by quotations, message and chat.

A reply that nothing is known is supported where the quotations lack something that was asked for;
any other where they have all of that, and its names and numbers are in the prompt.
"""

import re
from collections.abc import Sequence

from memapp.domain.ranking import words_of as plain_words
from memapp.language.grammar import sentences
from memapp.language.questions import bare_words, content, stem
from memapp.language.word_file import WordFile

FOREIGN = 0.1
"""A text with a smaller share of a language's common words is in another language."""
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


def is_held(
    reply: str, question: str, quotations: Sequence[str], said: Sequence[str], words: WordFile
) -> bool:
    """Return True for a reply supported by the quotations; `said` is the rest of the prompt."""
    if is_foreign(reply, words) and not is_foreign(question, words):
        return False
    is_unknown = words.finds("questions", "unknown", reply) is not None
    if not has_things(question, quotations, words):
        return is_unknown
    return not is_unknown and not unsaid(reply, [question, *quotations, *said], words)


def has_things(question: str, quotations: Sequence[str], words: WordFile) -> bool:
    """Return True if the quotations have all content words of a question, or are foreign."""
    if any(is_foreign(quotation, words) for quotation in quotations):
        return True
    held = {
        stem(_digits(word, words), words)
        for quotation in quotations
        for word in bare_words(quotation, words)
    }
    return held.issuperset(_digits(word, words) for word in content(question, words))


def unsaid(reply: str, said: Sequence[str], words: WordFile) -> list[str]:
    """Return the names and numbers of a reply that no given text has."""
    plain = [word for text in said for word in bare_words(text, words)]
    stems, digits = {stem(word, words) for word in plain}, {_digits(word, words) for word in plain}
    names = [
        name
        for name in names_in(reply)
        if not {stem(part, words) for part in bare_words(name, words)} <= stems
    ]
    return names + [number for number in numbers_in(reply, words) if number not in digits]


def is_foreign(text: str, words: WordFile) -> bool:
    """Return True for a text of some length in another language than the word file's."""
    plain = plain_words(text.replace("'", "").replace("’", ""))
    return len(plain) > 2 and sum(word in words.common for word in plain) < FOREIGN * len(plain)


def names_in(text: str) -> list[str]:
    """Return the capitalised words that begin no sentence."""
    later_words = [word for sentence in sentences(text) for word in _WORD.findall(sentence)[1:]]
    return [
        re.sub(r"['’]s$", "", word)
        for word in later_words
        if word[0].isupper() and len(re.sub(r"['’].*", "", word)) > 1
    ]


def numbers_in(text: str, words: WordFile) -> list[str]:
    """Return the numbers of a text in digits, as far as digits or unambiguous words give them."""
    digits = [_digits(word, words) for word in plain_words(text)]
    return [digit for digit in digits if digit[:1].isdigit()]


def _digits(word: str, words: WordFile) -> str:
    """Return a number word in digits, digits without leading zeros and endings, or the word."""
    numbers = words.sections["questions"]["numbers"].split()
    if word in numbers:
        return str(numbers.index(word) + 2)
    digits = re.match(r"\d+", word)
    return str(int(digits[0])) if digits else word
