"""Records of steps that were done, and the choice whether anything is recorded."""

from enum import StrEnum
from typing import NamedTuple

from memapp.domain.lessons.feedback import Feedback, ToolAttempt
from memapp.domain.lessons.lesson import RunClient

FIRST = """From now on memapp keeps what fails of the commands that you run with it, and what then works: see `memapp lessons`.
If you do not want that: memapp config set lessons off"""
"""Said of the first command that is recorded."""


class LessonRule(StrEnum):
    """What is done with a failure."""

    HINT = "hint"
    RECORD = "record"
    OFF = "off"


class LessonSettings(NamedTuple):
    """The settings of lessons, by their names, with the defaults."""

    lessons: LessonRule = LessonRule.HINT
    lessons_not_of: str = ""
    lessons_compare: bool = True


DEFAULTS = LessonSettings()


class Client(NamedTuple):
    """Who works with a tool, and at what."""

    kind: RunClient = "person"
    agent: str = ""
    """The name of another program."""
    task: str = ""

    @property
    def is_program(self) -> bool:
        return self.kind not in ("person", "chat")


class ToolStep(NamedTuple):
    """What was done with a tool, as it is to be recorded."""

    tool: str
    scope: str
    """The place it was used in."""
    done: ToolAttempt
    feedback: Feedback
    client: Client


def is_left_out(left_out: str, action: str, tool: str, folder: str) -> bool:
    """Say whether nothing of a command is kept: it begins with a space, or the person left out its
    program or its folder.
    """
    named = [text.strip().rstrip("/") for text in left_out.split(",") if text.strip()]
    return action[:1].isspace() or any(
        name in (tool, folder) or folder.startswith(f"{name}/") for name in named
    )
