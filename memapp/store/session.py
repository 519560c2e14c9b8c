"""Sessions: what services write and read with, in place of a connection."""

import sqlite3
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

Rejected = sqlite3.IntegrityError
"""The schema refuses what was to be written."""


@dataclass(frozen=True, slots=True)
class Session:
    """A connection on behalf of one person, and one moment for all that is written with it."""

    conn: sqlite3.Connection
    user_id: str
    now: datetime = field(default_factory=partial(datetime.now, UTC))
    """When the session was opened."""
