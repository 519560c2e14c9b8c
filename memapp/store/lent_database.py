"""The person's databases, lent for queries: a copy, one SELECT at a time, with limits."""

import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from memapp.domain.lessons.query_result import Table
from memapp.store.untrusted_files import open_lent

SECONDS = 10.0
MOST_ROWS = 1000
MOST_BYTES = 512 * 1024 * 1024
"""The memory that a query may take."""
STEPS_BETWEEN_LOOKS = 100
"""Steps of SQLite between two looks; one of them may take eight million bytes."""
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
_REFUSED_FUNCTIONS = {"load_extension", "fts3_tokenizer"}
_NEEDED_PRAGMA = "data_version"
"""Read by full-text indexes of the person's."""


@dataclass(frozen=True)
class LentDatabase:
    """A copy of one of the person's databases."""

    connection: sqlite3.Connection

    @property
    def schema(self) -> str:
        """Return the CREATE statements in alphabetical order."""
        rows = self.connection.execute(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY sql"
        )
        return "\n".join(str(row[0]) for row in rows)

    def ask(
        self,
        query: str,
        most_rows: int = MOST_ROWS,
        seconds: float = SECONDS,
        stop: Callable[[], bool] = lambda: False,
    ) -> Table:
        """Answer one read-only query, unless it is stopped."""
        began = time.monotonic()
        limit = _limit(began + seconds)
        self.connection.set_progress_handler(lambda: stop() or limit(), STEPS_BETWEEN_LOOKS)
        try:
            cursor = self.connection.execute(query)
            rows = cursor.fetchmany(most_rows + 1)
            if cursor.description is None:
                return Table(error="there is no query")
            columns = tuple(column[0] for column in cursor.description)
            return Table(
                columns,
                tuple(rows[:most_rows]),
                len(rows) > most_rows,
                seconds=time.monotonic() - began,
            )
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            taken = time.monotonic() - began
            return Table(
                error=f"stopped after {taken:.0f} s: it takes too long, or too much memory"
                if limit()
                else _in_words(error),
                seconds=taken,
            )


def _in_words(error: Exception) -> str:
    is_refused = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_AUTH
    return f"{error}: the database is only read" if is_refused else str(error)


@contextmanager
def lent(path: Path) -> Iterator[LentDatabase]:
    """Lend one of the person's databases. Raises `UsageError` if the file is no database."""
    with open_lent(path) as connection:
        _build_virtual_tables(connection)
        connection.set_authorizer(_may)
        yield LentDatabase(connection)


def _build_virtual_tables(connection: sqlite3.Connection) -> None:
    """Read from each virtual table: SQLite builds it then, and may not do so later."""
    named = "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%'"
    for (name,) in connection.execute(named).fetchall():
        with suppress(sqlite3.Error):  # of a module that is not there
            quoted = name.replace('"', '""')
            connection.execute(f'SELECT 1 FROM "{quoted}" LIMIT 0')  # noqa: S608


def _may(action: int, first: str | None, second: str | None, *_: object) -> int:
    allowed = (
        action in _READING
        or (action == sqlite3.SQLITE_FUNCTION and second not in _REFUSED_FUNCTIONS)
        or (action == sqlite3.SQLITE_PRAGMA and first == _NEEDED_PRAGMA and second is None)
    )
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _limit(until: float) -> Callable[[], bool]:
    """Return a function that returns True once a query has used up its time or its memory."""
    most = _peak() + MOST_BYTES
    return lambda: time.monotonic() > until or _peak() > most


def _peak() -> int:
    """Return the peak memory use of this process in bytes; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (
        1 if sys.platform == "darwin" else 1024
    )
