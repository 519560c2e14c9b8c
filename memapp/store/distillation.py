"""The memories in the person's own words that no model has distilled yet."""

from memapp.domain.memory import Memory
from memapp.store.memories import get_memories
from memapp.store.saved_values import get_value, set_value
from memapp.store.session import Session

_LAST = "distilled up to"


def list_new(session: Session, limit: int) -> list[Memory]:
    """Return the memories after the last distilled one, oldest first."""
    sql = """SELECT id FROM memories
             WHERE user_id = :user AND state = 'live' AND origin = 'said' AND id > :last
             ORDER BY id LIMIT :limit"""
    ids = [row["id"] for row in session.run(sql, last=get_value(session, _LAST, ""), limit=limit)]
    return get_memories(session, ids)


def save_last(session: Session, memory_id: str) -> None:
    """Save the last distilled memory."""
    set_value(session, _LAST, memory_id)
