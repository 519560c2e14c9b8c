"""Checks that a file is undamaged and that its schema is the one memapp makes."""

import logging
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from memapp.errors import Damaged
from memapp.store import schema
from memapp.store.place import from_backup

log = logging.getLogger(__name__)

FULL_TEXT_TABLES = ("messages_fts", "memories_fts")


def check_damage(conn: sqlite3.Connection, path: Path) -> None:
    """Read the whole file through. Raises `Damaged` if it is."""
    damage = conn.execute("PRAGMA quick_check(1)").fetchone()[0]
    if damage != "ok":
        raise Damaged(f"{path} is damaged ({damage}).", from_backup(path), path)


def check_schema(conn: sqlite3.Connection, path: Path) -> None:
    """Compare the file with what the migrations make. Raises `Damaged` naming the first part that differs."""
    altered = sorted({(kind, name) for kind, name, _ in schema.schema_of(conn) ^ schema.golden_schema(len(schema.scripts()))})
    if altered:
        kind, name = altered[0]
        raise Damaged(
            f"{path} was changed by another program: its {kind} {name} is not the one that memapp made.",
            f"Nothing is written to it. {from_backup(path)}",
            path,
        )


def mismatched(conn: sqlite3.Connection) -> list[str]:
    """Return the full-text indexes that do not match their tables. Takes the lock of a writer, though nothing is written."""
    return [table for table in FULL_TEXT_TABLES if not _matches(conn, table)]


def rebuild(writer: sqlite3.Connection, tables: Iterable[str]) -> None:
    """Write full-text indexes anew from their tables."""
    for table in tables:
        log.warning("the search index %s did not match its table and was rebuilt", table)
        writer.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")  # noqa: S608


def _matches(conn: sqlite3.Connection, table: str) -> bool:
    try:
        conn.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)")  # noqa: S608
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
            raise
        return False
    return True
