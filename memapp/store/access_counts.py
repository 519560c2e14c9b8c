"""How often memories were used, kept apart from their rows: counting must not touch the index."""

from collections.abc import Sequence

from memapp.domain.portable import Used
from memapp.domain.provenance import AccessCount
from memapp.store.session import Session


def count_access(session: Session, memory_ids: Sequence[str]) -> None:
    """Count a use of each memory in a prompt; skip memories that were erased meanwhile."""
    sql = """INSERT INTO access_counts (user_id, memory_id, last_accessed)
             SELECT user_id, id, :now FROM memories
             WHERE +user_id = :user AND id IN (SELECT value FROM json_each(:ids))
             ON CONFLICT (memory_id) DO UPDATE SET
               uses = uses + 1,
               days = days
                      + (substr(last_accessed, 1, 10) <> substr(excluded.last_accessed, 1, 10)),
               last_accessed = excluded.last_accessed"""
    session.run(sql, ids=memory_ids)


def insert_used(session: Session, memory_id: str, used: Used) -> None:
    """Save the use count of an imported memory."""
    session.insert("access_counts", memory_id=memory_id, **used.model_dump())


def get_access_count(session: Session, memory_id: str) -> AccessCount | None:
    """Return how often a memory was in a prompt; None for never."""
    sql = """SELECT uses AS count, days, last_accessed AS last FROM access_counts
             WHERE +user_id = :user AND memory_id = :id"""
    return session.record(AccessCount, sql, id=memory_id)
