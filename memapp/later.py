"""Work that nobody waits for: a process of its own does it, one after the other, when the answer is
given.

Like `light_run` on the standard library alone. Where a process cannot be made of another, the work
is done at once.
"""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

SECONDS = 25.0
"""As long others wait for it: longer than it waits for the file."""
LOOK_SECONDS = 0.02
LOCK = "later.lock"


def do(folder: Path, work: Callable[[], object]) -> None:
    """Do some work later; no file may be open that SQLite has opened. What was to be done before is
    waited for.

    In `folder` lies the lock by which the processes make room for each other.
    """
    if not hasattr(os, "fork"):
        work()
        return
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    turn = _turn(folder)
    if os.fork():
        os.close(turn)  # the process that was made holds it still
        return
    try:
        os.setsid()  # what ends the caller, or its terminal, does not end it
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):  # else who reads from the caller would wait
            os.dup2(nothing, stream)
        work()
    finally:
        os._exit(0)


def wait(folder: Path) -> None:
    """Wait until all is done that was to be done later."""
    if (folder / LOCK).exists():
        os.close(_turn(folder))


def _turn(folder: Path) -> int:
    """Take the lock as soon as nobody has it, or for long enough had it."""
    import fcntl  # there is none where there is no fork

    turn, end = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600), time.monotonic() + SECONDS
    while time.monotonic() < end:
        with suppress(BlockingIOError):
            fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        time.sleep(LOOK_SECONDS)
    return turn
