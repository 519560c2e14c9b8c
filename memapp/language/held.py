"""Whether a model's reply to a question about the person is held by what they said: quotations, the
message and the chat.

A reply that says that nothing is known is held where the quotations lack something that was asked
for; any other where they have all of that, and its names and numbers stand in what the model was
given.
"""

import re
from collections.abc import Sequence

from memapp.domain.ranking import words_of as plain_words
from memapp.language.asked import bare_words, content, stem
from memapp.language.grammar import sentences
from memapp.language.word_file import WordFile

FOREIGN = 0.1
"""A text with a smaller share of the common words of a language is in another one."""
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


def is_held(
    reply: str, question: str, quotations: Sequence[str], said: Sequence[str], words: WordFile
) -> bool:
    """Return True for a reply that says nothing of the person beyond the quotations; `said` is the
    rest of its prompt.
    """
    if is_foreign(reply, words) and not is_foreign(question, words):
        return False
    is_unknown = words.finds("questions", "unknown", reply) is not None
    if not has_things(question, quotations, words):
        return is_unknown
    return not is_unknown and not unsaid(reply, [question, *quotations, *said], words)


def has_things(question: str, quotations: Sequence[str], words: WordFile) -> bool:
    """Return True where all that a question is about stands in the quotations; in another language
    no stem tells.
    """
    if any(is_foreign(quotation, words) for quotation in quotations):
        return True
    held = {
        stem(_digits(word, words), words)
        for quotation in quotations
        for word in bare_words(quotation, words)
    }
    return held.issuperset(_digits(word, words) for word in content(question, words))


def unsaid(reply: str, said: Sequence[str], words: WordFile) -> list[str]:
    """Return the names and numbers of a reply that stand nowhere in what was said."""
    plain = [word for text in said for word in bare_words(text, words)]
    stems, known = {stem(word, words) for word in plain}, {_digits(word, words) for word in plain}
    names = [
        name
        for name in names_in(reply)
        if not {stem(part, words) for part in bare_words(name, words)} <= stems
    ]
    return names + [number for number in numbers_in(reply, words) if number not in known]


def is_foreign(text: str, words: WordFile) -> bool:
    """Return True for a text of some length that is hardly in the language of a word file."""
    plain = plain_words(text.replace("'", "").replace("’", ""))
    return len(plain) > 2 and sum(word in words.common for word in plain) < FOREIGN * len(plain)


def names_in(text: str) -> list[str]:
    """Return the words with a capital that begin no sentence."""
    behind = [word for sentence in sentences(text) for word in _WORD.findall(sentence)[1:]]
    return [
        re.sub(r"['’]s$", "", word)
        for word in behind
        if word[0].isupper() and len(re.sub(r"['’].*", "", word)) > 1
    ]


def numbers_in(text: str, words: WordFile) -> list[str]:
    """Return the numbers of a text in digits, as far as they are written so or as words that stand
    for nothing else.
    """
    digits = [_digits(word, words) for word in plain_words(text)]
    return [digit for digit in digits if digit[:1].isdigit()]


def _digits(word: str, words: WordFile) -> str:
    """Return a number without leading zeros and endings (`3rd`), a word that is one in digits, and
    any other word as it is.
    """
    numbers = words.sections["questions"]["numbers"].split()
    if word in numbers:
        return str(numbers.index(word) + 2)
    found = re.match(r"\d+", word)
    return str(int(found[0])) if found else word
