"""What of the things that are done is recorded at all."""

from enum import StrEnum

FIRST = """From now on memapp keeps what fails of the commands that you run with it, and what then works: see `memapp lessons`.
If you do not want that: memapp config set lessons off"""
"""Said of the first command that is recorded."""


class LessonRule(StrEnum):
    """What is done with a failure."""

    HINT = "hint"
    RECORD = "record"
    OFF = "off"


def is_left_out(left_out: str, action: str, tool: str, folder: str) -> bool:
    """Say whether nothing of a command is kept: it begins with a space, or the person left out its program or its folder."""
    named = [one.strip().rstrip("/") for one in left_out.split(",") if one.strip()]
    return action[:1].isspace() or any(one in (tool, folder) or folder.startswith(f"{one}/") for one in named)
