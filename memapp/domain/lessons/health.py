"""The health of lessons: the figures of a run, a day or all time."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LessonHealth:
    """The figures of some runs."""

    name: str
    """The id of the run, or the day; empty for all."""
    about: str
    """The task of one run, or its tool."""
    runs: int
    passed: int
    """Runs that passed by an evaluator; without one, runs whose last known step worked."""
    score: float | None
    """Mean, 0 to 1; None without an evaluator's score."""
    steps: int
    tool_errors: int
    recurrences: int
    """Failures that had occurred before."""
    activations: int
    """Lessons shown."""
    helped: int
    hurt: int
    promoted: int
    suppressed: int

    @property
    def failing(self) -> float:
        """The share of steps that failed."""
        return self.tool_errors / self.steps if self.steps else 0.0
