"""The schema: the migrations that create it, and which tables, indexes and triggers each version
must have.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from memapp import paths
from memapp.errors import StoreError

if TYPE_CHECKING:
    import sqlite_utils

APPLICATION_ID = 0x4D454D41  # "MEMA"


def add_functions(connection: sqlite3.Connection) -> None:
    """Give SQL what it has not got itself: its lower() knows A to Z only, and its index no script
    without spaces.
    """
    connection.create_function("casefold", 1, str.casefold, deterministic=True)
    connection.create_function("in_pairs", 1, _in_pairs, deterministic=True)


def _in_pairs(text: str) -> str:
    if text.isascii():
        return text
    from memapp.domain.unspaced import in_pairs  # a hint waits

    return in_pairs(text)


def scripts() -> list[Path]:
    """Return the migrations in their order; their number is the version of the schema."""
    return sorted(path for path in paths.bundled("migrations").iterdir() if path.suffix == ".sql")


def migrate(writer: sqlite3.Connection, back_up: Callable[[int], None]) -> None:
    """Bring a file up to date. `back_up` is called with the old version first, unless the file is
    new.
    """
    files = scripts()
    done = writer.execute("PRAGMA user_version").fetchone()[0]
    if done == len(files):
        return
    import sqlite_utils  # most starts migrate nothing, and need none of it
    from sqlite_utils import Migrations

    if done:
        back_up(done)
    writer.execute(
        f"PRAGMA application_id = {APPLICATION_ID}"
    )  # first: killed while it is made, a file is known as ours
    migrations = Migrations("memapp")
    for number, file in enumerate(files, start=1):
        migrations(name=file.stem)(_migration(number, file))
    writer.execute(
        "PRAGMA foreign_keys = 0"
    )  # else a table that is made anew would take with it what refers to it
    try:
        migrations.apply(sqlite_utils.Database(writer, execute_plugins=False))
    finally:
        writer.execute("PRAGMA foreign_keys = 1")


def count_listed(conn: sqlite3.Connection) -> int:
    """Return how many migrations a file says were applied to it."""
    if not conn.execute("SELECT 1 FROM sqlite_master WHERE name = '_sqlite_migrations'").fetchone():
        return 0
    return int(
        conn.execute(
            "SELECT count(*) FROM _sqlite_migrations WHERE migration_set = 'memapp'"
        ).fetchone()[0]
    )


def _migration(number: int, file: Path) -> "Callable[[sqlite_utils.Database], None]":
    def apply(db: "sqlite_utils.Database") -> None:
        # Statement by statement: executescript would commit the migration's transaction.
        for statement in statements(file.read_text("utf-8")):
            db.conn.execute(statement)
        if lost := db.conn.execute("PRAGMA foreign_key_check").fetchone():
            raise StoreError(
                f"After {file.name} a row of {lost[0]} refers to none of {lost[2]}.",
                "Nothing was changed.",
            )
        db.conn.execute(f"PRAGMA user_version = {number}")

    return apply


def statements(script: str) -> Iterator[str]:
    """Split an SQL script into statements; triggers with inner semicolons stay whole."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            if re.sub(r"--[^\n]*", "", statement).strip(" \n;"):
                yield statement
            statement = ""
    if re.sub(r"--[^\n]*", "", statement).strip():
        raise StoreError("A migration file ends in the middle of a statement.")


def golden(version: int) -> tuple[set[tuple[str, str, str]], set[tuple[str, ...]]]:
    """Return the tables, indexes and triggers that a file of a version must have, and its fixed
    rows, each behind its table.
    """
    return _made_by(tuple(scripts()[:version]))


@cache
def _made_by(files: tuple[Path, ...]) -> tuple[set[tuple[str, str, str]], set[tuple[str, ...]]]:
    with closing(sqlite3.connect(":memory:")) as fresh:
        fresh.row_factory = sqlite3.Row
        add_functions(fresh)
        for file in files:
            for statement in statements(file.read_text("utf-8")):
                fresh.execute(statement)
        return schema_of(fresh), words_of(fresh)


def words_of(connection: sqlite3.Connection) -> set[tuple[str, ...]]:
    """Return the fixed rows of a file: the words that columns may hold, and the fields of the
    profile.
    """
    from memapp.store.vocabulary import (
        VOCABULARY,
    )  # who only opens a file waits for none of the words

    there = {
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }  # of that version
    tables = there.intersection((*VOCABULARY, "profile_fields"))
    return {
        (table, *map(str, row))
        for table in tables
        for row in connection.execute(f"SELECT * FROM {table}")
    }


def schema_of(connection: sqlite3.Connection) -> set[tuple[str, str, str]]:
    """Return what a file consists of, without what SQLite and sqlite-utils keep there for
    themselves.
    """
    rows = connection.execute(
        "SELECT type, name, tbl_name, coalesce(sql, '') AS sql FROM sqlite_master"
    )
    return {
        (row["type"], row["name"], row["sql"])
        for row in rows
        if not row["name"].startswith("sqlite_")
        and not (
            row["tbl_name"] == "_sqlite_migrations"
            and row["sql"].startswith(("CREATE TABLE", "CREATE UNIQUE INDEX"))
        )
    }
