"""Runs with their steps, and the failures of these steps."""

from collections.abc import Sequence
from datetime import datetime

from memapp.domain.lessons.feedback import Channel, Feedback, ToolAttempt
from memapp.domain.lessons.lesson import RECURS, UNSOLVED_DAYS, WAITS_LONGER, ErrorEvent, RunClient
from memapp.domain.lessons.run import Evidence, LatestStep, Run, RunStep, Unsolved
from memapp.store.session import Session

_RUN = """SELECT r.*, (SELECT count(*) FROM run_steps WHERE run_id = r.id) AS steps,
                 (SELECT count(*) FROM run_steps s JOIN error_events e ON e.step_id = s.id
                  WHERE s.run_id = r.id) AS tool_errors
          FROM runs r
          WHERE r.user_id = :user"""
KNOWN = "(s.hard_failure IS NOT NULL OR s.constraint_failure OR s.progress IS NOT NULL)"
"""SQL for a step `s` whose outcome the tool itself reported."""
_STEP = f"""SELECT s.*, {KNOWN} AS known,
                   (SELECT worked FROM judged_steps
                    WHERE step_id = s.id
                    ORDER BY created_at DESC LIMIT 1) AS judged, e.channel, e.excerpt,
                   coalesce(f.tags, '[]') AS tags, e.solved_by
            FROM run_steps s
            LEFT JOIN error_events e ON e.step_id = s.id
            LEFT JOIN fingerprints f ON f.id = e.fingerprint_id
            WHERE s.user_id = :user"""  # noqa: S608
_EVENT = """SELECT e.id, e.step_id, s.run_id, s.action,
                   coalesce(f.merged_into, f.id) AS fingerprint_id, f.tool, f.scope, f.tags, r.task,
                   e.created_at
            FROM error_events e
            JOIN run_steps s ON s.id = e.step_id
            JOIN runs r ON r.id = s.run_id
            JOIN fingerprints f ON f.id = e.fingerprint_id
            WHERE e.user_id = :user"""


_UNSOLVED = """SELECT open.fingerprint_id FROM error_events open
               WHERE open.user_id = :user AND open.solved_by IS NULL
               AND open.created_at >= :unsolved_since
               AND NOT EXISTS (SELECT 1 FROM lesson_triggers
                               WHERE fingerprint_id = open.fingerprint_id)
               AND NOT EXISTS (SELECT 1 FROM error_events
                               WHERE fingerprint_id = open.fingerprint_id AND solved_by IS NOT NULL)
               GROUP BY +open.fingerprint_id
               HAVING count(*) >= :times"""
"""SQL for the failures that came at least so often since a time, and were never solved."""


def current_run(
    session: Session,
    client: RunClient,
    agent: str,
    tool: str,
    scope: str,
    task: str,
    since: datetime,
) -> Run | None:
    """Return the open run of a task, or else of a tool, in a place, without a long pause.

    A run with a final result is over.
    """
    sql = f"""{_RUN} AND client = :client AND agent = :agent AND scope = :scope AND task = :task
              AND (task <> '' OR tool = :tool) AND last_at >= :since AND passed IS NULL
              ORDER BY last_at DESC LIMIT 1"""
    about = {"client": client, "agent": agent, "tool": tool, "scope": scope, "task": task}
    return session.record(Run, sql, **about, since=since)


def add_run(
    session: Session, client: RunClient, agent: str, tool: str, scope: str, task: str
) -> Run:
    run_id = session.new_id()
    about = {"client": client, "agent": agent, "scope": scope, "task": task}
    times = {"started_at": session.now, "last_at": session.now}
    session.insert("runs", id=run_id, **about, tool="" if task else tool, **times)
    return get_run(session, run_id)


def get_run(session: Session, run_id: str) -> Run:
    """Return a run. Raises `NotFound`."""
    return session.existing(Run, f"run {run_id}", f"{_RUN} AND r.id = :id", id=run_id)


def list_runs(session: Session, limit: int) -> list[Run]:
    """Return runs, latest first."""
    return session.records(
        Run, f"{_RUN} ORDER BY r.last_at DESC, r.id DESC LIMIT :limit", limit=limit
    )


def last_step_worked(session: Session, run_id: str) -> bool:
    """Return True if the last step of a run did not fail."""
    sql = """SELECT e.id IS NULL FROM run_steps s LEFT JOIN error_events e ON e.step_id = s.id
             WHERE s.run_id = :run AND s.user_id = :user ORDER BY s.seq DESC LIMIT 1"""
    return bool(session.value(sql, run=run_id))


