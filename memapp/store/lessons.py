"""Lessons in the file: how a change of one is carried out and taken back, how they are found, and what is counted of them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memapp.domain.changes import (
    Event,
    LessonAdded,
    LessonDeleted,
    LessonEdited,
    LessonMoved,
    LessonPurged,
    LessonRestored,
)
from memapp.domain.history import Entry
from memapp.domain.lessons.lesson import BY_PERSON, LESSON, MERGED, UNDONE, Lesson, LessonLevel, LessonStatus, rule
from memapp.errors import NotFound, UsageError
from memapp.store import records
from memapp.store.encoding import to_json, to_time
from memapp.store.history import Touched
from memapp.store.session import Session

FORM = 1
MOST_LOOKED_AT = 100
"""Of one tool, the newest first: somebody waits."""
_KEPT = ("status", "reason", "rule_text", "wrong", "correct", "level", "tool", "scope", "task", "origin", "purge_at")
"""The columns that a change may alter, which its versions keep."""
_LESSON = """SELECT l.*, (SELECT json_group_array(fingerprint_id) FROM lesson_triggers WHERE lesson_id = l.id) AS triggers,
                    (SELECT json_group_array(tag) FROM lesson_tags WHERE lesson_id = l.id) AS tags
             FROM lessons l WHERE l.user_id = :user"""


@dataclass(frozen=True, slots=True)
class Triggered:
    """A lesson beside one of the failures that it is for."""

    id: str
    status: LessonStatus
    reason: str
    wrong: str
    correct: str
    level: LessonLevel
    helped: int
    hurt: int
    evidence_at: datetime
    shape: str
    subject: str
    scope: str


@dataclass(frozen=True, slots=True)
class OpenActivation:
    """A lesson that was shown after a step, with no outcome yet."""

    id: str
    lesson_id: str
    run_id: str
    seq: int
    progress: float | None
    fingerprint_id: str


def get_lesson(session: Session, lesson_id: str) -> Lesson:
    """Return a lesson, one in the trash too. Raises `NotFound`."""
    found = session.record(Lesson, f"{_LESSON} AND l.id = :id", id=lesson_id)
    if found is None:
        raise NotFound(f"There is no lesson {lesson_id}.")
    return found


def list_lessons(session: Session, statuses: Sequence[LessonStatus] = (), *, limit: int = 100) -> list[Lesson]:
    """Return lessons that are not in the trash, of some statuses or of all, the newest first."""
    sql = f"""{_LESSON} AND l.purge_at IS NULL AND (:any OR l.status IN (SELECT value FROM json_each(:statuses)))
              ORDER BY l.id DESC LIMIT :limit"""  # noqa: S608
    return session.records(Lesson, sql, any=not statuses, statuses=statuses, limit=limit)


def search_lessons(session: Session, words: Sequence[str], limit: int) -> list[Lesson]:
    """Return the lessons that have any of some words, the best first."""
    from memapp.store.search import match_any  # after a failure nobody waits for what searches vectors

    query = match_any(words)
    sql = f"""SELECT l.* FROM ({_LESSON}) l JOIN lessons_fts f ON f.rowid = l.key
              WHERE lessons_fts MATCH :query AND l.purge_at IS NULL AND l.user_id = :user
              ORDER BY bm25(lessons_fts), l.id LIMIT :limit"""  # noqa: S608
    return session.records(Lesson, sql, query=query, limit=limit) if query else []


def shapes_of(session: Session, lesson_ids: Sequence[str]) -> dict[str, str]:
    """Return the shapes of the failures that lessons are for, by the ids of these."""
    sql = """SELECT t.lesson_id, group_concat(f.shape, char(10)) AS shapes FROM lesson_triggers t
             JOIN fingerprints f ON f.id = t.fingerprint_id
             WHERE t.user_id = :user AND t.lesson_id IN (SELECT value FROM json_each(:ids)) GROUP BY t.lesson_id"""
    return {row["lesson_id"]: row["shapes"] for row in session.run(sql, ids=lesson_ids)}


def in_trash(session: Session) -> list[Lesson]:
    """Return the lessons in the trash, those first whose time is over first."""
    return session.records(Lesson, f"{_LESSON} AND l.purge_at IS NOT NULL ORDER BY l.purge_at")


def triggered(session: Session, tool: str, *, shape: str | None = None) -> list[Triggered]:
    """Return the lessons that may be shown for failures of a tool, of one shape or the latest of all, once for each failure."""
    of_shape = """SELECT id FROM fingerprints WHERE user_id = :user AND tool = :tool AND shape = :shape
                  UNION SELECT f.id FROM fingerprints f JOIN fingerprints into_ ON into_.id = f.merged_into
                  WHERE into_.user_id = :user AND into_.tool = :tool AND into_.shape = :shape"""
    sql = f"""SELECT l.id, l.status, l.reason, l.wrong, l.correct, l.level, l.helped, l.hurt, l.evidence_at,
                     coalesce(:shape, f.shape) AS shape, f.subject, f.scope
              FROM lessons l JOIN lesson_triggers t ON t.lesson_id = l.id JOIN fingerprints f ON f.id = t.fingerprint_id
              WHERE l.user_id = :user AND l.tool = :tool AND l.purge_at IS NULL AND l.status IN ('candidate', 'promoted')
                AND l.correct <> '' {"" if shape is None else f"AND f.id IN ({of_shape})"}
              ORDER BY l.id DESC LIMIT :most"""  # noqa: S608
    return session.records(Triggered, sql, tool=tool, shape=shape, most=MOST_LOOKED_AT)


def learned_in(session: Session, lesson_id: str) -> str:
    """Return the run that a lesson was learned in; empty if that is not known."""
    sql = """SELECT s.run_id FROM lesson_triggers t JOIN error_events e ON e.fingerprint_id = t.fingerprint_id
             JOIN run_steps s ON s.id = e.solved_by WHERE t.user_id = :user AND t.lesson_id = :id ORDER BY e.id LIMIT 1"""
    return session.value(sql, id=lesson_id) or ""


def tags_of_lesson(session: Session, lesson_id: str) -> list[str]:
    """Return the tags of a lesson."""
    return session.column("SELECT tag FROM lesson_tags WHERE user_id = :user AND lesson_id = :id", id=lesson_id)


def same_rule(session: Session, normal_rule: str, tool: str, scope: str) -> Lesson | None:
    """Return the lesson that says the same of a tool in a place, in any status but archived, and not in the trash."""
    sql = f"""{_LESSON} AND l.normal_rule = :rule AND l.tool = :tool AND l.scope = :scope AND l.purge_at IS NULL
              AND l.status <> 'archived'"""
    return session.record(Lesson, sql, rule=normal_rule, tool=tool, scope=scope)


def reworded(session: Session, tool: str) -> list[Lesson]:
    """Return the lessons of a tool that a model worded, those too that the person put into the trash, or away."""
    sql = f"""{_LESSON} AND l.tool = :tool AND l.origin = 'model'
              AND (l.purge_at IS NOT NULL OR l.status <> 'archived' OR l.reason IN (:person, :merged))"""
    return session.records(Lesson, sql, tool=tool, person=BY_PERSON, merged=MERGED)


def unasked(session: Session, limit: int) -> list[Lesson]:
    """Return the candidates that nobody touched and no model was asked to reword, those first that worked most often."""
    sql = f"""{_LESSON} AND l.status = 'candidate' AND l.reason = '' AND l.origin = 'executed' AND l.purge_at IS NULL
              AND l.asked_at IS NULL ORDER BY l.worked DESC, l.id DESC LIMIT :limit"""
    return session.records(Lesson, sql, limit=limit)


def mark_asked(session: Session, lesson_id: str, now: datetime) -> None:
    """Note that a model was asked to reword a lesson."""
    session.alter("lessons", lesson_id, asked_at=now)


def refused_rule(session: Session, normal_rule: str, tool: str) -> bool:
    """Tell whether the person put a lesson that says the same into the trash, or away."""
    sql = """SELECT 1 FROM lessons WHERE user_id = :user AND normal_rule = :rule AND tool = :tool
             AND (purge_at IS NOT NULL OR status = 'archived' AND reason IN (:person, :merged))"""
    return session.row(sql, rule=normal_rule, tool=tool, person=BY_PERSON, merged=MERGED) is not None


def adopt(session: Session, tool: str, scope: str, action: str, fingerprint_id: str) -> None:
    """Let the lessons for an action that are for no failure yet, since somebody wrote them down, be for this one."""
    sql = """INSERT INTO lesson_triggers (user_id, lesson_id, fingerprint_id)
             SELECT user_id, id, :fingerprint FROM lessons WHERE user_id = :user AND tool = :tool AND wrong = :action
             AND (level <> 'task' OR scope = :scope)
             AND NOT EXISTS (SELECT 1 FROM lesson_triggers t WHERE t.lesson_id = lessons.id)"""
    session.run(sql, tool=tool, scope=scope, action=action, fingerprint=fingerprint_id)


def changed_by_person(session: Session, lesson_id: str) -> datetime | None:
    """Return when the person last changed a lesson, or brought it back."""
    sql = "SELECT max(ts) FROM history WHERE user_id = :user AND memory_id = :id AND actor = :person"
    found = session.value(sql, id=f"{LESSON}{lesson_id}", person=BY_PERSON)
    return found and to_time(found)


def rivals(session: Session, lesson: Lesson) -> list[Lesson]:
    """Return the other lessons for the same failures."""
    sql = f"""{_LESSON} AND l.id <> :id AND l.purge_at IS NULL AND l.status <> 'archived' AND l.id IN (
                  SELECT lesson_id FROM lesson_triggers WHERE fingerprint_id IN (SELECT value FROM json_each(:triggers)))"""  # noqa: S608
    return session.records(Lesson, sql, id=lesson.id, triggers=lesson.triggers)


# What is counted -------------------------------------------------------------------------------------------------------


def count_worked(session: Session, lesson_id: str, now: datetime) -> None:
    """Count that the correct part of a lesson followed on its wrong one once more."""
    sql = "UPDATE lessons SET worked = worked + 1, evidence_at = :now WHERE user_id = :user AND id = :id"
    session.run(sql, id=lesson_id, now=now)


def link_conflict(session: Session, one: str, other: str) -> None:
    """Link two lessons for the same failure with different ways out."""
    first, second = sorted((one, other))
    session.insert_new("lesson_conflicts", one=first, other=second)


def count_win(session: Session, winner: str) -> None:
    """Count for each lesson in conflict with this one that this one was what worked."""
    session.run("UPDATE lesson_conflicts SET one_wins = one_wins + 1 WHERE user_id = :user AND one = :id", id=winner)
    session.run("UPDATE lesson_conflicts SET other_wins = other_wins + 1 WHERE user_id = :user AND other = :id", id=winner)


def conflicts_of(session: Session, lesson_id: str) -> list[tuple[str, int, int]]:
    """Return the lessons in conflict with this one, each with the wins of this one and its own."""
    sql = """SELECT iif(one = :id, other, one) AS against, iif(one = :id, one_wins, other_wins) AS won,
                    iif(one = :id, other_wins, one_wins) AS lost
             FROM lesson_conflicts WHERE user_id = :user AND :id IN (one, other) ORDER BY against"""
    return [(row["against"], row["won"], row["lost"]) for row in session.run(sql, id=lesson_id)]


# Changes: `store.changes.apply` is the only caller ----------------------------------------------------------------------


def add(session: Session, change: LessonAdded, _: datetime) -> list[Touched]:
    lesson = change.lesson
    _refuse_same(session, lesson)
    row = {name: getattr(lesson, name) for name in (*_KEPT, "worked", "evidence_at", "created_at", "updated_at")}
    session.insert("lessons", id=lesson.id, **row, normal_rule=session.normalise(lesson.rule_text))
    _add_triggers(session, lesson.id, lesson.triggers)
    for tag in lesson.tags:
        session.insert_new("lesson_tags", lesson_id=lesson.id, tag=tag)
    return [_touched(session, change.event, None, lesson.id)]


def edit(session: Session, change: LessonEdited, now: datetime) -> list[Touched]:
    before = get_lesson(session, change.lesson_id)
    wrong, correct = (
        new if new is not None else old for new, old in ((change.wrong, before.wrong), (change.correct, before.correct))
    )
    says = rule(wrong, correct) if (wrong, correct) != (before.wrong, before.correct) else before.rule_text
    origin = before.origin if says == before.rule_text else change.origin  # nobody has carried that out
    after = replace(before, wrong=wrong, correct=correct, rule_text=says, level=change.level or before.level, origin=origin)
    _refuse_same(session, after)
    _set(session, after, now)
    _add_triggers(session, before.id, change.triggers)
    return [_touched(session, change.event, before, before.id)]


def move(session: Session, change: LessonMoved, now: datetime) -> list[Touched]:
    before = get_lesson(session, change.lesson_id)
    after = replace(before, status=change.to, reason=change.reason)
    if before == after:
        raise UsageError(f"This lesson is {change.to} already.")
    if before.purge_at:
        raise UsageError("This lesson is in the trash.", "Bring it back first.")
    _refuse_same(session, after)
    _set(session, after, now)
    return [_touched(session, change.event, before, before.id)]


def delete(session: Session, change: LessonDeleted, now: datetime) -> list[Touched]:
    before = get_lesson(session, change.lesson_id)
    if before.purge_at:
        raise UsageError("This lesson is in the trash already.")
    _set(session, replace(before, purge_at=change.purge_at), now)
    return [_touched(session, change.event, before, before.id)]


def restore(session: Session, change: LessonRestored, now: datetime) -> list[Touched]:
    before = get_lesson(session, change.lesson_id)
    if not before.purge_at:
        raise UsageError("This lesson is not in the trash.")
    after = replace(before, purge_at=None)
    _refuse_same(session, after)
    _set(session, after, now)
    return [_touched(session, change.event, before, before.id)]


def purge(session: Session, change: LessonPurged, _: datetime) -> list[Touched]:
    get_lesson(session, change.lesson_id)
    session.run("DELETE FROM lessons WHERE user_id = :user AND id = :id", id=change.lesson_id)
    return [Touched(change.event, f"{LESSON}{change.lesson_id}", None, None)]


def take_back(session: Session, entry: Entry, purge_at: datetime, now: datetime) -> Touched | None:
    """Make a lesson what it was before an entry; one that came with it goes to the trash. None if it was erased since."""
    lesson_id = entry.memory_id.removeprefix(LESSON)
    there = session.record(Lesson, f"{_LESSON} AND l.id = :id", id=lesson_id)
    was = entry.meta.get("old")
    if there is None or entry.event is Event.PURGE:
        return None
    if was is None:
        _set(session, replace(there, purge_at=purge_at), now)
    else:
        sql = "SELECT snapshot FROM lesson_versions WHERE user_id = :user AND id = :id"
        kept = json.loads(session.value(sql, id=was))
        before = replace(there, **records.read({name: kept.get(name) for name in (*_KEPT, "triggers")}, Lesson))
        _refuse_same(session, before)
        _set(session, replace(before, reason=before.reason or UNDONE), now)
        session.run("DELETE FROM lesson_triggers WHERE user_id = :user AND lesson_id = :id", id=lesson_id)
        _add_triggers(session, lesson_id, before.triggers)
    return _touched(session, Event.UNDO, there, lesson_id)


def _set(session: Session, after: Lesson, now: datetime) -> None:
    row = {name: getattr(after, name) for name in _KEPT}
    session.alter("lessons", after.id, **row, normal_rule=session.normalise(after.rule_text), updated_at=now)


def _add_triggers(session: Session, lesson_id: str, fingerprint_ids: Sequence[str]) -> None:
    sql = """INSERT INTO lesson_triggers (user_id, lesson_id, fingerprint_id)
             SELECT f.user_id, :id, f.id FROM json_each(:ids) asked JOIN fingerprints f ON f.id = asked.value
             WHERE f.user_id = :user ON CONFLICT DO NOTHING"""
    session.run(sql, id=lesson_id, ids=fingerprint_ids)


def _refuse_same(session: Session, lesson: Lesson) -> None:
    same = same_rule(session, session.normalise(lesson.rule_text), lesson.tool, lesson.scope)
    if same is not None and same.id != lesson.id and lesson.purge_at is None and lesson.status != "archived":
        raise UsageError("There is a lesson that says so already.", f"It is lesson {same.id}.")


def _touched(session: Session, event: Event, before: Lesson | None, lesson_id: str) -> Touched:
    """Return what was done to a lesson, with its versions before and after."""
    after = get_lesson(session, lesson_id)
    meta: dict[str, Any] = {"old": before and _version(session, before), "new": _version(session, after)}
    return Touched(event, f"{LESSON}{lesson_id}", None, None, meta)


def _version(session: Session, lesson: Lesson) -> int:
    named = {"version": FORM, **{name: records.stored(getattr(lesson, name)) for name in _KEPT}, "triggers": lesson.triggers}
    snapshot = to_json(named)
    last = session.row(
        "SELECT id, snapshot FROM lesson_versions WHERE user_id = :user AND lesson_id = :id ORDER BY id DESC", id=lesson.id
    )
    if last is not None and last["snapshot"] == snapshot:
        return int(last["id"])
    made = "INSERT INTO lesson_versions (user_id, lesson_id, snapshot) VALUES (:user, :id, :snapshot) RETURNING id"
    return int(session.value(made, id=lesson.id, snapshot=snapshot))
