"""Judging lessons by what follows with and without their hints; promoting and suppressing."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from memapp.domain.changes import Actor, LessonMoved
from memapp.domain.jobs import Pace, has_leapt
from memapp.domain.lessons.conflicts import Fix, always_loses
from memapp.domain.lessons.lesson import BY_PERSON, PAUSE, RESTORED, UNDONE, Lesson
from memapp.domain.lessons.outcome import (
    HORIZON,
    FollowingStep,
    RunEvidence,
    Settlement,
    evidence,
    settle,
)
from memapp.domain.lessons.ranking import reliability
from memapp.domain.lessons.recording import Client
from memapp.domain.lessons.utility import (
    LOW_RELIABILITY,
    UNUSED,
    Effect,
    LessonRecord,
    judge,
    verdict,
)
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services.lessons.capture import AGENT
from memapp.store import activations, changes, referee
from memapp.store import lessons as store
from memapp.store.activations import Following, Match
from memapp.store.session import Session

MOST_RUNS = 20
"""Runs with a lesson, and runs without, by which it is judged, the latest: somebody waits."""
NOTHING_FOLLOWED = Settlement(0, 0, None, None)


def after_step(session: Session, run_id: str) -> None:
    """Settle the hints that a step or an ended run decides, and judge their lessons.

    Lessons in conflict with them are judged, too: a loser is not shown, so none of its hints
    settle.
    """
    open_matches = activations.unsettled(session, run_id, session.now - PAUSE)
    settled = [match.lesson_id for match in open_matches if _settle(session, match, run_id)]
    rivals = [
        rival_id
        for lesson_id in dict.fromkeys(settled)
        for rival_id, _, _ in store.conflicts_of(session, lesson_id)
    ]
    for lesson_id in dict.fromkeys([*settled, *rivals]):
        decide(session, store.get_lesson(session, lesson_id))


def after_run(session: Session, run_id: str) -> None:
    """Settle the hints of an evaluated run, and judge all its matching lessons."""
    after_step(session, run_id)
    for lesson_id in activations.lessons_of(session, run_id):
        decide(session, store.get_lesson(session, lesson_id))


def run_job(runtime: Runtime, cancel: Cancel, last: Pace | None) -> Iterator[int]:
    """Settle hints of ended runs and archive unused lessons; yield how many.

    Does nothing after a leap of the clock.
    """
    if last is None or has_leapt(last, runtime.clock()) or not waiting(runtime):
        return
    with runtime.write() as session:
        ended = len(_ended(session))
        after_step(session, "")
        if ended:
            yield ended
        for lesson in _unreliable(session):
            if cancel.is_set():
                return
            decide(session, lesson)
            yield 1


def waiting(runtime: Runtime) -> int:
    """Count the hints ready to settle and the lessons ready to archive."""
    session = runtime.read()
    return len(_ended(session)) + len(_unreliable(session))


def _ended(session: Session) -> list[Match]:
    return activations.unsettled(session, "", session.now - PAUSE)


def _unreliable(session: Session) -> list[Lesson]:
    unused = (
        store.get_lesson(session, activation)
        for activation in activations.unused(session, session.now - UNUSED)
    )
    return [
        lesson
        for lesson in unused
        if lesson.reason != BY_PERSON and reliability(lesson.helped, lesson.hurt) < LOW_RELIABILITY
    ]


def _settle(session: Session, match: Match, run_id: str) -> bool:
    follows = activations.following(session, match)
    is_over = match.run_id != run_id or match.passed is not None or len(follows) >= HORIZON
    lesson = store.get_lesson(session, match.lesson_id)
    settlement = settle(
        list(_relevant_steps(follows[:HORIZON], lesson)), match.progress, run_ended=is_over
    )
    if not is_over:
        return False
    activations.settle(session, match, settlement or NOTHING_FOLLOWED)
    if match.shown and settlement and settlement.helped is not None:
        store.count_conflicts(session, match.lesson_id, won=settlement.helped)
    return True


def _relevant_steps(follows: Sequence[Following], lesson: Lesson) -> Iterator[FollowingStep]:
    """Yield the steps that failed or fixed a failure; other successes are unrelated.

    Following the lesson and failing in the same way counts as the same failure.
    """
    put_in = Fix.of(lesson.wrong, lesson.correct).put_in
    for step in follows:
        if step.failed or step.fixes:
            in_vain = step.same_kind and put_in <= Fix.of("", step.action).put_in
            yield FollowingStep(step.failed, step.same_error or in_vain, step.progress)


def _follows_lesson(follows: Sequence[Following], lesson: Lesson) -> bool:
    """Return True if the first relevant step fixed the failure as the lesson says, names aside."""
    fix = Fix.of(lesson.wrong, lesson.correct)
    first = next((step for step in follows if step.failed or step.fixes), None)
    done = Fix.of("", first.action).put_in if first and not first.failed else frozenset()
    return (
        bool(done)
        and fix.taken_out.isdisjoint(done)
        and (not fix.put_in or not fix.put_in.isdisjoint(done))
    )


def decide(session: Session, lesson: Lesson) -> None:
    """Promote, suppress or archive a lesson if due.

    Nothing measured before the person's last change counts.
    """
    since = store.changed_by_person(session, lesson.id) or lesson.created_at
    effect = _effect(session, lesson, since)
    if effect:
        activations.keep_effect(session, lesson.id, effect)
    record = LessonRecord(
        status=lesson.status,
        by_person=lesson.reason == BY_PERSON,
        helped=lesson.helped,
        hurt=lesson.hurt,
        useless=activations.useless(session, lesson.id, since),
        loses_conflicts=lesson.reason not in (RESTORED, UNDONE)
        and _loses_conflicts(session, lesson),
        unused=session.now - lesson.evidence_at,
        effect=effect,
    )
    if move := verdict(record):
        actor = Actor(AGENT, step=session.new_id())
        changes.apply(session, LessonMoved(lesson.id, move.to, move.reason), actor)


def _loses_conflicts(session: Session, lesson: Lesson) -> bool:
    """Return True if a lesson always loses against another that can still be shown."""
    against = store.conflicts_of(session, lesson.id)
    rivals = [
        store.get_lesson(session, rival_id)
        for rival_id, won, lost in against
        if always_loses(won, lost)
    ]
    return any(
        lesson.status in ("candidate", "promoted") and lesson.purge_at is None for lesson in rivals
    )


def _effect(session: Session, lesson: Lesson, since: datetime) -> Effect | None:
    matches = sorted(
        activations.matches(session, lesson.id), key=lambda match: match.at, reverse=True
    )
    shown = [match for match in matches if match.shown and match.at > since][:MOST_RUNS]
    baseline = [match for match in matches if not match.shown][:MOST_RUNS]
    referees = _referees(session, [match.run_id for match in (*shown, *baseline)])
    return judge(
        _evidence(session, lesson, shown, referees), _evidence(session, lesson, baseline, referees)
    )


def _referees(session: Session, run_ids: Sequence[str]) -> list[str]:
    """Return the models whose judgement counts for runs without another result."""
    models_here = referee.judges_of(session, run_ids)
    return (
        [
            calibration.model
            for calibration in referee.calibrations(session)
            if calibration.model in models_here and calibration.standing == "counts"
        ]
        if models_here
        else []
    )


def _evidence(
    session: Session, lesson: Lesson, matches: Sequence[Match], referees: Sequence[str]
) -> list[RunEvidence]:
    """Return the evidence of runs that ended or went on for long, where a sequel exists."""
    run_evidence: list[RunEvidence] = []
    for match in matches:
        steps = activations.following(session, match)
        is_over = (
            len(steps) >= HORIZON or match.last_at < session.now - PAUSE or match.passed is not None
        )
        follows = list(_relevant_steps(steps, lesson))
        if is_over and follows:
            score = referee.score(session, match.run_id, match.seq, referees) if referees else None
            run = replace(
                _run_evidence(match), referee_score=score, as_said=_follows_lesson(steps, lesson)
            )
            run_evidence.append(evidence(follows, run))
    return run_evidence


def _run_evidence(match: Match) -> RunEvidence:
    """Return the evidence of a run without its steps.

    A session is a run of a program, or a day of a person.
    """
    session = match.run_id if Client(match.client).is_program else f"{match.started_at:%Y-%m-%d}"
    unknown = RunEvidence(recurrences=0, errors=0, steps=0, session=session, block=match.agent)
    return replace(unknown, passed=match.passed, score=match.score)
