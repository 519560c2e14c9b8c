"""Changes of lessons, carried out and reverted: `store.changes` is the only caller."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from memapp.domain.changes import (
    Event,
    FailuresMerged,
    FailuresParted,
    LessonAdded,
    LessonDeleted,
    LessonEdited,
    LessonMoved,
    LessonPurged,
    LessonRestored,
)
from memapp.domain.history import Entry
from memapp.domain.lessons.lesson import LESSON, UNDONE, Lesson, rule
from memapp.errors import UsageError
from memapp.store import fingerprints, records, snapshots
from memapp.store.encoding import to_json
from memapp.store.history import Touched
from memapp.store.lessons import find_lesson, get_lesson, same_rule
from memapp.store.session import Session

FORM = 1
_KEPT = (
    *("status", "reason", "rule_text", "wrong", "correct", "level"),
    *("tool", "scope", "task", "origin", "purge_at"),
)
"""The columns that a change may alter, which versions keep."""


def add(session: Session, change: LessonAdded) -> list[Touched]:
    lesson = change.lesson
    _refuse_same(session, lesson)
    row = {
        name: getattr(lesson, name)
        for name in (*_KEPT, "worked", "evidence_at", "created_at", "updated_at")
    }
    session.insert("lessons", id=lesson.id, **row, normal_rule=session.normalise(lesson.rule_text))
    _add_triggers(session, lesson.id, lesson.triggers)
    for tag in lesson.tags:
        session.insert_new("lesson_tags", lesson_id=lesson.id, tag=tag)
    return [_touched(session, change.event, None, lesson.id)]


def edit(session: Session, change: LessonEdited) -> list[Touched]:
    before = get_lesson(session, change.lesson_id)
    wrong, correct = (
        new if new is not None else old
        for new, old in ((change.wrong, before.wrong), (change.correct, before.correct))
    )
    says = (
        rule(wrong, correct)
        if (wrong, correct) != (before.wrong, before.correct)
        else before.rule_text
    )
    # a new rule was not carried out by anybody yet
    origin = before.origin if says == before.rule_text else change.origin
    after = before._replace(
        wrong=wrong,
        correct=correct,
        rule_text=says,
        level=change.level or before.level,
        origin=origin,
    )
    _refuse_same(session, after)
    _set(session, after)
    _add_triggers(session, before.id, change.triggers)
    return [_touched(session, change.event, before, before.id)]


def move(session: Session, change: LessonMoved) -> list[Touched]:
    before = get_lesson(session, change.lesson_id)
    after = before._replace(status=change.to, reason=change.reason)
    if before == after:
        raise UsageError(f"This lesson is {change.to} already.")
    if before.purge_at:
        raise UsageError("This lesson is in the trash.", "Restore it first.")
    _refuse_same(session, after)
    _set(session, after)
    return [_touched(session, change.event, before, before.id)]


def merge_failures(session: Session, change: FailuresMerged) -> list[Touched]:
    lesson, into = get_lesson(session, change.lesson_id), get_lesson(session, change.into_id)
    groups = fingerprints.groups(session, lesson.triggers)
    if into.triggers:
        fingerprints.merge_fingerprints(session, lesson.triggers, into=into.triggers[0])
    return [
        _regrouped(
            session, change.event, lesson, groups, "These lessons are for the same failure already."
        )
    ]


def part_failures(session: Session, change: FailuresParted) -> list[Touched]:
    lesson = get_lesson(session, change.lesson_id)
    groups = fingerprints.groups(session, lesson.triggers)
    fingerprints.part_fingerprints(session, lesson.triggers)
    return [
        _regrouped(
            session,
            change.event,
            lesson,
            groups,
            "This failure was not merged with another.",
        )
    ]


def _regrouped(
    session: Session, event: Event, lesson: Lesson, before: Mapping[str, str], otherwise: str
) -> Touched:
    """Return the change of a lesson's fingerprint groups. Raises `UsageError` if there is none."""
    after = fingerprints.groups(session, list(before))
    regrouped = {
        fingerprint_id: [was, after[fingerprint_id]]
        for fingerprint_id, was in before.items()
        if after[fingerprint_id] != was
    }
    if not regrouped:
        raise UsageError(otherwise)
    return _touched(session, event, lesson, lesson.id, regrouped=regrouped)


def delete(session: Session, change: LessonDeleted) -> list[Touched]:
    before = get_lesson(session, change.lesson_id)
    if before.purge_at:
        raise UsageError("This lesson is in the trash already.")
    _set(session, before._replace(purge_at=change.purge_at))
    return [_touched(session, change.event, before, before.id)]


