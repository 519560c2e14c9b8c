"""The messages for insights: those typed last, in chats that are not deleted."""

from datetime import datetime

from memapp.domain.chat import Message
from memapp.store.session import Session


def list_typed(session: Session, since: datetime, limit: int) -> list[Message]:
    """Return the last messages typed since a time, oldest first."""
    sql = """SELECT m.* FROM messages m JOIN threads t ON t.id = m.thread_id
             WHERE m.user_id = :user AND m.role = 'user' AND m.origin = 'typed' AND m.active = 1
             AND m.created_at >= :since AND t.deleted_at IS NULL
             ORDER BY m.key DESC LIMIT :limit"""
    return session.records(Message, sql, since=since, limit=limit)[::-1]
