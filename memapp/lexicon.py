"""The English word lists and patterns that the rules read with, kept as data in `assets/language/en`.

A list there is one string of words, a pattern an array of alternatives of a regular expression, a table pairs of words.
"""

import tomllib
from functools import cache
from typing import Any

from memapp.paths import bundled


class Lexicon:
    """One file of words."""

    def __init__(self, name: str) -> None:
        self._entries: dict[str, Any] = tomllib.loads(bundled("assets", "language", "en", f"{name}.toml").read_text("utf-8"))

    def words(self, name: str) -> frozenset[str]:
        """Return a list of words as a set."""
        return frozenset(self._entries[name].split())

    def pattern(self, name: str) -> str:
        """Return alternatives as one regular expression, without a group around it."""
        return "|".join(self._entries[name])

    def table(self, name: str) -> dict[str, str]:
        """Return pairs of words."""
        return dict(self._entries[name])


@cache
def lexicon(name: str) -> Lexicon:
    """Read a file of words, once."""
    return Lexicon(name)
