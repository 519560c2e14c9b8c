"""The end of a command: its exit code and its output."""

from typing import NamedTuple

NOT_FOUND, NOT_RUNNABLE = 127, 126
NO = 1
ENDED_BY_PERSON = (130, 141)
"""Exit codes of SIGINT and SIGPIPE, which say nothing about a command."""


class Ran(NamedTuple):
    """The result of a command."""

    code: int
    output: str
    seconds: float
    lost: str = ""
    """Why the output was lost, such as a full disk."""
    interrupted: bool = False
    """Ctrl+c ended the command."""
