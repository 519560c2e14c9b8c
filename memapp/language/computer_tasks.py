"""Messages about doing something at a computer: asking how, or reporting a failure."""

from collections.abc import Iterable
from functools import cache

from memapp.domain.ranking import words_of
from memapp.domain.text_cache import text_cache
from memapp.language.grammar import EN as GRAMMAR
from memapp.language.grammar import QUOTES, root
from memapp.language.lexicon import lexicon

EN = lexicon("doing")
MOST_CHARS = 2000
"""A longer message is about more than one action."""


def is_about_doing(text: str) -> bool:
    """Return True for a message that asks how to do something, or reports a failure."""
    return any(
        EN.regex(form).search(_said(text))
        for form in ("{asks_how}", "{tells_failure}", "{goes_back}")
    )


def goes_back(text: str) -> bool:
    """Return True for a message about a failure just before: "what went wrong there?"."""
    return EN.regex("{goes_back}").search(_said(text)) is not None


def said_of_doing(text: str) -> frozenset[str]:
    """Return the words of a message that describe the action."""
    return frozenset(
        word
        for word in words_of(_said(text))
        if not word.isdigit() and word not in GRAMMAR.stop_words | EN.empty
    )


def named_programs(said: Iterable[str]) -> frozenset[str]:
    """Return the words that may name a program, without everyday words."""
    return frozenset(said) - EN.plain


def meanings(words: Iterable[str]) -> frozenset[str]:
    """Return the meanings of words by roots: `mkdir`, `new folders` -> {creat, directori}."""
    return frozenset(part for word in words for part in _meant(word))


def _said(text: str) -> str:
    return text[:MOST_CHARS].translate(QUOTES).lower()


@text_cache(8192)
def _meant(word: str) -> tuple[str, ...]:
    roots = map(root, EN.table("stands_for").get(word, word).split())
    return tuple(_same().get(root, root) for root in roots)


@cache
def _same() -> dict[str, str]:
    return {root(form): root(first) for form, first in EN.forms("same").items()}
