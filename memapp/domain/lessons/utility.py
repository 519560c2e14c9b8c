"""The utility of a lesson: what followed when it was shown, beside what followed when it was not,
and what is done about it.

Formulas and thresholds are the specification's. By themselves they promote by luck: among recorded
runs in which nobody was shown anything, about one useless lesson in three reaches them after three
runs. So a lesson is promoted only if a test says as well that chance alone would seldom do so: a
permutation test over errors and steps, where there are three runs without the lesson, or, where
there is one, an unconditional test over the runs in which the error was put right at once
(`benchmarks.promotion`, `benchmarks.ordinary_use`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import combinations, product
from math import comb, prod
from random import Random

from memapp.domain.lessons.lesson import LessonStatus
from memapp.domain.lessons.ranking import reliability

HORIZON = 3
"""Steps of the same run in which a lesson that was shown can help."""
WINDOW = 3
"""Fewest runs that say anything about a lesson."""
SESSIONS = 2
"""On fewer different days or in fewer sessions runs are not independent."""
USEFUL = 0.20
RECURRENCE_DROP = 0.50
MAJOR = 0.10
"""A pass rate or score that falls by more than this is a major regression."""
SURE = 0.10
"""The p of the permutation test up to which an effect is more than luck."""
SURE_OF_FEW = 0.135
"""The same for Barnard's test: one run that went wrong without the lesson, and three or four of
five that went right with it.
"""
ALWAYS_RIGHT = 8
"""Runs in which a lesson was shown, and did what it says at once: so often it is right, though
people know it without.
"""
UNSURE = 0.20
"""The p up to which a lesson counts as worse than none, and beyond which a promoted one is a
candidate again.
"""
USELESS = 3
LOW_RELIABILITY = 0.35
UNUSED = timedelta(days=60)
SHARES = tuple(share / 40 for share in range(1, 40))
"""Shares of runs that go right, at which Barnard's test looks for the one that favours luck most.
"""
EXACTLY = 1_000
"""With more ways to exchange runs than this, so many of them are drawn."""
FEWEST_WAYS = 20
"""With fewer ways no p could be far enough below `SURE`."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class FollowingStep:
    """A step of the same tool after the error that a lesson fitted."""

    failed: bool
    same_error: bool
    """The failure has the same fingerprint."""
    progress: float | None = None


@dataclass(frozen=True, slots=True)
class Settlement:
    """What followed an activation within the horizon."""

    recurrences: int
    extra_failures: int
    """Failures of another kind."""
    steps_to_fix: int | None
    """Until the first success after the last recurrence; None without one."""
    progress_delta: float | None
    """What was gained at the end of the horizon; None where there is no progress signal."""

    @property
    def fixed(self) -> bool:
        return self.steps_to_fix is not None

    @property
    def useless(self) -> bool:
        """The error came back, and nothing mended it."""
        return self.recurrences > 0 and not self.fixed

    @property
    def helped(self) -> bool | None:
        """Say whether the activation helped: the next step worked, and the error stayed away; None
        if that cannot be told.

        It hurt if the error came back for good, or the goal is farther away; other failures are not
        its own.
        """
        if self.useless or (self.progress_delta or 0.0) < 0:
            return False
        return True if self.steps_to_fix == 1 else None


def settle(
    following: Sequence[FollowingStep], progress: float | None, *, run_ended: bool
) -> Settlement | None:
    """Settle an activation by the next three steps; None while they are still to come."""
    steps = following[:HORIZON]
    if not steps or (len(steps) < HORIZON and not run_ended):
        return None
    known = [step.progress for step in steps if step.progress is not None]
    return Settlement(
        recurrences=sum(step.failed and step.same_error for step in steps),
        extra_failures=sum(step.failed and not step.same_error for step in steps),
        steps_to_fix=_steps_to_fix(steps),
        progress_delta=known[-1] - progress if known and progress is not None else None,
    )


