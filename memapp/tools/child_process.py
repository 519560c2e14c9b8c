"""A command that memapp itself runs: without input, and with a time limit."""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from memapp.tools.result import NOT_FOUND, NOT_RUNNABLE, Ran
from memapp.tools.terminal import CHUNK, Kept, exit_code

LOOK_SECONDS = 0.1
"""How often a silent command is checked for its end."""
GRACE_SECONDS = 2.0
"""How long an interrupted command may take to end."""
TIMED_OUT = 124


def run(argv: Sequence[str], folder: Path, seconds: float) -> Generator[bytes, None, Ran]:
    """Run a command and yield its output; yield b'' while there is none."""
    began, kept = time.monotonic(), Kept()
    null, pipe, both = subprocess.DEVNULL, subprocess.PIPE, subprocess.STDOUT
    try:
        child = subprocess.Popen(
            argv,
            cwd=folder,
            stdin=null,
            stdout=pipe,
            stderr=both,
            bufsize=0,
            start_new_session=True,
        )
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


def _written(child: subprocess.Popen[bytes], until: float) -> Iterator[bytes]:
    """Yield the output of a command until its end, even if a child of it keeps the pipe open."""
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


def _interrupt(child: subprocess.Popen[bytes]) -> None:
    """Interrupt a command as ctrl+c does; kill it after `GRACE_SECONDS`."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGINT)
    _end(child, GRACE_SECONDS)


def _end(child: subprocess.Popen[bytes], left: float) -> int:
    try:
        return exit_code(child.wait(max(0.0, left)))
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return TIMED_OUT
