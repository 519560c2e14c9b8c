"""The lock files beside a memory file, by which the processes that use it make room for each other.

Each is an empty SQLite database that nothing is ever written to: SQLite's locks are the same on
every system, and end with the process that held them, however it ends.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

from memapp.errors import StoreError, StoreLocked

COPIES = "-copies"
"""Held while words are taken out of the file and its copies, or a copy is written."""
COPIES_SECONDS = 20.0
WINDOW = "-window"
"""Held by the window that keeps drafts, for as long as it is open."""
ALONE_SECONDS = 5.0
"""How long it is waited for others to close a file that somebody needs alone."""
OPENING_SECONDS = 15.0
"""How long it is waited for one that has the file alone, which brings it up to date or puts another
in its place.
"""
SOON_SECONDS = 0.5
"""So long nobody needs to be told what is waited for."""
LOOK_SECONDS = 0.1
NO_JOURNAL = "PRAGMA journal_mode = MEMORY"
"""Else a file would lie beside the lock for as long as somebody waits for it."""


class Lock:
    """A lock that many can share, or one holds alone. While one waits for it, nobody new gets a
    share.
    """

    def __init__(self, path: Path, purpose: str = "") -> None:
        self._of = path
        self._path = path.with_name(f"{path.name}{purpose}.lock")
        self._held: sqlite3.Connection | None = None

    def share(self, seconds: float = 0.0) -> bool:
        """Take a share; say whether there was one within the time. What was held before is given
        back.
        """
        return self._take(("BEGIN", "SELECT 1 FROM sqlite_master"), seconds)

    def take(self, seconds: float = 0.0) -> bool:
        """Take the lock alone; say whether everybody else let go of it within the time."""
        return self._take((NO_JOURNAL, "BEGIN EXCLUSIVE"), seconds)

    def enter(self, tell: Callable[[str], object]) -> None:
        """Take a share. Raises `StoreLocked` while another process keeps the file to itself; `tell`
        hears what is waited for.
        """
        if self.share(SOON_SECONDS):
            return
        tell("Waiting for another memapp, which has the file to itself for a moment…")
        if not self.share(OPENING_SECONDS):
            raise StoreLocked(f"Another memapp has {self._of} to itself.", "Try again in a moment.")

    def enter_alone(self, tell: Callable[[str], object]) -> None:
        """Take the file alone; windows that have it open say so. Raises `StoreLocked`, and nothing
        was changed, if they stay.
        """
        if self.take(SOON_SECONDS):
            return
        tell(f"Waiting for others to close {self._of}…")
        if not self.take(ALONE_SECONDS):
            raise StoreLocked(
                f"Another memapp has {self._of} open, which is needed alone for a moment.",
                "Close it first.",
            )

    @property
    def is_held(self) -> bool:
        return self._held is not None

    def is_wanted(self) -> bool:
        """Say whether somebody waits to have it alone."""
        with self._telling(), closing(self._connect(LOOK_SECONDS)) as asking:
            return not _run(asking, (NO_JOURNAL, "BEGIN IMMEDIATE"))

    def release(self) -> None:
        if self._held is not None:
            self._held.close()
            self._held = None

    def _take(self, statements: tuple[str, ...], seconds: float) -> bool:
        self.release()
        with self._telling(), ExitStack() as given_up:
            connection = given_up.enter_context(closing(self._connect(seconds)))
            if _run(connection, statements):
                self._held = connection
                given_up.pop_all()
        return self.is_held

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Raise `StoreError` where SQLite cannot use the lock file: that says nothing of the memory
        file.
        """
        try:
            yield
        except sqlite3.DatabaseError as error:
            advice = "Your memory is not in it: close every memapp, and remove it."
            raise StoreError(
                f"The lock file {self._path} cannot be used: {error}.", advice
            ) from error

    def _connect(self, seconds: float) -> sqlite3.Connection:
        # only one that is new: closing any handle of the file would drop the locks that this
        # process has on it
        try:
            with suppress(FileExistsError):
                os.close(os.open(self._path, os.O_CREAT | os.O_EXCL, 0o600))
        except OSError as error:
            raise StoreError(
                f"Cannot write to {self._path.parent}: {error.strerror or error}.",
                "Choose another place with --db.",
            ) from None
        return sqlite3.connect(
            self._path, timeout=seconds, isolation_level=None, check_same_thread=False
        )


def _run(connection: sqlite3.Connection, statements: tuple[str, ...]) -> bool:
    try:
        for statement in statements:
            connection.execute(statement).fetchall()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True


@contextmanager
def at_the_copies(path: Path) -> Iterator[None]:
    """Let nobody else erase words, write a copy or put one in place. Raises `StoreLocked` if
    somebody goes on with it.
    """
    with held(path, COPIES, COPIES_SECONDS) as mine:
        if not mine:
            raise StoreLocked(
                "Another memapp erases something or copies the file.",
                "Nothing was changed: try again soon.",
            )
        yield


@contextmanager
def held(path: Path, purpose: str, seconds: float = 0.0) -> Iterator[bool]:
    """Hold a lock alone until the end of the block; say whether it was to be had within the time."""
    lock = Lock(path, purpose)
    try:
        yield lock.take(seconds)
    finally:
        lock.release()
