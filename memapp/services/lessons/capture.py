"""Keeping a failure so that it is recognised again, and making of one that was solved a lesson.

The lesson is a template over the two commands that were carried out, the failed one and the one
that then worked. Not a word of any output gets into it.
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
from memapp.services.lessons import recognise
from memapp.store import changes, fingerprints, runs
from memapp.store import lessons as store
from memapp.store.encoding import new_id
from memapp.store.session import Session

AGENT = "lessons"
MOST_NEW = 5
"""Lessons that one run adds at most: those of failures that came again first."""


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
    found = recognise.fingerprint_of(tool, run.scope, attempt)
    tags = recognise.tags(attempt, feedback, channel, before)
    fingerprint_id = fingerprints.keep_fingerprint(session, found, tags)
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
    """Find the open failures that a step which worked is the answer to; return each with what
    worked.

    A tool that knows its goal says so itself: what came nearer is the answer to what did not. With
    any other the two commands tell; what stands in for a program that is not there is the next
    thing that is done. To do the same again, with success, closes a failure too, but what made it
    work is not known.
    """
    opened = runs.open_failures(session, run.client, run.agent, run.scope, session.now - PAUSE)
    again = [failure for failure in opened if failure.action == action]
    others, before = (
        [failure for failure in opened if failure.action != action],
        runs.step_before(session, run, step_id, session.now - PAUSE),
    )
    unknown = {
        failure.id
        for failure in others
        if UNKNOWN_COMMAND in failure.tags and failure.step_id == before
    }
    solved = [
        failure
        for failure in others
        if progressed
        or corrects(
            action,
            failure.action,
            is_unknown=failure.id in unknown,
            is_missing=NOT_THERE in failure.tags,
        )
    ]
    runs.solve(session, [failure.id for failure in (*again, *solved)], step_id)
    return [
        (failure, action)
        for failure in solved
        if max(len(action), len(failure.action)) <= MAX_RULE_CHARS
    ]


def learn(session: Session, solved: Sequence[tuple[ErrorEvent, str]]) -> list[str]:
    """Make lessons of solved failures, of one a fingerprint, those that came again first; return
    the ids of new ones.
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
    """Add the lesson of one solved failure, unless it is known or was thrown away; return its id if
    it is new.
    """
    lesson = _template(session, event, correct)
    normal = session.normalise(lesson.rule_text)
    known = (
        store.same_rule(session, normal, lesson.tool, lesson.scope)
        or _general(session, lesson)
        or _same_fix(session, lesson)
    )
    if known is None and store.refused_rule(session, normal, lesson.tool):
        return []
    if known and (known.purge_at or known.status == "archived"):
        return []
    actor = Actor(AGENT, step=session.new_id())
    if known is None:
        changes.apply(session, LessonAdded(lesson), actor)
    else:
        store.count_worked(session, known.id)
        if event.fingerprint_id not in known.triggers:
            changes.apply(session, LessonEdited(known.id, triggers=(event.fingerprint_id,)), actor)
    kept = store.get_lesson(session, known.id if known else lesson.id)
    link_conflicts(session, kept)
    store.count_conflicts(session, kept.id, won=True)
    return [] if known else [lesson.id]


def _general(session: Session, lesson: Lesson) -> Lesson | None:
    """Return the lesson that says the same in the more general words of a model, if there is one."""
    general = (
        other
        for other in store.reworded(session, lesson.tool)
        if other.level != "task" or other.scope == lesson.scope
    )
    return next(
        (
            other
            for other in general
            if covers(other.wrong, lesson.wrong) and covers(other.correct, lesson.correct)
        ),
        None,
    )


def _same_fix(session: Session, lesson: Lesson) -> Lesson | None:
    """Return the lesson that changes the same in a command that failed in the same way, whatever
    else stands in that.
    """
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
    """Link a lesson with those for the same failures that put something else in the place of the
    same.
    """
    fix = Fix.of(lesson.wrong, lesson.correct)
    for rival in store.rivals(session, lesson):
        if are_in_conflict(
            lesson.triggers, fix, rival.triggers, Fix.of(rival.wrong, rival.correct)
        ):
            store.link_conflict(session, lesson.id, rival.id)


def _template(session: Session, event: ErrorEvent, correct: str) -> Lesson:
    """Return the lesson that two commands make."""
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
