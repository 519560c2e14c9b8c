"""The rules by which statements about oneself are read, one for each way to state a field of the profile.

They are data, in `assets/language/en/profile.toml`. Whether a statement is meant, and about the writer, is judged in `profile`.
"""

import re
from dataclasses import dataclass
from functools import cache, cached_property

from memapp.language.english.profile_readers import EN, PATTERN_READERS, READERS, Reading


@dataclass(frozen=True)
class Rule:
    """One way to state a field."""

    field: str
    begins: str
    """A pattern, in which a blank stands for any white space."""
    reads: str
    """The reader of what follows."""
    value: str = ""
    """The pattern of a value, for a reader that takes one."""
    is_request: bool = False
    """It asks for a change, so it may have the form of a question."""

    @cached_property
    def beginning(self) -> re.Pattern[str]:
        """The compiled pattern; compiled at the first message, not at the start of the program."""
        return _compiled(self.begins)

    @cached_property
    def core(self) -> re.Pattern[str]:
        """The beginning without what may lead to a request: no sentence without it has the beginning, and it is found at once."""
        return _compiled(self.begins.rpartition("{please}")[2])

    def read(self, rest: str) -> Reading | None:
        """Read the value from what follows the beginning."""
        return PATTERN_READERS[self.reads](rest, self.value) if self.value else READERS[self.reads](rest)


def _compiled(begins: str) -> re.Pattern[str]:
    return re.compile(EN.filled(begins).replace(" ", r"\s+"), re.IGNORECASE)


@cache
def rules() -> tuple[Rule, ...]:
    """Return all rules; where two fill a field that has one value, the earlier counts."""
    return tuple(Rule(field, **entry) for field, entries in EN.entry("rules").items() for entry in entries)
