"""The hint after a failure: the lessons for it, and what is noted of having shown them.

The same failure comes first, then one of the same shape, and only where there is neither one that is much alike. The program
must agree, what it is used for, and what the lesson puts right must stand in the command.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memapp.domain.lessons.fingerprint import Fingerprint
from memapp.domain.lessons.lesson import ActivationPoint, ErrorEvent, Lesson, applies
from memapp.domain.lessons.likeness import Rarity, same_use, shape_likeness
from memapp.domain.lessons.ranking import LEAST_ALIKE, MOST_BEFORE_RUN, MOST_ON_ERROR, LessonMatch, RankedLesson, Tier, rank, tier
from memapp.domain.lessons.utility import is_withheld
from memapp.domain.memory import Recalled
from memapp.domain.text import clean, one_line, shorten
from memapp.store import activations, runs
from memapp.store import lessons as store
from memapp.store.encoding import new_id
from memapp.store.lessons import Triggered
from memapp.store.session import Session

HINT_CHARS = 200
TIERS: Mapping[Tier, str] = {
    Tier.EXACT: "the same failure",
    Tier.SHAPE: "a failure of the same kind",
    Tier.ALIKE: "a failure much like it",
}


@dataclass(frozen=True, slots=True)
class LessonHint:
    """A lesson as it is shown after a failure. It has words of commands that were carried out, and of nothing else."""

    lesson: Lesson
    ranked: RankedLesson

    @property
    def tier(self) -> str:
        return TIERS[self.ranked.match.tier]

    @property
    def recalled(self) -> Recalled:
        """Return it as a hit of recall."""
        score, at = round(self.ranked.score, 4), self.lesson.updated_at
        return Recalled("lesson", self.lesson.id, one_line(self.lesson.correct), "", "", at, score, self.tier)

    @property
    def in_advance(self) -> str:
        """Return it as people read it before they do something again."""
        return f"this failed last time; {self.in_a_line}"

    @property
    def in_a_line(self) -> str:
        """Return it as people read it: `here `git push` worked once`."""
        correct = shorten(one_line(clean(self.lesson.correct)), HINT_CHARS)
        if self.lesson.origin == "person":
            return f"you wrote down `{correct}`"
        if not self.lesson.worked:
            return f"an import says `{correct}`, which was not tried here"
        often = f"{self.lesson.worked} times" if self.lesson.worked > 1 else "once"
        untested = ", untested as a hint" if self.ranked.match.untested else ""
        return f"here `{correct}` worked {often}{untested}"


def trusted(session: Session, event: ErrorEvent) -> LessonHint | None:
    """Return the best promoted lesson for a failure: before it happens again nothing else is worth a word."""
    return next((one for one in find(session, event, MOST_BEFORE_RUN) if not one.ranked.match.untested), None)


def find(session: Session, event: ErrorEvent, most: int = MOST_ON_ERROR) -> list[LessonHint]:
    """Return the lessons for a failure, best first."""
    failed = runs.get_fingerprint(session, event.fingerprint_id)
    same = store.triggered(session, failed.tool, shape=failed.shape)
    found = _ranked(session, event, failed, same, most)
    found = found or _ranked(session, event, failed, store.triggered(session, failed.tool), most)
    return [LessonHint(store.get_lesson(session, one.match.lesson_id), one) for one in found]


def _ranked(
    session: Session, event: ErrorEvent, failed: Fingerprint, among: Sequence[Triggered], most: int
) -> list[RankedLesson]:
    shapes, actions = Rarity({one.shape for one in among} | {failed.shape}), Rarity([one.wrong for one in among])
    best: dict[str, LessonMatch] = {}
    for one in among:
        is_same_use = same_use(failed.tool, event.action, failed.subject, one.wrong, one.subject)
        is_for_it = is_same_use and applies(one.wrong, one.correct, event.action)
        alike = shape_likeness(failed.shape, one.shape, shapes) if is_for_it else 0.0
        match = _match(session, one, failed, alike, actions.likeness(event.action, one.wrong)) if alike >= LEAST_ALIKE else None
        if match and (one.id not in best or match.tier > best[one.id].tier):
            best[one.id] = match
    return rank(best.values(), failed.tool, event.tags, session.now, most)


def _match(session: Session, one: Triggered, failed: Fingerprint, alike: float, text_similarity: float) -> LessonMatch | None:
    fits = tier(
        same_shape=one.shape == failed.shape,
        same_subject=one.subject == failed.subject,
        same_scope=one.scope == failed.scope,
        travels=one.level != "task",
        alike=alike,
    )
    if fits is None:
        return None
    return LessonMatch(
        lesson_id=one.id,
        status=one.status,
        tool=failed.tool,
        tags=frozenset(store.tags_of_lesson(session, one.id)),
        session=store.learned_in(session, one.id),
        tier=fits,
        fingerprint_match=alike,
        text_similarity=text_similarity,
        helped=one.helped,
        hurt=one.hurt,
        evidence_at=one.evidence_at,
        by_person=one.reason == "person",
        conflicts=frozenset(other for other, _, _ in store.conflicts_of(session, one.id)),
    )


def show(session: Session, event: ErrorEvent, hints: Sequence[LessonHint], *, withhold: bool, told: str = "") -> list[LessonHint]:
    """Note that lessons are shown after a failure, and return them; one match in five of an untested one is withheld by lot.

    Without such matches there would be nothing to compare with. The first time a lesson is always shown. `told` is the one that
    was shown before already; what counts of it is what follows on the failure, as with any other.
    """
    shown: list[LessonHint] = []
    for place, hint in enumerate(hints, start=1):
        activation_id = new_id(session.now)
        is_first = not hint.lesson.retrieved
        withheld = withhold and hint.ranked.match.untested and not is_first and is_withheld(activation_id)
        point: ActivationPoint = "pre_run" if hint.lesson.id == told else "on_error"
        about = (activation_id, hint.lesson.id, event.run_id, event.step_id, point)
        activations.add(session, *about, place, hint.ranked.score, hint.ranked.parts, shown=not withheld)
        shown += [] if withheld else [hint]
    return shown
