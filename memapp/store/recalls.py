"""What stood in the prompt of each reply."""

from collections.abc import Sequence
from datetime import datetime

from memapp.domain.memory import Recalled
from memapp.domain.provenance import UsedIn
from memapp.store.chat import get_message
from memapp.store.session import Session


def save_recalls(session: Session, message_id: str, hits: Sequence[Recalled]) -> None:
    """Note what stood in the prompt of a reply."""
    session.conn.executemany(
        "INSERT INTO recalls (user_id, message_id, rank, owner_kind, owner_id, score, why) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(session.user_id, message_id, rank, hit.kind, hit.id, hit.score, hit.why) for rank, hit in enumerate(hits, start=1)],
    )


def list_recalls(session: Session, message_id: str) -> list[Recalled]:
    """Return what stood in the prompt of a reply, best first; what was deleted since is left out."""
    rows = session.conn.execute(
        """SELECT r.*, coalesce(m.text, s.text) AS text, coalesce(s.role, '') AS said_by,
                  coalesce(s.thread_id, '') AS thread_id, coalesce(m.created_at, s.created_at) AS at,
                  coalesce(m.pinned, 0) AS pinned
           FROM recalls r
           LEFT JOIN memories m ON r.owner_kind = 'memory' AND m.id = r.owner_id AND m.user_id = :user AND m.state = 'live'
           LEFT JOIN messages s ON r.owner_kind = 'message' AND s.id = r.owner_id AND s.user_id = :user
           WHERE r.message_id = :message AND (m.id IS NOT NULL OR s.id IS NOT NULL) ORDER BY r.rank""",
        {"user": session.user_id, "message": message_id},
    )
    return [
        Recalled(
            kind=row["owner_kind"],
            id=row["owner_id"],
            text=row["text"],
            said_by=row["said_by"],
            thread_id=row["thread_id"],
            at=datetime.fromisoformat(row["at"]),
            score=row["score"],
            why=row["why"],
            pinned=bool(row["pinned"]),
        )
        for row in rows
    ]


def used_in(session: Session, memory_id: str, limit: int) -> list[UsedIn]:
    """Return the replies that a memory was recalled for, newest first."""
    rows = session.conn.execute(
        """SELECT r.message_id, r.score, r.why FROM recalls r JOIN messages m ON m.id = r.message_id
           WHERE r.owner_kind = 'memory' AND r.owner_id = ? AND m.user_id = ? ORDER BY r.message_id DESC LIMIT ?""",
        (memory_id, session.user_id, limit),
    ).fetchall()
    return [UsedIn(get_message(session, row["message_id"]), row["score"], row["why"]) for row in rows]
