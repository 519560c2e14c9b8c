"""The jobs that a model may be trusted with, and how many cases of a job's test it passed."""

from dataclasses import dataclass
from typing import Literal, get_args

ModelJob = Literal["distil", "same fact", "insights", "episodes", "answers", "referee", "rewording"]
MODEL_JOBS: tuple[ModelJob, ...] = get_args(ModelJob)
MEASURED_AT_WORK: tuple[ModelJob, ...] = ("referee", "rewording")
"""These need no test: what a model says there is held against what is known before it counts."""
LEAST_PASSED = 0.9


@dataclass(frozen=True, slots=True)
class JobTest:
    """How many cases of a job's test a model passed, of how many."""

    passed: int
    of: int

    @property
    def holds(self) -> bool:
        return self.passed >= LEAST_PASSED * self.of > 0
