"""Sessions: how services read and write, in place of a connection."""

import sqlite3
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from memapp.errors import NotFound
from memapp.store.encoding import new_id
from memapp.store.records import record, stored
from memapp.store.sqlite_errors import Row

T = TypeVar("T")

Rejected = sqlite3.IntegrityError
"""The schema rejects a row."""


USER_ID = "me"
"""memapp has one person per file; the store keeps the column so that it could have more."""


class Session:
    """A connection on behalf of one person, at one moment.

    In every statement `:user` is the person and `:now` the moment. All other values are given by
    name, and stored as `records` writes them: ids are looked up with `IN (SELECT value FROM
    json_each(:ids))`.
    """

    __slots__ = ("_given", "conn", "now", "user_id")

    def __init__(self, conn: sqlite3.Connection, user_id: str, now: datetime | None = None) -> None:
        self.conn = conn
        self.user_id = user_id
        self.now = now or datetime.now(UTC)
        """When the session was opened."""
        self._given = {"user": user_id, "now": stored(self.now)}

    def new_id(self) -> str:
        return new_id(self.now)

    def normalise(self, text: str) -> str:
        """Return the normalised text: equal for texts that count as the same."""
        return str(self.value("SELECT normalise(:text)", text=text))

    def gist(self, text: str) -> str:
        """Return the gist of a text, whatever the forms and order of its words."""
        return str(self.value("SELECT gist(:text)", text=text))

    def run(self, sql: str, /, **values: Any) -> sqlite3.Cursor:
        """Execute a statement."""
        named = {name: stored(value) for name, value in values.items()}
        return self.conn.execute(sql, self._given | named)

    def run_many(
        self, sql: str, rows: Iterable[Mapping[str, Any]], /, **values: Any
    ) -> sqlite3.Cursor:
        """Execute a statement for each row of stored values; `values` are the same for all rows."""
        alike = self._given | {name: stored(value) for name, value in values.items()}
        return self.conn.executemany(sql, [{**alike, **row} for row in rows])

    def insert(self, table: str, /, **row: Any) -> bool:
        """Add a row of the person; return True."""
        return self._insert(table, row)

    def insert_new(self, table: str, /, **row: Any) -> bool:
        """Add a row of the person, unless it conflicts with another; return True if it is new."""
        return self._insert(table, row, "ON CONFLICT DO NOTHING")

    def put(self, table: str, /, **row: Any) -> None:
        """Add a row of the person, or update the existing one."""
        named = ", ".join(f"{name} = excluded.{name}" for name in row)
        self._insert(table, row, f"ON CONFLICT DO UPDATE SET {named}")

    def alter(self, table: str, row_id: str, /, **values: Any) -> None:
        """Update the person's row with an id."""
        named = ", ".join(f"{name} = :{name}" for name in values)
        sql = f"UPDATE {table} SET {named} WHERE user_id = :user AND id = :id"  # noqa: S608
        self.run(sql, id=row_id, **values)

    def _insert(self, table: str, row: dict[str, Any], otherwise: str = "") -> bool:
        names, places = ", ".join(row), ", ".join(f":{name}" for name in row)
        sql = f"""INSERT INTO {table} (user_id, {names})
                  VALUES (:user, {places}) {otherwise}"""  # noqa: S608
        return self.run(sql, **row).rowcount == 1

    def row(self, sql: str, /, **values: Any) -> Row | None:
        """Return the first row of a statement; None without one."""
        found: Row | None = self.run(sql, **values).fetchone()
        return found

    def value(self, sql: str, /, **values: Any) -> Any:
        """Return the first value of the first row; None if there is no row."""
        found = self.row(sql, **values)
        return found[0] if found else None

    def column(self, sql: str, /, **values: Any) -> list[Any]:
        """Return the first value of every row."""
        return [row[0] for row in self.run(sql, **values)]

    def record(self, kind: type[T], sql: str, /, **values: Any) -> T | None:
        """Return the record of the first row; None without one."""
        found = self.row(sql, **values)
        return record(kind, found) if found else None

    def existing(self, kind: type[T], named: str, sql: str, /, **values: Any) -> T:
        """Return the record of the first row. Raises `NotFound` with the given name."""
        found = self.record(kind, sql, **values)
        if found is None:
            raise NotFound(f"There is no {named}.")
        return found

    def records(self, kind: type[T], sql: str, /, **values: Any) -> list[T]:
        """Return the records of the rows."""
        return [record(kind, row) for row in self.run(sql, **values)]
