"""The result of a model's self-test: which of its ten checks it passed, and what became of it in chats since."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter, ValidationError

from memapp.domain.prompt import PromptForm

LOOKUPS, CHECKS = 4, 10
"""The first checks are lookups, of which one may fail; all others must hold."""
FAILED_LOOKUPS = 1
BROKEN, OF_TURNS = 3, 10
"""So many answers of call 1 that cannot be read, among so many turns, and a model gets the simple form."""


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What is known of a model from its self-test and its turns."""

    passed: tuple[bool, ...]
    """Of each check that was made so far, in their order."""
    at: datetime
    """When the last of them was made, or when its answers turned out to be broken."""
    is_broken: bool = False
    """It passed or was never tested, and then gave answers that cannot be read."""

    @property
    def is_done(self) -> bool:
        return self.is_broken or len(self.passed) == CHECKS

    @property
    def form(self) -> PromptForm:
        """The form of prompt that the model can do with, once the test is done."""
        lookups, others = self.passed[:LOOKUPS], self.passed[LOOKUPS:]
        holds = lookups.count(False) <= FAILED_LOOKUPS and all(others)
        return "full" if holds and not self.is_broken else "simple"

    def with_check(self, passed: bool, at: datetime) -> "SelfTest":
        return SelfTest((*self.passed, passed), at)


_READER = TypeAdapter(SelfTest)


def read_self_test(kept: object) -> SelfTest | None:
    """Read a result as it was kept; what an older or newer memapp wrote otherwise counts as none, so the test is made again."""
    try:
        return _READER.validate_python(kept)
    except ValidationError:
        return None


def shares_run(text: str, others: Sequence[str], length: int = 6) -> bool:
    """Say whether a text has so many words in a row that stand in another one too."""
    said = {run for other in others for run in _runs(other, length)}
    return any(run in said for run in _runs(text, length))


def _runs(text: str, length: int) -> list[tuple[str, ...]]:
    words = "".join(letter if letter.isalnum() else " " for letter in text.casefold()).split()
    return [tuple(words[start : start + length]) for start in range(len(words) - length + 1)]
