"""Lessons: reading, searching and counting them."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from memapp.domain.lessons.fingerprint import Fingerprint
from memapp.domain.lessons.lesson import (
    BY_PERSON,
    LESSON,
    MERGED,
    Lesson,
    LessonLevel,
    LessonStatus,
)
from memapp.errors import NotFound
from memapp.store.encoding import to_time
from memapp.store.session import Session

MOST_LOOKED_AT = 100
"""The number of newest lessons of a tool that are read: somebody waits."""
_LESSON = """SELECT l.*,
                    (SELECT json_group_array(fingerprint_id) FROM lesson_triggers
                     WHERE lesson_id = l.id) AS triggers,
                    (SELECT json_group_array(tag) FROM lesson_tags WHERE lesson_id = l.id) AS tags
             FROM lessons l
             WHERE l.user_id = :user"""

_SHOWN = """l.id, l.status, l.reason, l.wrong, l.correct, l.tool, l.task, l.level, l.helped,
            l.hurt, l.evidence_at"""
_SHOWABLE = "l.purge_at IS NULL AND l.status IN ('candidate', 'promoted') AND l.correct <> ''"
_WAITS = """l.purge_at IS NULL AND l.tool = :tool AND l.wrong = :action
            AND (l.level <> 'task' OR l.scope = :scope)
            AND NOT EXISTS (SELECT 1 FROM lesson_triggers t WHERE t.lesson_id = l.id)"""
"""SQL for a lesson that was written down for an action and has no failure yet."""


NO_WORD = '""'
"""A full-text query without results."""


class Triggered(NamedTuple):
    """A lesson with one of its failures."""

    id: str
    status: LessonStatus
    reason: str
    wrong: str
    correct: str
    tool: str
    task: str
    level: LessonLevel
    helped: int
    hurt: int
    evidence_at: datetime
    shape: str
    subject: str
    scope: str

    @property
    def said(self) -> str:
        """Return the error of the failure, as far as it is kept."""
        return f"{self.shape}\n{self.subject}"


class Background(NamedTuple):
    """Tags, origin and conflicts of a lesson."""

    id: str
    tags: tuple[str, ...]
    learned_in: str
    """The run in which the lesson was learned; empty if unknown."""
    conflicts: tuple[str, ...]
    """Ids of lessons."""


def get_lesson(session: Session, lesson_id: str) -> Lesson:
    """Return a lesson, in the trash or not. Raises `NotFound`."""
    lesson = find_lesson(session, lesson_id)
    if lesson is None:
        raise NotFound(f"There is no lesson {lesson_id}.")
    return lesson


def find_lesson(session: Session, lesson_id: str) -> Lesson | None:
    """Return a lesson, in the trash or not; None if there is none."""
    return session.record(Lesson, f"{_LESSON} AND l.id = :id", id=lesson_id)


def list_lessons(
    session: Session, statuses: Sequence[LessonStatus] = (), *, limit: int = 100
) -> list[Lesson]:
    """Return lessons, newest first, with one of the statuses or any; none of the trash."""
    sql = f"""{_LESSON} AND l.purge_at IS NULL
              AND (:any OR l.status IN (SELECT value FROM json_each(:statuses)))
              ORDER BY l.id DESC LIMIT :limit"""  # noqa: S608
    return session.records(Lesson, sql, any=not statuses, statuses=statuses, limit=limit)


def search_lessons(
    session: Session, words: Sequence[str], parts: Sequence[str], limit: int
) -> list[Lesson]:
    """Return the lessons with all of some parts of words, then those with any of the words."""
    # a hint after a failure does not wait for the comparison of spellings
    from memapp.store.full_text import match_any

    has_all = (
        "NOT EXISTS (SELECT 1 FROM json_each(:parts) WHERE instr(casefold(l.rule_text), value) = 0)"
    )
    sql = f"""SELECT l.*
              FROM ({_LESSON} AND l.purge_at IS NULL) l
              LEFT JOIN (SELECT rowid, bm25(lessons_fts) AS score FROM lessons_fts
                         WHERE lessons_fts MATCH :query) f ON f.rowid = l.key
              WHERE f.score IS NOT NULL OR {has_all}
              ORDER BY {has_all} DESC, f.score IS NULL, f.score, l.id DESC
              LIMIT :limit"""  # noqa: S608
    return session.records(Lesson, sql, query=match_any(words) or NO_WORD, parts=parts, limit=limit)


def shapes_of(session: Session, lesson_ids: Sequence[str]) -> dict[str, str]:
    """Return the shapes of the failures of lessons, by lesson id."""
    sql = """SELECT t.lesson_id, group_concat(f.shape, char(10)) AS shapes
             FROM lesson_triggers t JOIN fingerprints f ON f.id = t.fingerprint_id
             WHERE t.user_id = :user AND t.lesson_id IN (SELECT value FROM json_each(:ids))
             GROUP BY t.lesson_id"""
    return {row["lesson_id"]: row["shapes"] for row in session.run(sql, ids=lesson_ids)}


def in_trash(session: Session) -> list[Lesson]:
    """Return the lessons in the trash, the next to be purged first."""
    return session.records(Lesson, f"{_LESSON} AND l.purge_at IS NOT NULL ORDER BY l.purge_at")


def triggered(session: Session, tool: str, *, shape: str | None = None) -> list[Triggered]:
    """Return the usable lessons for failures of a tool, with each failure, of one shape or any."""
    of_shape = """SELECT id FROM fingerprints
                  WHERE user_id = :user AND tool = :tool AND shape = :shape
                  UNION
                  SELECT f.id
                  FROM fingerprints f JOIN fingerprints into_ ON into_.id = f.merged_into
                  WHERE into_.user_id = :user AND into_.tool = :tool AND into_.shape = :shape"""
    sql = f"""SELECT {_SHOWN}, coalesce(:shape, f.shape) AS shape, f.subject, f.scope
              FROM lessons l
              JOIN lesson_triggers t ON t.lesson_id = l.id
              JOIN fingerprints f ON f.id = t.fingerprint_id
              WHERE l.user_id = :user AND l.tool = :tool
              AND {_SHOWABLE} {"" if shape is None else f"AND f.id IN ({of_shape})"}
              ORDER BY l.id DESC LIMIT :most"""  # noqa: S608
    return session.records(Triggered, sql, tool=tool, shape=shape, most=MOST_LOOKED_AT)


def noticeable(session: Session, scope: str, limit: int) -> list[Triggered]:
    """Return the lessons worth telling before a command: of its place, or promoted."""
    sql = f"""SELECT {_SHOWN}, f.shape, f.subject, f.scope
              FROM lessons l
              JOIN lesson_triggers t ON t.lesson_id = l.id
              JOIN fingerprints f ON f.id = t.fingerprint_id
              WHERE l.user_id = :user AND {_SHOWABLE}
              AND (l.status = 'promoted' OR f.scope = :scope)
              ORDER BY l.status = 'promoted' DESC, l.id DESC LIMIT :limit"""  # noqa: S608
    return session.records(Triggered, sql, scope=scope, limit=limit)


def untriggered(session: Session, failed: Fingerprint, action: str) -> list[Triggered]:
    """Return the lessons for an action without a failure yet, as if this were their failure."""
    sql = f"""SELECT {_SHOWN}, :shape AS shape, :subject AS subject, :scope AS scope FROM lessons l
              WHERE +l.user_id = :user AND {_WAITS} AND {_SHOWABLE}
              ORDER BY l.id DESC LIMIT :most"""  # noqa: S608
    return session.records(Triggered, sql, **failed._asdict(), action=action, most=MOST_LOOKED_AT)


def backgrounds(session: Session, lesson_ids: Sequence[str]) -> dict[str, Background]:
    """Return the backgrounds of lessons by id."""
    sql = """SELECT l.id,
                    (SELECT json_group_array(tag) FROM lesson_tags WHERE lesson_id = l.id) AS tags,
                    (SELECT s.run_id
                     FROM lesson_triggers t
                     JOIN error_events e ON e.fingerprint_id = t.fingerprint_id
                     JOIN run_steps s ON s.id = e.solved_by
                     WHERE t.lesson_id = l.id
                     ORDER BY e.id LIMIT 1) AS learned_in,
                    (SELECT json_group_array(iif(one = l.id, other, one)) FROM lesson_conflicts
                     WHERE one = l.id OR other = l.id) AS conflicts
             FROM json_each(:ids) asked CROSS JOIN lessons l ON l.id = asked.value
             WHERE +l.user_id = :user"""
    return {
        background.id: background for background in session.records(Background, sql, ids=lesson_ids)
    }


def same_rule(session: Session, normal_rule: str, tool: str, scope: str) -> Lesson | None:
    """Return the active lesson with the same rule for a tool in a place."""
    sql = f"""{_LESSON} AND l.normal_rule = :rule AND l.tool = :tool AND l.scope = :scope
              AND l.purge_at IS NULL AND l.status <> 'archived'"""
    return session.record(Lesson, sql, rule=normal_rule, tool=tool, scope=scope)


def reworded(session: Session, tool: str) -> list[Lesson]:
    """Return the lessons of a tool that a model worded, with those the person rejected."""
    sql = f"""{_LESSON} AND l.tool = :tool AND l.origin = 'model'
              AND (l.purge_at IS NOT NULL
                   OR l.status <> 'archived'
                   OR l.reason IN (:person, :merged))"""
    return session.records(Lesson, sql, tool=tool, person=BY_PERSON, merged=MERGED)


def unasked(session: Session, limit: int) -> list[Lesson]:
    """Return the untouched candidates that no model was asked to reword, most successful first."""
    sql = f"""{_LESSON} AND l.status = 'candidate' AND l.reason = '' AND l.origin = 'executed'
              AND l.purge_at IS NULL AND l.asked_at IS NULL
              ORDER BY l.worked DESC, l.id DESC LIMIT :limit"""
    return session.records(Lesson, sql, limit=limit)


def mark_asked(session: Session, lesson_id: str) -> None:
    """Mark a lesson as sent to a model for rewording."""
    session.alter("lessons", lesson_id, asked_at=session.now)


def refused_rule(session: Session, normal_rule: str, tool: str) -> bool:
    """Return True if the person rejected a lesson with the same rule."""
    says_so = "normal_rule = :rule AND tool = :tool"
    sql = f"""SELECT 1 FROM lessons
              WHERE user_id = :user AND {says_so} AND status = 'archived'
              AND reason IN (:person, :merged)
              UNION ALL
              SELECT 1 FROM lessons
              WHERE +user_id = :user AND {says_so} AND purge_at IS NOT NULL"""  # noqa: S608
    return (
        session.row(sql, rule=normal_rule, tool=tool, person=BY_PERSON, merged=MERGED) is not None
    )


def adopt(session: Session, tool: str, scope: str, action: str, fingerprint_id: str) -> list[str]:
    """Give the lessons for an action that have no failure yet this one; return their ids."""
    sql = f"""INSERT INTO lesson_triggers (user_id, lesson_id, fingerprint_id)
              SELECT l.user_id, l.id, :fingerprint FROM lessons l
              WHERE +l.user_id = :user AND {_WAITS}
              RETURNING lesson_id"""  # noqa: S608
    return session.column(sql, tool=tool, scope=scope, action=action, fingerprint=fingerprint_id)


def changed_by_person(session: Session, lesson_id: str) -> datetime | None:
    """Return the time of the person's last change of a lesson."""
    sql = (
        "SELECT max(ts) FROM history WHERE user_id = :user AND memory_id = :id AND actor = :person"
    )
    changed_at = session.value(sql, id=f"{LESSON}{lesson_id}", person=BY_PERSON)
    return changed_at and to_time(changed_at)


