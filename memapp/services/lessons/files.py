"""Lessons and failures as files: the rows that `services.imports.lessons` reads back, and a skill
for coding agents.
"""

from collections.abc import Iterator

from memapp.domain.lessons import jsonl
from memapp.domain.lessons.lesson import Lesson
from memapp.runtime import Runtime
from memapp.store import lesson_rows, lessons, runs
from memapp.store.session import Session

ALL = 1_000_000


def lessons_as_rows(runtime: Runtime) -> Iterator[str]:
    """Yield lessons.jsonl: first what came from files, in its order and as it came but for what
    changed here.
    """
    session = runtime.read()
    came = lesson_rows.lesson_rows(session)
    for lesson_id, said in came:
        yield jsonl.rewrite_lesson(said, lessons.get_lesson(session, lesson_id)) + "\n"
    from_files = {lesson_id for lesson_id, _ in came}
    for lesson in reversed(lessons.list_lessons(session, limit=ALL)):
        if lesson.id not in from_files:
            yield _row(session, lesson) + "\n"


def failures_as_rows(runtime: Runtime) -> Iterator[str]:
    """Yield memory_events.jsonl."""
    for failure in lesson_rows.failures(runtime.read()):
        yield (failure.said or jsonl.write_error(failure)) + "\n"


def promoted_as_skill(runtime: Runtime) -> Iterator[str]:
    """Yield SKILL.md: what is promoted, tool by tool."""
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
        [other for other, _, _ in against],
        sum(lost for _, _, lost in against),
        list(learned_in),
    )
