"""The shell as a tool: one program, run with arguments and never through a shell, in a folder, for
a limited time.
"""

import re
import shlex
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import NamedTuple

from memapp.domain.lessons.feedback import Efficiency, Feedback, ToolAttempt
from memapp.tools.ended import ENDED_BY_PERSON, NO, NOT_RUNNABLE, Ran
from memapp.tools.program import project

SECONDS = 60.0
_QUOTED = r"""\\.|'[^']*'|"(?:\\.|[^"\\])*\""""
_PLAIN = re.compile(r"\{\}|(?:[\w@%+=:,./-]|(?<=[\w./-])~)+", re.ASCII)
"""A word that a shell takes as it is: `HEAD~1` and `{}` too, which `shlex` quotes."""
_OF_A_SHELL = r"[|&;<>`*$\n]"


class Shell(NamedTuple):
    """A program as it is run in a folder."""

    name: str
    folder: Path
    expect: Path | None = None
    """A file that has to be there afterwards."""
    seconds: float = SECONDS
    progress: float | None = None
    """How near the goal is, as measured afterwards."""
    score: float | None = None
    """Of the run, which ends with this command."""
    passed: bool | None = None

    @property
    def scope(self) -> str:
        """Return the project that the folder belongs to."""
        return project(str(self.folder.absolute()))

    def attempt(self, action: str) -> ToolAttempt:
        """Run a command line without anybody watching: no input, and no more output kept than its
        beginning and end.
        """
        running = self.carry_out(action)
        while True:
            try:
                next(running)
            except StopIteration as ended:
                done: ToolAttempt = ended.value
                return done

    def carry_out(self, action: str) -> Generator[bytes, None, ToolAttempt]:
        """Run a command line and yield what it writes, and nothing while it writes nothing; to
        close this ends the command.
        """
        from memapp.tools import child  # a hint waits for nothing of it

        try:
            ran = yield from child.run(shlex.split(action), self.folder, self.seconds)
        except ValueError as error:
            ran = Ran(NOT_RUNNABLE, f"{error}\n", 0.0)
        return as_attempt(action, ran)

    def feedback(self, attempt: ToolAttempt) -> Feedback:
        """Judge by the exit code, and by the file that is expected.

        What the person ended themselves tells nothing, nor does a 1 without a word: so `grep`,
        `cmp` and `test` say no.
        """
        code = attempt.exit_code or 0
        is_missing = self.expect is not None and not (self.folder / self.expect).exists()
        says_nothing = code in ENDED_BY_PERSON or (code == NO and not attempt.output.strip())
        failed = None if says_nothing else code != 0
        efficiency = Efficiency(attempt.seconds)
        return Feedback(
            failed, is_missing and code == 0, self.progress, efficiency, self.passed, self.score
        )


def as_attempt(action: str, ran: Ran) -> ToolAttempt:
    """Return what came of a command that was run."""
    return ToolAttempt(action, ran.output, ran.code, reason=f"exit {ran.code}", seconds=ran.seconds)


def command_line(argv: Iterable[str]) -> str:
    """Return a command as it is typed: with quotes where a shell would read something else."""
    return " ".join(text if _PLAIN.fullmatch(text) else shlex.quote(text) for text in argv)


def needs_shell(action: str) -> bool:
    """Say whether a command line has more in it than a program and its arguments: a pipe, a list, a
    variable, a pattern.
    """
    return re.search(_OF_A_SHELL, re.sub(_QUOTED, "", action, flags=re.DOTALL)) is not None
