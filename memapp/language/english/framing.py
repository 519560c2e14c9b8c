"""The frame around a statement that is no part of it: who told it, that it turned out, `to be honest`, the other half of `we`.

And what somebody says in place of what they take back: `my name isn't Bob, it's Rob` says that it is Rob. What is left is a
plain first-person statement, with every word that stays in its place. A frame is taken off only where the
statement begins with it, and only one that leaves the statement as sure as it was: `my doctor says`, never `my friend thinks`.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial

from memapp.language.english.authorship import KEPT
from memapp.language.lexicon import lexicon

_EN = lexicon("framing")
PLAYED = 8
"""So many messages a play goes on for, where nobody ends it."""


@lru_cache(maxsize=KEPT)
def unwrap(text: str) -> str:
    """Return the text, as long as before, without what it takes back and without what stands around its statements."""
    text = text.replace("’", "'")
    for rewrite in _EN.entry("rewrites"):
        text = _EN.regex(f"(?m){rewrite['pattern']}").sub(partial(_rewritten, put=rewrite["put"]), text)
    return text


def _rewritten(found: re.Match[str], put: Mapping[str, str]) -> str:
    """Return what was found with other words in place of groups of it, so that every word that stays keeps its place."""
    told = found[0]
    for group, words in put.items():
        start, end = (place - found.start() for place in found.span(group))
        if found[group]:
            told = told[:start] + words.ljust(end - start, "\n" if words == "\n" else " ") + told[end:]
    return told


def told_by_healers(text: str) -> list[str]:
    """Return what doctors or tests are said to have told the person about themselves: of health, whatever its words are."""
    return [found["told"] for found in _EN.regex("(?m){told}").finditer(text.replace("’", "'"))]


def plays_a_part(said: Sequence[str]) -> bool:
    """Say whether one of the last messages asks for a play, in which `I` may be somebody else, and none of them ends it."""
    for text in reversed(said[-PLAYED:]):
        if _EN.regex("{part_ended}").search(text):
            return False
        if _EN.regex("{part_asked}").search(text):
            return True
    return False


def takes_back(text: str) -> bool:
    """Say whether a message says of the one before it that it was a joke or a lie, and no more."""
    return _EN.regex(r"\s*{joke}[\s.!)]*").fullmatch(text.replace("’", "'")) is not None
