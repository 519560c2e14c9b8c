"""How a command ended: its exit code, of which some mean something by themselves, and what it
wrote.
"""

from typing import NamedTuple

NOT_FOUND, NOT_RUNNABLE = 127, 126
NO = 1
ENDED_BY_PERSON = (130, 141)
"""Exit codes that say nothing about a command, of SIGINT and SIGPIPE: somebody had enough of it."""


class Ran(NamedTuple):
    """What became of a command."""

    code: int
    output: str
    seconds: float
    lost: str = ""
    """Why its output did not get where it should: a disk was full."""
    interrupted: bool = False
    """Ctrl+c ended it."""
