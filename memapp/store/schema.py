"""The schema: the migrations that create it, and the tables, indexes and triggers of a version."""

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
    """Define the SQL functions `casefold`, for any alphabet, and `in_pairs`, for full text."""
    connection.create_function("casefold", 1, str.casefold, deterministic=True)
    connection.create_function("in_pairs", 1, _in_pairs, deterministic=True)


def _in_pairs(text: str) -> str:
    if text.isascii():
        return text
    from memapp.domain.unspaced_scripts import in_pairs  # a hint waits

    return in_pairs(text)


def scripts() -> list[Path]:
    """Return the migrations in order; their number is the version of the schema."""
    return sorted(path for path in paths.bundled("migrations").iterdir() if path.suffix == ".sql")


def migrate(writer: sqlite3.Connection, back_up: Callable[[int], None]) -> None:
    """Migrate a file. `back_up` is called with the old version first, unless the file is new."""
    files = scripts()
    version = writer.execute("PRAGMA user_version").fetchone()[0]
    if version == len(files):
        return
    import sqlite_utils  # most starts migrate nothing, and need none of it
    from sqlite_utils import Migrations

    if version:
        back_up(version)
    # first, so that a file is known as ours even if a kill leaves it unfinished
    writer.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    migrations = Migrations("memapp")
    for number, file in enumerate(files, start=1):
        migrations(name=file.stem)(_migration(number, file))
    # else a rebuilt table would delete the rows that refer to it
    writer.execute("PRAGMA foreign_keys = 0")
    try:
        migrations.apply(sqlite_utils.Database(writer, execute_plugins=False))
    finally:
        writer.execute("PRAGMA foreign_keys = 1")


def count_listed(conn: sqlite3.Connection) -> int:
    """Return the number of migrations that a file lists as applied."""
    if not conn.execute("SELECT 1 FROM sqlite_master WHERE name = '_sqlite_migrations'").fetchone():
        return 0
    sql = "SELECT count(*) FROM _sqlite_migrations WHERE migration_set = 'memapp'"
    return int(conn.execute(sql).fetchone()[0])


def _migration(number: int, file: Path) -> "Callable[[sqlite_utils.Database], None]":
    def apply(db: "sqlite_utils.Database") -> None:
        # Statement by statement: executescript would commit the migration's transaction.
        for statement in statements(file.read_text("utf-8")):
            db.conn.execute(statement)
        if lost := db.conn.execute("PRAGMA foreign_key_check").fetchone():
            raise StoreError(
                f"After {file.name}, a row of {lost[0]} refers to a missing row of {lost[2]}.",
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
    """Return the schema that a file of a version must have, and its fixed rows by table."""
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
    """Return the fixed rows of a file: allowed values of columns, and the fields of the profile."""
    from memapp.store.vocabulary import VOCABULARY  # opening a file does not wait for it

    existing = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    tables = {name for (name,) in existing}.intersection((*VOCABULARY, "profile_fields"))
    return {
        (table, *map(str, row))
        for table in tables
        for row in connection.execute(f"SELECT * FROM {table}")  # noqa: S608
    }


def schema_of(connection: sqlite3.Connection) -> set[tuple[str, str, str]]:
    """Return the schema of a file, without the internal tables of SQLite and sqlite-utils."""
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
