"""Small values that the app remembers from one start to the next, such as the open chat."""

import json
from typing import Any

from memapp.store.encoding import to_json
from memapp.store.session import Session

LOADING = "loading_model"
"""The model whose loading has begun and not ended; null otherwise."""


def set_interface(session: Session, name: str, value: Any) -> None:
    """Remember a value under a name; it replaces the old one."""
    session.conn.execute(
        "INSERT INTO interface (user_id, name, value) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
        (session.user_id, name, to_json(value)),
    )


def get_interface(session: Session, name: str, default: Any = None) -> Any:
    row = session.conn.execute("SELECT value FROM interface WHERE user_id = ? AND name = ?", (session.user_id, name)).fetchone()
    return json.loads(row["value"]) if row else default
