"""Hints after a failure: finding its lessons, and recording which were shown.

Lessons of the same failure come first, then those of the same shape, and only without either those
of a similar one. The program and its use must agree, and the command must have the part a lesson
corrects.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memapp.domain.lessons.fingerprint import Fingerprint, signs, words
from memapp.domain.lessons.lesson import (
    GAP,
    MAX_TASK_CHARS,
    PAUSE,
    ActivationPoint,
    Cut,
    ErrorEvent,
    Lesson,
    applies,
    carried_over,
    names_left_open,
    put_right,
    swaps_program,
)
from memapp.domain.lessons.ranking import (
    LEAST_ALIKE,
    MOST_ON_ERROR,
    LessonMatch,
    RankedLesson,
    Tier,
    is_withheld,
    rank,
    tier,
)
from memapp.domain.lessons.recording import Client, ToolStep
from memapp.domain.lessons.similarity import Rarity, names_program, same_use, shape_likeness
from memapp.domain.text import clean, one_line, shorten
from memapp.services.lessons import attempts
from memapp.store import fingerprints
from memapp.store import lessons as store
from memapp.store.encoding import new_id
from memapp.store.lessons import Background, Triggered
from memapp.store.session import Session
from memapp.tools.shell import command_line, needs_shell

if TYPE_CHECKING:
    from memapp.domain.memory import Recalled

HINT_CHARS = 200
Join = Callable[[Iterable[str]], str]
AS_COMMAND: tuple[Cut, Join] = (words, command_line)
AS_QUERY: tuple[Cut, Join] = (signs, "".join)
"""How an action is split into parts and joined again."""
TIERS: Mapping[Tier, str] = {
    Tier.EXACT: "the same failure",
    Tier.SHAPE: "a failure of the same kind",
    Tier.ALIKE: "a failure much like it",
}


class LessonHint(NamedTuple):
    """A lesson as shown after a failure, in words of executed commands only."""

    lesson: Lesson
    ranked: RankedLesson
    worked: str
    """The command that worked, with a gap for each name only the earlier failure had."""
    instead: str = ""
    """The failed command with the fix, untried; empty if the same as the lesson."""
    here: str = "here "
    """Where it worked, in words; empty if learned in another place but valid here."""

    @property
    def tier(self) -> str:
        return TIERS[self.ranked.match.tier]

    @property
    def recalled(self) -> "Recalled":
        """Return the hint as a hit of recall."""
        from memapp.domain.memory import (
            Recalled,
        )  # slow to import, and a terminal hint needs none of it

        score, at = round(self.ranked.score, 4), self.lesson.updated_at
        return Recalled(
            "lesson", self.lesson.id, one_line(self.lesson.correct), "", "", at, score, self.tier
        )

    @property
    def in_advance(self) -> str:
        """Return the hint as shown before a command."""
        failed_before = (
            "this failed last time"
            if self.ranked.match.tier is Tier.EXACT
            else "something like this failed before"
        )
        return f"{failed_before}; {self.in_a_line}"

    @property
    def in_a_line(self) -> str:
        """Return the hint in one line: `here `git push` worked once`."""
        correct = shorten(one_line(clean(self.worked)), HINT_CHARS)
        if self.lesson.origin == "person":
            return f"you wrote down `{correct}`"
        if not self.lesson.worked:
            return f"an import says `{correct}`, which was not tried here"
        instead = (
            f"try `{shorten(one_line(clean(self.instead)), HINT_CHARS)}`: " if self.instead else ""
        )
        often = f"{self.lesson.worked} times" if self.lesson.worked > 1 else "once"
        untested = (
            ""
            if self.lesson.retrieved or self.lesson.status == "promoted"
            else ", untested as a hint"
        )
        if self.ranked.match.elsewhere:
            return f"{instead}elsewhere this slip was put right so {often}{untested}"
        return f"{instead}{self.here}`{correct}` worked {often}{untested}"


class Drawn(NamedTuple):
    """A hint for a failure, and whether it is shown or withheld."""

    activation_id: str
    hint: LessonHint
    shown: bool


class Fit(NamedTuple):
    """A lesson, and how one of its failures fits the present one."""

    tier: Tier
    alike: float
    """Likeness of the shapes, 0 to 1."""
    lesson: Triggered


class KnownFailure(NamedTuple):
    """A failure as it is compared with lessons."""

    fingerprint: Fingerprint
    action: str
    tags: tuple[str, ...]


def known(session: Session, event: ErrorEvent) -> KnownFailure:
    """Return a stored failure for comparison with lessons."""
    return KnownFailure(
        fingerprints.get_fingerprint(session, event.fingerprint_id), event.action, event.tags
    )


def failure_of(session: Session, step: ToolStep) -> KnownFailure | None:
    """Return the failure of a step that is not stored yet; None if the step worked."""
    before = None if step.feedback.progress_signal is None else _progress_before(session, step)
    attempt, channel = attempts.clean_attempt(step.done), step.feedback.channel(before)
    if channel is None:
        return None
    fingerprint = attempts.fingerprint_of(step.tool, attempts.scope_hash(step.scope), attempt)
    known_fingerprint, tags = fingerprints.known(session, fingerprint) or (
        fingerprint,
        attempts.tags(attempt, step.feedback, channel, before),
    )
    return KnownFailure(known_fingerprint, attempt.action, tags)


def _progress_before(session: Session, step: ToolStep) -> float | None:
    """Return the progress before a step that is not stored yet."""
    from memapp.store import runs  # few commands have a goal

    scope = attempts.scope_hash(step.scope)
    task = attempts.clean_text(step.client.task)[:MAX_TASK_CHARS]
    run = runs.current_run(
        session, step.client.kind, step.client.agent, step.tool, scope, task, session.now - PAUSE
    )
    return runs.last_progress(session, run) if run else None


def draw_hints(
    session: Session,
    failure: KnownFailure,
    client: Client,
    before: Drawn | None = None,
    *,
    withhold: bool,
) -> list[Drawn]:
    """Return the hints to show for a failure; a program gets only hints tried in this place.

    `before` was drawn before the command, and is not drawn again.
    """
    hints = find(session, failure)
    if client.is_program:
        hints = [
            hint._replace(instead="")
            for hint in hints
            if (hint.lesson.worked or hint.lesson.origin == "person")
            and not hint.ranked.match.elsewhere
        ]
    return draw(session, hints, before, withhold=withhold)


def find(session: Session, failure: KnownFailure, most: int = MOST_ON_ERROR) -> list[LessonHint]:
    """Return the lessons for a failure, best first."""
    failed = failure.fingerprint
    same = [
        *store.triggered(session, failed.tool, shape=failed.shape),
        *store.untriggered(session, failed, failure.action),
    ]
    return _fitting(session, failure, same, most) or _fitting(
        session, failure, store.triggered(session, failed.tool), most
    )


def _fitting(
    session: Session, failure: KnownFailure, among: Sequence[Triggered], most: int
) -> list[LessonHint]:
    shapes = Rarity({lesson.shape for lesson in among} | {failure.fingerprint.shape})
    best: dict[str, Fit] = {}
    for lesson in among:
        likeness = (
            shape_likeness(failure.fingerprint.shape, lesson.shape, shapes, LEAST_ALIKE)
            if is_for(lesson, failure)
            else 0.0
        )
        fits = tier_of(lesson, failure, likeness) if likeness else None
        if fits is not None and (lesson.id not in best or fits > best[lesson.id].tier):
            best[lesson.id] = Fit(fits, likeness, lesson)
    actions = Rarity([lesson.wrong for lesson in among])
    return hints_of(
        session,
        failure,
        best.values(),
        lambda lesson: actions.likeness(failure.action, lesson.wrong),
        most,
    )


def is_for(lesson: Triggered, failure: KnownFailure) -> bool:
    """Return True if a lesson corrects a part of the failed command in the same use."""
    failed = failure.fingerprint
    is_same_use = swaps_program(lesson.wrong, lesson.correct, failed.tool) or same_use(
        failed.tool, failure.action, failed.subject, lesson.wrong, lesson.subject
    )
    return is_same_use and applies(
        lesson.wrong, lesson.correct, failure.action, lesson.said, failed.tool
    )


def hints_of(
    session: Session,
    failure: KnownFailure,
    fits: Iterable[Fit],
    rate: Callable[[Triggered], float],
    most: int,
) -> list[LessonHint]:
    """Return the hints of fitting lessons, best first; `rate` compares their words."""
    by_id = {fit.lesson.id: fit for fit in fits}
    behind = store.backgrounds(session, list(by_id))
    matches = [
        _match(fit, rate(fit.lesson), behind[fit.lesson.id], failure) for fit in by_id.values()
    ]
    ranked = rank(matches, failure.fingerprint.tool, failure.tags, session.now, most)
    return [
        _hint(session, ranked_lesson, by_id[ranked_lesson.match.lesson_id].lesson, failure)
        for ranked_lesson in ranked
    ]


def _hint(
    session: Session, ranked: RankedLesson, triggered: Triggered, failure: KnownFailure
) -> LessonHint:
    """Return a hint, with the corrected command where possible."""
    lesson = store.get_lesson(session, ranked.match.lesson_id)
    change, failed = (lesson.wrong, lesson.correct, failure.action), failure.fingerprint
    worked = names_left_open(
        lesson.wrong,
        lesson.correct,
        (triggered.shape, triggered.subject),
        (failed.shape, failed.subject),
    )
    if ranked.match.elsewhere:
        return LessonHint(lesson, ranked, worked, command_line(put_right(*change)))
    instead = (
        _instead(change, is_command=names_program(failed.tool, failure.action))
        if worked == lesson.correct
        else ""
    )
    return LessonHint(
        lesson, ranked, worked, instead, "here " if triggered.scope == failed.scope else ""
    )


def _instead(change: tuple[str, str, str], *, is_command: bool) -> str:
    """Return a failed action with a fix applied; empty if impossible or the lesson itself.

    A quoted word of a command may be a query.
    """
    action, cuts = change[-1], [AS_COMMAND, AS_QUERY] if is_command else [AS_QUERY]
    if is_command and needs_shell(action):
        return ""
    if not any(quote in action for quote in "\"'"):
        cuts = cuts[:1]
    return next(filter(None, (_changed(change, *cut) for cut in cuts)), "")


def _changed(change: tuple[str, str, str], cut: Cut, join: Join) -> str:
    instead = put_right(*change, cut) or carried_over(*change, cut)
    is_whole = not any(GAP in part for part in instead) and cut(join(instead)) == instead
    return join(instead) if is_whole and instead != cut(change[1]) else ""


def tier_of(lesson: Triggered, failure: KnownFailure, likeness: float) -> Tier | None:
    """Return how a lesson fits a failure; None for one bound to the place of its learning."""
    failed = failure.fingerprint
    return tier(
        same_shape=lesson.shape == failed.shape,
        same_subject=lesson.subject == failed.subject,
        same_scope=lesson.scope == failed.scope,
        travels=lesson.level != "task" or _travels(lesson, failure),
        alike=likeness,
    )


def _travels(lesson: Triggered, failure: KnownFailure) -> bool:
    """Return True if a lesson of another place fixes a slip in a command of any place."""
    tool, action = failure.fingerprint.tool, failure.action
    return (
        names_program(tool, action)
        and not needs_shell(action)
        and bool(put_right(lesson.wrong, lesson.correct, action))
    )


def _match(
    fit: Fit, text_similarity: float, behind: Background, failure: KnownFailure
) -> LessonMatch:
    lesson = fit.lesson
    return LessonMatch(
        lesson_id=lesson.id,
        status=lesson.status,
        tool=lesson.tool,
        tags=frozenset(behind.tags),
        session=behind.learned_in,
        tier=fit.tier,
        elsewhere=lesson.level == "task" and lesson.scope != failure.fingerprint.scope,
        fingerprint_match=fit.alike,
        text_similarity=text_similarity,
        helped=lesson.helped,
        hurt=lesson.hurt,
        evidence_at=lesson.evidence_at,
        by_person=lesson.reason == "person",
        conflicts=frozenset(behind.conflicts),
    )


def draw(
    session: Session, hints: Sequence[LessonHint], before: Drawn | None = None, *, withhold: bool
) -> list[Drawn]:
    """Return the best hint to show, behind those withheld at random.

    One match in five of an unproven lesson is withheld, for comparison; its first match never is.
    Hints below the best are not recorded: nobody saw them.
    """
    drawn: list[Drawn] = []
    for hint in hints:
        if before and before.hint.lesson.id == hint.lesson.id:
            drawn.append(before._replace(hint=hint))
        else:
            activation_id = new_id(session.now)
            may_be_withheld = withhold and hint.ranked.match.unproven and hint.lesson.retrieved > 0
            shown = not (may_be_withheld and is_withheld(activation_id))
            drawn.append(Drawn(activation_id, hint, shown))
        if drawn[-1].shown:
            break
    return drawn


def note(
    session: Session, event: ErrorEvent, drawn: Sequence[Drawn], before: Drawn | None
) -> tuple[LessonHint, ...]:
    """Record the hints shown or withheld after a failure; return those shown.

    A hint shown `before` the command is judged by what follows on the failure, like any other.
    """
    from memapp.store import activations  # a hint is told before anything is noted

    # A lesson may have been erased since it was told.
    still_there = (entry for entry in drawn if store.find_lesson(session, entry.hint.lesson.id))
    for place, (activation_id, hint, shown) in enumerate(still_there, start=1):
        point: ActivationPoint = (
            "pre_run"
            if before and before.shown and activation_id == before.activation_id
            else "on_error"
        )
        ids = (activation_id, hint.lesson.id, event.run_id, event.step_id, point)
        activations.add(session, *ids, place, hint.ranked.score, hint.ranked.parts, shown=shown)
    return tuple(entry.hint for entry in drawn if entry.shown)
