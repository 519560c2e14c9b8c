"""What a rule keeps of a statement, and how the rules look at its words."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Salient:
    """The part of a statement that is kept."""

    words: list[str]
    category: str


Words = list[str]


def lower(words: Sequence[str]) -> Words:
    """Return the words in lower case."""
    return [word.casefold() for word in words]


def word_at(words: Sequence[str], place: int) -> str:
    """Return a word in lower case, or nothing when there are not so many."""
    return words[place].casefold() if place < len(words) else ""


def split_denial(words: Words) -> tuple[Words, Words]:
    """Take `not` off the front."""
    return (["not"], words[1:]) if words[:1] == ["not"] else ([], words)
