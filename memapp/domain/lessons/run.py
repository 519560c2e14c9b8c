"""Runs, each one attempt at a task, and their steps."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from memapp.domain.lessons.feedback import Channel
from memapp.domain.lessons.lesson import RunClient


@dataclass(frozen=True, slots=True)
class Run:
    """One attempt at a task."""

    id: str
    client: RunClient
    agent: str
    tool: str
    scope: str
    task: str
    started_at: datetime
    last_at: datetime
    passed: bool | None = None
    score: float | None = None
    steps: int = 0
    tool_errors: int = 0


@dataclass(frozen=True, slots=True)
class RunStep:
    """A step of a run."""

    id: str
    run_id: str
    seq: int
    action: str
    exit_code: int | None
    seconds: float
    progress: float | None
    created_at: datetime
    channel: Channel | None = None
    """Why the step failed; None if it worked, as far as is known."""
    known: bool = True
    """True if the tool itself reports the outcome."""
    judged: bool | None = None
    """The judgement of a model that did not know the outcome."""
    excerpt: str = ""
    """Excerpt of the error text."""
    tags: tuple[str, ...] = ()
    solved_by: str = ""


class LatestStep(NamedTuple):
    """The latest step in a place, and its outcome."""

    action: str
    failed: bool
    seconds: float
    at: datetime
    shape: str
    """The shape of the failure; empty, as subject and tags, if the step worked."""
    subject: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unsolved:
    """A recurring failure without a solution."""

    id: str
    """Id of the latest event."""
    tool: str
    action: str
    """The action that failed last."""
    times: int
    at: datetime
    """The time of the latest failure."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """An occurrence of a failure that a lesson is for."""

    run_id: str
    action: str
    at: datetime
    solved_by: str
    """The action that worked then; empty if none did."""
