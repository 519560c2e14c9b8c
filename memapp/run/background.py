"""Work in a child process, after the caller has answered; one child at a time.

On the standard library alone, like `run.command`. Without `fork`, the work is done at once.
"""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

SECONDS = 25.0
"""The longest wait for another process; longer than a process waits for the database."""
LOOK_SECONDS = 0.02
LOCK = "later.lock"


def do(folder: Path, work: Callable[[], object]) -> None:
    """Do some work in a child process, after the work of earlier calls.

    `folder` holds the lock that puts the processes in a row. No SQLite file may be open.
    """
    if not hasattr(os, "fork"):
        work()
        return
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = _lock(folder)
    if os.fork():
        os.close(lock)  # the child still holds the lock
        return
    try:
        os.setsid()  # survive the end of the caller and of its terminal
        null = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):  # otherwise a reader of the caller's output would wait
            os.dup2(null, stream)
        work()
    finally:
        os._exit(0)


def wait(folder: Path) -> None:
    """Wait until the work of earlier calls is done."""
    if (folder / LOCK).exists():
        os.close(_lock(folder))


def _lock(folder: Path) -> int:
    """Take the lock when it is free, or after `SECONDS`."""
    import fcntl  # does not exist on Windows

    lock, end = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600), time.monotonic() + SECONDS
    while time.monotonic() < end:
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        time.sleep(LOOK_SECONDS)
    return lock
