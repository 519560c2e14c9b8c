"""The jobs of idle time: which are due, in which order, and each of them."""

from memapp.services.jobs.insights import Insight
from memapp.services.jobs.schedule import (
    AFTER_A_REPLY,
    EACH_TIME,
    EMBED,
    JOBS,
    NOW_AND_THEN,
    Done,
    Job,
    is_due,
    pace,
    run,
    run_due,
    work_left,
)

__all__ = [
    "AFTER_A_REPLY",
    "EACH_TIME",
    "EMBED",
    "JOBS",
    "NOW_AND_THEN",
    "Done",
    "Insight",
    "Job",
    "is_due",
    "pace",
    "run",
    "run_due",
    "work_left",
]