def finish(session: Session, run_id: str, *, passed: bool, score: float | None) -> None:
    """Save the result of a deterministic evaluator for a run."""
    session.alter("runs", run_id, passed=passed, score=score, referee="deterministic")


def remove(session: Session, run_ids: Sequence[str]) -> None:
    """Delete runs with their steps, and the fingerprints that nothing else uses."""
    session.run(
        "DELETE FROM runs WHERE user_id = :user AND id IN (SELECT value FROM json_each(:ids))",
        ids=run_ids,
    )
    unused = """DELETE FROM fingerprints
                WHERE user_id = :user
                AND id NOT IN (SELECT fingerprint_id FROM error_events)
                AND id NOT IN (SELECT fingerprint_id FROM lesson_triggers)
                AND id NOT IN (SELECT merged_into FROM fingerprints
                               WHERE merged_into IS NOT NULL)"""
    session.run(unused)


def add_step(session: Session, run: Run, attempt: ToolAttempt, feedback: Feedback) -> str:
    """Add a step to a run; return its id."""
    step_id, cost = session.new_id(), feedback.efficiency_signal
    sql = "SELECT coalesce(max(seq), 0) + 1 FROM run_steps WHERE run_id = :run AND user_id = :user"
    row = {
        "run_id": run.id,
        "seq": session.value(sql, run=run.id),
        "action": attempt.action,
        "exit_code": attempt.exit_code,
        "hard_failure": feedback.hard_failure,
        "constraint_failure": feedback.constraint_failure,
        "progress": feedback.progress_signal,
        "seconds": cost.seconds,
        "tokens": cost.tokens,
        "cost": cost.cost,
        "created_at": session.now,
    }
    session.insert("run_steps", id=step_id, **row)
    session.alter("runs", run.id, last_at=session.now)
    return step_id


def last_progress(session: Session, run: Run) -> float | None:
    """Return the progress after the last step of a run."""
    sql = """SELECT progress FROM run_steps
             WHERE run_id = :run AND user_id = :user
             ORDER BY seq DESC LIMIT 1"""
    progress: float | None = session.value(sql, run=run.id)
    return progress


def steps_of(session: Session, run_id: str) -> list[RunStep]:
    """Return the steps of a run in their order."""
    return session.records(RunStep, f"{_STEP} AND s.run_id = :run ORDER BY s.seq", run=run_id)


# Failures -----------------------------------------------------------------------------------------


def fingerprints_of(session: Session, tool: str, scope: str, action: str) -> list[str]:
    """Return the ids of the fingerprints of an action's failures in a place."""
    sql = f"""SELECT DISTINCT fingerprint_id FROM ({_EVENT})
              WHERE tool = :tool AND scope = :scope AND action = :action"""  # noqa: S608
    return session.column(sql, tool=tool, scope=scope, action=action)


def add_error(
    session: Session,
    step_id: str,
    fingerprint_id: str,
    channel: Channel,
    excerpt: str,
    delta: float | None,
) -> str:
    """Add the failure of a step; return its id."""
    event_id = session.new_id()
    about = {"step_id": step_id, "fingerprint_id": fingerprint_id, "channel": channel}
    row = {**about, "excerpt": excerpt, "progress_delta": delta, "created_at": session.now}
    session.insert("error_events", id=event_id, **row)
    return event_id


def open_failures(
    session: Session, client: RunClient, agent: str, scope: str, since: datetime
) -> list[ErrorEvent]:
    """Return the unsolved failures of a client in a place, latest first.

    A failure that came again and was never solved stays open for longer.
    """
    sql = f"""{_EVENT} AND e.solved_by IS NULL AND r.client = :client AND r.agent = :agent
              AND r.scope = :scope
              AND (e.created_at >= :since
                   OR e.created_at >= :unsolved_since AND e.fingerprint_id IN ({_UNSOLVED}))
              ORDER BY e.id DESC"""
    about = {"client": client, "agent": agent, "scope": scope, "times": WAITS_LONGER}
    return session.records(
        ErrorEvent, sql, since=since, unsolved_since=session.now - UNSOLVED_DAYS, **about
    )


