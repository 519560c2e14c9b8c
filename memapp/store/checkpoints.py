"""Checkpoints: the step that each thread's turn has reached, so that a killed turn can resume."""

from collections.abc import Callable
from dataclasses import asdict

from memapp.domain.checkpoint import Checkpoint, read_checkpoint
from memapp.store.session import Session


def load(session: Session, thread_id: str) -> Checkpoint:
    """Return the checkpoint of a thread; a new thread is idle."""
    sql = """SELECT checkpoint_data FROM supervisor_checkpoints
             WHERE user_id = :user AND thread_id = :thread"""
    data = session.value(sql, thread=thread_id)
    return read_checkpoint(data) if data else Checkpoint()


def advance(session: Session, thread_id: str, step: Callable[[Checkpoint], Checkpoint]) -> None:
    """Replace a thread's checkpoint by the result of `step`."""
    sql = """INSERT INTO supervisor_checkpoints (id, user_id, thread_id, checkpoint_data,
                                                 created_at, updated_at)
             VALUES (:id, :user, :thread, :data, :now, :now)
             ON CONFLICT (user_id, thread_id)
             DO UPDATE SET checkpoint_data = excluded.checkpoint_data,
                           updated_at = excluded.updated_at"""
    data = asdict(step(load(session, thread_id)))
    session.run(sql, id=session.new_id(), thread=thread_id, data=data)
