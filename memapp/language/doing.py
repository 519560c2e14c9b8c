"""Messages about doing something at a computer: that ask how it is done, or tell that it failed."""

from collections.abc import Iterable
from functools import cache, lru_cache

from memapp.domain.ranking import words_of
from memapp.language.grammar import EN as GRAMMAR
from memapp.language.grammar import QUOTES, root
from memapp.language.lexicon import lexicon

EN = lexicon("doing")
MOST_CHARS = 2000
"""A longer message is about more than one thing that is done."""


def is_about_doing(text: str) -> bool:
    """Say whether a message asks how something is done, or tells that it failed."""
    return any(
        EN.regex(form).search(_said(text))
        for form in ("{asks_how}", "{tells_failure}", "{goes_back}")
    )


def goes_back(text: str) -> bool:
    """Say whether a message is about what failed just before: "what went wrong there?"."""
    return EN.regex("{goes_back}").search(_said(text)) is not None


def said_of_doing(text: str) -> frozenset[str]:
    """Return the words of a message that say what is done."""
    return frozenset(
        word
        for word in words_of(_said(text))
        if not word.isdigit() and word not in GRAMMAR.stop_words | EN.empty
    )


def named_programs(said: Iterable[str]) -> frozenset[str]:
    """Return those of a message's words that may name a program; one that is an everyday word too
    names none.
    """
    return frozenset(said) - EN.plain


def meanings(words: Iterable[str]) -> frozenset[str]:
    """Return what words mean, as what their forms have in common: `mkdir` and `new folders` ->
    {creat, directori}.
    """
    return frozenset(part for word in words for part in _meant(word))


def _said(text: str) -> str:
    return text[:MOST_CHARS].translate(QUOTES).lower()


@lru_cache(maxsize=8192)
def _meant(word: str) -> tuple[str, ...]:
    roots = map(root, EN.table("stands_for").get(word, word).split())
    return tuple(_same().get(root, root) for root in roots)


@cache
def _same() -> dict[str, str]:
    return {root(form): root(first) for form, first in EN.forms("same").items()}