def rivals(session: Session, lesson: Lesson) -> list[Lesson]:
    """Return the other lessons for the same failures."""
    sql = """SELECT DISTINCT l.id FROM lesson_triggers t JOIN lessons l ON l.id = t.lesson_id
             WHERE t.user_id = :user
             AND t.fingerprint_id IN (SELECT value FROM json_each(:triggers)) AND l.id <> :id
             AND l.purge_at IS NULL AND l.status <> 'archived'"""
    rival_ids = session.column(sql, id=lesson.id, triggers=lesson.triggers)
    return [get_lesson(session, lesson_id) for lesson_id in rival_ids]


# What is counted ----------------------------------------------------------------------------------


def count_worked(session: Session, lesson_id: str) -> None:
    """Count a success of a lesson: the correct command followed the wrong one."""
    sql = """UPDATE lessons SET worked = worked + 1, evidence_at = :now
             WHERE user_id = :user AND id = :id"""
    session.run(sql, id=lesson_id)


def link_conflict(session: Session, one: str, other: str) -> None:
    """Link two lessons for the same failure with different solutions."""
    first, second = sorted((one, other))
    session.insert_new("lesson_conflicts", one=first, other=second)


def count_conflicts(session: Session, lesson_id: str, *, won: bool) -> None:
    """Count a win or a loss of a lesson against each lesson in conflict with it."""
    sql = """UPDATE lesson_conflicts
             SET one_wins = one_wins + ((one = :id) = :won),
                 other_wins = other_wins + ((other = :id) = :won)
             WHERE +user_id = :user AND (one = :id OR other = :id)"""
    session.run(sql, id=lesson_id, won=won)


def conflicts_of(session: Session, lesson_id: str) -> list[tuple[str, int, int]]:
    """Return the lessons in conflict with this one, each with the wins of both sides."""
    sql = """SELECT iif(one = :id, other, one) AS against,
                    iif(one = :id, one_wins, other_wins) AS won,
                    iif(one = :id, other_wins, one_wins) AS lost
             FROM lesson_conflicts
             WHERE +user_id = :user AND (one = :id OR other = :id)
             ORDER BY against"""
    return [(row["against"], row["won"], row["lost"]) for row in session.run(sql, id=lesson_id)]
