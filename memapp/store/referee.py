"""Judgements of models as referees of steps, and their accuracy where the outcome is known."""

from collections.abc import Sequence
from datetime import datetime

from memapp.domain.lessons.referee import Calibration
from memapp.store.runs import KNOWN
from memapp.store.session import Session


def add(session: Session, step_id: str, *, key: str, name: str, worked: bool) -> None:
    """Save a model's judgement of a step, unless the step was deleted."""
    sql = """INSERT INTO judged_steps (user_id, step_id, model, name, worked, created_at)
             SELECT :user, id, :model, :name, :worked, :now FROM run_steps
             WHERE user_id = :user AND id = :id
             ON CONFLICT DO NOTHING"""
    session.run(sql, id=step_id, model=key, name=name, worked=worked)


def calibrations(session: Session) -> list[Calibration]:
    """Return the accuracy of each model, latest first."""
    sql = f"""SELECT j.model, max(j.name) AS name, sum({KNOWN} AND e.id IS NULL) AS worked,
                     sum({KNOWN} AND e.id IS NULL AND j.worked) AS worked_right,
                     sum({KNOWN} AND e.id IS NOT NULL) AS failed,
                     sum({KNOWN} AND e.id IS NOT NULL AND NOT j.worked) AS failed_right,
                     sum(NOT {KNOWN}) AS judged
              FROM judged_steps j
              JOIN run_steps s ON s.id = j.step_id
              LEFT JOIN error_events e ON e.step_id = s.id
              WHERE j.user_id = :user
              GROUP BY j.model ORDER BY max(j.created_at) DESC"""  # noqa: S608
    return session.records(Calibration, sql)


def unjudged(
    session: Session, model: str, ended_before: datetime, limit: int, *, known: bool
) -> list[tuple[str, int]]:
    """Return run and number of steps of ended runs that a model has not judged, latest first.

    Steps with a known outcome are included only with `known`; first steps of a run never are.
    """
    sql = f"""SELECT s.run_id, s.seq FROM run_steps s JOIN runs r ON r.id = s.run_id
              WHERE s.user_id = :user AND s.seq > 1 AND (r.last_at < :ended OR r.passed IS NOT NULL)
              AND (:known OR NOT {KNOWN})
              AND NOT EXISTS (SELECT 1 FROM judged_steps j
                              WHERE j.step_id = s.id AND j.model = :model)
              ORDER BY s.id DESC LIMIT :limit"""  # noqa: S608
    return [
        (row["run_id"], row["seq"])
        for row in session.run(sql, model=model, ended=ended_before, known=known, limit=limit)
    ]


def judges_of(session: Session, run_ids: Sequence[str]) -> list[str]:
    """Return the models that judged a step of unknown outcome in some runs."""
    sql = f"""SELECT DISTINCT j.model FROM judged_steps j JOIN run_steps s ON s.id = j.step_id
              WHERE j.user_id = :user AND s.run_id IN (SELECT value FROM json_each(:ids))
              AND NOT {KNOWN}"""  # noqa: S608
    return session.column(sql, ids=run_ids)


def score(session: Session, run_id: str, after: int, models: Sequence[str]) -> float | None:
    """Return the share of successful steps after one, by outcome or the latest judgement."""
    sql = f"""SELECT avg(iif({KNOWN}, e.id IS NULL,
                             (SELECT j.worked FROM judged_steps j
                              WHERE j.step_id = s.id
                              AND j.model IN (SELECT value FROM json_each(:models))
                              ORDER BY j.created_at DESC LIMIT 1)))
              FROM run_steps s LEFT JOIN error_events e ON e.step_id = s.id
              WHERE s.user_id = :user AND s.run_id = :run AND s.seq > :after"""  # noqa: S608
    share: float | None = session.value(sql, run=run_id, after=after, models=models)
    return share
