"""Small values that the app remembers from one start to the next, such as the open chat."""

import json
import sqlite3
from typing import Any

from memapp.store.encoding import to_json

LOADING = "loading_model"
"""The model whose loading has begun and not ended; null otherwise."""


def set_interface(conn: sqlite3.Connection, user_id: str, name: str, value: Any) -> None:
    """Remember a value under a name; it replaces the old one."""
    conn.execute(
        "INSERT INTO interface (user_id, name, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
        (user_id, name, to_json(value)),
    )


def get_interface(conn: sqlite3.Connection, user_id: str, name: str, default: Any = None) -> Any:
    row = conn.execute("SELECT value FROM interface WHERE user_id = ? AND name = ?", (user_id, name)).fetchone()
    return json.loads(row["value"]) if row else default
