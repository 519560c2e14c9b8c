"""English word lists and patterns, kept as data in `assets/language/en`.

A list is one string of words, in which `{name}` stands for the words of another list and `-word`
removes a word. Forms are groups of words, separated by semicolons, that map to the first of each. A
pattern is an array of alternatives of a regular expression, in which `{name}` stands for another
entry. A table is pairs of words. Missing entries are looked up in the file that a file continues;
all continue `words.toml`.
"""

import re
import tomllib
from functools import cache, cached_property
from typing import Any

from memapp.paths import bundled

_GROUP_END = re.compile(r"(?<=\w);")


class Lexicon:
    """A file of words, read on first use, with each list of words as an attribute."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._forms: dict[str, dict[str, str]] = {}
        self._patterns: dict[str, str] = {}
        self._compiled: dict[str, re.Pattern[str]] = {}

    def __getattr__(self, name: str) -> frozenset[str]:
        """Return the words of an entry as a set, kept as an attribute."""
        if name.startswith("__"):
            raise AttributeError(name)
        words = self.words(name)
        self.__dict__[name] = words
        return words

    def words(self, name: str) -> frozenset[str]:
        """Return a list of words as a set."""
        entry = self.entry(name)
        if isinstance(entry, dict) or _GROUP_END.search(entry):
            return frozenset(entry if isinstance(entry, dict) else self.forms(name))
        words: frozenset[str] = frozenset()
        for word in entry.split():
            bare = word.removeprefix("-")
            meant = getattr(self, bare[1:-1]) if bare.startswith("{") else frozenset({bare})
            words = words - meant if word.startswith("-") else words | meant
        return words

    def forms(self, name: str) -> dict[str, str]:
        """Return the first word of the group of each form."""
        if name not in self._forms:
            groups = (group.split() for group in _GROUP_END.split(self.entry(name)))
            self._forms[name] = {form: first for first, *forms in groups for form in forms}
        return self._forms[name]

    def table(self, name: str) -> dict[str, str]:
        """Return pairs of words."""
        return dict(self.entry(name))

    def pattern(self, name: str) -> str:
        """Return alternatives as one regular expression, without a group around it."""
        if name not in self._patterns:
            entry = self.entry(name)
            if isinstance(entry, list):
                parts = list(map(self.filled, entry))
            else:  # the longer of two first: `son-in-law`, `son`
                parts = sorted(map(re.escape, self.words(name)), reverse=True)
            self._patterns[name] = "|".join(parts)
        return self._patterns[name]

    def filled(self, pattern: str) -> str:
        """Return a regular expression with the entries in braces filled in, without line breaks."""
        return re.sub(
            r"\{([a-z_]+)\}",
            lambda named: f"(?:{self.pattern(named[1])})",
            pattern.replace("\n", ""),
        )

    def regex(self, pattern: str) -> re.Pattern[str]:
        """Return a compiled regular expression that may name entries, ignoring case."""
        if pattern not in self._compiled:
            self._compiled[pattern] = re.compile(self.filled(pattern), re.IGNORECASE)
        return self._compiled[pattern]

    def entry(self, name: str) -> Any:
        """Return an entry as TOML has it."""
        if name in self._entries:
            return self._entries[name]
        if self._name == "words":
            raise AttributeError(f"no words are called {name!r}")
        return lexicon(self._entries.get("continues", "words")).entry(name)

    @cached_property
    def _entries(self) -> dict[str, Any]:
        return tomllib.loads(
            bundled("assets", "language", "en", f"{self._name}.toml").read_text("utf-8")
        )


@cache
def lexicon(name: str) -> Lexicon:
    """Return the one lexicon of a name in the process."""
    return Lexicon(name)
