"""Predictions of the next message, and surprises when another message came."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from memapp.domain.activity import HitRates, Rate
from memapp.domain.expectation import AS_PREDICTED, Verdict
from memapp.domain.prediction import Prediction, Source, Surprise
from memapp.store.encoding import new_id
from memapp.store.session import Session


def save_prediction(
    session: Session,
    thread_id: str,
    message_id: str,
    source: Source,
    text: str,
    needed_info: Sequence[str],
) -> None:
    """Save the prediction of a model call, replacing an earlier one for the same reply."""
    sql = """INSERT INTO predictions (id, user_id, thread_id, message_id, source, text, needed_info,
                                      created_at)
             VALUES (:id, :user, :thread, :message, :source, :text, :needed, :now)
             ON CONFLICT (message_id, source)
             DO UPDATE SET text = excluded.text, needed_info = excluded.needed_info"""
    prediction = {"source": source, "text": text[:2000], "needed": needed_info}
    session.run(sql, id=session.new_id(), thread=thread_id, message=message_id, **prediction)


def prediction_for(session: Session, message_id: str, source: str) -> Prediction | None:
    """Return one source's prediction after a reply."""
    sql = """SELECT * FROM predictions
             WHERE user_id = :user AND message_id = :message AND source = :source"""
    return session.record(Prediction, sql, message=message_id, source=source)


def expected_after(session: Session, message_id: str) -> Prediction | None:
    """Return the prediction after a reply: of call 1, else the one the model made later."""
    predictions = (
        prediction_for(session, message_id, source) for source in ("predictor", "responder")
    )
    return next((prediction for prediction in predictions if prediction and prediction.text), None)


def mark_checked(session: Session, prediction_id: str, message_id: str, verdict: Verdict) -> None:
    """Save the comparison of a message with its prediction."""
    expected = """UPDATE surprises SET prediction_id = :prediction
                  WHERE user_id = :user AND message_id = :message"""
    session.run(expected, prediction=prediction_id, message=message_id)
    compared = {
        "surprised": verdict.surprised,
        "similarity": verdict.similarity,
        "why": verdict.why,
    }
    session.alter("predictions", prediction_id, checked_by=message_id, **compared)


def checked_by(session: Session, message_id: str) -> Prediction | None:
    """Return the prediction that a user message was compared with."""
    sql = "SELECT * FROM predictions WHERE user_id = :user AND checked_by = :id"
    return session.record(Prediction, sql, id=message_id)


def hit_rates(session: Session, last: int | None = 50) -> HitRates:
    """Return the results of the last `last` compared predictions."""
    sql = """SELECT count(*) AS compared, coalesce(sum(surprised = 0), 0) AS held,
                    coalesce(sum(surprised = 0 AND similarity >= :least), 0) AS as_predicted
             FROM (SELECT surprised, similarity FROM predictions
                   WHERE user_id = :user AND surprised IS NOT NULL
                   ORDER BY id DESC LIMIT coalesce(:last, -1))"""
    row = session.run(sql, last=last, least=AS_PREDICTED).fetchone()
    return HitRates(
        Rate(row["as_predicted"], row["compared"]),
        Rate(row["held"] - row["as_predicted"], row["compared"]),
    )


def add_surprise(session: Session, thread_id: str, message_id: str, now: datetime) -> None:
    """Mark a message as pending for learning, unless it turns out to be as predicted."""
    session.insert_new(
        "surprises", id=new_id(now), thread_id=thread_id, message_id=message_id, created_at=now
    )


def pending_surprises(session: Session, limit: int | None = 20) -> list[Surprise]:
    """Return pending surprises of active messages: unread ones first, then by last try."""
    sql = f"""SELECT s.id, s.thread_id, s.message_id, p.text AS expected FROM surprises s
              LEFT JOIN predictions p ON p.id = s.prediction_id
              WHERE s.user_id = :user AND s.state = 'pending' AND {_STANDS}
              ORDER BY s.tried_at, s.id LIMIT coalesce(:limit, -1)"""  # noqa: S608
    return session.records(Surprise, sql, limit=limit)


def outdated_surprises(session: Session) -> list[str]:
    """Return pending surprises whose message was replaced or whose chat was deleted."""
    sql = f"""SELECT s.id FROM surprises s
              WHERE s.user_id = :user AND s.state = 'pending' AND NOT {_STANDS}"""  # noqa: S608
    return session.column(sql)


def still_stands(session: Session, surprise_id: str, text: str) -> bool:
    """Return True if a surprise is pending and its message active with this text."""
    sql = f"""SELECT m.text FROM surprises s JOIN messages m ON m.id = s.message_id
              WHERE s.user_id = :user AND s.id = :id AND s.state = 'pending' AND {_STANDS}"""  # noqa: S608
    return bool(session.value(sql, id=surprise_id) == text)


_STANDS = """EXISTS (SELECT 1 FROM messages m JOIN threads t ON t.id = m.thread_id
                     WHERE m.user_id = s.user_id AND m.id = s.message_id AND m.active = 1
                     AND t.deleted_at IS NULL)"""


def settle_surprise(
    session: Session, surprise_id: str, state: Literal["learned", "nothing", "failed"]
) -> None:
    session.alter("surprises", surprise_id, state=state)


def learn_nothing(session: Session, message_ids: Sequence[str]) -> None:
    """Settle the pending surprises of some messages."""
    sql = """UPDATE surprises SET state = 'nothing'
             WHERE user_id = :user AND state = 'pending'
             AND message_id IN (SELECT value FROM json_each(:ids))"""
    session.run(sql, ids=message_ids)


def learn_again(session: Session, message_ids: Sequence[str]) -> None:
    """Make the surprises of some learned messages pending again."""
    sql = """UPDATE surprises SET state = 'pending'
             WHERE user_id = :user AND state IN ('learned', 'nothing')
             AND message_id IN (SELECT value FROM json_each(:ids))"""
    session.run(sql, ids=message_ids)


def count_try(session: Session, surprise_id: str) -> int:
    """Count a failed try to learn; return the number of days with failed tries."""
    sql = """UPDATE surprises
             SET tries = tries + (tries = 0 OR substr(tried_at, 1, 10) <> substr(:now, 1, 10)),
                 tried_at = :now
             WHERE user_id = :user AND id = :id
             RETURNING tries"""
    return int(session.value(sql, id=surprise_id))


def is_to_learn_from(session: Session, message_id: str) -> bool:
    """Return True if a message is pending for learning."""
    sql = """SELECT count(*) FROM surprises
             WHERE user_id = :user AND message_id = :message AND state = 'pending'"""
    return bool(session.value(sql, message=message_id))


def count_surprises(session: Session, state: Literal["pending", "failed"]) -> int:
    """Return the number of messages pending for learning, or set aside."""
    sql = "SELECT count(*) FROM surprises WHERE user_id = :user AND state = :state"
    return int(session.value(sql, state=state))
