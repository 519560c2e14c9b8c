"""The queue of messages to learn from: the table `surprises`, with the state of each message.

A message is queued when it is saved; one that turns out as predicted is settled at once, so that
only surprises are read.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from memapp.domain.learning_queue import QueuedMessage
from memapp.store.encoding import new_id
from memapp.store.session import Session

_IS_ACTIVE = """EXISTS (SELECT 1 FROM messages m JOIN threads t ON t.id = m.thread_id
                        WHERE m.user_id = s.user_id AND m.id = s.message_id AND m.active = 1
                        AND t.deleted_at IS NULL)"""
"""SQL for an entry whose message stands in a chat."""


def add(session: Session, thread_id: str, message_id: str, now: datetime) -> None:
    """Queue a message for learning, at the time it was sent."""
    session.insert_new(
        "surprises", id=new_id(now), thread_id=thread_id, message_id=message_id, created_at=now
    )


def list_pending(session: Session, limit: int | None = 20) -> list[QueuedMessage]:
    """Return the pending messages: those not tried yet first, then by last try."""
    sql = f"""SELECT s.id, s.thread_id, s.message_id, p.text AS expected FROM surprises s
              LEFT JOIN predictions p ON p.id = s.prediction_id
              WHERE s.user_id = :user AND s.state = 'pending' AND {_IS_ACTIVE}
              ORDER BY s.tried_at, s.id LIMIT coalesce(:limit, -1)"""  # noqa: S608
    return session.records(QueuedMessage, sql, limit=limit)


def list_outdated(session: Session) -> list[str]:
    """Return the pending entries whose message was replaced or whose chat was deleted."""
    sql = f"""SELECT s.id FROM surprises s
              WHERE s.user_id = :user AND s.state = 'pending' AND NOT {_IS_ACTIVE}"""  # noqa: S608
    return session.column(sql)


def is_current(session: Session, queued_id: str, text: str) -> bool:
    """Return True if an entry is pending and its message active with this text."""
    sql = f"""SELECT m.text FROM surprises s JOIN messages m ON m.id = s.message_id
              WHERE s.user_id = :user AND s.id = :id AND s.state = 'pending'
              AND {_IS_ACTIVE}"""  # noqa: S608
    return bool(session.value(sql, id=queued_id) == text)


def settle(
    session: Session, queued_id: str, state: Literal["learned", "nothing", "failed"]
) -> None:
    session.alter("surprises", queued_id, state=state)


def learn_nothing(session: Session, message_ids: Sequence[str]) -> None:
    """Settle the pending messages among some: nothing is learned from them."""
    sql = """UPDATE surprises SET state = 'nothing'
             WHERE user_id = :user AND state = 'pending'
             AND message_id IN (SELECT value FROM json_each(:ids))"""
    session.run(sql, ids=message_ids)


def learn_again(session: Session, message_ids: Sequence[str]) -> None:
    """Make the settled messages among some pending again."""
    sql = """UPDATE surprises SET state = 'pending'
             WHERE user_id = :user AND state IN ('learned', 'nothing')
             AND message_id IN (SELECT value FROM json_each(:ids))"""
    session.run(sql, ids=message_ids)


def count_try(session: Session, queued_id: str) -> int:
    """Count a failed try to learn; return the number of days with failed tries."""
    sql = """UPDATE surprises
             SET tries = tries + (tries = 0 OR substr(tried_at, 1, 10) <> substr(:now, 1, 10)),
                 tried_at = :now
             WHERE user_id = :user AND id = :id
             RETURNING tries"""
    return int(session.value(sql, id=queued_id))


def is_pending(session: Session, message_id: str) -> bool:
    """Return True if a message is still to be learned from."""
    sql = """SELECT count(*) FROM surprises
             WHERE user_id = :user AND message_id = :message AND state = 'pending'"""
    return bool(session.value(sql, message=message_id))


def count(session: Session, state: Literal["pending", "failed"]) -> int:
    """Return the number of messages still to be learned from, or given up."""
    sql = "SELECT count(*) FROM surprises WHERE user_id = :user AND state = :state"
    return int(session.value(sql, state=state))
