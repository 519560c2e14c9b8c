"""Runs, of which each is one attempt at a task, and their steps."""

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
    """One thing that was done in a run."""

    id: str
    run_id: str
    seq: int
    action: str
    exit_code: int | None
    seconds: float
    progress: float | None
    created_at: datetime
    channel: Channel | None = None
    """Why it failed; None if it worked, as far as that is known."""
    known: bool = True
    """The tool itself tells how it went."""
    judged: bool | None = None
    """A model said that it worked, or did not, without being told."""
    excerpt: str = ""
    """Of its error text."""
    tags: tuple[str, ...] = ()
    solved_by: str = ""


class LatestStep(NamedTuple):
    """What was done in a place before, and how it went."""

    action: str
    failed: bool
    seconds: float
    at: datetime
    shape: str
    """Of the failure, as its subject and its tags; empty if it worked."""
    subject: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unsolved:
    """A failure that came again, and that nothing ever solved."""

    id: str
    """Of its latest event."""
    tool: str
    action: str
    """What failed last."""
    times: int
    at: datetime
    """When it failed last."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A failure that a lesson is for, as it happened."""

    run_id: str
    action: str
    at: datetime
    solved_by: str
    """What worked then; empty where nothing did."""
