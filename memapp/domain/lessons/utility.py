"""The utility of a lesson, by comparing runs with and without it, and the resulting status.

The formulas and thresholds by themselves promote by luck: among recorded
runs in which nobody was shown anything, about one useless lesson in three reaches them after three
runs. So a lesson is promoted only if a test says as well that chance alone would seldom do so: a
permutation test over errors and steps, where there are three runs without the lesson, or, where
there is one, an unconditional test over the runs in which the error was fixed at once
(`benchmarks.promotion`, `benchmarks.ordinary_use`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations, product
from math import comb, prod
from random import Random

from memapp.domain.lessons.lesson import LessonStatus
from memapp.domain.lessons.outcome import RunEvidence
from memapp.domain.lessons.ranking import reliability

WINDOW = 3
"""The fewest runs that say anything about a lesson."""
SESSIONS = 2
"""The fewest days or sessions for independent runs."""
USEFUL = 0.20
RECURRENCE_DROP = 0.50
MAJOR = 0.10
"""A larger fall of a pass rate or score is a major regression."""
SURE = 0.10
"""The p of the permutation test up to which an effect is more than luck."""
SURE_OF_FEW = 0.135
"""The same for Barnard's test: reached by one failure without the lesson, and three or four
successes of five with it.
"""
ALWAYS_RIGHT = 8
"""Runs shown a lesson, all fixed at once, from which the lesson is right even if people know it
already.
"""
UNSURE = 0.20
"""The p up to which a lesson is worse than none, and beyond which a promoted one is a candidate
again.
"""
USELESS = 3
LOW_RELIABILITY = 0.35
UNUSED = timedelta(days=60)
SHARES = tuple(share / 40 for share in range(1, 40))
"""Success rates at which Barnard's test looks for its greatest p."""
EXACTLY = 1_000
"""With more permutations than this, so many of them are drawn."""
FEWEST_WAYS = 20
"""With fewer permutations no p could be far enough below `SURE`."""
_ROUNDING = 1e-9


def reduction(before: float, after: float) -> float:
    """Return the relative fall of a number, -1 to 1; from 0 it can only rise."""
    if before < _ROUNDING:
        return 0.0 if after < _ROUNDING else -1.0
    return max(-1.0, min(1.0, (before - after) / before))


def mean(numbers: Iterable[float]) -> float:
    known = list(numbers)
    return sum(known) / len(known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The effect of a lesson by all evidence, and its certainty."""

    window: int
    """Runs with the lesson shown."""
    compared: int
    """Runs in which the lesson fitted and was not shown."""
    sessions: int
    error_reduction: float
    step_efficiency_gain: float
    referee_score_gain: float | None
    recurrence_reduction: float
    utility: float
    p: float
    """The probability that a useless lesson looks at least as useful."""
    p_worse: float
    """The probability that a useless lesson looks at most as useful."""
    p_few: float = 1.0
    """The p of Barnard's test that the lesson's action fixes the error at once more often."""
    always_right: bool = False
    """True if the lesson's action fixed the error at once in every run, shown or not."""
    evaluated: bool
    """True if a deterministic evaluator distinguished the runs."""
    improved: bool
    """True if pass rate or score is better with the lesson."""
    regressed: bool
    """True if pass rate or score is much worse with the lesson."""

    @property
    def reaches_formula(self) -> bool:
        """Return True if the thresholds are reached, by luck or not."""
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
        """Return True if a promoted lesson stays promoted, by less strict tests."""
        return self.always_right or (self.reaches_formula and self._by_luck(UNSURE, UNSURE))

    def _by_luck(self, p: float, p_few: float) -> bool:
        """Return True if luck explains the effect no more often than either test allows."""
        return (self.compared >= WINDOW and self.p <= p) or self.p_few <= p_few

    @property
    def no_better_than_none(self) -> bool:
        """Return True if the lesson is no better than none, by enough runs of both kinds."""
        return (
            min(self.window, self.compared) >= WINDOW
            and self.utility <= _ROUNDING
            and self.p_worse <= UNSURE
        )


def judge(shown: Sequence[RunEvidence], baseline: Sequence[RunEvidence]) -> Effect | None:
    """Return the effect of a lesson by runs with and without it; None while one kind is missing."""
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
    """Return the utility as a weighted sum, with or without a model as referee."""
    if referee_score_gain is None:
        return 0.65 * error_reduction + 0.35 * step_efficiency_gain
    return 0.50 * error_reduction + 0.30 * step_efficiency_gain + 0.20 * referee_score_gain


def barnard(shown: tuple[int, int], baseline: tuple[int, int]) -> float:
    """Return the p of Barnard's unconditional test (1945) for more successes with a lesson.

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
    """Return the p of a lesson's being better than useless, and the p of its being worse.

    All permutations, or many, of the runs with the lesson are tried. Runs are exchanged within
    their block only, which removes effects from elsewhere; where too few permutations remain, they
    are exchanged freely.
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
    # Among drawn permutations, the observed one counts as well: p is never 0, and never too small.
    at_least = drawn + sum(utility >= observed - _ROUNDING for utility in utilities)
    at_most = drawn + sum(utility <= observed + _ROUNDING for utility in utilities)
    return at_least / (len(utilities) + drawn), at_most / (len(utilities) + drawn)


Block = tuple[Sequence[int], int]
"""The indexes of a block's runs, and the number of them with the lesson."""


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
    """Return the errors and the steps of runs, with the referee's scores if all have one."""
    scores = [run.referee_score for run in runs if run.referee_score is not None]
    columns: list[list[float]] = [[run.errors for run in runs], [run.steps for run in runs]]
    return [*columns, scores] if len(scores) == len(runs) else columns


def _gains(columns: Sequence[Sequence[float]], shown: Sequence[int]) -> list[float]:
    """Return the error reduction, step gain and referee gain of some runs over the others."""
    sums = [sum([column[place] for place in shown]) for column in columns]
    others = len(columns[0]) - len(shown)
    means = [
        ((sum(column) - part) / others, part / len(shown))
        for column, part in zip(columns, sums, strict=True)
    ]
    return [
        *(reduction(*before_and_after) for before_and_after in means[:2]),
        *(after - before for before, after in means[2:]),
    ]


def _rates(
    shown: Sequence[RunEvidence],
    baseline: Sequence[RunEvidence],
    value: Callable[[RunEvidence], float | None],
) -> tuple[float, float] | None:
    """Return the mean without and with the lesson; None if either is unknown."""
    before, after = (
        [figure for run in arm if (figure := value(run)) is not None] for arm in (baseline, shown)
    )
    return (mean(before), mean(after)) if before and after else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonRecord:
    """The facts that decide the status of a lesson."""

    status: LessonStatus
    by_person: bool
    """True if the person set the status, which nothing overrules."""
    helped: int
    hurt: int
    useless: int
    loses_conflicts: bool = False
    unused: timedelta = timedelta()
    """Time since the lesson was last used, or created."""
    effect: Effect | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """A change of status, with a short reason."""

    to: LessonStatus
    reason: str


def verdict(record: LessonRecord) -> Move | None:
    """Return the change of a lesson's status; None if there is none."""
    if record.by_person or record.status in ("suppressed", "archived"):
        return None
    if reason := _why_suppress(record):
        return Move("suppressed", reason)
    effect = record.effect
    if record.status == "candidate" and effect and effect.proven:
        return Move("promoted", "always right" if effect.always_right else "useful")
    # Judged anew after each run, one useless lesson in five is lucky once: luck must run out.
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
