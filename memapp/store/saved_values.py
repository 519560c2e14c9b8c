"""Small values kept from one start to the next, such as the open chat."""

import json
from typing import Any

from memapp.store.encoding import to_json
from memapp.store.session import Session


def set_value(session: Session, name: str, value: Any) -> None:
    """Save a value under a name, replacing the old one."""
    session.put("interface", name=name, value=to_json(value))


def get_value(session: Session, name: str, default: Any = None) -> Any:
    text = session.value(
        "SELECT value FROM interface WHERE user_id = :user AND name = :name", name=name
    )
    return default if text is None else json.loads(text)
