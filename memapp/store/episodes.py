"""Up to which message of each chat an episode was looked for, and which chats have more to tell."""

from dataclasses import dataclass
from datetime import datetime

from memapp.store.session import Session

_TYPED = "m.role = 'user' AND m.origin = 'typed' AND m.active = 1"


@dataclass(frozen=True, slots=True)
class Untold:
    """A chat with messages of the person that no episode was looked for in."""

    thread_id: str
    after: int
    """The sequence number up to which that was done."""
    messages: int
    """How many there are behind it."""
    last_at: datetime
    """When the last one was typed."""


def list_untold(session: Session) -> list[Untold]:
    """Return the chats with messages of the person behind the last episode, longest ago first."""
    sql = f"""SELECT t.id AS thread_id, coalesce(e.seq, 0) AS after, count(*) AS messages, max(m.created_at) AS last_at
              FROM threads t LEFT JOIN episode_ends e ON e.thread_id = t.id
              JOIN messages m ON m.thread_id = t.id AND m.seq > coalesce(e.seq, 0)
              WHERE t.user_id = :user AND t.deleted_at IS NULL AND {_TYPED}
              GROUP BY t.id ORDER BY last_at"""  # noqa: S608
    return session.records(Untold, sql)


def get_end(session: Session, thread_id: str) -> int:
    """Return the sequence number up to which an episode was looked for in a chat; 0 for none."""
    return (
        session.value(
            "SELECT seq FROM episode_ends WHERE user_id = :user AND thread_id = :thread",
            thread=thread_id,
        )
        or 0
    )


def save_end(session: Session, thread_id: str, seq: int) -> None:
    session.put("episode_ends", thread_id=thread_id, seq=seq)
