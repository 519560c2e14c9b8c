"""The shell as a tool: one program, run with arguments and never through a shell, in a folder, for a limited time."""

import os
import re
import selectors
import shlex
import signal
import subprocess
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memapp.domain.lessons.feedback import Efficiency, Feedback, ToolAttempt
from memapp.tools.terminal import CHUNK, ENDED_BY_PERSON, NOT_FOUND, NOT_RUNNABLE, Kept, Ran, exit_code

SECONDS = 60.0
LOOK_SECONDS = 0.1
"""While a command writes nothing, it is looked so often whether it has ended, or is to be ended."""
GRACE_SECONDS = 2.0
"""That a command has to end by itself once it was interrupted."""
TIMED_OUT = 124
_QUOTED = re.compile(r"""\\.|'[^']*'|"(?:\\.|[^"\\])*\"""", re.DOTALL)
_OF_A_SHELL = re.compile(r"[|&;<>`*$\n]")
PROJECT_SIGNS = (".git", ".hg", ".svn")


@dataclass(frozen=True)
class Shell:
    """A program as it is run in a folder."""

    name: str
    folder: Path
    expect: Path | None = None
    """A file that has to be there afterwards."""
    seconds: float = SECONDS

    @property
    def scope(self) -> str:
        """Return the project that the folder belongs to: the nearest one with a repository, else the folder itself."""
        folder = self.folder.absolute()
        return str(
            next((one for one in (folder, *folder.parents) if any((one / sign).exists() for sign in PROJECT_SIGNS)), folder)
        )

    def attempt(self, action: str) -> ToolAttempt:
        """Run a command line without anybody watching: no input, and no more output kept than its beginning and end."""
        running = self.carry_out(action)
        while True:
            try:
                next(running)
            except StopIteration as ended:
                done: ToolAttempt = ended.value
                return done

    def carry_out(self, action: str) -> Generator[bytes, None, ToolAttempt]:
        """Run a command line and yield what it writes, and nothing while it writes nothing; to close this ends the command."""
        try:
            ran = yield from _run(shlex.split(action), self.folder, self.seconds)
        except ValueError as error:
            ran = Ran(NOT_RUNNABLE, f"{error}\n", 0.0)
        return as_attempt(action, ran)

    def feedback(self, attempt: ToolAttempt) -> Feedback:
        """Judge by the exit code, and by the file that is expected. What the person ended themselves tells nothing."""
        code = attempt.exit_code or 0
        is_missing = self.expect is not None and not (self.folder / self.expect).exists()
        failed = None if code in ENDED_BY_PERSON else code != 0
        return Feedback(failed, is_missing and code == 0, efficiency_signal=Efficiency(attempt.seconds))


def as_attempt(action: str, ran: Ran) -> ToolAttempt:
    """Return what came of a command that was run."""
    return ToolAttempt(action, ran.output, ran.code, reason=f"exit {ran.code}", seconds=ran.seconds)


def needs_shell(action: str) -> bool:
    """Say whether a command line has more in it than a program and its arguments: a pipe, a list, a variable, a pattern."""
    return _OF_A_SHELL.search(_QUOTED.sub("", action)) is not None


def _run(argv: Sequence[str], folder: Path, seconds: float) -> Generator[bytes, None, Ran]:
    began, kept = time.monotonic(), Kept()
    null, pipe, both = subprocess.DEVNULL, subprocess.PIPE, subprocess.STDOUT
    try:
        child = subprocess.Popen(argv, cwd=folder, stdin=null, stdout=pipe, stderr=both, bufsize=0, start_new_session=True)
    except OSError as error:
        code = NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_RUNNABLE
        return Ran(code, f"{error.filename}: {error.strerror}\n", 0.0)
    with child:
        try:
            for data in _written(child, began + seconds):
                kept.add(data)
                yield data
        except GeneratorExit:
            _interrupt(child)
            raise
        code = _end(child, began + seconds - time.monotonic())
    return Ran(code, kept.text(), time.monotonic() - began)


def _written(child: "subprocess.Popen[bytes]", until: float) -> Iterator[bytes]:
    """Yield what a command writes until it ends; a process that it left behind may hold its output still."""
    assert child.stdout
    with selectors.DefaultSelector() as waiting:
        waiting.register(child.stdout, selectors.EVENT_READ)
        while (left := until - time.monotonic()) > 0:
            if waiting.select(min(left, LOOK_SECONDS)):
                data = os.read(child.stdout.fileno(), CHUNK)
                if not data:
                    return
                yield data
            elif child.poll() is not None:
                return
            else:
                yield b""


def _interrupt(child: "subprocess.Popen[bytes]") -> None:
    """End a command as ctrl+c does, and if it does not heed that, at once."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGINT)
    _end(child, GRACE_SECONDS)


def _end(child: "subprocess.Popen[bytes]", left: float) -> int:
    try:
        return exit_code(child.wait(max(0.0, left)))
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return TIMED_OUT
