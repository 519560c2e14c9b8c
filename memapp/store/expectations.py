"""Stores what was expected to be said next, and the surprises when something else was said."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from memapp.domain.activity import Rate
from memapp.domain.prediction import Prediction, Source, Surprise
from memapp.store.encoding import new_id, to_json, to_text
from memapp.store.failures import Row, from_row
from memapp.store.session import Session


def save_prediction(
    session: Session,
    thread_id: str,
    message_id: str,
    source: Source,
    text: str,
    needed_info: Sequence[str],
    now: datetime,
) -> None:
    """Save what one of the two model calls expects next; a second save for the same reply replaces the first."""
    session.conn.execute(
        """INSERT INTO predictions (id, user_id, thread_id, message_id, source, text, needed_info, created_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (message_id, source) DO UPDATE SET text = excluded.text, needed_info = excluded.needed_info""",
        (new_id(now), session.user_id, thread_id, message_id, source, text[:2000], to_json(list(needed_info)), to_text(now)),
    )


def prediction_for(session: Session, message_id: str, source: str) -> Prediction | None:
    """Return what one source expected after this reply."""
    row = session.conn.execute(
        "SELECT * FROM predictions WHERE user_id = ? AND message_id = ? AND source = ?", (session.user_id, message_id, source)
    ).fetchone()
    return _prediction(row) if row else None


def mark_checked(session: Session, prediction_id: str, message_id: str, surprised: bool, why: str) -> None:
    session.conn.execute(
        "UPDATE predictions SET checked_by = ?, surprised = ?, why = ? WHERE user_id = ? AND id = ?",
        (message_id, int(surprised), why, session.user_id, prediction_id),
    )


def checked_by(session: Session, message_id: str) -> Prediction | None:
    """Return the prediction that this user message was compared with."""
    row = session.conn.execute(
        "SELECT * FROM predictions WHERE user_id = ? AND checked_by = ?", (session.user_id, message_id)
    ).fetchone()
    return _prediction(row) if row else None


def hit_rate(session: Session, last: int | None = 50) -> Rate:
    """Return how many expectations held, of the last `last` that were compared."""
    row = session.conn.execute(
        """SELECT coalesce(sum(1 - surprised), 0), count(*) FROM
           (SELECT surprised FROM predictions WHERE user_id = ? AND surprised IS NOT NULL
            ORDER BY id DESC LIMIT coalesce(?, -1))""",
        (session.user_id, last),
    ).fetchone()
    return Rate(int(row[0]), int(row[1]))


def add_surprise(session: Session, thread_id: str, message_id: str, prediction_id: str | None, now: datetime) -> None:
    session.conn.execute(
        """INSERT INTO surprises (id, user_id, thread_id, message_id, prediction_id, created_at) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (message_id) DO NOTHING""",
        (new_id(now), session.user_id, thread_id, message_id, prediction_id, to_text(now)),
    )


def pending_surprises(session: Session, limit: int | None = 20) -> list[Surprise]:
    """Return surprises to learn from, of active messages in chats not deleted: untried ones first, then oldest first."""
    rows = session.conn.execute(
        f"""SELECT s.id, s.thread_id, s.message_id, coalesce(p.text, '') AS expected FROM surprises s
            LEFT JOIN predictions p ON p.id = s.prediction_id
            WHERE s.user_id = ? AND s.state = 'pending' AND {_STANDS} ORDER BY s.tried_at, s.id LIMIT coalesce(?, -1)""",  # noqa: S608
        (session.user_id, limit),
    )
    return [Surprise(row["id"], row["thread_id"], row["message_id"], row["expected"]) for row in rows]


def outdated_surprises(session: Session) -> list[str]:
    """Return pending surprises whose message was replaced or whose chat was deleted."""
    rows = session.conn.execute(
        f"SELECT s.id FROM surprises s WHERE s.user_id = ? AND s.state = 'pending' AND NOT {_STANDS}",  # noqa: S608
        (session.user_id,),
    )
    return [row["id"] for row in rows]


def uncompared(session: Session) -> list[tuple[Prediction, str]]:
    """Return what was expected of messages to learn from that were never compared with it, each with the message's id."""
    rows = session.conn.execute(
        f"""SELECT p.*, s.message_id AS said FROM surprises s JOIN predictions p ON p.id = s.prediction_id
            WHERE s.user_id = ? AND s.state = 'pending' AND p.checked_by IS NULL AND {_STANDS} ORDER BY s.id""",  # noqa: S608
        (session.user_id,),
    )
    return [(_prediction(row), row["said"]) for row in rows]


def still_stands(session: Session, surprise_id: str, text: str) -> bool:
    """Tell whether a surprise is still pending and its message is active with this text."""
    row = session.conn.execute(
        f"""SELECT m.text FROM surprises s JOIN messages m ON m.id = s.message_id
            WHERE s.user_id = ? AND s.id = ? AND s.state = 'pending' AND {_STANDS}""",  # noqa: S608
        (session.user_id, surprise_id),
    ).fetchone()
    return row is not None and row["text"] == text


_STANDS = """EXISTS (SELECT 1 FROM messages m JOIN threads t ON t.id = m.thread_id
                     WHERE m.user_id = s.user_id AND m.id = s.message_id AND m.active = 1 AND t.deleted_at IS NULL)"""


def settle_surprise(session: Session, surprise_id: str, state: Literal["learned", "nothing", "failed"]) -> None:
    session.conn.execute("UPDATE surprises SET state = ? WHERE user_id = ? AND id = ?", (state, session.user_id, surprise_id))


def learn_nothing(session: Session, message_ids: Sequence[str]) -> None:
    """Settle what is still to be learned from some messages."""
    session.conn.execute(
        """UPDATE surprises SET state = 'nothing'
           WHERE user_id = ? AND state = 'pending' AND message_id IN (SELECT value FROM json_each(?))""",
        (session.user_id, to_json(list(message_ids))),
    )


def learn_again(session: Session, message_ids: Sequence[str]) -> None:
    """Let messages be read once more that were learned from."""
    session.conn.execute(
        """UPDATE surprises SET state = 'pending'
           WHERE user_id = ? AND state IN ('learned', 'nothing') AND message_id IN (SELECT value FROM json_each(?))""",
        (session.user_id, to_json(list(message_ids))),
    )


def count_try(session: Session, surprise_id: str, now: datetime) -> int:
    """Count a failed try to learn; return on how many different days one failed."""
    row = session.conn.execute(
        """UPDATE surprises SET tries = tries + (substr(tried_at, 1, 10) <> substr(:now, 1, 10)), tried_at = :now
           WHERE user_id = :user AND id = :id RETURNING tries""",
        {"now": to_text(now), "user": session.user_id, "id": surprise_id},
    ).fetchone()
    return int(row["tries"])


def count_surprises(session: Session, state: Literal["pending", "failed"]) -> int:
    """Count the messages that wait to be learned from, or those that were set aside."""
    row = session.conn.execute(
        "SELECT count(*) FROM surprises WHERE user_id = ? AND state = ?", (session.user_id, state)
    ).fetchone()
    return int(row[0])


@from_row
def _prediction(row: Row) -> Prediction:
    return Prediction(
        id=row["id"],
        thread_id=row["thread_id"],
        message_id=row["message_id"],
        source=row["source"],
        text=row["text"],
        needed_info=tuple(json.loads(row["needed_info"])),
        surprised=None if row["surprised"] is None else bool(row["surprised"]),
        why=row["why"],
    )
