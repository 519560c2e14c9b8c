"""The rows of imported files of lessons and failures, and the data to export new ones."""

from memapp.domain.lessons.fingerprint import Fingerprint
from memapp.domain.lessons.jsonl import Failure
from memapp.store.session import Session


def add_lesson_row(session: Session, lesson_id: str, said: str) -> bool:
    """Save the source row of a lesson; return True if it is new."""
    return session.insert_new("lesson_rows", lesson_id=lesson_id, said=said)


def add_error_row(session: Session, step_id: str, said: str) -> None:
    """Save the source row of a failure."""
    session.insert("error_rows", step_id=step_id, said=said)


def lesson_rows(session: Session) -> list[tuple[str, str]]:
    """Return the source rows of lessons, each with its lesson's id, in order; none of the trash."""
    sql = """SELECT r.lesson_id, r.said FROM lesson_rows r JOIN lessons l ON l.id = r.lesson_id
             WHERE r.user_id = :user AND l.purge_at IS NULL ORDER BY r.id"""
    return [(row["lesson_id"], row["said"]) for row in session.run(sql)]


def failures(session: Session) -> list[Failure]:
    """Return every failure, those from files first, in the order they came in."""
    sql = """SELECT coalesce(nullif(r.task, ''), r.id) AS session_id, f.tool, s.action, f.shape,
                    f.tags, e.channel, e.excerpt, e.progress_delta, s.seconds, e.created_at, k.said
             FROM error_events e
             JOIN run_steps s ON s.id = e.step_id
             JOIN runs r ON r.id = s.run_id
             JOIN fingerprints f ON f.id = e.fingerprint_id
             LEFT JOIN error_rows k ON k.step_id = s.id
             WHERE e.user_id = :user
             ORDER BY k.id IS NULL, k.id, e.id"""
    return session.records(Failure, sql)


def fingerprints_of(session: Session, lesson_id: str) -> list[Fingerprint]:
    """Return the fingerprints of a lesson."""
    sql = """SELECT f.* FROM lesson_triggers t JOIN fingerprints f ON f.id = t.fingerprint_id
             WHERE t.user_id = :user AND t.lesson_id = :id ORDER BY f.id"""
    return session.records(Fingerprint, sql, id=lesson_id)
