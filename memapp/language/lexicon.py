"""English word lists and patterns, kept as data in `assets/language/en`.

A list there is one string of words, in which `{name}` stands for the words of another list and
`-word` takes a word out again. Forms are groups of words, with a semicolon between two, that lead
to the first of each. A pattern is an array of alternatives of a regular expression, in which
`{name}` stands for one of another entry. A table is pairs of words. What a file does not have
itself is taken from the file that it continues; all continue `words.toml`.
"""

import re
import tomllib
from functools import cache, cached_property
from typing import Any

from memapp.paths import bundled

_GROUP_END = re.compile(r"(?<=\w);")


class Lexicon:
    """One file of words, read when the first of them is wanted; each list of words is an attribute."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._forms: dict[str, dict[str, str]] = {}
        self._patterns: dict[str, str] = {}
        self._compiled: dict[str, re.Pattern[str]] = {}

    def __getattr__(self, name: str) -> frozenset[str]:
        """Return a list of words, or all words of other entries, as a set; from then on it is an
        attribute like any other.
        """
        if name.startswith("__"):
            raise AttributeError(name)
        found = self.words(name)
        self.__dict__[name] = found
        return found

    def words(self, name: str) -> frozenset[str]:
        """Return a list of words as a set."""
        entry = self.entry(name)
        if isinstance(entry, dict) or _GROUP_END.search(entry):
            return frozenset(entry if isinstance(entry, dict) else self.forms(name))
        found: frozenset[str] = frozenset()
        for word in entry.split():
            bare = word.removeprefix("-")
            meant = getattr(self, bare[1:-1]) if bare.startswith("{") else frozenset({bare})
            found = found - meant if word.startswith("-") else found | meant
        return found

    def forms(self, name: str) -> dict[str, str]:
        """Return for each form of a word the first of its group."""
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
        """Return a regular expression with the alternatives that it names in braces, and without
        its line breaks.
        """
        return re.sub(
            r"\{([a-z_]+)\}",
            lambda named: f"(?:{self.pattern(named[1])})",
            pattern.replace("\n", ""),
        )

    def regex(self, pattern: str) -> re.Pattern[str]:
        """Return a regular expression that may name entries, compiled when it is first wanted, for
        letters of either case.
        """
        if pattern not in self._compiled:
            self._compiled[pattern] = re.compile(self.filled(pattern), re.IGNORECASE)
        return self._compiled[pattern]

    def entry(self, name: str) -> Any:
        """Return what stands under a name, as TOML has it."""
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
    """Return a file of words, of which there is one in the process."""
    return Lexicon(name)
