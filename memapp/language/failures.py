"""The English of error messages, with which `domain.lessons` reads failures.

It stands in plain lines, and no lexicon: a hint waits for it, and to read TOML takes longer than
all that is read.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from memapp.paths import bundled

_ARROW = "=> "


@cache
def staying_words() -> frozenset[str]:
    """Return the words of error messages that are taken for no argument of a command."""
    return frozenset(dict(lines("failures"))["stays"].split())


@cache
def tag_patterns() -> Mapping[str, re.Pattern[str]]:
    """Return what finds each tag in an error text of small letters."""
    return {name: re.compile(pattern) for name, pattern in lines("failures") if name != "stays"}


def lines(name: str) -> Iterator[tuple[str, str]]:
    """Yield what stands before and behind the arrow of each line."""
    for line in bundled("assets", "language", "en", f"{name}.txt").read_text("utf-8").splitlines():
        before, arrow, behind = line.partition(_ARROW)
        if arrow and not line.startswith("#"):
            yield before.strip(), behind
