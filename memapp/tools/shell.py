"""The shell as a tool: one program, run without a shell in a folder, for a limited time."""

import re
import shlex
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import NamedTuple

from memapp.domain.lessons.feedback import Efficiency, Feedback, ToolAttempt
from memapp.tools.program import project
from memapp.tools.result import ENDED_BY_PERSON, NO, NOT_RUNNABLE, Ran

SECONDS = 60.0
_QUOTED = r"""\\.|'[^']*'|"(?:\\.|[^"\\])*\""""
_PLAIN = re.compile(r"\{\}|(?:[\w@%+=:,./-]|(?<=[\w./-])~)+", re.ASCII)
"""A word that a shell leaves alone: also `HEAD~1` and `{}`, which `shlex` quotes."""
_OF_A_SHELL = r"[|&;<>`*$\n]"


class Shell(NamedTuple):
    """A program in a folder."""

    name: str
    folder: Path
    expect: Path | None = None
    """A file that must exist afterwards."""
    seconds: float = SECONDS
    progress: float | None = None
    """How near the goal is, measured afterwards."""
    score: float | None = None
    """The score of the run, which ends with this command."""
    passed: bool | None = None

    @property
    def scope(self) -> str:
        """Return the project of the folder."""
        return project(str(self.folder.absolute()))

    def attempt(self, action: str) -> ToolAttempt:
        """Run a command line without input; keep only the beginning and end of a long output."""
        running = self.carry_out(action)
        while True:
            try:
                next(running)
            except StopIteration as ended:
                done: ToolAttempt = ended.value
                return done

    def carry_out(self, action: str) -> Generator[bytes, None, ToolAttempt]:
        """Run a command line and yield its output; closing the generator ends the command."""
        from memapp.tools import child_process  # a hint does not need the module

        try:
            ran = yield from child_process.run(shlex.split(action), self.folder, self.seconds)
        except ValueError as error:
            ran = Ran(NOT_RUNNABLE, f"{error}\n", 0.0)
        return as_attempt(action, ran)

    def feedback(self, attempt: ToolAttempt) -> Feedback:
        """Judge by the exit code and the expected file.

        Nothing is said by an interrupted command, or by exit code 1 without output: `grep`, `cmp`
        and `test` mean no.
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
    """Return the attempt of a command that ran."""
    return ToolAttempt(action, ran.output, ran.code, reason=f"exit {ran.code}", seconds=ran.seconds)


def command_line(argv: Iterable[str]) -> str:
    """Return a command as one types it, quoted where a shell needs it."""
    return " ".join(word if _PLAIN.fullmatch(word) else shlex.quote(word) for word in argv)


def needs_shell(action: str) -> bool:
    """Return True if a command line has a pipe, a list, a variable or a pattern."""
    return re.search(_OF_A_SHELL, re.sub(_QUOTED, "", action, flags=re.DOTALL)) is not None
