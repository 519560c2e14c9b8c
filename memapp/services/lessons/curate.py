"""Curation of lessons: what a person adds, edits, merges, promotes, suppresses, archives, deletes
and restores by hand.

Each is one step that `undo` takes back. What the person decided stays, whatever is measured.
"""

from collections.abc import Sequence

from memapp.domain.changes import (
    FailuresMerged,
    FailuresParted,
    LessonAdded,
    LessonChange,
    LessonDeleted,
    LessonEdited,
    LessonMoved,
    LessonRestored,
    Revision,
)
from memapp.domain.lessons.fingerprint import words
from memapp.domain.lessons.lesson import (
    BY_PERSON,
    LESSON,
    MAX_RULE_CHARS,
    MERGED,
    RESTORED,
    Lesson,
    LessonLevel,
    LessonStatus,
    level_of,
    rule,
)
from memapp.domain.text import clean, one_line
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services.lessons import before_run
from memapp.services.lessons.capture import link_conflicts
from memapp.services.lessons.recognise import clean_text, scope_hash
from memapp.store import changes, runs
from memapp.store import lessons as store
from memapp.store.encoding import new_id


def add(
    runtime: Runtime,
    tool: str,
    scope: str,
    wrong: str,
    correct: str,
    level: LessonLevel | None = None,
) -> Revision:
    """Keep a lesson in the person's own words, promoted; it is for the failures of just that
    command.

    `scope` is where it was learned; without a level it counts there, or wherever the tool is used
    if it names nothing.
    """
    wrong, correct, now = _checked(wrong), _checked(correct), runtime.clock()
    _refuse_no_fix(wrong, correct)
    lesson = Lesson(
        id=new_id(now),
        status="promoted",
        reason=BY_PERSON,
        rule_text=rule(wrong, correct),
        wrong=wrong,
        correct=correct,
        level=level or level_of(correct),
        tool=tool,
        scope=scope_hash(scope),
        origin="person",
        created_at=now,
        updated_at=now,
        worked=0,
        evidence_at=now,
    )
    triggers = tuple(runs.fingerprints_of(runtime.read(), tool, lesson.scope, wrong))
    return _apply(runtime, LessonAdded(lesson._replace(triggers=triggers)))


def edit(
    runtime: Runtime,
    lesson_id: str,
    wrong: str | None = None,
    correct: str | None = None,
    level: LessonLevel | None = None,
) -> Revision:
    """Put another command in place, or another level; None leaves a part as it is."""
    before = store.get_lesson(runtime.read(), lesson_id)
    wrong, correct = (
        before.wrong if wrong is None else _checked(wrong),
        before.correct if correct is None else _checked(correct),
    )
    _refuse_no_fix(wrong, correct)
    if (wrong, correct, level or before.level) == (before.wrong, before.correct, before.level):
        raise UsageError("Nothing changes: it is so already.")
    return _apply(runtime, LessonEdited(lesson_id, wrong, correct, level))


def promote(runtime: Runtime, *lesson_ids: str) -> Revision:
    """Let lessons be shown whatever is measured."""
    return _move(runtime, "promoted", lesson_ids)


def suppress(runtime: Runtime, *lesson_ids: str) -> Revision:
    """Show lessons no more, whatever is measured."""
    return _move(runtime, "suppressed", lesson_ids)


def archive(runtime: Runtime, *lesson_ids: str) -> Revision:
    """Put lessons away: they are not shown, and not learned again."""
    return _move(runtime, "archived", lesson_ids)


def discard(runtime: Runtime, *lesson_ids: str) -> Revision:
    """Put lessons into the trash."""
    return _apply(
        runtime, *(LessonDeleted(lesson_id, runtime.purge_at()) for lesson_id in lesson_ids)
    )


def restore(runtime: Runtime, *lesson_ids: str) -> Revision:
    """Bring lessons back: from the trash as they were, else as candidates, of which only what
    follows now is counted.
    """
    return _apply(
        runtime,
        *(_restoring(store.get_lesson(runtime.read(), lesson_id)) for lesson_id in lesson_ids),
    )


def merge(runtime: Runtime, into: str, *lesson_ids: str) -> Revision:
    """Let one lesson be for the failures of others too, which say the same and are put away."""
    kept, others = (
        store.get_lesson(runtime.read(), into),
        [store.get_lesson(runtime.read(), memory_id) for memory_id in lesson_ids],
    )
    if any(lesson.id == kept.id for lesson in others):
        raise UsageError("A lesson cannot be merged with itself.")
    if any(lesson.tool != kept.tool for lesson in others):
        raise UsageError("Only lessons about the same program can be merged.")
    triggers = tuple(dict.fromkeys(trigger for lesson in others for trigger in lesson.triggers))
    return _apply(
        runtime,
        LessonEdited(kept.id, triggers=triggers),
        *(LessonMoved(lesson.id, "archived", MERGED) for lesson in others),
    )


def take_for_same(runtime: Runtime, lesson_id: str, other_id: str) -> Revision:
    """From now on bring back the lessons of one failure for the other as well. Raises `UsageError`
    if that is so already.
    """
    return _apply(runtime, FailuresMerged(other_id, lesson_id))


def tell_apart(runtime: Runtime, lesson_id: str) -> Revision:
    """Take the failures of a lesson for different ones again. Raises `UsageError` if none was taken
    for another.
    """
    return _apply(runtime, FailuresParted(lesson_id))


def _restoring(lesson: Lesson) -> LessonChange:
    if lesson.purge_at:
        return LessonRestored(lesson.id)
    if lesson.status not in ("suppressed", "archived"):
        raise UsageError("This lesson is neither in the trash, nor suppressed or archived.")
    return LessonMoved(lesson.id, "candidate", RESTORED)


def _move(runtime: Runtime, to: LessonStatus, lesson_ids: Sequence[str]) -> Revision:
    return _apply(runtime, *(LessonMoved(lesson_id, to, BY_PERSON) for lesson_id in lesson_ids))


def _apply(runtime: Runtime, *steps: LessonChange) -> Revision:
    """Carry out changes that are taken back together; all are made, or none. They count at once for
    the next command.
    """
    actor = runtime.actor()
    with runtime.write() as session:
        first, *_ = [changes.apply(session, change, actor) for change in steps]
        if isinstance(first.change, LessonAdded | LessonEdited):
            link_conflicts(session, store.get_lesson(session, first.memory_id.removeprefix(LESSON)))
    changed = {
        step.lesson.id if isinstance(step, LessonAdded) else step.lesson_id for step in steps
    }
    before_run.notice(runtime, [store.get_lesson(runtime.read(), text).scope for text in changed])
    return first


def _checked(command: str) -> str:
    """Return a command as lessons hold it: in one line, without secrets."""
    command = clean_text(one_line(clean(command)))
    if not command:
        raise UsageError("A lesson has a command that fails, and one that works.")
    if len(command) > MAX_RULE_CHARS:
        raise UsageError(
            f"A command in a lesson has at most {MAX_RULE_CHARS} characters, this has {len(command)}."
        )
    return command


def _refuse_no_fix(wrong: str, correct: str) -> None:
    if words(wrong) == words(correct):
        raise UsageError("Both commands are the same.")
