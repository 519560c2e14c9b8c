"""Activations: lessons shown or withheld after a failure, and what followed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memapp.domain.lessons.lesson import ActivationPoint, RunClient
from memapp.domain.lessons.outcome import Settlement
from memapp.domain.lessons.utility import Effect
from memapp.store.session import Session


@dataclass(frozen=True, slots=True)
class Match:
    """A failure in a run that a lesson applies to."""

    activation_id: str | None
    """None if the lesson was neither shown nor withheld for this failure."""
    lesson_id: str
    run_id: str
    seq: int
    """The number of the failed step."""
    fingerprint_id: str
    progress: float | None
    shown: bool
    client: RunClient
    agent: str
    started_at: datetime
    last_at: datetime
    passed: bool | None
    score: float | None
    at: datetime
    """When the step failed."""


@dataclass(frozen=True, slots=True)
class Following:
    """A step after a failure, in the same run."""

    action: str
    progress: float | None
    failed: bool
    same_error: bool
    """True if the step failed with the same fingerprint."""
    same_kind: bool
    """True if the step failed with the same shape."""
    fixes: bool
    """True if the step is what worked after the failure."""


_MATCH = """SELECT a.id AS activation_id, a.lesson_id, s.run_id, s.seq,
                   coalesce(f.merged_into, f.id) AS fingerprint_id, s.progress, a.shown, r.client,
                   r.agent, r.started_at, r.last_at, r.passed, r.score, s.created_at AS at
            FROM activations a
            JOIN run_steps s ON s.id = a.step_id
            JOIN error_events e ON e.step_id = s.id
            JOIN fingerprints f ON f.id = e.fingerprint_id
            JOIN runs r ON r.id = s.run_id
            WHERE a.user_id = :user"""


def add(
    session: Session,
    activation_id: str,
    lesson_id: str,
    run_id: str,
    step_id: str,
    point: ActivationPoint,
    rank: int,
    score: float,
    parts: Mapping[str, float],
    *,
    shown: bool,
) -> None:
    """Record that a lesson was shown for a failure, or withheld, and count this in the lesson."""
    about = {"lesson_id": lesson_id, "run_id": run_id, "step_id": step_id, "point": point}
    ranked = {"rank": rank, "score": score, "parts": parts, "shown": shown}
    session.insert("activations", id=activation_id, **about, **ranked, created_at=session.now)
    counted = "retrieved = retrieved + 1" if shown else "withheld = withheld + 1"
    session.run(f"UPDATE lessons SET {counted} WHERE user_id = :user AND id = :id", id=lesson_id)  # noqa: S608


def reveal(session: Session, step_id: str) -> None:
    """Turn the withheld lessons of a failure into shown ones, unless their outcome is known."""
    sql = """UPDATE activations SET shown = 1
             WHERE user_id = :user AND step_id = :step AND NOT shown AND settled_at IS NULL
             RETURNING lesson_id"""
    for lesson_id in session.column(sql, step=step_id):
        counts = """UPDATE lessons SET withheld = withheld - 1, retrieved = retrieved + 1
                     WHERE user_id = :user AND id = :id"""
        session.run(counts, id=lesson_id)


def unsettled(session: Session, run_id: str, ended_before: datetime) -> list[Match]:
    """Return the activations without an outcome, in one run and in all runs that ended."""
    sql = f"""{_MATCH} AND a.settled_at IS NULL
              AND (a.run_id = :run OR r.last_at < :ended OR r.passed IS NOT NULL)
              ORDER BY a.id"""
    return session.records(Match, sql, run=run_id, ended=ended_before)


def following(session: Session, match: Match) -> list[Following]:
    """Return the steps of the run after the failure."""
    sql = """SELECT s.action, s.progress, e.id IS NOT NULL AS failed,
                    coalesce(f.merged_into, f.id) IS :fingerprint AS same_error,
                    f.tool IS failure.tool AND f.shape IS failure.shape AS same_kind,
                    EXISTS (SELECT 1
                            FROM error_events x JOIN fingerprints xf ON xf.id = x.fingerprint_id
                            WHERE x.solved_by = s.id
                            AND coalesce(xf.merged_into, xf.id) = failure.id) AS fixes
             FROM fingerprints failure
             JOIN run_steps s
             LEFT JOIN error_events e ON e.step_id = s.id
             LEFT JOIN fingerprints f ON f.id = e.fingerprint_id
             WHERE failure.id = :fingerprint AND s.user_id = :user AND s.run_id = :run
             AND s.seq > :seq
             ORDER BY s.seq"""
    return session.records(
        Following, sql, fingerprint=match.fingerprint_id, run=match.run_id, seq=match.seq
    )


def settle(session: Session, match: Match, settled: Settlement) -> None:
    """Record the outcome of an activation; count help or harm of a lesson that was shown."""
    sql = """UPDATE activations
             SET recurred = :recurred, fixed = :fixed, extra_failures = :extra,
                 progress_delta = :delta, steps_to_fix = :steps, helped = :helped,
                 settled_at = :now
             WHERE user_id = :user AND id = :id"""
    session.run(
        sql,
        id=match.activation_id,
        recurred=settled.recurrences > 0,
        fixed=settled.fixed,
        extra=settled.extra_failures,
        delta=settled.progress_delta,
        steps=settled.steps_to_fix,
        helped=settled.helped,
    )
    if match.shown:
        sql = """UPDATE lessons
                 SET helped = helped + :helped, hurt = hurt + :hurt, evidence_at = :now
                 WHERE user_id = :user AND id = :id"""
        session.run(
            sql, id=match.lesson_id, helped=settled.helped is True, hurt=settled.helped is False
        )


def useless(session: Session, lesson_id: str, since: datetime) -> int:
    """Return how often a shown lesson did not help since a time: the error came back unsolved."""
    sql = """SELECT count(*) FROM activations
             WHERE user_id = :user AND lesson_id = :id AND shown AND recurred AND NOT fixed
             AND created_at > :since"""
    return int(session.value(sql, id=lesson_id, since=since))


def matches(session: Session, lesson_id: str) -> list[Match]:
    """Return for each run the first failure with the lesson withheld, and the first with it shown.

    A withheld activation after a shown one says nothing, but one before does: whether the failure
    then came again is the question. Of a run with neither, return the first failure that the lesson
    would have fitted.
    """
    sql = f"""{_MATCH} AND a.lesson_id = :id
              UNION ALL
              SELECT NULL, t.lesson_id, s.run_id, s.seq, coalesce(f.merged_into, f.id), s.progress,
                     0, r.client, r.agent, r.started_at, r.last_at, r.passed, r.score, s.created_at
              FROM lesson_triggers t
              JOIN fingerprints known ON known.id = t.fingerprint_id
              JOIN fingerprints f ON f.id = coalesce(known.merged_into, known.id)
                   OR f.merged_into = coalesce(known.merged_into, known.id)
              JOIN error_events e ON e.fingerprint_id = f.id
              JOIN run_steps s ON s.id = e.step_id
              JOIN runs r ON r.id = s.run_id
              WHERE t.user_id = :user AND t.lesson_id = :id"""  # noqa: S608
    of_runs: dict[str, list[Match]] = {}
    candidates = session.records(Match, sql, id=lesson_id)
    for match in sorted(candidates, key=lambda match: (match.activation_id is None, match.seq)):
        of_run = of_runs.setdefault(match.run_id, [])
        if not of_run or (match.shown and not of_run[-1].shown):
            of_run.append(match)
    return [match for of_run in of_runs.values() for match in of_run]


def lessons_of(session: Session, run_id: str) -> list[str]:
    """Return the lessons that were shown or withheld in a run."""
    sql = """SELECT DISTINCT lesson_id FROM activations
             WHERE user_id = :user AND run_id = :run
             ORDER BY lesson_id"""
    return session.column(sql, run=run_id)


def keep_effect(session: Session, lesson_id: str, effect: Effect) -> None:
    """Save the effect of a lesson over all evidence."""
    session.alter(
        "lessons", lesson_id, utility=effect.utility, p=effect.p, evidence_runs=effect.window
    )


def unused(session: Session, before: datetime) -> list[str]:
    """Return the lessons in use without any evidence, for or against, since a time."""
    sql = """SELECT id FROM lessons
             WHERE user_id = :user AND status IN ('candidate', 'promoted') AND purge_at IS NULL
             AND evidence_at <= :before
             ORDER BY id"""
    return [row["id"] for row in session.run(sql, before=before)]
