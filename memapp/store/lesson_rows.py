"""The rows of files that lessons and failures came from, and what is read to write new ones."""

from memapp.domain.lessons.fingerprint import Fingerprint
from memapp.domain.lessons.jsonl import Failure
from memapp.store.session import Session


def add_lesson_row(session: Session, lesson_id: str, said: str) -> bool:
    """Keep the row that a lesson came from; return whether it is new."""
    return session.insert_new("lesson_rows", lesson_id=lesson_id, said=said)


def add_error_row(session: Session, step_id: str, said: str) -> None:
    """Keep the row that a failure came from."""
    session.insert("error_rows", step_id=step_id, said=said)


def lesson_rows(session: Session) -> list[tuple[str, str]]:
    """Return the rows of the lessons that are not in the trash, each behind the id of its lesson,
    in the order they came in.
    """
    sql = """SELECT r.lesson_id, r.said FROM lesson_rows r JOIN lessons l ON l.id = r.lesson_id
             WHERE r.user_id = :user AND l.purge_at IS NULL ORDER BY r.id"""
    return [(row["lesson_id"], row["said"]) for row in session.run(sql)]


def failures(session: Session) -> list[Failure]:
    """Return every failure, first those that came from files, in the order in which they came."""
    sql = """SELECT coalesce(nullif(r.task, ''), r.id) AS session_id, f.tool, s.action, f.shape, f.tags, e.channel, e.excerpt,
                    e.progress_delta, s.seconds, e.created_at, k.said
             FROM error_events e JOIN run_steps s ON s.id = e.step_id JOIN runs r ON r.id = s.run_id
             JOIN fingerprints f ON f.id = e.fingerprint_id LEFT JOIN error_rows k ON k.step_id = s.id
             WHERE e.user_id = :user ORDER BY k.id IS NULL, k.id, e.id"""
    return session.records(Failure, sql)


def fingerprints_of(session: Session, lesson_id: str) -> list[Fingerprint]:
    """Return the fingerprints that a lesson is for."""
    sql = """SELECT f.* FROM lesson_triggers t JOIN fingerprints f ON f.id = t.fingerprint_id
             WHERE t.user_id = :user AND t.lesson_id = :id ORDER BY f.id"""
    return session.records(Fingerprint, sql, id=lesson_id)
