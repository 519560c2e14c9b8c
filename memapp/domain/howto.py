"""How-tos: a title with steps, as people write them and tick them off."""

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
    """A title with steps, as written."""

    title: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Checklist:
    """A how-to, with the time at which each step was ticked off."""

    howto: Memory
    done_at: tuple[datetime | None, ...]

    @property
    def done(self) -> int:
        return sum(at is not None for at in self.done_at)

    @property
    def next_step(self) -> int | None:
        """Return the number of the first step still to do, from 1."""
        return next((number for number, at in enumerate(self.done_at, start=1) if at is None), None)


def read_howto(text: str) -> Howto:
    """Return the how-to in a text. Raises `UsageError` without a title or a step."""
    if (howto := parse_howto(text)) is None:
        raise UsageError("A how-to is a title and its steps.", f"Write it like: {FORM}")
    return howto


def parse_howto(text: str) -> Howto | None:
    """Return the how-to in a text, or None.

    The steps stand below the title, one a line, or behind it, numbered or after a colon.
    """
    lines = [one_line(line) for line in clean(text).splitlines() if line.strip()]
    if len(lines) == 1:
        lines = _in_one_line(lines[0])
    if len(lines) < 2 or not lines[0] or _NUMBER.match(lines[0]):
        return None
    return Howto(lines[0].rstrip(" :.-"), _steps(lines[1:]))


def is_numbered(text: str) -> bool:
    """Return True for a text with at least three steps, numbered from 1 on."""
    numbers = [int(match[1]) for match in _NUMBER.finditer(text)]
    return len(numbers) >= 3 and numbers == list(range(1, len(numbers) + 1))


def numbered(steps: Sequence[str], between: str = "\n") -> str:
    return between.join(f"{number}. {step}" for number, step in enumerate(steps, start=1))


def in_full(memory: Memory) -> str:
    """Return the text of a memory, with the steps of a how-to."""
    return f"{memory.text}: {numbered(memory.steps, '; ')}" if memory.steps else memory.text


def reported(memory: Memory) -> str:
    """Return a memory's text in the third person, with the steps of a how-to."""
    return in_full(memory) if memory.steps else memory.in_third_person


def _in_one_line(line: str) -> list[str]:
    parts = [_NUMBER.split(line)[0], *_NUMBER.split(line)[2::2]]
    if len(parts) == 1:
        title, _, rest = line.partition(":")
        parts = [title, *rest.split(";")]
    return [parts[0].strip(), *(part.strip() for part in parts[1:] if part.strip())]


def _steps(lines: Sequence[str]) -> tuple[str, ...]:
    """Return steps without their leading marks."""
    return tuple(step for line in lines if (step := _MARK.sub("", line, count=1)))
