"""A command that memapp itself runs: nobody is at it, it has no input, and it ends when its time is
over or nobody looks on.
"""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from memapp.tools.ended import NOT_FOUND, NOT_RUNNABLE, Ran
from memapp.tools.terminal import CHUNK, Kept, exit_code

LOOK_SECONDS = 0.1
"""While a command writes nothing, it is looked so often whether it has ended, or is to be ended."""
GRACE_SECONDS = 2.0
"""That a command has to end by itself once it was interrupted."""
TIMED_OUT = 124


def run(argv: Sequence[str], folder: Path, seconds: float) -> Generator[bytes, None, Ran]:
    """Run a command and yield what it writes, and nothing while it writes nothing."""
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
    """Yield what a command writes until it ends; a process that it left behind may hold its output
    still.
    """
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
    """End a command as ctrl+c does, and if it does not heed that, at once."""
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
