"""The hint after a failure: the lessons for it, and what is noted of having shown them.

The same failure comes first, then one of the same shape, and only where there is neither one that
is much alike. The program must agree, what it is used for, and what the lesson puts right must
stand in the command.
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
from memapp.domain.lessons.likeness import Rarity, names_program, same_use, shape_likeness
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
from memapp.domain.text import clean, one_line, shorten
from memapp.services.lessons import recognise
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
"""How an action is cut to pieces and put together again."""
TIERS: Mapping[Tier, str] = {
    Tier.EXACT: "the same failure",
    Tier.SHAPE: "a failure of the same kind",
    Tier.ALIKE: "a failure much like it",
}


class LessonHint(NamedTuple):
    """A lesson as it is shown after a failure. It has words of commands that were carried out, and
    of nothing else.
    """

    lesson: Lesson
    ranked: RankedLesson
    worked: str
    """What worked then, with a gap for each name that only the failure of then had."""
    instead: str = ""
    """The failed command with the change of the lesson, which nobody has tried; empty if it is what
    the lesson says.
    """
    here: str = "here "
    """Where it worked, in words; empty if it counts here too, and was learned in another place."""

    @property
    def tier(self) -> str:
        return TIERS[self.ranked.match.tier]

    @property
    def recalled(self) -> "Recalled":
        """Return it as a hit of recall."""
        from memapp.domain.memory import Recalled  # a hint in a terminal waits for none of it

        score, at = round(self.ranked.score, 4), self.lesson.updated_at
        return Recalled(
            "lesson", self.lesson.id, one_line(self.lesson.correct), "", "", at, score, self.tier
        )

    @property
    def in_advance(self) -> str:
        """Return it as people read it before they do something."""
        again = (
            "this failed last time"
            if self.ranked.match.tier is Tier.EXACT
            else "something like this failed before"
        )
        return f"{again}; {self.in_a_line}"

    @property
    def in_a_line(self) -> str:
        """Return it as people read it: `here `git push` worked once`."""
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
    """A lesson, and how one of its failures fits what failed."""

    tier: Tier
    alike: float
    """Likeness of the shapes, 0 to 1."""
    lesson: Triggered


class KnownFailure(NamedTuple):
    """What is known of a failure when lessons for it are looked for."""

    fingerprint: Fingerprint
    action: str
    tags: tuple[str, ...]


def known(session: Session, event: ErrorEvent) -> KnownFailure:
    """Return what is known of a failure that is kept."""
    return KnownFailure(
        fingerprints.get_fingerprint(session, event.fingerprint_id), event.action, event.tags
    )


def failure_of(session: Session, step: ToolStep) -> KnownFailure | None:
    """Return what is known of a failure that is not kept yet; None if the step did not fail."""
    before = None if step.feedback.progress_signal is None else _progress_before(session, step)
    attempt, channel = recognise.clean_attempt(step.done), step.feedback.channel(before)
    if channel is None:
        return None
    found = recognise.fingerprint_of(step.tool, recognise.scope_hash(step.scope), attempt)
    kept, tags = fingerprints.known(session, found) or (
        found,
        recognise.tags(attempt, step.feedback, channel, before),
    )
    return KnownFailure(kept, attempt.action, tags)


def _progress_before(session: Session, step: ToolStep) -> float | None:
    """Return how near the goal was before a step that is not kept yet."""
    from memapp.store import runs  # few commands have a goal

    scope, task = (
        recognise.scope_hash(step.scope),
        recognise.clean_text(step.client.task)[:MAX_TASK_CHARS],
    )
    run = runs.current_run(
        session, step.client.kind, step.client.agent, step.tool, scope, task, session.now - PAUSE
    )
    return runs.last_progress(session, run) if run else None


def told(
    session: Session,
    failure: KnownFailure,
    client: Client,
    before: Drawn | None = None,
    *,
    withhold: bool,
) -> list[Drawn]:
    """Return the hints that somebody is told of a failure; a program gets no word from elsewhere,
    and nothing untried.

    `before` was drawn before it, and is not drawn again.
    """
    found = find(session, failure)
    if client.is_program:
        found = [
            hint._replace(instead="")
            for hint in found
            if (hint.lesson.worked or hint.lesson.origin == "person")
            and not hint.ranked.match.elsewhere
        ]
    return draw(session, found, before, withhold=withhold)


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
        alike = (
            shape_likeness(failure.fingerprint.shape, lesson.shape, shapes, LEAST_ALIKE)
            if is_for(lesson, failure)
            else 0.0
        )
        fits = tier_of(lesson, failure, alike) if alike else None
        if fits is not None and (lesson.id not in best or fits > best[lesson.id].tier):
            best[lesson.id] = Fit(fits, alike, lesson)
    actions = Rarity([lesson.wrong for lesson in among])
    return hints_of(
        session,
        failure,
        best.values(),
        lambda one: actions.likeness(failure.action, one.wrong),
        most,
    )


def is_for(one: Triggered, failure: KnownFailure) -> bool:
    """Say whether a lesson puts right what failed: the command has what it takes out, and is used
    for the same.
    """
    failed = failure.fingerprint
    is_same_use = swaps_program(one.wrong, one.correct, failed.tool) or same_use(
        failed.tool, failure.action, failed.subject, one.wrong, one.subject
    )
    return is_same_use and applies(one.wrong, one.correct, failure.action, one.said, failed.tool)


def hints_of(
    session: Session,
    failure: KnownFailure,
    fits: Iterable[Fit],
    text: Callable[[Triggered], float],
    most: int,
) -> list[LessonHint]:
    """Return the lessons that fit and are to be shown, best first; `text` says how alike their
    words are, 0 to 1.
    """
    by_id = {fit.lesson.id: fit for fit in fits}
    behind = store.backgrounds(session, list(by_id))
    matches = [_match(fit, text(fit.lesson), behind[id], failure) for id, fit in by_id.items()]
    ranked = rank(matches, failure.fingerprint.tool, failure.tags, session.now, most)
    return [_hint(session, other, by_id[other.match.lesson_id].lesson, failure) for other in ranked]


def _hint(
    session: Session, ranked: RankedLesson, then: Triggered, failure: KnownFailure
) -> LessonHint:
    """Return a hint, with the command that failed put right where that can be said in full."""
    lesson = store.get_lesson(session, ranked.match.lesson_id)
    change, failed = (lesson.wrong, lesson.correct, failure.action), failure.fingerprint
    worked = names_left_open(
        lesson.wrong, lesson.correct, (then.shape, then.subject), (failed.shape, failed.subject)
    )
    if ranked.match.elsewhere:
        return LessonHint(lesson, ranked, worked, command_line(put_right(*change)))
    instead = (
        _instead(change, is_command=names_program(failed.tool, failure.action))
        if worked == lesson.correct
        else ""
    )
    return LessonHint(
        lesson, ranked, worked, instead, "here " if then.scope == failed.scope else ""
    )


def _instead(change: tuple[str, str, str], *, is_command: bool) -> str:
    """Return a failed action with the change of a lesson made in it; empty where that cannot be
    said, or is the lesson itself.

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
    is_whole = not any(GAP in text for text in instead) and cut(join(instead)) == instead
    return join(instead) if is_whole and instead != cut(change[1]) else ""


