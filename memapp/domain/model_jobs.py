"""The jobs that a model may be trusted with, and how many cases of a job's test it passed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

ModelJob = Literal[
    "distil",
    "same fact",
    "insights",
    "episodes",
    "answers",
    "referee",
    "rewording",
    "finds flaws",
    "lets sound pass",
]
MODEL_JOBS: tuple[ModelJob, ...] = get_args(ModelJob)
MEASURED_AT_WORK: tuple[ModelJob, ...] = ("referee", "rewording")
"""These need no test: what a model says there is held against what is known before it counts."""
REVIEWS: tuple[ModelJob, ...] = ("finds flaws", "lets sound pass")
"""A model that passes both reviews answers in a council."""
LEAST_PASSED = 0.9
LEAST_OF: Mapping[ModelJob, float] = {"finds flaws": 0.75, "lets sound pass": 10 / 12}
"""What others than that share must be passed by."""


@dataclass(frozen=True, slots=True)
class JobTest:
    """How many cases of a job's test a model passed, of how many."""

    passed: int
    of: int

    def holds(self, job: ModelJob) -> bool:
        return self.passed >= LEAST_OF.get(job, LEAST_PASSED) * self.of > 0
