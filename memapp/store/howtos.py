"""Ticks: the completed steps of each how-to."""

from collections.abc import Sequence
from datetime import datetime

from memapp.store.encoding import to_time
from memapp.store.session import Session


def ticks(session: Session, memory_ids: Sequence[str]) -> dict[tuple[str, int], datetime]:
    """Return the times of completed steps, by memory and number of the step."""
    sql = """SELECT memory_id, step, done_at FROM howto_ticks
             WHERE +user_id = :user AND memory_id IN (SELECT value FROM json_each(:ids))"""
    return {
        (row["memory_id"], row["step"]): to_time(row["done_at"])
        for row in session.run(sql, ids=memory_ids)
    }


def tick(session: Session, memory_id: str, step: int) -> None:
    session.insert_new("howto_ticks", memory_id=memory_id, step=step, done_at=session.now)


def untick(session: Session, memory_id: str, step: int | None = None) -> None:
    """Reopen a step, or all of them."""
    sql = """DELETE FROM howto_ticks
             WHERE user_id = :user AND memory_id = :memory AND step = coalesce(:step, step)"""
    session.run(sql, memory=memory_id, step=step)