def tier_of(one: Triggered, failure: KnownFailure, alike: float) -> Tier | None:
    """Return how a lesson fits a failure; None if it stays where it was learned."""
    failed = failure.fingerprint
    return tier(
        same_shape=one.shape == failed.shape,
        same_subject=one.subject == failed.subject,
        same_scope=one.scope == failed.scope,
        travels=one.level != "task" or _travels(one, failure),
        alike=alike,
    )


def _travels(one: Triggered, failure: KnownFailure) -> bool:
    """Say whether a lesson of another place puts a slip right in a command that could be typed in
    any place.
    """
    tool, action = failure.fingerprint.tool, failure.action
    return (
        names_program(tool, action)
        and not needs_shell(action)
        and bool(put_right(one.wrong, one.correct, action))
    )


def _match(
    fit: Fit, text_similarity: float, behind: Background, failure: KnownFailure
) -> LessonMatch:
    one = fit.lesson
    return LessonMatch(
        lesson_id=one.id,
        status=one.status,
        tool=one.tool,
        tags=frozenset(behind.tags),
        session=behind.learned_in,
        tier=fit.tier,
        elsewhere=one.level == "task" and one.scope != failure.fingerprint.scope,
        fingerprint_match=fit.alike,
        text_similarity=text_similarity,
        helped=one.helped,
        hurt=one.hurt,
        evidence_at=one.evidence_at,
        by_person=one.reason == "person",
        conflicts=frozenset(behind.conflicts),
    )


def draw(
    session: Session, hints: Sequence[LessonHint], before: Drawn | None = None, *, withhold: bool
) -> list[Drawn]:
    """Return the best hint that is shown, behind those that are withheld by lot: one match in five
    of an unproven lesson.

    Without such matches there would be nothing to compare with. The first time a lesson is always
    shown. What would be shown below the best is not noted: nobody saw it.
    """
    drawn: list[Drawn] = []
    for hint in hints:
        if before and before.hint.lesson.id == hint.lesson.id:
            drawn.append(before._replace(hint=hint))
        else:
            activation_id = new_id(session.now)
            may_be_withheld = withhold and hint.ranked.match.unproven and hint.lesson.retrieved > 0
            drawn.append(
                Drawn(
                    activation_id, hint, shown=not (may_be_withheld and is_withheld(activation_id))
                )
            )
        if drawn[-1].shown:
            break
    return drawn


def note(
    session: Session, event: ErrorEvent, drawn: Sequence[Drawn], before: Drawn | None
) -> tuple[LessonHint, ...]:
    """Note the lessons that are shown after a failure, or withheld; return those shown.

    `before` is the one that was shown before it already; what counts of it is what follows on the
    failure, as with any other.
    """
    from memapp.store import activations  # a hint is told before anything is noted

    still_there = (
        other for other in drawn if store.find_lesson(session, other.hint.lesson.id)
    )  # it may be erased since it was told
    for place, (activation_id, hint, shown) in enumerate(still_there, start=1):
        point: ActivationPoint = (
            "pre_run"
            if before and before.shown and activation_id == before.activation_id
            else "on_error"
        )
        about = (activation_id, hint.lesson.id, event.run_id, event.step_id, point)
        activations.add(session, *about, place, hint.ranked.score, hint.ranked.parts, shown=shown)
    return tuple(other.hint for other in drawn if other.shown)
