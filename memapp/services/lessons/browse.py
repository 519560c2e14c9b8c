"""Lessons as people look at them: lists, search, evidence, and whether they help."""

from dataclasses import dataclass

from memapp.domain.lessons.lesson import Lesson
from memapp.domain.lessons.referee import Calibration
from memapp.domain.lessons.run import Evidence, Run, RunStep
from memapp.language.query_words import query_words
from memapp.runtime import Runtime
from memapp.services.store_reads import reading
from memapp.store import lesson_health, lesson_rows, referee, runs
from memapp.store import lessons as store

MOST_RUNS = 5

get_lesson = reading(store.get_lesson)
list_lessons = reading(store.list_lessons)
health = reading(lesson_health.health)
unsolved = reading(runs.unsolved)


@dataclass(frozen=True, slots=True)
class Behind:
    """The evidence behind a lesson."""

    errors: tuple[str, ...]
    """Shapes of its failures: the output without names and numbers."""
    evidence: tuple[Evidence, ...]
    conflicts: tuple[tuple[Lesson, int, int], ...]
    """Lessons with another fix for the same failure, with the wins of either."""
    referees: tuple[Calibration, ...]
    """Models that judge commands without a known result."""


def search_lessons(runtime: Runtime, text: str, limit: int) -> list[Lesson]:
    """Return the lessons with all words of a text, or parts of them, before those with any."""
    return store.search_lessons(runtime.read(), query_words(text), text.casefold().split(), limit)


def behind(runtime: Runtime, lesson: Lesson) -> Behind:
    """Return the failures of a lesson, and the lessons it contradicts."""
    session = runtime.read()
    against = store.conflicts_of(session, lesson.id)
    conflicts = tuple(
        (store.get_lesson(session, other_id), won, lost) for other_id, won, lost in against
    )
    errors = dict.fromkeys(
        fingerprint.shape for fingerprint in lesson_rows.fingerprints_of(session, lesson.id)
    )
    evidence = runs.evidence_of(session, lesson.triggers)
    return Behind(tuple(errors), tuple(evidence), conflicts, tuple(referee.calibrations(session)))


def runs_behind(runtime: Runtime, lesson: Lesson) -> list[tuple[Run, list[RunStep]]]:
    """Return the latest runs with failures of a lesson, and their steps."""
    session = runtime.read()
    run_ids = dict.fromkeys(
        evidence.run_id for evidence in runs.evidence_of(session, lesson.triggers)
    )
    return [
        (runs.get_run(session, run_id), runs.steps_of(session, run_id))
        for run_id in list(run_ids)[:MOST_RUNS]
    ]
