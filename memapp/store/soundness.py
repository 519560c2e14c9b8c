"""Checks that a file is undamaged and that its schema is the one memapp makes."""

import logging
import sqlite3
from pathlib import Path

from memapp.errors import StoreError
from memapp.store import guards, schema

log = logging.getLogger(__name__)

FULL_TEXT_TABLES = ("messages_fts", "memories_fts")


def check_damage(conn: sqlite3.Connection, path: Path) -> None:
    """Read the whole file through. Raises `StoreError` if it is damaged."""
    damage = conn.execute("PRAGMA quick_check(1)").fetchone()[0]
    if damage != "ok":
        raise StoreError(f"{path} is damaged ({damage}).", _from_backup(path))


def check_guards(conn: sqlite3.Connection, path: Path) -> None:
    """Compare the triggers with those of the migrations. Raises `StoreError` naming the first that differs."""
    script = (statement for file in schema.scripts() for statement in schema.statements(file.read_text("utf-8")))
    altered = guards.altered_triggers(conn, guards.golden_triggers(script))
    if altered:
        raise StoreError(
            f"{path} was changed by another program: its guard {altered[0]} is not the one that memapp made.",
            f"Nothing is written to it. {_from_backup(path)}",
        )


def check_schema(conn: sqlite3.Connection, path: Path) -> None:
    """Compare tables, indexes and views, too. Raises `StoreError` naming the first that differs."""
    altered = sorted({name for _, name, _ in schema.schema_of(conn) ^ schema.golden_schema(len(schema.scripts()))})
    if altered:
        raise StoreError(
            f"{path} was changed by another program: its {altered[0]} is not the one that memapp made.", _from_backup(path)
        )


def repair_full_text(writer: sqlite3.Connection) -> None:
    """Rebuild each full-text index that does not match its table."""
    for table in FULL_TEXT_TABLES:
        try:
            writer.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)")  # noqa: S608
        except sqlite3.DatabaseError:
            log.warning("the search index %s did not match its table and was rebuilt", table)
            writer.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")  # noqa: S608


def _from_backup(path: Path) -> str:
    return f"Move it aside and put a copy from {path.parent / 'backups'} there."
