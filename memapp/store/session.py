"""Sessions: what services write and read with, in place of a connection."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

Rejected = sqlite3.IntegrityError
"""The schema refuses what was to be written."""


def system_time() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Session:
    """A connection, on behalf of one person, and the clock that says when."""

    conn: sqlite3.Connection
    user_id: str
    clock: Callable[[], datetime] = system_time

    def now(self) -> datetime:
        return self.clock()
