"""The words of each language: `assets/language/CODE.toml`, with the same entries in all."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from memapp.domain.text_cache import text_cache
from memapp.paths import bundled

CODES = ("en", "de", "fr", "es")
"""The languages with a file; the first is the default."""

KEPT = 64
"""Cached texts: each reader of a message asks for its language."""


@dataclass(frozen=True)
class WordFile:
    """The patterns of a language, by section and entry."""

    code: str
    common: frozenset[str]
    """The common words that identify the language."""
    sections: Mapping[str, Mapping[str, str]]
    _compiled: dict[tuple[str, str, str], re.Pattern[str]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def pattern(self, section: str, name: str) -> str:
        """Return the alternatives of an entry as one group of a regular expression."""
        return f"(?:{self.sections[section][name]})"

    def finds(self, section: str, name: str, text: str) -> re.Match[str] | None:
        """Return the first match of an entry in a text."""
        return self._regex(section, name).search(text)

    def begins(
        self, section: str, name: str, text: str, *, after: str = ""
    ) -> re.Match[str] | None:
        """Return the match of an entry at the start of a text, behind any of the entry `after`."""
        return self._regex(section, name, after).match(text)

    def is_all(self, section: str, name: str, text: str) -> bool:
        """Return True for a text that is exactly an entry."""
        return self._regex(section, name).fullmatch(text) is not None

    def _regex(self, section: str, name: str, after: str = "") -> re.Pattern[str]:
        """Return an entry, behind any of the entry `after`, as a compiled pattern."""
        key = (section, name, after)
        if key not in self._compiled:
            lead = rf"(?:{self.pattern(section, after)}\b[,:. !]*)*" if after else ""
            self._compiled[key] = re.compile(
                lead + self.pattern(section, name), re.IGNORECASE | re.MULTILINE
            )
        return self._compiled[key]


@cache
def words(code: str) -> WordFile:
    """Return the words of a language, read once."""
    sections = tomllib.loads(bundled("assets", "language", f"{code}.toml").read_text("utf-8"))
    common = frozenset(sections.pop("common").split())
    return WordFile(code, common, sections)


@text_cache(KEPT)
def words_of(text: str) -> WordFile:
    """Return the words of a text's language, by its common words.

    A single word does not identify a language.
    """
    found = set(re.findall(r"[^\W\d_]+", text.replace("'", "").replace("’", "")))
    spoken_words = {word.casefold() for word in found}
    spoken = CODES if len(spoken_words) > 1 else CODES[:1]
    return max(map(words, spoken), key=lambda file: len(spoken_words & file.common))
