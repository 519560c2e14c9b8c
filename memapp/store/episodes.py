"""The messages of each chat that episodes were made of, and those still to be read."""

from dataclasses import dataclass
from datetime import datetime

from memapp.store.session import Session

_TYPED = "m.role = 'user' AND m.origin = 'typed' AND m.active = 1"


@dataclass(frozen=True, slots=True)
class Untold:
    """A chat with the person's messages after its last episode."""

    thread_id: str
    after: int
    """The sequence number up to which the chat was read for episodes."""
    messages: int
    """The number of messages after it."""
    last_at: datetime
    """The time of the last message."""


def list_untold(session: Session) -> list[Untold]:
    """Return the chats with messages of the person after their last episode, longest ago first."""
    sql = f"""SELECT t.id AS thread_id, coalesce(e.seq, 0) AS after, count(*) AS messages,
                     max(m.created_at) AS last_at
              FROM threads t
              LEFT JOIN episode_ends e ON e.thread_id = t.id
              JOIN messages m ON m.thread_id = t.id AND m.seq > coalesce(e.seq, 0)
              WHERE t.user_id = :user AND t.deleted_at IS NULL AND {_TYPED}
              GROUP BY t.id ORDER BY last_at"""  # noqa: S608
    return session.records(Untold, sql)


def get_end(session: Session, thread_id: str) -> int:
    """Return the sequence number up to which a chat was read for episodes; 0 for none."""
    return (
        session.value(
            "SELECT seq FROM episode_ends WHERE user_id = :user AND thread_id = :thread",
            thread=thread_id,
        )
        or 0
    )


def save_end(session: Session, thread_id: str, seq: int) -> None:
    session.put("episode_ends", thread_id=thread_id, seq=seq)
