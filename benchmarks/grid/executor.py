"""A rule-based executor: it tries the next word in its own order, or obeys a lesson.

From one run to the next it remembers nothing, as a language model does not; within a run it knows
what failed and what worked.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from benchmarks.grid.tool import WORDS, GridTool, Line
from memapp.domain.lessons.feedback import Channel, ToolAttempt

FOLLOWS = 0.9
"""Share of the lessons shown that it takes notice of."""
DOCUMENTED = 0.5
"""Share of a tool's words that its documentation names."""
MOST_STEPS = 60

Hint = tuple[str, str]
"""What failed, and what then worked."""
Tell = Callable[[ToolAttempt, Channel | None, int], Sequence[Hint]]
"""Tells how an attempt went, so many steps into the run, and returns the lessons for it."""


@dataclass
class Beliefs:
    """The word an executor tries for each thing: the first that has not failed."""

    order: dict[str, list[str]]
    failed: set[tuple[str, str]] = field(default_factory=set)

    @classmethod
    def first(cls, random: Random) -> "Beliefs":
        """Return what comes to mind: mostly the words in their order, a little shuffled."""
        order = {}
        for meaning, words in WORDS.items():
            order[meaning] = sorted(
                words, key=lambda word: words.index(word) + random.uniform(0, 3)
            )
        return cls(order)

    @property
    def words(self) -> dict[str, str]:
        return {
            meaning: next((word for word in words if (meaning, word) not in self.failed), words[0])
            for meaning, words in self.order.items()
        }

    def prefer(self, meaning: str, word: str) -> None:
        self.order[meaning] = [word, *(other for other in self.order[meaning] if other != word)]

    def take(self, hint: Hint) -> None:
        """Prefer what a lesson puts in the place of another word for the same."""
        wrong, correct = (text.split() for text in hint)
        for meaning, words in self.order.items():
            for before, after in zip(wrong, correct, strict=False):
                if before != after and {before, after} <= {*words}:
                    self.prefer(meaning, after)


@dataclass
class Tried:
    """An executed step, with the failed channel, and the line of the program."""

    line: int
    attempt: ToolAttempt
    channel: Channel | None
    progress: float


@dataclass
class Went:
    """How a run went."""

    steps: list[Tried]
    score: float

    @property
    def passed(self) -> bool:
        return self.score == 1.0

    @property
    def errors(self) -> int:
        return sum(step.channel is not None for step in self.steps)


def carry_out(
    tool: GridTool, beliefs: Beliefs, random: Random, before: Sequence[Hint], tell: Tell
) -> Went:
    """Write a program line by line, with the lessons shown before it and those brought back at each
    error.
    """
    steps: list[Tried] = []
    for hint in before:
        heed(beliefs, hint, random)
    for number, line in enumerate(tool.lines):
        while len(steps) < MOST_STEPS:
            words = beliefs.words
            attempt = tool.attempt(line.written(words))
            feedback = tool.feedback(attempt)
            channel = feedback.channel(steps[-1].progress if steps else None)
            steps.append(Tried(number, attempt, channel, feedback.progress_signal or 0.0))
            hints = tell(attempt, channel, len(steps))
            if channel is None:
                break
            beliefs.failed.update(
                (meaning, word) for meaning, word in named(line, words, attempt.output)
            )
            for hint in hints:
                heed(beliefs, hint, random)
    return Went(steps, tool.done)


def named(line: Line, words: Mapping[str, str], said: str) -> list[tuple[str, str]]:
    """Return the meaning whose word a complaint names, with that word."""
    return [
        (meaning, words[meaning])
        for meaning in line.meanings
        if meaning != "*" and f"'{words[meaning]}'" in said
    ]


def heed(beliefs: Beliefs, hint: Hint, random: Random) -> None:
    if random.random() < FOLLOWS:
        beliefs.take(hint)


def read_documentation(beliefs: Beliefs, words: Mapping[str, str], random: Random) -> None:
    """Take some of a tool's words from its documentation."""
    for meaning, word in words.items():
        if random.random() < DOCUMENTED:
            beliefs.prefer(meaning, word)
