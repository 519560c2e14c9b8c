"""Sentences in which a model speaks as the person, or quotes words the person never wrote.

`I have a bad knee, so ...` recites a note or the message.
"""

import re
from collections.abc import Sequence

from memapp.language.grammar import expand, sentences
from memapp.language.word_file import WordFile

RUNS = range(3, 6)
"""Lengths of a run of words that identifies a note, with one in the first person and one content
word.
"""
OPENING = 4
"""The length of a reply's beginning that recites the message."""
_QUOTATION = re.compile(r"\bYou told me\b[^“\"\n]{0,60}[“\"]([^”\"\n]*)[”\"]?")
_QUOTED = re.compile(r"[\"“„«].*?[\"”“»]", re.DOTALL)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def recited(reply: str, notes: Sequence[str], message: str, words: WordFile) -> list[str]:
    """Return the sentences of a reply that contain a run of a note in the first person.

    Quotations and questions do not count. The first sentence also counts if it begins with a run of
    the message, unless the message asks for a text to be written.
    """
    message_runs = _runs(message, words)
    own = set().union(*(_runs(note, words) for note in notes)) - message_runs
    reply_sentences = sentences(_QUOTED.sub('""', reply))
    echoed = set() if words.finds("others", "shown", message) else message_runs
    return [
        sentence
        for at, sentence in enumerate(reply_sentences)
        if own & _runs(sentence, words) or (at == 0 and tuple(_plain(sentence)[:OPENING]) in echoed)
    ]


def misquoted(reply: str, notes: Sequence[str]) -> list[str]:
    """Return the parts of a reply that look like memapp's quotations, but quote no note."""
    quotable = [" ".join(_plain(note)) for note in notes]
    return [
        match[0]
        for match in _QUOTATION.finditer(reply)
        if not any(" ".join(_plain(match[1])) in note for note in quotable)
    ]


def without(reply: str, said: Sequence[str]) -> str:
    """Return a reply without some of its sentences."""
    for sentence in said:
        reply = reply.replace(sentence, "", 1)
    return reply.strip()


def _runs(text: str, words: WordFile) -> set[tuple[str, ...]]:
    """Return the runs of words of a text with a word in the first person and an uncommon one."""
    plain = _plain(text)
    own = {word for word in set(plain) if words.is_all("others", "first_person", word)}
    runs = (
        tuple(plain[at : at + length]) for length in RUNS for at in range(len(plain) - length + 1)
    )
    return {run for run in runs if not own.isdisjoint(run) and not words.common.issuperset(run)}


def _plain(text: str) -> list[str]:
    return [re.sub(r"['’]", "", word) for word in _WORD.findall(expand(text).casefold())]
