"""Lessons as people look at them: lists, search, what stands behind one, and whether they help."""

from dataclasses import dataclass

from memapp.domain.lessons.lesson import Lesson
from memapp.domain.lessons.referee import Calibration
from memapp.domain.lessons.run import Evidence, Run, RunStep
from memapp.language.recall import query_words
from memapp.runtime import Runtime
from memapp.services.reads import reading
from memapp.store import lesson_health, lesson_rows, referee, runs
from memapp.store import lessons as store

MOST_RUNS = 5

get_lesson = reading(store.get_lesson)
list_lessons = reading(store.list_lessons)
health = reading(lesson_health.health)
unsolved = reading(runs.unsolved)


@dataclass(frozen=True, slots=True)
class Behind:
    """What a lesson rests on."""

    errors: tuple[str, ...]
    """What its failures wrote, without the names and numbers of each: the shapes that it is
    recognised by.
    """
    evidence: tuple[Evidence, ...]
    conflicts: tuple[tuple[Lesson, int, int], ...]
    """Lessons for the same failure with another way out, with how often this one worked and how
    often that one.
    """
    referees: tuple[Calibration, ...]
    """The models that judge how commands went of which nothing else tells."""


def search_lessons(runtime: Runtime, text: str, limit: int) -> list[Lesson]:
    """Return the lessons that have each word of a text, or a part of one, before those that have
    any of its words.
    """
    return store.search_lessons(runtime.read(), query_words(text), text.casefold().split(), limit)


def behind(runtime: Runtime, lesson: Lesson) -> Behind:
    """Return the failures that a lesson is for, and the lessons that it contradicts."""
    session = runtime.read()
    against = store.conflicts_of(session, lesson.id)
    conflicts = tuple((store.get_lesson(session, other), won, lost) for other, won, lost in against)
    errors = dict.fromkeys(
        fingerprint.shape for fingerprint in lesson_rows.fingerprints_of(session, lesson.id)
    )
    evidence = runs.evidence_of(session, lesson.triggers)
    return Behind(tuple(errors), tuple(evidence), conflicts, tuple(referee.calibrations(session)))


def runs_behind(runtime: Runtime, lesson: Lesson) -> list[tuple[Run, list[RunStep]]]:
    """Return the latest runs in which the failures of a lesson happened, with their steps."""
    session = runtime.read()
    run_ids = dict.fromkeys(
        evidence.run_id for evidence in runs.evidence_of(session, lesson.triggers)
    )
    return [
        (runs.get_run(session, memory_id), runs.steps_of(session, memory_id))
        for memory_id in list(run_ids)[:MOST_RUNS]
    ]
