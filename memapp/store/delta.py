"""The change log: what has changed in the memory since a thread last looked. Each change is told to each thread once."""

import sqlite3
from datetime import datetime

from memapp.domain.changes import Actor
from memapp.store.rows import new_id, to_text


def log_change(conn: sqlite3.Connection, actor: Actor, revision: int, memory_id: str, event: str, now: datetime) -> None:
    """Note a change under the person's revision."""
    conn.execute(
        "INSERT INTO change_log (id, user_id, thread_id, rev, memory_id, event, ts) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (new_id(now), actor.user_id, actor.thread_id, revision, memory_id, event, to_text(now)),
    )