def _steps_to_fix(steps: Sequence[FollowingStep]) -> int | None:
    """Return the place, from 1, of the first success after the last recurrence; None without one."""
    last = max(
        (place for place, step in enumerate(steps, 1) if step.failed and step.same_error), default=0
    )
    return next(
        (place for place, step in enumerate(steps, 1) if place > last and not step.failed), None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvidence:
    """What followed in one run on the first match of a lesson, which was shown there or not
    (withheld, or not yet made).
    """

    recurrences: int
    """Of the lesson's fingerprints."""
    errors: int
    """All failures until the error was fixed, the recurrences among them."""
    steps: int
    """Until the error was fixed."""
    session: str = ""
    """Day or session, by which runs are independent."""
    block: str = ""
    """Runs that are alike whatever is shown: of the same executor, or the same task."""
    passed: bool | None = None
    score: float | None = None
    """Of the deterministic evaluator, 0 to 1."""
    as_said: bool = False
    """The error was put right at once, by what the lesson says."""
    referee_score: float | None = None
    """Share of steps that worked, by what is known and else by a model as referee, 0 to 1; None
    without one that counts.
    """


def evidence(following: Sequence[FollowingStep], run: RunEvidence) -> RunEvidence:
    """Return what a run says by all that followed on the first match of the lesson; `run` brings
    what is known beside that.

    The whole rest of a run tells a good lesson from a useless one much better than three steps do
    (`benchmarks.promotion`).
    """
    fix = _steps_to_fix(following)
    until = following[:fix]
    return replace(
        run,
        recurrences=sum(step.failed and step.same_error for step in until),
        errors=sum(step.failed for step in until),
        steps=fix or len(following) + 1,
    )


def reduction(before: float, after: float) -> float:
    """Return by how much of itself something fell, -1 to 1; what was nothing before can only rise."""
    if before < _ROUNDING:
        return 0.0 if after < _ROUNDING else -1.0
    return max(-1.0, min(1.0, (before - after) / before))


def mean(numbers: Iterable[float]) -> float:
    known = list(numbers)
    return sum(known) / len(known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """How a lesson does by all evidence, and how sure that is."""

    window: int
    """Runs in which it was shown."""
    compared: int
    """Runs in which it fitted and was not shown."""
    sessions: int
    error_reduction: float
    step_efficiency_gain: float
    referee_score_gain: float | None
    recurrence_reduction: float
    utility: float
    p: float
    """How often chance alone would make a lesson look at least as useful."""
    p_worse: float
    """How often it would make one look at most as useful."""
    p_few: float = 1.0
    """The p of Barnard's test that what the lesson says puts the error right at once more often
    than what is done without it.
    """
    always_right: bool = False
    """Each time, shown or not, the error was put right at once by what the lesson says."""
    evaluated: bool
    """A deterministic evaluator told the runs apart."""
    improved: bool
    """Pass rate or score is better with the lesson."""
    regressed: bool
    """Pass rate or score is much worse with the lesson."""

    @property
    def reaches_formula(self) -> bool:
        """Say whether the specification's own gate is passed."""
        if self.window < WINDOW or self.regressed:
            return False
        if self.evaluated:
            return self.recurrence_reduction >= RECURRENCE_DROP - _ROUNDING and self.improved
        return self.utility >= USEFUL - _ROUNDING

    @property
    def proven(self) -> bool:
        """Return True if the lesson is to be promoted."""
        better = self.reaches_formula and self._by_luck(SURE, SURE_OF_FEW)
        return self.sessions >= SESSIONS and not self.regressed and (better or self.always_right)

    @property
    def still_proven(self) -> bool:
        """Return True if a promoted lesson stays promoted: the tests may be less sure of it than
        they were.
        """
        return self.always_right or (self.reaches_formula and self._by_luck(UNSURE, UNSURE))

    def _by_luck(self, p: float, p_few: float) -> bool:
        """Return True if luck explains the effect no more often than either test allows."""
        return (self.compared >= WINDOW and self.p <= p) or self.p_few <= p_few

    @property
    def no_better_than_none(self) -> bool:
        """Say whether it is at least as bad as nothing, by enough runs of both kinds."""
        return (
            min(self.window, self.compared) >= WINDOW
            and self.utility <= _ROUNDING
            and self.p_worse <= UNSURE
        )


def judge(shown: Sequence[RunEvidence], baseline: Sequence[RunEvidence]) -> Effect | None:
    """Compare the runs in which a lesson was shown with those in which it was not; None while one
    of the two is missing.
    """
    if not shown or not baseline:
        return None
    passes = _rates(shown, baseline, lambda run: None if run.passed is None else float(run.passed))
    scores = _rates(shown, baseline, lambda run: run.score)
    gains = [after - before for before, after in filter(None, (passes, scores))]
    parts = _gains(_columns([*shown, *baseline]), range(len(shown)))
    better, worse = permutation_test(shown, baseline)
    is_right = (
        len(shown) >= ALWAYS_RIGHT
        and len(baseline) >= WINDOW
        and all(run.as_said for run in (*shown, *baseline))
    )
    return Effect(
        window=len(shown),
        compared=len(baseline),
        sessions=len({run.session for run in shown}),
        error_reduction=parts[0],
        step_efficiency_gain=parts[1],
        referee_score_gain=parts[2] if len(parts) > 2 else None,
        recurrence_reduction=reduction(
            *(mean(run.recurrences for run in arm) for arm in (baseline, shown))
        ),
        utility=utility(*parts),
        p=better,
        p_worse=worse,
        p_few=barnard(
            (sum(run.as_said for run in shown), len(shown)),
            (sum(run.errors == 0 for run in baseline), len(baseline)),
        ),
        always_right=is_right,
        evaluated=any(rates != (1.0, 1.0) for rates in (passes, scores) if rates),
        improved=any(gain > _ROUNDING for gain in gains),
        regressed=len(shown) >= WINDOW and any(gain < -MAJOR - _ROUNDING for gain in gains),
    )


def utility(
    error_reduction: float, step_efficiency_gain: float, referee_score_gain: float | None = None
) -> float:
    """Return the specification's utility: without a model as referee, or with one."""
    if referee_score_gain is None:
        return 0.65 * error_reduction + 0.35 * step_efficiency_gain
    return 0.50 * error_reduction + 0.30 * step_efficiency_gain + 0.20 * referee_score_gain


def barnard(shown: tuple[int, int], baseline: tuple[int, int]) -> float:
    """Return the p of Barnard's unconditional test (1945) that runs go right more often with a
    lesson than without.

    Each arm is (right, runs). With one share g of right runs in both arms, the p is the greatest
    over g of sum C(n,a) g^a (1-g)^(n-a) C(m,b) g^b (1-g)^(m-b), over all (a, b) with a/n - b/m at
    least as large as observed.
    """
    (right, n), (right_without, m) = shown, baseline
    observed = right / n - right_without / m - _ROUNDING
    extreme = [(a, b) for a in range(n + 1) for b in range(m + 1) if a / n - b / m >= observed]
    ways = [(a + b, comb(n, a) * comb(m, b)) for a, b in extreme]
    return max(sum(way * g**k * (1 - g) ** (n + m - k) for k, way in ways) for g in SHARES)


def permutation_test(
    shown: Sequence[RunEvidence], baseline: Sequence[RunEvidence]
) -> tuple[float, float]:
    """Return how often a lesson that does nothing would look at least as useful, and at most: p of
    being better, and worse.

    Tried are all ways, or many, to say which of the runs it was shown in. Runs change places within
    their block only, which takes out what does not come from the lesson; where that leaves too few
    ways, they do so freely.
    """
    runs = [*shown, *baseline]
    columns = _columns(runs)
    observed = utility(*_gains(columns, range(len(shown))))
    blocks = _blocks([run.block for run in runs], len(shown))
    if _ways(blocks) < FEWEST_WAYS:
        blocks = _blocks([""] * len(runs), len(shown))
    drawn = _ways(blocks) > EXACTLY
    utilities = [
        utility(*_gains(columns, chosen)) for chosen in (_draw(blocks) if drawn else _each(blocks))
    ]
    # Of drawn ways, the one that came about counts as well: a p is never 0, and never too small.
    at_least = drawn + sum(utility >= observed - _ROUNDING for utility in utilities)
    at_most = drawn + sum(utility <= observed + _ROUNDING for utility in utilities)
    return at_least / (len(utilities) + drawn), at_most / (len(utilities) + drawn)


Block = tuple[Sequence[int], int]
"""Places of the runs of a block, and in how many of them the lesson was shown."""


def _blocks(names: Sequence[str], shown: int) -> list[Block]:
    counted = Counter(names[:shown])
    return [
        ([place for place, of in enumerate(names) if of == name], counted[name])
        for name in dict.fromkeys(names)
    ]


def _ways(blocks: Sequence[Block]) -> int:
    return prod(comb(len(places), shown) for places, shown in blocks)


def _each(blocks: Sequence[Block]) -> Iterator[list[int]]:
    for chosen in product(*(combinations(places, shown) for places, shown in blocks)):
        yield [place for places in chosen for place in places]


def _draw(blocks: Sequence[Block]) -> Iterator[list[int]]:
    random = Random(0)
    for _ in range(EXACTLY):
        yield [place for places, shown in blocks for place in random.sample(places, shown)]


def _columns(runs: Sequence[RunEvidence]) -> list[list[float]]:
    """Return the errors and the steps of runs, and the referee's scores if every run has one."""
    scores = [run.referee_score for run in runs if run.referee_score is not None]
    columns: list[list[float]] = [[run.errors for run in runs], [run.steps for run in runs]]
    return [*columns, scores] if len(scores) == len(runs) else columns


def _gains(columns: Sequence[Sequence[float]], shown: Sequence[int]) -> list[float]:
    """Return error reduction, gain in steps, and the referee's gain: of the runs at some places
    over all others.
    """
    sums = [sum([column[place] for place in shown]) for column in columns]
    others = len(columns[0]) - len(shown)
    means = [
        ((sum(column) - part) / others, part / len(shown))
        for column, part in zip(columns, sums, strict=True)
    ]
    return [
        *(reduction(*both) for both in means[:2]),
        *(after - before for before, after in means[2:]),
    ]


def _rates(
    shown: Sequence[RunEvidence],
    baseline: Sequence[RunEvidence],
    value: Callable[[RunEvidence], float | None],
) -> tuple[float, float] | None:
    """Return the mean without and with the lesson; None if one of them is not known of any run."""
    before, after = (
        [known for run in arm if (known := value(run)) is not None] for arm in (baseline, shown)
    )
    return (mean(before), mean(after)) if before and after else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonRecord:
    """All that decides about the status of a lesson."""

    status: LessonStatus
    by_person: bool
    """The person promoted or suppressed it, which nothing overrules."""
    helped: int
    hurt: int
    useless: int
    loses_conflicts: bool = False
    unused: timedelta = timedelta()
    """Since it was used last, or made."""
    effect: Effect | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """A change of status, and its reason in a few words."""

    to: LessonStatus
    reason: str


def verdict(record: LessonRecord) -> Move | None:
    """Return what becomes of a lesson; None if it stays what it is."""
    if record.by_person or record.status in ("suppressed", "archived"):
        return None
    if reason := _why_suppress(record):
        return Move("suppressed", reason)
    effect = record.effect
    if record.status == "candidate" and effect and effect.proven:
        return Move("promoted", "always right" if effect.always_right else "useful")
    # Judged anew after each run, one useless lesson in five gets lucky once; so luck must be able
    # to run out.
    if record.status == "promoted" and effect and not effect.still_proven:
        return Move("candidate", "no longer sure")
    if record.unused >= UNUSED and reliability(record.helped, record.hurt) < LOW_RELIABILITY:
        return Move("archived", "unused")
    return None


def _why_suppress(record: LessonRecord) -> str:
    if record.loses_conflicts:
        return "another lesson is better"
    if record.useless >= USELESS and not record.helped:
        return "never helped"
    if record.effect and record.effect.no_better_than_none:
        return "no better than none"
    return ""
