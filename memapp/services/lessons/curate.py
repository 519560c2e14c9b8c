"""Curation of lessons by hand: add, edit, merge, promote, suppress, archive, discard, restore.

Each is one step, which `undo` reverts. The person's decision stands, whatever is measured.
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
from memapp.services.lessons.attempts import clean_text, scope_hash
from memapp.services.lessons.capture import link_conflicts
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
    """Add a promoted lesson of the person's own, for failures of exactly this command.

    `scope` is where it was learned. Without a level it applies there, or wherever the tool is used
    if it names nothing.
    """
    wrong, correct, now = _valid_command(wrong), _valid_command(correct), runtime.clock()
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
    """Change a command or the level of a lesson; None leaves a part as it is."""
    before = store.get_lesson(runtime.read(), lesson_id)
    wrong = before.wrong if wrong is None else _valid_command(wrong)
    correct = before.correct if correct is None else _valid_command(correct)
    _refuse_no_fix(wrong, correct)
    if (wrong, correct, level or before.level) == (before.wrong, before.correct, before.level):
        raise UsageError("Nothing changes: it is so already.")
    return _apply(runtime, LessonEdited(lesson_id, wrong, correct, level))


def promote(runtime: Runtime, *lesson_ids: str) -> Revision:
    """Show lessons, whatever is measured."""
    return _move(runtime, "promoted", lesson_ids)


def suppress(runtime: Runtime, *lesson_ids: str) -> Revision:
    """Hide lessons, whatever is measured."""
    return _move(runtime, "suppressed", lesson_ids)


def archive(runtime: Runtime, *lesson_ids: str) -> Revision:
    """Archive lessons: not shown, and not learned again."""
    return _move(runtime, "archived", lesson_ids)


def discard(runtime: Runtime, *lesson_ids: str) -> Revision:
    """Move lessons to the trash."""
    return _apply(
        runtime, *(LessonDeleted(lesson_id, runtime.purge_at()) for lesson_id in lesson_ids)
    )


def restore(runtime: Runtime, *lesson_ids: str) -> Revision:
    """Restore lessons: from the trash as they were, else as candidates with new counts."""
    return _apply(
        runtime,
        *(_restoring(store.get_lesson(runtime.read(), lesson_id)) for lesson_id in lesson_ids),
    )


def merge(runtime: Runtime, into: str, *lesson_ids: str) -> Revision:
    """Give one lesson the failures of others that say the same, and archive the others."""
    kept = store.get_lesson(runtime.read(), into)
    merged = [store.get_lesson(runtime.read(), lesson_id) for lesson_id in lesson_ids]
    if any(lesson.id == kept.id for lesson in merged):
        raise UsageError("A lesson cannot be merged with itself.")
    if any(lesson.tool != kept.tool for lesson in merged):
        raise UsageError("Only lessons about the same program can be merged.")
    triggers = tuple(dict.fromkeys(trigger for lesson in merged for trigger in lesson.triggers))
    return _apply(
        runtime,
        LessonEdited(kept.id, triggers=triggers),
        *(LessonMoved(lesson.id, "archived", MERGED) for lesson in merged),
    )


def take_for_same(runtime: Runtime, lesson_id: str, other_id: str) -> Revision:
    """Treat the failures of two lessons as the same; raise `UsageError` if they are."""
    return _apply(runtime, FailuresMerged(other_id, lesson_id))


def tell_apart(runtime: Runtime, lesson_id: str) -> Revision:
    """Treat merged failures of a lesson as different again; raise `UsageError` if none are."""
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
    """Apply changes as one step, all or none, and update the signs of known commands."""
    actor = runtime.actor()
    with runtime.write() as session:
        first, *_ = [changes.apply(session, change, actor) for change in steps]
        if isinstance(first.change, LessonAdded | LessonEdited):
            link_conflicts(session, store.get_lesson(session, first.memory_id.removeprefix(LESSON)))
    changed = {
        step.lesson.id if isinstance(step, LessonAdded) else step.lesson_id for step in steps
    }
    before_run.notice(
        runtime, [store.get_lesson(runtime.read(), lesson_id).scope for lesson_id in changed]
    )
    return first


def _valid_command(command: str) -> str:
    """Return a command in one line, without secrets."""
    command = clean_text(one_line(clean(command)))
    if not command:
        raise UsageError("A lesson needs a command that fails and one that works.")
    if len(command) > MAX_RULE_CHARS:
        raise UsageError(
            f"A command in a lesson has at most {MAX_RULE_CHARS} characters,"
            f" this has {len(command)}."
        )
    return command


def _refuse_no_fix(wrong: str, correct: str) -> None:
    if words(wrong) == words(correct):
        raise UsageError("Both commands are the same.")
