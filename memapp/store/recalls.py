"""Recalls: the memories, messages and lessons that each reply was made from."""

from collections.abc import Sequence

from memapp.domain.chat import Message
from memapp.domain.memory import Recalled
from memapp.domain.provenance import UsedIn
from memapp.store.records import record
from memapp.store.session import Session


def save_recalls(
    session: Session, message_id: str, hits: Sequence[Recalled], *, after: int = 0
) -> None:
    """Save the sources of a reply, ranked after the first `after` ones."""
    for rank, hit in enumerate(hits, start=after + 1):
        row = {"owner_kind": hit.kind, "owner_id": hit.id, "score": hit.score, "why": hit.why}
        session.insert("recalls", message_id=message_id, rank=rank, **row)


def list_recalls(session: Session, message_id: str) -> list[Recalled]:
    """Return the sources of a reply, best first, without deleted ones."""
    sql = """SELECT r.owner_kind AS kind, r.owner_id AS id,
                    coalesce(m.text, s.text, l.correct) AS text, coalesce(s.role, '') AS said_by,
                    s.thread_id, coalesce(m.created_at, s.created_at, l.created_at) AS at, r.score,
                    r.why, m.pinned
             FROM recalls r
             LEFT JOIN memories m ON r.owner_kind = 'memory' AND m.id = r.owner_id
                                  AND m.user_id = :user AND m.state = 'live'
             LEFT JOIN messages s ON r.owner_kind = 'message' AND s.id = r.owner_id
                                  AND s.user_id = :user
             LEFT JOIN lessons l ON r.owner_kind = 'lesson' AND l.id = r.owner_id
                                 AND l.user_id = :user AND l.purge_at IS NULL
             WHERE r.message_id = :message AND coalesce(m.id, s.id, l.id) IS NOT NULL
             ORDER BY r.rank"""
    return session.records(Recalled, sql, message=message_id)


def of_last_command(session: Session, thread_id: str) -> list[Recalled]:
    """Return the lessons shown with the last command of a chat, if nothing was said since."""
    sql = """SELECT id, origin FROM messages
             WHERE user_id = :user AND thread_id = :thread AND active = 1 AND role = 'assistant'
             AND status = 'complete'
             ORDER BY seq DESC LIMIT 1"""
    last = session.row(sql, thread=thread_id)
    recalled = (
        list_recalls(session, last["id"])
        if last is not None and last["origin"] == "command"
        else []
    )
    return [hit for hit in recalled if hit.kind == "lesson"]


def used_in(session: Session, memory_id: str, limit: int) -> list[UsedIn]:
    """Return the replies for which a memory was recalled, newest first."""
    sql = """SELECT m.*, r.score, r.why FROM recalls r JOIN messages m ON m.id = r.message_id
             WHERE r.owner_kind = 'memory' AND r.owner_id = :memory AND m.user_id = :user
             ORDER BY r.message_id DESC LIMIT :limit"""
    return [
        UsedIn(record(Message, row), row["score"], row["why"])
        for row in session.run(sql, memory=memory_id, limit=limit)
    ]
