"""The lock files beside a memory file, which coordinate the processes that use it.

Each is an empty SQLite database that is never written: SQLite's locks are the same on every system,
and end with the process that held them, however it ends.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

from memapp.errors import StoreError, StoreLocked

COPIES = "-copies"
"""Held while words are erased from the file and its copies, or a copy is written."""
COPIES_SECONDS = 20.0
WINDOW = "-window"
"""Held by the window that keeps drafts, for as long as it is open."""
ALONE_SECONDS = 5.0
"""The time to wait for others to close a file that is needed alone."""
OPENING_SECONDS = 15.0
"""The time to wait for a process that migrates or replaces the file."""
SOON_SECONDS = 0.5
"""The time to wait before the person is told."""
LOOK_SECONDS = 0.1
NO_JOURNAL = "PRAGMA journal_mode = MEMORY"
"""Without it a journal would lie beside the lock for as long as somebody waits."""


class Lock:
    """A lock that many can share, or one can hold alone.

    While one waits to have it alone, nobody new can share it.
    """

    def __init__(self, path: Path, purpose: str = "") -> None:
        self._of = path
        self._path = path.with_name(f"{path.name}{purpose}.lock")
        self._held: sqlite3.Connection | None = None

    def share(self, seconds: float = 0.0) -> bool:
        """Take a share within the time; return True on success. A lock held before is released."""
        return self._take(("BEGIN", "SELECT 1 FROM sqlite_master"), seconds)

    def take(self, seconds: float = 0.0) -> bool:
        """Take the lock alone within the time; return True on success."""
        return self._take((NO_JOURNAL, "BEGIN EXCLUSIVE"), seconds)

    def enter(self, tell: Callable[[str], object]) -> None:
        """Take a share. Raises `StoreLocked` while another process has the file alone.

        `tell` hears the reason for the wait.
        """
        if self.share(SOON_SECONDS):
            return
        tell("Waiting for another memapp, which needs the file alone for a moment…")
        if not self.share(OPENING_SECONDS):
            raise StoreLocked(
                f"Another memapp is using {self._of} alone.", "Try again in a moment."
            )

    def enter_alone(self, tell: Callable[[str], object]) -> None:
        """Take the file alone. Raises `StoreLocked` if others keep it open.

        `tell` hears the reason for the wait.
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
        """Return True if another process waits to have the lock alone."""
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
        """Raise `StoreError` if SQLite cannot use the lock file: the memory file may be fine."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            advice = "Close every memapp, then delete it: your memories are not in it."
            raise StoreError(
                f"The lock file {self._path} cannot be used: {error}.", advice
            ) from error

    def _connect(self, seconds: float) -> sqlite3.Connection:
        # only a new file: closing any handle would drop this process's locks on it
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
    """Hold the lock of the copies, to erase words or to write a copy. Raises `StoreLocked`."""
    with held(path, COPIES, COPIES_SECONDS) as mine:
        if not mine:
            raise StoreLocked(
                "Another memapp is erasing something or copying the file.",
                "Nothing was changed. Try again in a moment.",
            )
        yield


@contextmanager
def held(path: Path, purpose: str, seconds: float = 0.0) -> Iterator[bool]:
    """Hold a lock alone until the end of the block; yield False if it was not free in time."""
    lock = Lock(path, purpose)
    try:
        yield lock.take(seconds)
    finally:
        lock.release()
