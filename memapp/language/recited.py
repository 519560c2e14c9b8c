"""Sentences in which a model speaks as the person, in the words of a note or of the message: `I
have a bad knee, so ...`.

And those that take the form in which memapp quotes a person, but quote nothing they said.
"""

import re
from collections.abc import Sequence

from memapp.language.grammar import expand, sentences
from memapp.language.word_file import WordFile

RUNS = range(3, 6)
"""So many words in a row, one of them in the first person and one that says something, are a
note's.
"""
OPENING = 4
"""So many words of the message at the beginning of a reply are the person's."""
_QUOTATION = re.compile(r"\bYou told me\b[^“\"\n]{0,60}[“\"]([^”\"\n]*)[”\"]?")
_QUOTED = re.compile(r"[\"“„«].*?[\"”“»]", re.DOTALL)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def recited(reply: str, notes: Sequence[str], message: str, words: WordFile) -> list[str]:
    """Return the sentences of a reply that hold a run of a note in the first person; what is
    quoted, or asked with, is none.

    The first sentence is one, too, where it begins with a run of the message, unless that asks for
    a text to be written.
    """
    asked = _runs(message, words)
    own = set().union(*(_runs(note, words) for note in notes)) - asked
    said = sentences(_QUOTED.sub('""', reply))
    echoed = set() if words.finds("others", "shown", message) else asked
    return [
        text
        for at, text in enumerate(said)
        if own & _runs(text, words) or (at == 0 and tuple(_plain(text)[:OPENING]) in echoed)
    ]


def misquoted(reply: str, notes: Sequence[str]) -> list[str]:
    """Return what in a reply looks like memapp's own quotations (`You told me on 3 May: "..."`),
    and quotes none of the notes.
    """
    said = [" ".join(_plain(note)) for note in notes]
    return [
        match[0]
        for match in _QUOTATION.finditer(reply)
        if not any(" ".join(_plain(match[1])) in note for note in said)
    ]


def without(reply: str, said: Sequence[str]) -> str:
    """Return a reply without some of its sentences."""
    for sentence in said:
        reply = reply.replace(sentence, "", 1)
    return reply.strip()


def _runs(text: str, words: WordFile) -> set[tuple[str, ...]]:
    """Return the runs of words of a text, each with one in the first person and one that is not
    common.
    """
    plain = _plain(text)
    own = {word for word in set(plain) if words.is_all("others", "first_person", word)}
    runs = (
        tuple(plain[at : at + length]) for length in RUNS for at in range(len(plain) - length + 1)
    )
    return {run for run in runs if not own.isdisjoint(run) and not words.common.issuperset(run)}


def _plain(text: str) -> list[str]:
    return [re.sub(r"['’]", "", word) for word in _WORD.findall(expand(text).casefold())]
