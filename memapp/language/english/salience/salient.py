"""The part of a statement that is worth remembering, and the phrases by which a rule knows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from memapp.language.english.grammar import EN
from memapp.language.lexicon import lexicon

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


def split_denial(words: Words) -> tuple[Words, Words]:
    """Take `not` off the front."""
    return (["not"], words[1:]) if words[:1] == ["not"] else ([], words)


def tells(pattern: str, words: Sequence[str]) -> bool:
    """Say whether words tell somewhere what a pattern stands for: a time, or how often."""
    return EN.regex(rf"\b{{{pattern}}}\b").search(" ".join(words)) is not None


def category_of(rule: str, words: Words) -> str:
    """Return the category that a rule of `salience.toml` keeps words in; nothing for what it drops or does not know."""
    fitting = (category for category, phrases in _phrases(rule) if any(_fits(phrase, words) for phrase in phrases))
    return next(fitting, "").removesuffix("drop")


@cache
def _phrases(rule: str) -> list[tuple[str, list[Words]]]:
    """Return the parts of each phrase of a rule, by the categories; what is dropped is looked for first."""
    return [(category, [phrase.split() for phrase in phrases]) for category, phrases in _RULES.entry(rule).items()]


def _fits(parts: Words, words: Words) -> bool:
    """Say whether words begin as the parts of a phrase say."""
    if not parts:
        return True
    part, others = parts[0], parts[1:]
    if part == ".":
        return not words
    if part.startswith("@"):
        return tells(part[1:], words) and _fits(others, words)
    if part.startswith(".."):
        reach = len(words) if part == "..." else min(int(part[2:]), len(words))
        return any(_fits(others, words[passed:]) for passed in range(reach + 1))
    is_there = _is_meant(words[0], part) if words else part.endswith("?")
    return is_there and _fits(others, words[1:])


def _is_meant(word: str, part: str) -> bool:
    if part.startswith("!"):
        return not _is_meant(word, part.strip("!?"))
    meant, ends = _alternatives(part)
    is_of_kind = ("^" in part and word[:1].isupper()) or ("#" in part and word.isdigit())
    return is_of_kind or word.casefold() in meant or word.casefold().endswith(ends)


@cache
def _alternatives(part: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the words that a part of a phrase stands for, and the ends of others; any word has the empty end of `*`."""
    words = part.split("|")
    named = [_RULES.words(word[1:-1]) for word in words if word.startswith("{")]
    return frozenset(words).union(*named) - {"^", "#"}, tuple(word[1:] for word in words if word.startswith("*"))
