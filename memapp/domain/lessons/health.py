"""The health of lessons: the specification's figures of one run, of all runs of a day, or of all
there are.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LessonHealth:
    """What happened in some runs."""

    name: str
    """The id of the run, or the day; empty for all."""
    about: str
    """The task of one run, or its tool."""
    runs: int
    passed: int
    """Of how many an evaluator said so; without one, of how many the last step of which that is
    known worked.
    """
    score: float | None
    """Mean, 0 to 1; None where no evaluator gave one."""
    steps: int
    tool_errors: int
    recurrences: int
    """Failures that had happened before."""
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
