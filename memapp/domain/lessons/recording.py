"""Records of the steps that were done, and the settings for recording them."""

from enum import StrEnum
from typing import NamedTuple

from memapp.domain.lessons.feedback import Feedback, ToolAttempt
from memapp.domain.lessons.lesson import RunClient

FIRST = (
    "From now on memapp keeps what fails of the commands that you run with it, "
    "and what then works: see `memapp lessons`.\n"
    "If you do not want that: memapp config set lessons off"
)
"""The notice after the first recorded command."""


class LessonRule(StrEnum):
    """How memapp reacts to a failure."""

    HINT = "hint"
    RECORD = "record"
    OFF = "off"


class LessonSettings(NamedTuple):
    """The settings of lessons, by name, with the defaults."""

    lessons: LessonRule = LessonRule.HINT
    lessons_not_of: str = ""
    lessons_compare: bool = True


DEFAULTS = LessonSettings()


class Client(NamedTuple):
    """Who uses a tool, and for which task."""

    kind: RunClient = "person"
    agent: str = ""
    """The name of another program."""
    task: str = ""

    @property
    def is_program(self) -> bool:
        return self.kind not in ("person", "chat")


class ToolStep(NamedTuple):
    """A step with a tool, ready to be recorded."""

    tool: str
    scope: str
    """The place of the step."""
    done: ToolAttempt
    feedback: Feedback
    client: Client


def is_left_out(left_out: str, action: str, tool: str, folder: str) -> bool:
    """Return True for a command that begins with a space, or has a left out program or folder."""
    named = [text.strip().rstrip("/") for text in left_out.split(",") if text.strip()]
    return action[:1].isspace() or any(
        name in (tool, folder) or folder.startswith(f"{name}/") for name in named
    )
