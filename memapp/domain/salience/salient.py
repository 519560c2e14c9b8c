"""The part of a statement that is worth remembering, and the phrases by which a rule knows it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from memapp.lexicon import lexicon

_RULES = lexicon("salience")


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


def tells(pattern: str, words: Sequence[str]) -> bool:
    """Say whether words tell somewhere what a pattern stands for: a time, or how often."""
    return _RULES.regex(rf"\b{{{pattern}}}\b").search(" ".join(words)) is not None


def category_of(rule: str, words: Sequence[str]) -> str:
    """Return the category that a rule of `salience.toml` keeps words in; nothing for what it drops or does not know."""
    text = "".join(f" {word}" for word in words)
    found = next((category for category, phrases in _phrases(rule) if phrases.match(text)), "drop")
    return "" if found == "drop" else found


@cache
def _phrases(rule: str) -> list[tuple[str, re.Pattern[str]]]:
    """Return the phrases of a rule by their category; what is dropped is looked for first."""
    return [
        (category, _RULES.regex("|".join("".join(map(_step, phrase.split())) for phrase in phrases)))
        for category, phrases in _RULES.entry(rule).items()
    ]


def _step(part: str) -> str:
    """Return one part of a phrase as a regular expression, each word of which has a space before it."""
    if part.startswith("@"):
        return rf"(?=.*\b{{{part[1:]}}}\b)"
    if part.startswith(".."):
        return r"(?: \S++)*" if part == "..." else rf"(?: \S++){{0,{part[2:]}}}"
    if part in (".", "^"):
        return "$" if part == "." else r" (?-i:[A-ZÀ-ÖØ-Þ])\S*"
    words = "|".join(one.replace("*", r"\S+") for one in part.strip("!?").split("|"))
    if not part.startswith("!"):
        return rf" (?:{words})(?!\S)"
    return rf"(?! (?:{words})(?!\S))(?: \S++)" + "?" * part.endswith("?")
