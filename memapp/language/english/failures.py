"""The English of error messages, and the forms of secrets: what `domain.lessons` reads failures with."""

import re
from collections.abc import Mapping
from functools import cache

from memapp.language.lexicon import lexicon


@cache
def staying_words() -> frozenset[str]:
    """Return the words of error messages that are taken for no argument of a command."""
    return lexicon("failures").words("stays")


@cache
def tag_patterns() -> Mapping[str, re.Pattern[str]]:
    """Return what finds each tag in an error text of small letters."""
    return {name: re.compile("|".join(patterns)) for name, patterns in lexicon("failures").table("tags").items()}


@cache
def secret_patterns() -> tuple[re.Pattern[str], ...]:
    """Return what finds secrets, in the order in which they are taken out."""
    return tuple(map(re.compile, lexicon("secrets").entry("patterns")))
