"""Checks for damage in a file, and of its schema."""

import logging
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from memapp.domain.text import one_line
from memapp.errors import Damaged
from memapp.store import schema
from memapp.store.file_copies import from_backup

log = logging.getLogger(__name__)

FULL_TEXT_TABLES = ("messages_fts", "memories_fts", "lessons_fts")
TIMES = r"""SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c
            WHERE t.type = 'table' AND t.name NOT LIKE '%sqlite\_%' ESCAPE '\' AND c.type = 'TEXT'
            AND (c.name LIKE '%\_at' ESCAPE '\'
                 OR c.name IN ('ts', 'last_accessed', 'snoozed_until', 'probation_until'))"""
"""SQL for the columns with a time, by their names."""


def check_damage(conn: sqlite3.Connection, path: Path) -> None:
    """Read the whole file through. Raises `Damaged`, naming the damage.

    Over a read-only connection SQLite checks no CHECK.
    """
    result = conn.execute("PRAGMA integrity_check(1)").fetchone()[0]
    damage = result if result != "ok" else _dangling(conn) or _unreadable_time(conn)
    if damage:
        raise Damaged(f"{path} is damaged ({one_line(damage)}).", from_backup(path), path)


def _dangling(conn: sqlite3.Connection) -> str:
    row = conn.execute("PRAGMA foreign_key_check").fetchone()
    return f"{row[0]} refers to {row[2]} that are not there" if row else ""


def _unreadable_time(conn: sqlite3.Connection) -> str:
    for table, column in conn.execute(TIMES).fetchall():
        is_none = f"{column} <> '' AND {column} IS NOT strftime('%Y-%m-%dT%H:%M:%fZ', {column})"
        if conn.execute(f"SELECT 1 FROM {table} WHERE {is_none} LIMIT 1").fetchone():  # noqa: S608
            return f"a time in {column} of {table} cannot be read"
    return ""


def read_texts(conn: sqlite3.Connection) -> None:
    """Read every value: SQLite takes any bytes for a text.

    A `Reader` raises `Damaged` for one that cannot be decoded.
    """
    of_rows = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    )
    for (table,) in conn.execute(of_rows).fetchall():
        for _ in conn.execute(f"SELECT * FROM {table}"):  # noqa: S608
            pass


def check_schema(conn: sqlite3.Connection, path: Path) -> None:
    """Compare the schema with the migrations. Raises `Damaged`, naming the first difference."""
    parts, words = schema.golden(len(schema.scripts()))
    altered = sorted({(kind, name) for kind, name, _ in schema.schema_of(conn) ^ parts})
    if not altered:
        altered = sorted({("list", table) for table, *_ in schema.words_of(conn) ^ words})
    if altered:
        kind, name = altered[0]
        difference = f"its {kind} {name} is not the one that memapp made"
        advice = f"Nothing is written to it. {from_backup(path)}"
        raise Damaged(f"{path} was changed by another program: {difference}.", advice, path)


def mismatched(conn: sqlite3.Connection) -> list[str]:
    """Return the full-text indexes that do not match their tables. Takes the lock of a writer."""
    return [table for table in FULL_TEXT_TABLES if not _matches(conn, table)]


def rebuild(writer: sqlite3.Connection, tables: Iterable[str]) -> None:
    """Rebuild full-text indexes from their tables."""
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
