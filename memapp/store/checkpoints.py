"""Checkpoints: which step of a turn each thread has reached, so that a killed turn can be resumed."""

from collections.abc import Callable
from dataclasses import asdict

from memapp.domain.checkpoint import Checkpoint, read_checkpoint
from memapp.store.encoding import new_id, to_json, to_text
from memapp.store.session import Session


def load(session: Session, thread_id: str) -> Checkpoint:
    """Return the checkpoint of a thread; a new thread is idle."""
    row = session.conn.execute(
        "SELECT checkpoint_data FROM supervisor_checkpoints WHERE user_id = ? AND thread_id = ?", (session.user_id, thread_id)
    ).fetchone()
    return read_checkpoint(row["checkpoint_data"]) if row else Checkpoint()


def advance(session: Session, thread_id: str, step: Callable[[Checkpoint], Checkpoint]) -> None:
    """Replace a thread's checkpoint by what `step` returns for it."""
    now, data = session.now, to_json(asdict(step(load(session, thread_id))))
    session.conn.execute(
        """INSERT INTO supervisor_checkpoints (id, user_id, thread_id, checkpoint_data, created_at, updated_at)
           VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (user_id, thread_id) DO UPDATE SET
             checkpoint_data = excluded.checkpoint_data, updated_at = excluded.updated_at""",
        (new_id(now), session.user_id, thread_id, data, to_text(now), to_text(now)),
    )
