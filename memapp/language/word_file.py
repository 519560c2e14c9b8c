"""The words of a language: one file of patterns for each, `assets/language/CODE.toml`, with the
same entries in all.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from memapp.paths import bundled

CODES = ("en", "de", "fr", "es")
"""The languages that there is a file for; the first is taken for a text that tells none."""


@dataclass(frozen=True)
class WordFile:
    """The patterns of one language, by the section and the name of their entry."""

    code: str
    common: frozenset[str]
    """Words that tell the language, since hardly a sentence has none of them."""
    sections: Mapping[str, Mapping[str, str]]

    def pattern(self, section: str, name: str) -> str:
        """Return the alternatives of an entry as one group of a regular expression."""
        return f"(?:{self.sections[section][name]})"

    def finds(self, section: str, name: str, text: str) -> re.Match[str] | None:
        """Return where an entry stands in a text first."""
        return _compiled(self.pattern(section, name)).search(text)

    def begins(
        self, section: str, name: str, text: str, *, after: str = ""
    ) -> re.Match[str] | None:
        """Return where a text begins with an entry, behind any of those of the entry `after`."""
        lead = rf"(?:{self.pattern(section, after)}\b[,:. !]*)*" if after else ""
        return _compiled(lead + self.pattern(section, name)).match(text)

    def is_all(self, section: str, name: str, text: str) -> bool:
        """Return True for a text that is an entry and nothing else."""
        return _compiled(self.pattern(section, name)).fullmatch(text) is not None


@cache
def words(code: str) -> WordFile:
    """Return the words of a language, read once."""
    sections = tomllib.loads(bundled("assets", "language", f"{code}.toml").read_text("utf-8"))
    common = frozenset(sections.pop("common").split())
    return WordFile(code, common, sections)


def words_of(text: str) -> WordFile:
    """Return the words of the language that a text is written in, as far as its common words tell;
    one word tells none.
    """
    said = {
        word.casefold() for word in re.findall(r"[^\W\d_]+", text.replace("'", "").replace("’", ""))
    }
    spoken = CODES if len(said) > 1 else CODES[:1]
    return max(map(words, spoken), key=lambda one: len(said & one.common))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)
