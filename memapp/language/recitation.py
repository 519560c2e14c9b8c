"""Sentences in which a model speaks as the person, or quotes words the person never wrote.

`I have a bad knee, so ...` recites a note or the message.
"""

import re
from collections.abc import Iterator, Sequence

from memapp.language.grammar import expand, sentences
from memapp.language.word_file import WordFile

RUNS = range(3, 6)
"""Lengths of a run of words that identifies a note, with one in the first person and one content
word.
"""
OF_MESSAGE = 4
"""The length of a run of the message that a reply recites; a clause of fewer words is one whole."""
_QUOTATION = re.compile(r"\bYou told me\b[^“\"\n]{0,60}[“\"]([^”\"\n]*)[”\"]?")
_QUOTED = re.compile(r"[\"“„«].*?[\"”“»]", re.DOTALL)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CLAUSE = re.compile(r"[^,;:–—]+")


def recited(
    reply: str, notes: Sequence[str], message: str, words: WordFile, before: str = ""
) -> list[str]:
    """Return the sentences of a reply that contain a run of a note in the first person.

    Quotations do not count. A longer run of the message also counts, and a clause that begins with
    one, unless the message, or the person's message before it, asks for a text to be written.
    """
    message_runs = _runs(message, words)
    own = set().union(*(_runs(note, words) for note in notes)) - message_runs
    echoed = set() if _asks_for_text([before, message], words) else message_runs
    own |= {run for run in echoed if len(run) >= OF_MESSAGE}
    return [
        sentence
        for sentence, unquoted in _with_unquoted(reply)
        if own & _runs(unquoted, words)
        or any(tuple(_plain(clause)[:OF_MESSAGE]) in echoed for clause in _CLAUSE.findall(unquoted))
    ]


def _with_unquoted(reply: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences of a reply, each with a copy whose quotations are blank."""
    blank, start = _QUOTED.sub(lambda quotation: "·" * len(quotation[0]), reply), 0
    for unquoted in sentences(blank):
        start = max(blank.find(unquoted, start), start)
        yield reply[start : start + len(unquoted)], unquoted


def _asks_for_text(messages: Sequence[str], words: WordFile) -> bool:
    return any(
        words.finds("others", name, message) for message in messages for name in ("shown", "drafts")
    )


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
        before, _, after = reply.partition(sentence)
        reply = before + after.lstrip(" ")
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
