"""The health of lessons, counted over the recorded runs."""

from typing import Literal

from memapp.domain.lessons.health import LessonHealth
from memapp.store.runs import KNOWN
from memapp.store.session import Session

Per = Literal["run", "day", "all"]
_MOVES = """SELECT h.ts AS at, new.snapshot ->> 'status' AS became
            FROM history h
            JOIN lesson_versions old ON old.id = h.meta ->> 'old'
            JOIN lesson_versions new ON new.id = h.meta ->> 'new'
            WHERE h.user_id = :user AND h.memory_id GLOB 'lesson:*'
            AND new.snapshot ->> 'status' <> old.snapshot ->> 'status'
            AND NOT EXISTS (SELECT 1 FROM history undo WHERE undo.undoes = h.step)"""
_RUNS = f"""SELECT r.id, date(r.started_at, 'localtime') AS day,
                   iif(r.task = '', r.tool, r.task) AS about, r.started_at, r.last_at,
                   coalesce(r.passed,
                            (SELECT e.id IS NULL
                             FROM run_steps s LEFT JOIN error_events e ON e.step_id = s.id
                             WHERE s.run_id = r.id AND {KNOWN}
                             ORDER BY s.seq DESC LIMIT 1), 0) AS passed, r.score,
                   (SELECT count(*) FROM run_steps s WHERE s.run_id = r.id) AS steps,
                   (SELECT count(*) FROM run_steps s JOIN error_events e ON e.step_id = s.id
                    WHERE s.run_id = r.id) AS tool_errors,
                   (SELECT count(*) FROM run_steps s JOIN error_events e ON e.step_id = s.id
                    WHERE s.run_id = r.id
                    AND EXISTS (SELECT 1 FROM error_events b
                                WHERE b.fingerprint_id = e.fingerprint_id
                                AND b.id < e.id)) AS recurrences,
                   (SELECT count(*) FROM activations a
                    WHERE a.run_id = r.id AND a.shown) AS activations,
                   (SELECT count(*) FROM activations a
                    WHERE a.run_id = r.id AND a.shown AND a.helped = 1) AS helped,
                   (SELECT count(*) FROM activations a
                    WHERE a.run_id = r.id AND a.shown AND a.helped = 0) AS hurt
            FROM runs r
            WHERE r.user_id = :user"""  # noqa: S608
_WITHIN = {
    "run": ("id", "max(about)", "at BETWEEN min(runs_.started_at) AND max(runs_.last_at)"),
    "day": ("day", "''", "date(at, 'localtime') = runs_.day"),
    "all": ("''", "''", "1"),
}
"""For each way to count: group, label, and the changes of status that belong to the group."""


def health(session: Session, per: Per, limit: int = -1) -> list[LessonHealth]:
    """Return the health of each run or day, latest first, or of all together."""
    name, about, within = _WITHIN[per]
    sql = f"""WITH moves AS MATERIALIZED ({_MOVES}), runs_ AS ({_RUNS})
              SELECT {name} AS name, {about} AS about, count(*) AS runs, sum(passed) AS passed,
                     avg(score) AS score, sum(steps) AS steps, sum(tool_errors) AS tool_errors,
                     sum(recurrences) AS recurrences, sum(activations) AS activations,
                     sum(helped) AS helped, sum(hurt) AS hurt,
                     (SELECT count(*) FROM moves
                      WHERE became = 'promoted' AND {within}) AS promoted,
                     (SELECT count(*) FROM moves
                      WHERE became = 'suppressed' AND {within}) AS suppressed
              FROM runs_
              GROUP BY {name} ORDER BY max(started_at) DESC LIMIT :limit"""  # noqa: S608
    return session.records(LessonHealth, sql, limit=limit)
