"""SQLite files of unknown origin, opened read-only: memory files and the person's databases."""

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from memapp.errors import StoreError, UsageError
from memapp.store import integrity, schema
from memapp.store.connection import limit, refuse_foreign
from memapp.store.sqlite_errors import rows_of, translated_errors

MOST_IN_MEMORY = 64 * 1024 * 1024
"""The size up to which the person's file is copied into memory, not into a temporary file."""
_LOGGED = b"\x02"
"""The byte in the header of a file with a write-ahead log."""


@contextmanager
def open_suspect(path: Path) -> Iterator[sqlite3.Connection]:
    """Open, read-only, a supposed memory file: its schema must be the one that memapp makes.

    Raises `StoreError` for a damaged or foreign file, `NewerSchema` for one of a newer memapp.
    """
    if path.is_symlink() or not path.is_file():
        raise StoreError(f"{path} is no plain file.", "Name the file itself.")
    with (
        translated_errors(path),
        closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection,
    ):
        connection.row_factory = rows_of(path)
        connection.execute("PRAGMA trusted_schema = 0")
        refuse_foreign(connection, path)
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if (
            not 0 < version <= len(schema.scripts())
            or schema.schema_of(connection) != schema.golden(version)[0]
        ):
            raise StoreError(
                f"{path} is not a memory file, or was changed by another program.",
                "Nothing was touched.",
            )
        connection.execute(
            "PRAGMA trusted_schema = 1"
        )  # the schema is ours, and its checks need this
        integrity.check_damage(connection, path)
        yield connection


@contextmanager
def open_lent(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a read-only copy of the person's database, which is read once and otherwise left alone.

    Raises `UsageError` for a file that is no database.
    """
    if not path.is_file():
        raise UsageError(f"There is no file {path}.")
    with ExitStack() as stack:
        try:
            copy = stack.enter_context(
                closing(sqlite3.connect(_place_for_copy(path, stack), isolation_level=None))
            )
            source = sqlite3.connect(f"{path.absolute().as_uri()}?{_lent_mode(path)}", uri=True)
            with closing(source):
                source.backup(copy)
            copy.execute("SELECT count(*) FROM sqlite_master")
        except (sqlite3.Error, OSError) as error:
            raise UsageError(
                f"{path} cannot be read as a SQLite database: {error}.", "It was not touched."
            ) from None
        for name in (
            "trusted_schema = 0",
            "query_only = 1",
            "temp_store = 2",
            "cell_size_check = 1",
        ):
            copy.execute(f"PRAGMA {name}")
        copy.text_factory = lambda text: text.decode("utf-8", "replace")
        limit(copy)
        yield copy


def _place_for_copy(path: Path, stack: ExitStack) -> str:
    if path.stat().st_size <= MOST_IN_MEMORY:
        return ":memory:"
    return str(Path(stack.enter_context(tempfile.TemporaryDirectory())) / "copy")


def _lent_mode(path: Path) -> str:
    """Return the URI mode with which SQLite creates no log beside a file."""
    with path.open("rb") as file:
        is_logged = file.read(19)[18:] == _LOGGED
    log = path.with_name(path.name + "-wal")
    return (
        "mode=ro&immutable=1"
        if is_logged and not (log.exists() and log.stat().st_size)
        else "mode=ro"
    )


def is_sound(path: Path) -> bool:
    """Return True if a file is a memory file that memapp can use."""
    try:
        with open_suspect(path):
            return True
    except (StoreError, sqlite3.Error, OSError):
        return False
