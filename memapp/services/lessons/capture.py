"""Capturing failures so that they are recognised, and learning lessons from solved ones.

A lesson is a template over two executed commands, the failed one and the one that worked. No word
of any output enters it.
"""

from collections import Counter
from collections.abc import Sequence

from memapp.domain.changes import Actor, LessonAdded, LessonEdited
from memapp.domain.lessons.conflicts import Fix, are_in_conflict
from memapp.domain.lessons.failure_tags import NOT_THERE, UNKNOWN_COMMAND
from memapp.domain.lessons.feedback import Channel, Feedback, ToolAttempt
from memapp.domain.lessons.lesson import (
    MAX_EXCERPT_CHARS,
    MAX_RULE_CHARS,
    PAUSE,
    ErrorEvent,
    Lesson,
    corrects,
    level_of,
    rule,
)
from memapp.domain.lessons.rewording import covers
from memapp.domain.lessons.run import Run
from memapp.services.lessons import attempts
from memapp.store import changes, fingerprints, runs
from memapp.store import lessons as store
from memapp.store.encoding import new_id
from memapp.store.session import Session

AGENT = "lessons"
MOST_NEW = 5
"""Lessons that one run adds at most, those of recurring failures first."""


def keep_failure(
    session: Session,
    run: Run,
    step_id: str,
    tool: str,
    attempt: ToolAttempt,
    feedback: Feedback,
    channel: Channel,
    before: float | None,
) -> ErrorEvent:
    """Add the failure of a step."""
    fingerprint = attempts.fingerprint_of(tool, run.scope, attempt)
    tags = attempts.tags(attempt, feedback, channel, before)
    fingerprint_id = fingerprints.keep_fingerprint(session, fingerprint, tags)
    for lesson_id in store.adopt(session, tool, run.scope, attempt.action, fingerprint_id):
        link_conflicts(session, store.get_lesson(session, lesson_id))
    moved = (
        None
        if before is None or feedback.progress_signal is None
        else feedback.progress_signal - before
    )
    excerpt = attempt.output.strip()[-MAX_EXCERPT_CHARS:]
    event_id = runs.add_error(session, step_id, fingerprint_id, channel, excerpt, moved)
    return runs.get_error(session, event_id)


def close_failures(
    session: Session, run: Run, step_id: str, action: str, *, progressed: bool
) -> list[tuple[ErrorEvent, str]]:
    """Close the open failures a successful step solves; return each with its action.

    Progress solves an earlier failure of a tool that knows its goal. With any other tool the two
    commands are compared, and the next command replaces a program that was not found. Repeating a
    command with success closes its failure, too, but teaches nothing: the cause is unknown.
    """
    opened = runs.open_failures(session, run.client, run.agent, run.scope, session.now - PAUSE)
    repeated = [failure for failure in opened if failure.action == action]
    different = [failure for failure in opened if failure.action != action]
    before = runs.step_before(session, run, step_id, session.now - PAUSE)
    unknown = {
        failure.id
        for failure in different
        if UNKNOWN_COMMAND in failure.tags and failure.step_id == before
    }
    solved = [
        failure
        for failure in different
        if progressed
        or corrects(
            action,
            failure.action,
            is_unknown=failure.id in unknown,
            is_missing=NOT_THERE in failure.tags,
        )
    ]
    runs.solve(session, [failure.id for failure in (*repeated, *solved)], step_id)
    return [
        (failure, action)
        for failure in solved
        if max(len(action), len(failure.action)) <= MAX_RULE_CHARS
    ]


def learn(session: Session, solved: Sequence[tuple[ErrorEvent, str]]) -> list[str]:
    """Learn lessons from solved failures, one per fingerprint; return the ids of new ones.

    Recurring failures come first.
    """
    weight: Counter[str] = Counter(
        {
            failure.fingerprint_id: runs.times(session, failure.fingerprint_id)[0]
            for failure, _ in solved
        }
    )
    latest = {failure.fingerprint_id: (failure, correct) for failure, correct in reversed(solved)}
    added: list[str] = []
    for fingerprint_id, _ in weight.most_common():
        event, correct = latest[fingerprint_id]
        added += _learn_one(session, event, correct) if len(added) < MOST_NEW else []
    return added


def _learn_one(session: Session, event: ErrorEvent, correct: str) -> list[str]:
    """Add the lesson of a solved failure unless known or discarded; return its id if new."""
    lesson = _template(session, event, correct)
    normal = session.normalise(lesson.rule_text)
    known_lesson = (
        store.same_rule(session, normal, lesson.tool, lesson.scope)
        or _generalised(session, lesson)
        or _same_fix(session, lesson)
    )
    if known_lesson is None and store.refused_rule(session, normal, lesson.tool):
        return []
    if known_lesson and (known_lesson.purge_at or known_lesson.status == "archived"):
        return []
    actor = Actor(AGENT, step=session.new_id())
    if known_lesson is None:
        changes.apply(session, LessonAdded(lesson), actor)
    else:
        store.count_worked(session, known_lesson.id)
        if event.fingerprint_id not in known_lesson.triggers:
            changes.apply(
                session, LessonEdited(known_lesson.id, triggers=(event.fingerprint_id,)), actor
            )
    stored = store.get_lesson(session, known_lesson.id if known_lesson else lesson.id)
    link_conflicts(session, stored)
    store.count_conflicts(session, stored.id, won=True)
    return [] if known_lesson else [lesson.id]


def _generalised(session: Session, lesson: Lesson) -> Lesson | None:
    """Return the lesson that says the same in more general words of a model, if any."""
    general = (
        general_lesson
        for general_lesson in store.reworded(session, lesson.tool)
        if general_lesson.level != "task" or general_lesson.scope == lesson.scope
    )
    return next(
        (
            general_lesson
            for general_lesson in general
            if covers(general_lesson.wrong, lesson.wrong)
            and covers(general_lesson.correct, lesson.correct)
        ),
        None,
    )


def _same_fix(session: Session, lesson: Lesson) -> Lesson | None:
    """Return the lesson with the same fix for the same kind of failure, if any."""
    fix = Fix.of(lesson.wrong, lesson.correct)
    return next(
        (
            rival
            for rival in store.rivals(session, lesson)
            if Fix.of(rival.wrong, rival.correct) == fix
        ),
        None,
    )


def link_conflicts(session: Session, lesson: Lesson) -> None:
    """Link a lesson with those that fix the same failures in another way."""
    fix = Fix.of(lesson.wrong, lesson.correct)
    for rival in store.rivals(session, lesson):
        if are_in_conflict(
            lesson.triggers, fix, rival.triggers, Fix.of(rival.wrong, rival.correct)
        ):
            store.link_conflict(session, lesson.id, rival.id)


def _template(session: Session, event: ErrorEvent, correct: str) -> Lesson:
    """Return the lesson of a failed and a working command."""
    now = session.now
    return Lesson(
        id=new_id(now),
        rule_text=rule(event.action, correct),
        wrong=event.action,
        correct=correct,
        level=level_of(correct),
        tool=event.tool,
        scope=event.scope,
        task=event.task,
        origin="executed",
        triggers=(event.fingerprint_id,),
        tags=event.tags,
        created_at=now,
        updated_at=now,
        evidence_at=now,
    )
