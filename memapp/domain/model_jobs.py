"""The jobs that a model may be trusted with, and the results of each job's test."""

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
"""Jobs without a test: their results are checked against known ones before they count."""
REVIEWS: tuple[ModelJob, ...] = ("finds flaws", "lets sound pass")
"""A model that passes both is admitted to a council."""
LEAST_PASSED = 0.9
LEAST_OF: Mapping[ModelJob, float] = {"finds flaws": 0.75, "lets sound pass": 10 / 12}
"""The shares to pass for jobs with another than `LEAST_PASSED`."""


@dataclass(frozen=True, slots=True)
class JobTest:
    """How many cases of a job's test a model passed."""

    passed: int
    of: int

    def holds(self, job: ModelJob) -> bool:
        return self.passed >= LEAST_OF.get(job, LEAST_PASSED) * self.of > 0
