"""Errors of SQLite and the system, translated into memapp's own, with advice for the person.

A `Reader` does so by itself, for each row: rows are read one by one, and each may turn out to be on
a damaged page.
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
"""Where less is free, SQLite can neither write nor read: the index of its log is so large at first.
"""
ROWS_AT_ONCE = 100
_SIGNS_OF_DAMAGE = ("decode", "invalid fts5 file", "malformed JSON")
"""In what SQLite says of a value that it cannot read; some of it goes on with what stands there."""


@contextmanager
def translated_errors(path: Path) -> Iterator[None]:
    """Raise memapp's errors in place of those of SQLite and the system."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        if (
            str(error) == "constraint failed"
        ):  # of no rule of ours, which would be named: a full-text index is broken inside
            raise _damaged(path) from error
        raise  # a broken rule of the schema is a bug or a duplicate: the caller knows
    except sqlite3.DatabaseError as error:
        raise _translate(error, path) from error
    except (
        UnicodeDecodeError
    ):  # not even SQLite's complaint about what it found can be read; nor may it be shown
        raise _damaged(path) from None
    except OSError as error:
        if error.errno == 28:  # ENOSPC
            raise _full(path) from error
        raise StoreError(f"Cannot use {path}: {error.strerror}.") from error


class Row(sqlite3.Row):
    """A row that knows its file."""

    path: ClassVar[Path]


def rows_of(path: Path) -> type[Row]:
    """Return what the rows of a file are made of."""
    return type("Row", (Row,), {"path": path})


def from_row(make: Callable[Concatenate[Row, P], T]) -> Callable[Concatenate[Row, P], T]:
    """Let what makes a record of a row raise `Damaged` where a value cannot be read: a time, a
    list, one of a few words.
    """

    @functools.wraps(make)
    def made(row: Row, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return make(row, *args, **kwargs)
        except (ValueError, TypeError, AttributeError) as error:
            raise _damaged(row.path) from error

    return made


class Reader(sqlite3.Connection):
    """Raises `StoreError` where a plain connection raises SQLite's errors."""

    path: Path
    given_out: "WeakSet[Rows]"
    """The rows of every query that somebody may still read from."""
    explain: Callable[[], StoreError | None] = staticmethod(lambda: None)
    """Returns what else than damage explains that the file cannot be read; None if nothing does."""
    at_work: "threading.Lock"
    """Held while a thread is in SQLite: one that closes the connection meanwhile would end the
    process.
    """

    def execute(self, sql: str, parameters: Any = (), /) -> "Rows":
        with self.translating():
            rows = self.cursor(Rows)
            rows.path, rows.since = self.path, time.monotonic()
            self.given_out.add(rows)
            sqlite3.Cursor.execute(rows, sql, parameters)
        return rows

    @contextmanager
    def translating(self) -> Iterator[None]:
        """Be at work in SQLite, and raise memapp's errors in place of its own."""
        try:
            with self.at_work, translated_errors(self.path):
                yield
        except Damaged as found:
            raise self.explain() or found from found.__cause__

    def close(self) -> None:
        """Close the connection when the query that runs in it, if any, has ended; `interrupt` ends
        it soon.
        """
        with self.at_work:
            super().close()

    def end_long(self, seconds: float) -> None:
        """End every query that is read from for longer: until then the log of the file can only
        grow.
        """
        with suppress(
            RuntimeError
        ):  # another thread began a query this moment; the next look comes soon
            for rows in tuple(self.given_out):
                if time.monotonic() - rows.since > seconds:
                    with suppress(sqlite3.ProgrammingError):  # it is at work in SQLite just now
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
            return StoreError("memapp does not let this be changed here.", "Nothing was changed.")
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
    """Say whether the disk of a file has less than SQLite needs to read it."""
    try:
        if os.name == "posix":
            found = os.statvfs(path.parent)
            return found.f_bavail * found.f_frsize < LEAST_BYTES
        import shutil  # takes longer to load, and opening a file waits

        return shutil.disk_usage(path.parent).free < LEAST_BYTES
    except OSError:
        return False


def _full(path: Path) -> DiskFull:
    return DiskFull(f"No space left for {path}.", "Free some space and try again.")


def _damaged(path: Path) -> Damaged:
    from memapp.store.place import from_backup

    return Damaged(f"{path} is damaged or no database.", from_backup(path), path)
