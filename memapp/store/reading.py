"""A read-only connection that raises memapp's errors.

Rows are read one by one, so each may turn out to be on a damaged page.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memapp.store.failures import translated_errors


class Reader(sqlite3.Connection):
    """Raises `StoreError` where a plain connection raises SQLite's errors."""

    path: Path

    def execute(self, sql: str, parameters: Any = (), /) -> "Rows":
        with translated_errors(self.path):
            rows = self.cursor(Rows)
            rows.path = self.path
            sqlite3.Cursor.execute(rows, sql, parameters)
        return rows


class Rows(sqlite3.Cursor):
    """The rows of a query of a `Reader`."""

    path: Path

    def fetchone(self) -> Any:
        with translated_errors(self.path):
            return super().fetchone()

    def fetchmany(self, size: int | None = None) -> list[Any]:
        with translated_errors(self.path):
            return super().fetchmany(self.arraysize if size is None else size)

    def fetchall(self) -> list[Any]:
        with translated_errors(self.path):
            return super().fetchall()

    def __next__(self) -> Any:
        with translated_errors(self.path):
            return super().__next__()

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]
        with translated_errors(self.path):
            yield from iter(super().__next__, None)  # once around all rows: around each, a long list would be slower
