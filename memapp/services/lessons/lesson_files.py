"""Lessons and failures as files: rows that can be imported again, and a skill for agents."""

from collections.abc import Iterator

from memapp.domain.lessons import jsonl
from memapp.domain.lessons.lesson import Lesson
from memapp.runtime import Runtime
from memapp.store import lesson_rows, lessons, runs
from memapp.store.session import Session

ALL = 1_000_000


def lessons_as_rows(runtime: Runtime) -> Iterator[str]:
    """Yield lessons.jsonl: imported rows first, in their order, updated where changed here."""
    session = runtime.read()
    imported_rows = lesson_rows.lesson_rows(session)
    for lesson_id, row in imported_rows:
        yield jsonl.rewrite_lesson(row, lessons.get_lesson(session, lesson_id)) + "\n"
    from_files = {lesson_id for lesson_id, _ in imported_rows}
    for lesson in reversed(lessons.list_lessons(session, limit=ALL)):
        if lesson.id not in from_files:
            yield _row(session, lesson) + "\n"


def failures_as_rows(runtime: Runtime) -> Iterator[str]:
    """Yield memory_events.jsonl."""
    for failure in lesson_rows.failures(runtime.read()):
        yield (failure.said or jsonl.write_error(failure)) + "\n"


def promoted_as_skill(runtime: Runtime) -> Iterator[str]:
    """Yield SKILL.md: the promoted lessons, tool by tool."""
    by_tool: dict[str, list[Lesson]] = {}
    for lesson in lessons.list_lessons(runtime.read(), ("promoted",), limit=ALL):
        if lesson.correct:
            by_tool.setdefault(lesson.tool, []).append(lesson)
    yield jsonl.skill(dict(sorted(by_tool.items())))


def _row(session: Session, lesson: Lesson) -> str:
    against = lessons.conflicts_of(session, lesson.id)
    learned_in = dict.fromkeys(
        evidence.run_id for evidence in runs.evidence_of(session, lesson.triggers)
    )
    triggers = lesson_rows.fingerprints_of(session, lesson.id)
    return jsonl.write_lesson(
        lesson,
        triggers,
        [other_id for other_id, _, _ in against],
        sum(lost for _, _, lost in against),
        list(learned_in),
    )