def restore(session: Session, change: LessonRestored) -> list[Touched]:
    before = get_lesson(session, change.lesson_id)
    if not before.purge_at:
        raise UsageError("This lesson is not in the trash.")
    after = before._replace(purge_at=None)
    _refuse_same(session, after)
    _set(session, after)
    return [_touched(session, change.event, before, before.id)]


def purge(session: Session, change: LessonPurged) -> list[Touched]:
    get_lesson(session, change.lesson_id)
    session.run("DELETE FROM lessons WHERE user_id = :user AND id = :id", id=change.lesson_id)
    return [Touched(change.event, f"{LESSON}{change.lesson_id}", None, None)]


def revert(session: Session, entry: Entry, purge_at: datetime) -> Touched | None:
    """Restore a lesson as it was before an entry; None if it was erased since.

    A lesson that the entry added goes to the trash.
    """
    lesson_id = entry.subject_id.removeprefix(LESSON)
    current = find_lesson(session, lesson_id)
    was = entry.meta.get("old")
    if current is None or entry.event is Event.PURGE:
        return None
    if was is None:
        _set(session, current._replace(purge_at=purge_at))
    else:
        sql = "SELECT snapshot FROM lesson_versions WHERE user_id = :user AND id = :id"
        snapshot = json.loads(session.value(sql, id=was))
        before = current._replace(
            **records.read({name: snapshot.get(name) for name in (*_KEPT, "triggers")}, Lesson)
        )
        _refuse_same(session, before)
        _set(session, before._replace(reason=before.reason or UNDONE))
        session.run(
            "DELETE FROM lesson_triggers WHERE user_id = :user AND lesson_id = :id", id=lesson_id
        )
        _add_triggers(session, lesson_id, before.triggers)
    regrouped = {
        fingerprint_id: [became, was]
        for fingerprint_id, (was, became) in entry.meta.get("regrouped", {}).items()
    }
    fingerprints.regroup(session, regrouped)
    return _touched(
        session, Event.UNDO, current, lesson_id, **({"regrouped": regrouped} if regrouped else {})
    )


def _set(session: Session, after: Lesson) -> None:
    row = {name: getattr(after, name) for name in _KEPT}
    session.alter(
        "lessons",
        after.id,
        **row,
        normal_rule=session.normalise(after.rule_text),
        updated_at=session.now,
    )


def _add_triggers(session: Session, lesson_id: str, fingerprint_ids: Sequence[str]) -> None:
    sql = """INSERT INTO lesson_triggers (user_id, lesson_id, fingerprint_id)
             SELECT f.user_id, :id, f.id
             FROM json_each(:ids) asked CROSS JOIN fingerprints f ON f.id = asked.value
             WHERE f.user_id = :user
             ON CONFLICT DO NOTHING"""
    session.run(sql, id=lesson_id, ids=fingerprint_ids)


def _refuse_same(session: Session, lesson: Lesson) -> None:
    same = same_rule(session, session.normalise(lesson.rule_text), lesson.tool, lesson.scope)
    if (
        same is not None
        and same.id != lesson.id
        and lesson.purge_at is None
        and lesson.status != "archived"
    ):
        raise UsageError("There is already a lesson with this rule.", f"It is lesson {same.id}.")


def _touched(
    session: Session, event: Event, before: Lesson | None, lesson_id: str, **more: Any
) -> Touched:
    """Return the change of a lesson, with its versions before and after."""
    after = get_lesson(session, lesson_id)
    meta: dict[str, Any] = {
        "old": before and _version(session, before),
        "new": _version(session, after),
        **more,
    }
    return Touched(event, f"{LESSON}{lesson_id}", None, None, meta)


def _version(session: Session, lesson: Lesson) -> int:
    named = {
        "version": FORM,
        **{name: records.stored(getattr(lesson, name)) for name in _KEPT},
        "triggers": lesson.triggers,
    }
    return snapshots.keep_version(session, f"{LESSON}{lesson.id}", to_json(named))


OPERATIONS: Mapping[type, Callable[..., list[Touched]]] = {
    LessonAdded: add,
    LessonEdited: edit,
    LessonMoved: move,
    FailuresMerged: merge_failures,
    FailuresParted: part_failures,
    LessonDeleted: delete,
    LessonRestored: restore,
    LessonPurged: purge,
}
"""The changes that are carried out here, for `store.changes`."""
