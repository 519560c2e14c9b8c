"""Lessons before a command: which ones apply, and the signs of such commands.

A lesson applies to the very command it corrects, if that failed here last time, and to any command
with the word it corrects, if the error named the word. No lesson applies where a similar command
has worked here since: the cause may be gone. The signs let a terminal notice such commands before
memapp is loaded.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from memapp.domain.lessons.fingerprint import Fingerprint, words
from memapp.domain.lessons.lesson import (
    GAP,
    MAX_ACTION_CHARS,
    PAUSE,
    put_right,
    swaps_program,
    taken_out,
)
from memapp.domain.lessons.ranking import MOST_BEFORE_RUN, Tier
from memapp.domain.lessons.rewording import covers
from memapp.domain.lessons.run import LatestStep
from memapp.domain.lessons.similarity import Rarity, shape_likeness
from memapp.services.lessons import attempts
from memapp.services.lessons.hints import (
    Drawn,
    Fit,
    KnownFailure,
    LessonHint,
    draw,
    hints_of,
    is_for,
    tier_of,
)
from memapp.store import lessons as store
from memapp.store import runs
from memapp.store.lessons import Triggered
from memapp.store.session import Session
from memapp.tools import markers

if TYPE_CHECKING:
    from memapp.runtime import Runtime

LATELY = timedelta(days=30)
"""Older steps say nothing about now."""
MOST_STEPS, MOST_NOTICED = 200, 300
SLOW_SECONDS = 2.0
"""Faster failures get their hint afterwards: an unproven lesson is no reason to speak before."""


class _Bearing(NamedTuple):
    """How a lesson applies to a coming action."""

    fit: Fit
    is_aloud: bool
    """True if worth showing unasked."""


def bearing(
    session: Session, tool: str, scope: str, action: str, task: str = "", *, unasked: bool = False
) -> list[LessonHint]:
    """Return the lessons that apply to a coming action, best first."""
    place, action = attempts.scope_hash(scope), attempts.clean_text(action)[:MAX_ACTION_CHARS]
    done = _latest_steps(session, place)
    last = next((step for step in done if step.action == action and step.failed), None)
    recent = [
        step for step in done if step.failed and (step.at >= session.now - PAUSE or step is last)
    ]
    tags = tuple(sorted({tag for step in recent for tag in step.tags}))
    failure = KnownFailure(
        Fingerprint(tool, last.shape if last else "", last.subject if last else "", place),
        action,
        tags,
    )
    among = [
        *store.triggered(session, tool),
        *store.untriggered(session, failure.fingerprint, action),
    ]
    among += store.triggered(session, tool, shape=last.shape) if last else []
    bearings = [
        applies
        for lesson in among
        if (applies := _bearing(lesson, failure, done, recent))
        and (applies.is_aloud or not unasked)
    ]
    actions = Rarity([f"{lesson.wrong} {lesson.task}" for lesson in among])
    fits = sorted((applies.fit for applies in bearings), key=lambda fit: fit.tier)
    return hints_of(
        session,
        failure,
        fits,
        lambda lesson: actions.likeness(f"{action} {task}", f"{lesson.wrong} {lesson.task}"),
        MOST_BEFORE_RUN,
    )


def draw_lesson(
    session: Session, tool: str, scope: str, action: str, task: str = "", *, withhold: bool
) -> Drawn | None:
    """Return the lesson to show before an action, or to withhold; None if there is none."""
    applicable = bearing(session, tool, scope, action, task, unasked=True)
    return next(iter(draw(session, applicable[:1], withhold=withhold)), None)


def notice(runtime: "Runtime", places: Iterable[str]) -> None:
    """Mark the commands that have a lesson, in places named by their hashes and anywhere."""
    session, cache = runtime.read(), str(runtime.paths.cache)
    for place in dict.fromkeys(places):
        here, anywhere = noticed(session, place)
        markers.mark_known_at(cache, place, here)
        markers.mark_known_at(cache, attempts.scope_hash(markers.ANYWHERE), anywhere)


def noticed(session: Session, place: str) -> tuple[list[str], list[str]]:
    """Return the signs of commands with a lesson: those of a place, and those of any place."""
    done, lessons = _latest_steps(session, place), store.noticeable(session, place, MOST_NOTICED)
    here = [_sign(lesson) for lesson in lessons if _has_hint(lesson, place, done)]
    anywhere = [
        lesson
        for lesson in lessons
        if lesson.status == "promoted"
        and (lesson.level != "task" or put_right(lesson.wrong, lesson.correct, lesson.wrong))
    ]
    return here, [_sign(lesson) for lesson in anywhere]


def _has_hint(lesson: Triggered, place: str, done: Sequence[LatestStep]) -> bool:
    applies = _bearing(
        lesson,
        KnownFailure(
            Fingerprint(lesson.tool, lesson.shape, lesson.subject, place), lesson.wrong, ()
        ),
        done,
        (),
    )
    return applies is not None and applies.is_aloud


def _sign(lesson: Triggered) -> str:
    """Return the sign of the commands a lesson applies to (`tools.markers.noticed_by`)."""
    if swaps_program(lesson.wrong, lesson.correct, lesson.tool):
        return lesson.tool
    if named := _words_named_by_error(lesson):
        return f"{lesson.tool}\0{min(named)}"
    return "\0".join(("", *words(lesson.wrong)))


def _latest_steps(session: Session, place: str) -> list[LatestStep]:
    return runs.latest_steps(session, place, session.now - LATELY, MOST_STEPS)


def _words_named_by_error(lesson: Triggered) -> set[str]:
    """Return the words a lesson corrects and its error named."""
    error_words = set(re.findall(r"[\w./-]+", lesson.said))
    return {
        word
        for word in taken_out(lesson.wrong, lesson.correct, lesson.said, lesson.tool)
        if word.lower() in error_words or word.strip("-").lower() in error_words
    }


def _bearing(
    lesson: Triggered,
    failure: KnownFailure,
    done: Sequence[LatestStep],
    recent: Sequence[LatestStep],
) -> _Bearing | None:
    is_named = bool(_words_named_by_error(lesson)) or swaps_program(
        lesson.wrong, lesson.correct, lesson.tool
    )
    past_fingerprint = failure.fingerprint._replace(subject=lesson.subject)

    def concerns(action: str) -> bool:
        is_it = (
            covers(lesson.wrong, action)
            if GAP in lesson.wrong
            else words(lesson.wrong) == words(action)
        )
        return is_it or (is_named and is_for(lesson, KnownFailure(past_fingerprint, action, ())))

    if not concerns(failure.action):
        return None
    latest = next((step for step in done if concerns(step.action)), None)
    if not (latest.failed if latest else is_named or not lesson.shape):
        return None
    same_failed = next(
        (step for step in done if step.action == failure.action and step.failed), None
    )
    last = same_failed or latest
    likeness = (
        shape_likeness(last.shape, lesson.shape, Rarity({last.shape, lesson.shape}))
        if last
        else 1.0
    )
    failed = (
        failure.fingerprint._replace(shape=last.shape, subject=last.subject)
        if last
        else failure.fingerprint
    )
    tier = tier_of(lesson, failure._replace(fingerprint=failed), likeness)
    if tier is None:
        return None
    expected = (
        likeness * (1.0 if last in recent else 0.5)
        if last
        else float(lesson.shape in {step.shape for step in recent})
    )
    is_aloud = lesson.status == "promoted" or (
        same_failed is not None and same_failed.seconds >= SLOW_SECONDS
    )
    return _Bearing(Fit(tier if same_failed else min(tier, Tier.SHAPE), expected, lesson), is_aloud)
