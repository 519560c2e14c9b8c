"""The words of each language: `assets/language/CODE.toml`, with the same entries in all."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from memapp.paths import bundled

CODES = ("en", "de", "fr", "es")
"""The languages with a file; the first is the default."""


@dataclass(frozen=True)
class WordFile:
    """The patterns of a language, by section and entry."""

    code: str
    common: frozenset[str]
    """The common words that identify the language."""
    sections: Mapping[str, Mapping[str, str]]

    def pattern(self, section: str, name: str) -> str:
        """Return the alternatives of an entry as one group of a regular expression."""
        return f"(?:{self.sections[section][name]})"

    def finds(self, section: str, name: str, text: str) -> re.Match[str] | None:
        """Return the first match of an entry in a text."""
        return _compiled(self.pattern(section, name)).search(text)

    def begins(
        self, section: str, name: str, text: str, *, after: str = ""
    ) -> re.Match[str] | None:
        """Return the match of an entry at the start of a text, behind any of the entry `after`."""
        lead = rf"(?:{self.pattern(section, after)}\b[,:. !]*)*" if after else ""
        return _compiled(lead + self.pattern(section, name)).match(text)

    def is_all(self, section: str, name: str, text: str) -> bool:
        """Return True for a text that is exactly an entry."""
        return _compiled(self.pattern(section, name)).fullmatch(text) is not None


@cache
def words(code: str) -> WordFile:
    """Return the words of a language, read once."""
    sections = tomllib.loads(bundled("assets", "language", f"{code}.toml").read_text("utf-8"))
    common = frozenset(sections.pop("common").split())
    return WordFile(code, common, sections)


def words_of(text: str) -> WordFile:
    """Return the words of a text's language, by its common words.

    A single word does not identify a language.
    """
    spoken_words = {
        word.casefold() for word in re.findall(r"[^\W\d_]+", text.replace("'", "").replace("’", ""))
    }
    spoken = CODES if len(spoken_words) > 1 else CODES[:1]
    return max(map(words, spoken), key=lambda file: len(spoken_words & file.common))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)
