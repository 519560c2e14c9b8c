"""Recorded runs of agents that query databases (`data/intercode_sql/dev`): steps and failures."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memapp.domain.lessons.feedback import ToolAttempt
from memapp.domain.lessons.fingerprint import fingerprint
from memapp.domain.lessons.outcome import FollowingStep
from memapp.language.failures import staying_words

EPISODES = "intercode_sql/dev/episodes.jsonl"
NOTICE = "Error executing query: "


@dataclass(frozen=True)
class Step:
    """One action of an agent, and its result."""

    query: str
    shape: str
    """Of the error, without names and numbers; empty if the action succeeded."""
    subject: str
    reward: float


@dataclass(frozen=True)
class Episode:
    """One attempt of an agent at a task."""

    executor: str
    database: str
    task: str
    gold: str
    """The right query."""
    steps: Sequence[Step]

    @property
    def passed(self) -> bool:
        return any(step.reward == 1.0 for step in self.steps)


def read_episodes(file: Path) -> list[Episode]:
    with file.open(encoding="utf-8") as lines:
        return [_episode(json.loads(line)) for line in lines]


def following(steps: Sequence[Step], place: int) -> list[FollowingStep]:
    """Return what came after the error at a place."""
    return [
        FollowingStep(bool(step.shape), step.shape == steps[place].shape)
        for step in steps[place + 1 :]
    ]


def _episode(row: dict[str, object]) -> Episode:
    turns = row["turns"]
    assert isinstance(turns, list)
    return Episode(
        str(row["run"]),
        str(row["db"]),
        str(row["task"]),
        str(row["gold"]),
        [_step(turn) for turn in turns],
    )


def _step(turn: dict[str, object]) -> Step:
    action, said = str(turn["action"]), str(turn["observation"])
    query = (
        action.removeprefix("execute[").removesuffix("]")
        if action.startswith("execute[")
        else action
    )
    reward = float(str(turn["reward"]))
    if not turn["error_class"]:
        return Step(query, "", "", reward)
    found = fingerprint("sql", "", ToolAttempt(query, said.removeprefix(NOTICE)), staying_words())
    return Step(query, found.shape, found.subject, reward)
