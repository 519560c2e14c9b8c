"""Predictions of the next message, and their comparison with the message that came."""

from collections.abc import Sequence

from memapp.domain.activity import HitRates, Rate
from memapp.domain.expectation import AS_PREDICTED, Verdict
from memapp.domain.prediction import Prediction, Source
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


def save_comparison(
    session: Session, prediction_id: str, message_id: str, verdict: Verdict
) -> None:
    """Save the comparison of a message with its prediction."""
    queued = """UPDATE surprises SET prediction_id = :prediction
                  WHERE user_id = :user AND message_id = :message"""
    session.run(queued, prediction=prediction_id, message=message_id)
    compared = {
        "surprised": verdict.surprised,
        "similarity": verdict.similarity,
        "why": verdict.why,
    }
    session.alter("predictions", prediction_id, checked_by=message_id, **compared)


def compared_with(session: Session, message_id: str) -> Prediction | None:
    """Return the prediction that a message was compared with."""
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
