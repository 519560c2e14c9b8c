"""How-tos: a title and the steps that lead there, as people write them down and run them down."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memapp.domain.memory import Memory
from memapp.domain.text import clean, one_line
from memapp.errors import UsageError

MAX_STEPS = 40
MAX_STEP_CHARS = 280
FORM = "Make tea: 1. Boil the water. 2. Pour it on the leaves. 3. Wait four minutes."
_NUMBER = re.compile(r"(?:^|(?<=\s))(\d{1,2})\s?[.):](?=\s)\s*")
_MARK = re.compile(r"^(?:(?:[-*•☐☑]|\[.\])\s+)?(?:\d{1,2}\s?[.):](?=\s)\s*)?")


@dataclass(frozen=True, slots=True)
class Howto:
    """What was written down."""

    title: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Checklist:
    """A how-to, and when each of its steps was ticked off since it was begun."""

    howto: Memory
    done_at: tuple[datetime | None, ...]

    @property
    def done(self) -> int:
        return sum(at is not None for at in self.done_at)

    @property
    def next_step(self) -> int | None:
        """The number of the first step that is still to be done, from 1."""
        return next((number for number, at in enumerate(self.done_at, start=1) if at is None), None)


def read_howto(text: str) -> Howto:
    """Read a title and its steps. Raises `UsageError` where there is no title, or no step."""
    if (howto := parse_howto(text)) is None:
        raise UsageError("A how-to is a title and its steps.", f"Write it like: {FORM}")
    return howto


def parse_howto(text: str) -> Howto | None:
    """Return a title with its steps: below it one a line, or behind it in one line, numbered or
    after a colon.
    """
    lines = [one_line(line) for line in clean(text).splitlines() if line.strip()]
    if len(lines) == 1:
        lines = _in_one_line(lines[0])
    if len(lines) < 2 or not lines[0] or _NUMBER.match(lines[0]):
        return None
    return Howto(lines[0].rstrip(" :.-"), _steps(lines[1:]))


def is_numbered(text: str) -> bool:
    """Say whether a text has steps with numbers from 1 on, each in its turn, three at least."""
    numbers = [int(match[1]) for match in _NUMBER.finditer(text)]
    return len(numbers) >= 3 and numbers == list(range(1, len(numbers) + 1))


def numbered(steps: Sequence[str], between: str = "\n") -> str:
    return between.join(f"{number}. {step}" for number, step in enumerate(steps, start=1))


def in_full(memory: Memory) -> str:
    """Return what a memory says: of a how-to, the steps too."""
    return f"{memory.text}: {numbered(memory.steps, '; ')}" if memory.steps else memory.text


def reported(memory: Memory) -> str:
    """Return what a memory says to somebody else than the person: of a how-to, the steps too."""
    return in_full(memory) if memory.steps else memory.in_third_person


def _in_one_line(line: str) -> list[str]:
    parts = [_NUMBER.split(line)[0], *_NUMBER.split(line)[2::2]]
    if len(parts) == 1:
        title, _, rest = line.partition(":")
        parts = [title, *rest.split(";")]
    return [parts[0].strip(), *(part.strip() for part in parts[1:] if part.strip())]


def _steps(lines: Sequence[str]) -> tuple[str, ...]:
    """Return steps without the signs in front of them."""
    return tuple(step for line in lines if (step := _MARK.sub("", line, count=1)))
