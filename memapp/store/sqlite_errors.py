"""Errors of SQLite and the system, translated into memapp's own, with advice for the person.

A `Reader` translates by itself, for each row: rows are read one by one, and each may turn out to be
on a damaged page.
"""

import functools
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, TypeVar
from weakref import WeakSet

from memapp.errors import Damaged, DiskFull, StoreError, StoreLocked

if TYPE_CHECKING:
    import threading

P = ParamSpec("P")
T = TypeVar("T")
LEAST_BYTES = 64 * 1024
"""The free space that SQLite needs even to read: the first size of the index of its log."""
ROWS_AT_ONCE = 100
_SIGNS_OF_DAMAGE = ("decode", "invalid fts5 file", "malformed JSON")
"""Parts of SQLite's messages for a value that cannot be read."""


@contextmanager
def translated_errors(path: Path) -> Iterator[None]:
    """Raise memapp's errors in place of those of SQLite and the system."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        # not a rule of the schema, which would be named: a full-text index is corrupt
        if str(error) == "constraint failed":
            raise _damaged(path) from error
        raise  # a broken rule of the schema is a bug or a duplicate: the caller knows
    except sqlite3.DatabaseError as error:
        raise _translate(error, path) from error
    except UnicodeDecodeError:  # SQLite's message quotes the damage, and may not be shown
        raise _damaged(path) from None
    except OSError as error:
        if error.errno == 28:  # ENOSPC
            raise _full(path) from error
        raise StoreError(f"Cannot use {path}: {error.strerror}.") from error


class Row(sqlite3.Row):
    """A row that knows its file."""

    path: ClassVar[Path]


def rows_of(path: Path) -> type[Row]:
    """Return the row class of a file."""
    return type("Row", (Row,), {"path": path})


def from_row(make: Callable[Concatenate[Row, P], T]) -> Callable[Concatenate[Row, P], T]:
    """Make a function raise `Damaged` for a row with an unreadable value."""

    @functools.wraps(make)
    def made(row: Row, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return make(row, *args, **kwargs)
        except (ValueError, TypeError, AttributeError) as error:
            raise _damaged(row.path) from error

    return made


class Reader(sqlite3.Connection):
    """A read-only connection that raises `StoreError` in place of SQLite's errors."""

    path: Path
    given_out: "WeakSet[Rows]"
    """The rows of every query that may still be read from."""
    explain: Callable[[], StoreError | None] = staticmethod(lambda: None)
    """Returns an error other than damage that explains an unreadable file; None without one."""
    at_work: "threading.Lock"
    """Held while a thread is in SQLite: closing the connection meanwhile would end the process."""

    def execute(self, sql: str, parameters: Any = (), /) -> "Rows":
        with self.translating():
            rows = self.cursor(Rows)
            rows.path, rows.since = self.path, time.monotonic()
            self.given_out.add(rows)
            sqlite3.Cursor.execute(rows, sql, parameters)
        return rows

    @contextmanager
    def translating(self) -> Iterator[None]:
        """Hold `at_work`, and raise memapp's errors in place of SQLite's."""
        try:
            with self.at_work, translated_errors(self.path):
                yield
        except Damaged as damage:
            raise self.explain() or damage from damage.__cause__

    def close(self) -> None:
        """Close the connection after its running query, if any, which `interrupt` ends soon."""
        with self.at_work:
            super().close()

    def end_long(self, seconds: float) -> None:
        """End every query that is read from for longer: until then the log can only grow."""
        # if another thread just began a query, the next call comes soon
        with suppress(RuntimeError):
            for rows in tuple(self.given_out):
                if time.monotonic() - rows.since > seconds:
                    with suppress(sqlite3.ProgrammingError):  # running in SQLite just now
                        rows.close()


class Rows(sqlite3.Cursor):
    """The rows of a query of a `Reader`."""

    connection: Reader
    path: Path
    since: float

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            with self.connection.translating():
                yield
        except StoreError:
            self.close()  # else it goes on holding the file, which a backup is to replace
            raise

    def fetchone(self) -> Any:
        with self._telling():
            return super().fetchone()

    def fetchmany(self, size: int | None = None) -> list[Any]:
        with self._telling():
            return super().fetchmany(self.arraysize if size is None else size)

    def fetchall(self) -> list[Any]:
        with self._telling():
            return super().fetchall()

    def __next__(self) -> Any:
        with self._telling():
            return super().__next__()

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]
        while some := self.fetchmany(ROWS_AT_ONCE):  # one by one, a long list would be slower
            yield from some


def _translate(error: sqlite3.DatabaseError, path: Path) -> StoreError:
    code = (getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF
    match code:
        case sqlite3.SQLITE_AUTH:
            return StoreError("memapp does not allow this change here.", "Nothing was changed.")
        case sqlite3.SQLITE_FULL:
            return _full(path)
        case sqlite3.SQLITE_IOERR if has_no_room(path):  # not even for the index of the log
            return _full(path)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreLocked(
                f"{path} is being written by another program.", "Try again in a moment."
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return StoreError(
                f"{path} cannot be written.",
                "Check the folder's permissions, or choose another with --db.",
            )
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return _damaged(path)
        case sqlite3.SQLITE_IOERR:
            return StoreError(
                f"The disk failed while using {path}.",
                "Check the disk; what was saved before is kept.",
            )
        case _ if any(sign in str(error) for sign in _SIGNS_OF_DAMAGE):
            return _damaged(path)
        case _:
            return StoreError(f"SQLite reports: {error}.")


def has_no_room(path: Path) -> bool:
    """Return True if the disk has less space than SQLite needs to read the file."""
    try:
        if os.name == "posix":
            status = os.statvfs(path.parent)
            return status.f_bavail * status.f_frsize < LEAST_BYTES
        import shutil  # takes longer to load, and opening a file waits

        return shutil.disk_usage(path.parent).free < LEAST_BYTES
    except OSError:
        return False


def _full(path: Path) -> DiskFull:
    return DiskFull(f"No space left for {path}.", "Free some space and try again.")


def _damaged(path: Path) -> Damaged:
    from memapp.store.file_copies import from_backup

    return Damaged(f"{path} is damaged, or is not a database.", from_backup(path), path)
