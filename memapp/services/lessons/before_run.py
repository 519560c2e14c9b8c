"""Lessons before something is done: those that bear on it, and by what such a command is noticed
before memapp is loaded.

A lesson bears on the very command that it puts right, if that failed here when it was done last;
and on any command with the word that it puts right, if the error named that. None does where the
like worked here since: what was changed is not known.
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
from memapp.domain.lessons.likeness import Rarity, shape_likeness
from memapp.domain.lessons.ranking import MOST_BEFORE_RUN, Tier
from memapp.domain.lessons.rewording import covers
from memapp.domain.lessons.run import LatestStep
from memapp.services.lessons import recognise
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
"""What was done longer ago says nothing about now."""
MOST_STEPS, MOST_NOTICED = 200, 300
SLOW_SECONDS = 2.0
"""A failure that took less is told of when it is there: an unproven lesson is no reason to speak
before.
"""


class _Bearing(NamedTuple):
    """How a lesson bears on something that is about to be done."""

    fit: Fit
    is_aloud: bool
    """It is worth a word that nobody asked for."""


def bearing(
    session: Session, tool: str, scope: str, action: str, task: str = "", *, unasked: bool = False
) -> list[LessonHint]:
    """Return the lessons that bear on something that is about to be done in a place, at a task;
    best first.
    """
    place, action = recognise.scope_hash(scope), recognise.clean_text(action)[:MAX_ACTION_CHARS]
    done = _done(session, place)
    last = next((step for step in done if step.action == action and step.failed), None)
    recent = [
        step for step in done if step.failed and (step.at >= session.now - PAUSE or step is last)
    ]
    tags = tuple(sorted({tag for step in recent for tag in step.tags}))
    about = KnownFailure(
        Fingerprint(tool, last.shape if last else "", last.subject if last else "", place),
        action,
        tags,
    )
    among = [
        *store.triggered(session, tool),
        *store.untriggered(session, about.fingerprint, action),
    ]
    among += store.triggered(session, tool, shape=last.shape) if last else []
    found = [
        one
        for lesson in among
        if (one := _bearing(lesson, about, done, recent)) and (one.is_aloud or not unasked)
    ]
    actions = Rarity([f"{lesson.wrong} {lesson.task}" for lesson in among])
    fits = sorted((bearing.fit for bearing in found), key=lambda fit: fit.tier)
    return hints_of(
        session,
        about,
        fits,
        lambda one: actions.likeness(f"{action} {task}", f"{one.wrong} {one.task}"),
        MOST_BEFORE_RUN,
    )


def told(
    session: Session, tool: str, scope: str, action: str, task: str = "", *, withhold: bool
) -> Drawn | None:
    """Return the lesson that somebody is told of before they do something, or that is withheld."""
    found = bearing(session, tool, scope, action, task, unasked=True)
    return next(iter(draw(session, found[:1], withhold=withhold)), None)


def notice(runtime: "Runtime", places: Iterable[str]) -> None:
    """Mark the commands that somebody is told of before, in places that are named by their hashes,
    and wherever it is.
    """
    session, cache = runtime.read(), str(runtime.paths.cache)
    for place in dict.fromkeys(places):
        here, anywhere = noticed(session, place)
        markers.mark_known_at(cache, place, here)
        markers.mark_known_at(cache, recognise.scope_hash(markers.ANYWHERE), anywhere)


def noticed(session: Session, place: str) -> tuple[list[str], list[str]]:
    """Return by what the commands are noticed that somebody is told of before: those here, and
    those wherever it is.
    """
    done, lessons = _done(session, place), store.noticeable(session, place, MOST_NOTICED)
    here = [_sign(lesson) for lesson in lessons if _is_told_of(lesson, place, done)]
    anywhere = [
        lesson
        for lesson in lessons
        if lesson.status == "promoted"
        and (lesson.level != "task" or put_right(lesson.wrong, lesson.correct, lesson.wrong))
    ]
    return here, [_sign(lesson) for lesson in anywhere]


def _is_told_of(one: Triggered, place: str, done: Sequence[LatestStep]) -> bool:
    found = _bearing(
        one,
        KnownFailure(Fingerprint(one.tool, one.shape, one.subject, place), one.wrong, ()),
        done,
        (),
    )
    return found is not None and found.is_aloud


def _sign(one: Triggered) -> str:
    """Return by what a command is noticed that a lesson bears on (`tools.markers.noticed_by`)."""
    if swaps_program(one.wrong, one.correct, one.tool):
        return one.tool
    if named := _named(one):
        return f"{one.tool}\0{min(named)}"
    return "\0".join(("", *words(one.wrong)))


def _done(session: Session, place: str) -> list[LatestStep]:
    return runs.latest_steps(session, place, session.now - LATELY, MOST_STEPS)


def _named(one: Triggered) -> set[str]:
    """Return what a lesson puts right that the error of then named."""
    said = set(re.findall(r"[\w./-]+", one.said))
    return {
        word
        for word in taken_out(one.wrong, one.correct, one.said, one.tool)
        if word.lower() in said or word.strip("-").lower() in said
    }


def _bearing(
    one: Triggered, about: KnownFailure, done: Sequence[LatestStep], recent: Sequence[LatestStep]
) -> _Bearing | None:
    is_named = bool(_named(one)) or swaps_program(one.wrong, one.correct, one.tool)
    then = about.fingerprint._replace(subject=one.subject)

    def concerns(action: str) -> bool:
        is_it = covers(one.wrong, action) if GAP in one.wrong else words(one.wrong) == words(action)
        return is_it or (is_named and is_for(one, KnownFailure(then, action, ())))

    if not concerns(about.action):
        return None
    latest = next((step for step in done if concerns(step.action)), None)
    if not (latest.failed if latest else is_named or not one.shape):
        return None
    again = next((step for step in done if step.action == about.action and step.failed), None)
    last = again or latest
    alike = shape_likeness(last.shape, one.shape, Rarity({last.shape, one.shape})) if last else 1.0
    failed = (
        about.fingerprint._replace(shape=last.shape, subject=last.subject)
        if last
        else about.fingerprint
    )
    tier = tier_of(one, about._replace(fingerprint=failed), alike)
    if tier is None:
        return None
    expected = (
        alike * (1.0 if last in recent else 0.5)
        if last
        else float(one.shape in {step.shape for step in recent})
    )
    is_aloud = one.status == "promoted" or (again is not None and again.seconds >= SLOW_SECONDS)
    return _Bearing(Fit(tier if again else min(tier, Tier.SHAPE), expected, one), is_aloud)
