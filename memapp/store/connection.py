"""Connections to the memory file, with pragmas read back and limits, and to copies of the file."""

import _thread  # `threading` takes longer to load, and a hint waits
import os
import sqlite3
import struct
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

from memapp.errors import NewerSchema, StoreError
from memapp.store import schema
from memapp.store.folder import refuse_no_file
from memapp.store.sqlite_errors import Reader, has_no_room, rows_of, translated_errors

if TYPE_CHECKING:
    from memapp.domain.wording import Wording

LOG_BYTES = 4 * 1024 * 1024
"""A longer log is written into the file. Growing the log anew costs more than writing over it."""
PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": 2,  # FULL: NORMAL loses acknowledged turns at a power cut
    "fullfsync": 1,
    "checkpoint_fullfsync": 1,
    "foreign_keys": 1,
    "recursive_triggers": 1,  # else REPLACE leaves ghost rows in the full-text index
    "secure_delete": 1,
    "temp_store": 2,  # MEMORY: no private sort files in /tmp
    "cell_size_check": 1,
    "journal_size_limit": LOG_BYTES,
    # `Database` writes the log into the file itself, while nobody else writes
    "wal_autocheckpoint": 0,
    "mmap_size": 0,
    "trusted_schema": 1,  # the views of the schema call `in_pairs`
}
BUSY_MILLISECONDS = 5000
LOT_SECONDS = 0.004
INDEX_BYTES = 32 * 1024
"""The least size of the index of a log."""
SQLITE = sqlite3.sqlite_version_info
"""The version of SQLite that Python brought along."""


def mode(path: Path) -> str:
    """Return the URI mode for reading: immutable where SQLite cannot write its index of the log."""
    log, index = (path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))
    if log.exists() and log.stat().st_size:
        return "mode=ro"
    is_open = index.exists() and index.stat().st_size >= INDEX_BYTES
    still = not os.access(path.parent, os.W_OK) or (not is_open and has_no_room(path))
    return "mode=ro&immutable=1" if still else "mode=ro"


def can_write(path: Path) -> bool:
    """Return True if a connection that writes can be opened."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK) and not has_no_room(path)


def refuse_removed_log(path: Path) -> None:
    """Raise `StoreError` if another process has the file open with its log removed.

    Both would damage the file. The index still counts the frames of the removed log. An index
    without a process does no harm.
    """
    for _ in range(2):  # between two looks another process may have emptied the log
        try:
            with path.with_name(path.name + "-shm").open("rb") as index:
                header = index.read(20)
            log = path.with_name(path.name + "-wal")
            size = log.stat().st_size if log.exists() else 0
        except FileNotFoundError:
            return
        page_bytes, frames = struct.unpack_from("=HI", header.ljust(20, b"\0"), 14)
        if not frames or size >= 32 + frames * (24 + page_bytes):
            return
    advice = "Close the other memapp and start again: it saves what the log had."
    raise StoreError(f"{path}-wal was removed while another memapp has the file open.", advice)


def connect(
    path: Path, *, read_only: bool, patience: int = BUSY_MILLISECONDS
) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.as_uri()}?{mode(path) if read_only else 'mode=rw'}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=200,
        timeout=patience / 1000,
        factory=Reader if read_only else sqlite3.Connection,
    )
    if isinstance(connection, Reader):
        connection.path, connection.given_out = path, WeakSet()
        connection.at_work = _thread.allocate_lock()
    connection.row_factory = rows_of(path)
    try:
        schema.add_functions(connection)
        if read_only:
            connection.execute("PRAGMA query_only = 1")
            connection.execute("PRAGMA temp_store = 2")
        else:
            for name, value in PRAGMAS.items():
                connection.execute(f"PRAGMA {name} = {value}")
                actual = connection.execute(f"PRAGMA {name}").fetchone()
                if (
                    actual is not None
                    and actual[0] != value
                    and name not in ("fullfsync", "checkpoint_fullfsync", "mmap_size")
                ):
                    raise StoreError(f"SQLite does not accept {name}={value} for {path}.")
        limit(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def limit(connection: sqlite3.Connection) -> None:
    """Limit the size of values, statements and expressions; attach no other file."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 8_000_000)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, 100_000)
    connection.setlimit(sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 100)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)


def add_wording(connection: sqlite3.Connection, wording: "Wording") -> None:
    """Define the SQL functions `normalise` and `gist`, which compare texts by what they say."""
    connection.create_function("normalise", 1, wording.normalise, deterministic=True)
    connection.create_function("gist", 1, wording.gist, deterministic=True)


def refuse_foreign(connection: sqlite3.Connection, path: Path) -> None:
    application_id = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and application_id != schema.APPLICATION_ID:
        raise StoreError(
            f"{path} is a database of another program.", "Choose another file with --db."
        )
    if version > len(schema.scripts()) and schema.count_listed(connection) > len(schema.scripts()):
        raise NewerSchema(
            f"{path} was made by a newer memapp.", "Update memapp; the file was not touched."
        )


def begin_write(writer: sqlite3.Connection, begin: str) -> None:
    """Begin a transaction as soon as no other process writes, trying at random intervals.

    SQLite's own waiting looks ever more rarely, and loses against a process that writes one change
    after the other.
    """
    import random  # takes long to load, and a hint writes nothing

    end = time.monotonic() + BUSY_MILLISECONDS / 1000
    while True:
        try:
            writer.execute(begin)
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
        time.sleep(random.uniform(0, LOT_SECONDS))


@contextmanager
def barred(path: Path) -> Iterator[None]:
    """Keep every other process from writing. Raises SQLite's error at once if one writes now."""
    # nothing is written, so no pragmas are needed: setting them would read the whole schema
    with closing(
        sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=0)
    ) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield


@contextmanager
def open_briefly(path: Path) -> Iterator[sqlite3.Connection | None]:
    """Open the memory file for a look-up; yield None without a file, or if it needs a migration."""
    refuse_no_file(path)
    if not path.exists():
        yield None
        return
    with translated_errors(path), closing(connect(path, read_only=True)) as connection:
        refuse_foreign(connection, path)
        is_new = connection.execute("PRAGMA user_version").fetchone()[0] == len(schema.scripts())
        yield connection if is_new else None


@contextmanager
def open_source(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a file of memapp's own, to copy it whole."""
    with closing(sqlite3.connect(f"{path.as_uri()}?{mode(path)}", uri=True)) as source:
        yield source


@contextmanager
def open_copy(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a copy of a memory file for changes in place, without a log. Raises `StoreError`."""
    with (
        translated_errors(path),
        closing(
            sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, isolation_level=None)
        ) as copy,
    ):
        copy.row_factory = rows_of(path)
        schema.add_functions(copy)
        refuse_foreign(copy, path)
        for name, value in {**PRAGMAS, "journal_mode": "delete"}.items():
            copy.execute(f"PRAGMA {name} = {value}")
        yield copy