def unsolved(session: Session, limit: int) -> list[Unsolved]:
    """Return the repeated failures that were never solved, latest first."""
    sql = f"""SELECT max(e.id) AS id, f.tool, s.action, count(*) AS times, max(e.created_at) AS at
              FROM error_events e
              JOIN run_steps s ON s.id = e.step_id
              JOIN fingerprints f ON f.id = e.fingerprint_id
              WHERE e.user_id = :user AND e.created_at >= :unsolved_since
              AND e.fingerprint_id IN ({_UNSOLVED})
              GROUP BY e.fingerprint_id ORDER BY max(e.id) DESC LIMIT :limit"""  # noqa: S608
    return session.records(
        Unsolved, sql, unsolved_since=session.now - UNSOLVED_DAYS, times=RECURS, limit=limit
    )


def step_before(session: Session, run: Run, step_id: str, since: datetime) -> str | None:
    """Return the previous step of a client in the place of a run, with any tool, since a time."""
    sql = """SELECT max(s.id) FROM runs r JOIN run_steps s ON s.run_id = r.id
             WHERE r.user_id = :user AND r.client = :client AND r.agent = :agent
             AND r.scope = :scope AND s.id < :id AND r.last_at >= :since"""
    about = {"client": run.client, "agent": run.agent, "scope": run.scope, "since": since}
    previous: str | None = session.value(sql, id=step_id, **about)
    return previous


def last_failure(session: Session, scope: str, tool: str, since: datetime) -> ErrorEvent | None:
    """Return the last failure in a place, or anywhere by the person with one tool since a time."""
    sql = f"""{_EVENT}
              AND (r.scope = :scope
                   OR f.tool = :tool AND r.client = 'person' AND e.created_at >= :since)
              ORDER BY e.id DESC LIMIT 1"""
    return session.record(ErrorEvent, sql, scope=scope, tool=tool, since=since)


def latest_steps(session: Session, scope: str, since: datetime, limit: int) -> list[LatestStep]:
    """Return the steps of known outcome in a place since a time, latest first."""
    sql = f"""SELECT s.action, e.id IS NOT NULL AS failed, s.seconds, s.created_at AS at,
                     coalesce(f.shape, '') AS shape, coalesce(f.subject, '') AS subject,
                     coalesce(f.tags, '[]') AS tags
              FROM (SELECT s.id FROM runs r JOIN run_steps s ON s.run_id = r.id
                    WHERE r.user_id = :user AND r.scope = :scope AND r.last_at >= :since AND {KNOWN}
                    ORDER BY s.id DESC LIMIT :limit) latest
              JOIN run_steps s ON s.id = latest.id
              LEFT JOIN error_events e ON e.step_id = s.id
              LEFT JOIN fingerprints own ON own.id = e.fingerprint_id
              LEFT JOIN fingerprints f ON f.id = coalesce(own.merged_into, own.id)
              ORDER BY s.id DESC"""  # noqa: S608
    return session.records(LatestStep, sql, scope=scope, since=since, limit=limit)


def get_error(session: Session, event_id: str) -> ErrorEvent:
    """Return a failure. Raises `NotFound`."""
    return session.existing(
        ErrorEvent, f"failure {event_id}", f"{_EVENT} AND e.id = :id", id=event_id
    )


def solve(session: Session, event_ids: Sequence[str], step_id: str) -> None:
    """Save the step that solved some failures."""
    sql = """UPDATE error_events SET solved_by = :step
             WHERE user_id = :user AND id IN (SELECT value FROM json_each(:ids))"""
    session.run(sql, step=step_id, ids=event_ids)


def times(session: Session, fingerprint_id: str) -> tuple[int, int]:
    """Return the number of times that a failure happened, and the number of its runs."""
    sql = """SELECT count(*) AS n, count(DISTINCT s.run_id) AS runs
             FROM error_events e JOIN run_steps s ON s.id = e.step_id
             WHERE e.user_id = :user
             AND e.fingerprint_id IN (SELECT :id
                                      UNION ALL
                                      SELECT id FROM fingerprints
                                      WHERE user_id = :user AND merged_into = :id)"""
    (row,) = session.run(sql, id=fingerprint_id)
    return row["n"], row["runs"]


def evidence_of(
    session: Session, fingerprint_ids: Sequence[str], limit: int = 20
) -> list[Evidence]:
    """Return the times and solutions of some failures, latest first."""
    sql = """SELECT s.run_id, s.action, e.created_at AS at, solving.action AS solved_by
             FROM error_events e
             JOIN run_steps s ON s.id = e.step_id
             LEFT JOIN run_steps solving ON solving.id = e.solved_by
             WHERE e.user_id = :user AND e.fingerprint_id IN (SELECT value FROM json_each(:ids))
             ORDER BY e.id DESC LIMIT :limit"""
    return session.records(Evidence, sql, ids=fingerprint_ids, limit=limit)
