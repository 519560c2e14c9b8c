"""The English of error messages, and the forms of secrets: what `domain.lessons` reads failures with.

They stand in plain lines, and no lexicon: a hint waits for them, and to read TOML takes longer than all that is read.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from memapp.domain.lessons.secrets import SecretForm
from memapp.paths import bundled

_ARROW = "=> "


@cache
def staying_words() -> frozenset[str]:
    """Return the words of error messages that are taken for no argument of a command."""
    return frozenset(dict(_lines("failures"))["stays"].split())


@cache
def tag_patterns() -> Mapping[str, re.Pattern[str]]:
    """Return what finds each tag in an error text of small letters."""
    return {name: re.compile(pattern) for name, pattern in _lines("failures") if name != "stays"}


@cache
def secret_forms() -> tuple[SecretForm, ...]:
    """Return the forms of secrets, in the order in which they are taken out."""
    return tuple(SecretForm(tuple(signs.split()), pattern) for signs, pattern in _lines("secrets"))


def _lines(name: str) -> Iterator[tuple[str, str]]:
    """Yield what stands before and behind the arrow of each line."""
    for line in bundled("assets", "language", "en", f"{name}.txt").read_text("utf-8").splitlines():
        before, arrow, behind = line.partition(_ARROW)
        if arrow and not line.startswith("#"):
            yield before.strip(), behind
