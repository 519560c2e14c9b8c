"""The English of error messages, by which `domain.lessons` reads failures.

Plain lines, not a lexicon: a hint waits for them, and parsing TOML takes longer than everything
else.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from memapp.paths import bundled

_ARROW = "=> "


@cache
def staying_words() -> frozenset[str]:
    """Return the words of error messages that are never taken for arguments."""
    return frozenset(dict(lines("failures"))["stays"].split())


@cache
def tag_patterns() -> Mapping[str, re.Pattern[str]]:
    """Return the pattern of each tag, for error texts in lower case."""
    return {name: re.compile(pattern) for name, pattern in lines("failures") if name != "stays"}


def lines(name: str) -> Iterator[tuple[str, str]]:
    """Yield the text before and behind the arrow of each line."""
    for line in bundled("assets", "language", "en", f"{name}.txt").read_text("utf-8").splitlines():
        before, arrow, behind = line.partition(_ARROW)
        if arrow and not line.startswith("#"):
            yield before.strip(), behind
