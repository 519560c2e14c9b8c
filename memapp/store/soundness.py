"""Checks that a file is undamaged and that its schema is the one memapp makes."""

import logging
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from memapp.domain.text import one_line
from memapp.errors import Damaged
from memapp.store import schema
from memapp.store.place import from_backup

log = logging.getLogger(__name__)

FULL_TEXT_TABLES = ("messages_fts", "memories_fts", "lessons_fts")
TIMES = r"""SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c
             WHERE t.type = 'table' AND t.name NOT LIKE '%sqlite\_%' ESCAPE '\' AND c.type = 'TEXT'
             AND (c.name LIKE '%\_at' ESCAPE '\' OR c.name IN ('ts', 'last_accessed', 'snoozed_until', 'probation_until'))"""
"""The columns that hold a time, by their names."""


def check_damage(conn: sqlite3.Connection, path: Path) -> None:
    """Read the whole file through. Raises `Damaged`, which names what is, if anything is.

    Over a connection that may only read, SQLite looks at no CHECK.
    """
    found = conn.execute("PRAGMA integrity_check(1)").fetchone()[0]
    damage = found if found != "ok" else _dangling(conn) or _unreadable_time(conn)
    if damage:
        raise Damaged(f"{path} is damaged ({one_line(damage)}).", from_backup(path), path)


def _dangling(conn: sqlite3.Connection) -> str:
    found = conn.execute("PRAGMA foreign_key_check").fetchone()
    return f"{found[0]} refers to {found[2]} that are not there" if found else ""


def _unreadable_time(conn: sqlite3.Connection) -> str:
    for table, column in conn.execute(TIMES).fetchall():
        is_none = f"{column} <> '' AND {column} IS NOT strftime('%Y-%m-%dT%H:%M:%fZ', {column})"
        if conn.execute(f"SELECT 1 FROM {table} WHERE {is_none} LIMIT 1").fetchone():  # noqa: S608
            return f"a time in {column} of {table} cannot be read"
    return ""


def read_texts(conn: sqlite3.Connection) -> None:
    """Read every value: SQLite itself takes any bytes for a text. Over a connection that raises
    `Damaged` where one is none.
    """
    of_rows = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    )
    for (table,) in conn.execute(of_rows).fetchall():
        for _ in conn.execute(f"SELECT * FROM {table}"):  # noqa: S608
            pass


def check_schema(conn: sqlite3.Connection, path: Path) -> None:
    """Compare the file with what the migrations make. Raises `Damaged` naming the first part that
    differs.
    """
    parts, words = schema.golden(len(schema.scripts()))
    altered = sorted({(kind, name) for kind, name, _ in schema.schema_of(conn) ^ parts})
    if not altered:
        altered = sorted({("list", table) for table, *_ in schema.words_of(conn) ^ words})
    if altered:
        kind, name = altered[0]
        raise Damaged(
            f"{path} was changed by another program: its {kind} {name} is not the one that memapp made.",
            f"Nothing is written to it. {from_backup(path)}",
            path,
        )


def mismatched(conn: sqlite3.Connection) -> list[str]:
    """Return the full-text indexes that do not match their tables. Takes the lock of a writer,
    though nothing is written.
    """
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
