"""Does a lesson get promoted because it helps, or by luck?

Recorded runs of agents on SQL databases (`data/intercode_sql/dev`) in which nobody was shown
anything are dealt out: so many of those with one kind of error count as runs with a lesson, as many
others as runs without. Of a useless lesson nothing else is changed; one that prevents 60 % takes
away each error of that kind, and its step, with that probability. Asked is what becomes of the
lesson: by the formula alone, and with the permutation test as well. A lesson is
judged

- by whole runs, as if it was shown before them;
- by what follows on the first error, as if it was shown then.

Runs of one executor are alike, and change places among themselves in the test. Beside that, how it
goes when a lesson is judged anew after each run. Last, a wrong correction is planted beside a right
one: an executor does what it is shown, the wrong one brings the same error again, the right one
mends it, and but for that the runs go on as recorded.

python -m benchmarks.promotion [--small] [--data ../shared/data]
"""

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from benchmarks import MISSED
from benchmarks.sql_runs import EPISODES, Episode, Step, following, read_episodes
from memapp.domain.lessons.conflicts import always_loses
from memapp.domain.lessons.lesson import LessonStatus
from memapp.domain.lessons.outcome import (
    HORIZON,
    FollowingStep,
    RunEvidence,
    Settlement,
    evidence,
    settle,
)
from memapp.domain.lessons.ranking import MOST_ON_ERROR, LessonMatch, Tier, is_withheld, rank
from memapp.domain.lessons.utility import Effect, LessonRecord, judge, verdict

WINDOWS = (3, 5, 8, 12, 20)
LESSONS = {"useless": 0.0, "prevents 60 %": 0.6, "prevents all": 1.0}
USELESS_PROMOTED = 0.08
GOOD_PROMOTED = {5: 0.55, 20: 0.82}
MOST_USELESS_RETRIEVALS = 3
DEALT, SMALL_DEALT = 1_000, 150
LOOKED, SMALL_LOOKED = 200, 20
PLANTED, SMALL_PLANTED = 100, 20
LUCK = 3
"""Standard errors by which a share of few deals may miss its bound."""
MATCHES = 40
SLIPS = 0.1
"""Share of right corrections after which the run goes on as if nothing had been said."""
START = datetime(2026, 1, 1, tzinfo=UTC)

Kind = tuple[str, str]
"""A database, and the shape of an error in it."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--small", action="store_true", help=f"{SMALL_DEALT} deals each instead of {DEALT}"
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args()
    if not (options.data / EPISODES).exists():
        print(f"skipped: no data at {options.data}")
        return 0
    runs = by_kind(read_episodes(options.data / EPISODES))
    misses = report_windows(
        "whole runs", runs, whole_run, SMALL_DEALT if options.small else DEALT, bounded=True
    )
    report_windows(
        "from the first error on",
        runs,
        after_first,
        SMALL_DEALT if options.small else DEALT,
        bounded=False,
    )
    misses += report_looks(runs, SMALL_LOOKED if options.small else LOOKED)
    misses += report_planted(runs, SMALL_PLANTED if options.small else PLANTED)
    for miss in misses:
        print(f"MISSED: {miss}", file=sys.stderr)
    return MISSED if misses else 0


def by_kind(episodes: Sequence[Episode]) -> dict[Kind, list[Episode]]:
    """Return the runs in which each kind of error came up."""
    runs: dict[Kind, list[Episode]] = defaultdict(list)
    for episode in episodes:
        for shape in sorted({step.shape for step in episode.steps} - {""}):
            runs[episode.database, shape].append(episode)
    return runs


def prevented(steps: Sequence[Step], shape: str, share: float, random: Random) -> list[Step]:
    """Return the steps of a run without some of the errors of a kind."""
    return [step for step in steps if step.shape != shape or random.random() >= share]


def whole_run(episode: Episode, shape: str, share: float, random: Random) -> RunEvidence:
    """Return the evidence of a run for a lesson shown before the run."""
    steps = prevented(episode.steps, shape, share, random)
    errors = sum(step.shape == shape for step in steps)
    return replace(of_run(episode), recurrences=errors, errors=errors, steps=len(steps))


def after_first(episode: Episode, shape: str, share: float, random: Random) -> RunEvidence:
    """Return the evidence of a run for a lesson shown at the first error of its kind."""
    first = next(place for place, step in enumerate(episode.steps) if step.shape == shape)
    steps = [
        *episode.steps[: first + 1],
        *prevented(episode.steps[first + 1 :], shape, share, random),
    ]
    return evidence(following(steps, first), of_run(episode))


def of_run(episode: Episode, day: int = 0) -> RunEvidence:
    return RunEvidence(recurrences=0, errors=0, steps=0, session=str(day), block=episode.executor)


Says = Callable[[Episode, str, float, Random], RunEvidence]


def deal(
    runs: Mapping[Kind, list[Episode]], window: int, share: float, says: Says, random: Random
) -> tuple[list[RunEvidence], list[RunEvidence]]:
    """Return the evidence of as many runs with a lesson as without, all of one kind of error."""
    kind = random.choice([item for item, of_kind in runs.items() if len(of_kind) >= 2 * window])
    dealt = random.sample(runs[kind], 2 * window)
    arms = [(dealt[:window], share), (dealt[window:], 0.0)]
    shown, baseline = (
        [
            replace(says(run, kind[1], lost, random), session=str(place))
            for place, run in enumerate(arm)
        ]
        for arm, lost in arms
    )
    return shown, baseline


def record(effect: Effect, status: LessonStatus) -> LessonRecord:
    """Return the record of a lesson that helped once."""
    return LessonRecord(status=status, by_person=False, helped=1, hurt=0, useless=0, effect=effect)


def effect_of(shown: Sequence[RunEvidence], baseline: Sequence[RunEvidence]) -> Effect:
    effect = judge(shown, baseline)
    assert effect is not None
    return effect


def becomes(shown: Sequence[RunEvidence], baseline: Sequence[RunEvidence]) -> Counter[str]:
    """Return the fate of a candidate: by the formula alone, and by all conditions."""
    effect = effect_of(shown, baseline)
    move = verdict(record(effect, "candidate"))
    counted = Counter(formula=effect.reaches_formula, formula_suppressed=effect.utility <= 0)
    return counted + Counter([move.to] if move else [])


def report_windows(
    title: str, runs: Mapping[Kind, list[Episode]], says: Says, deals: int, *, bounded: bool
) -> list[str]:
    """Print what becomes of lessons after each window, and return the bounds missed."""
    print(f"{title}, {deals:,} deals each")
    print(
        f"  {'lesson':16}{'runs':>5}{'by the formula alone':>24}{'promoted':>12}{'suppressed':>12}"
    )
    misses: list[str] = []
    for name, share in LESSONS.items():
        for window in WINDOWS:
            random = Random(window)
            count = sum(
                (becomes(*deal(runs, window, share, says, random)) for _ in range(deals)),
                Counter[str](),
            )
            formula, out, promoted, suppressed = (
                count[key] / deals
                for key in ("formula", "formula_suppressed", "promoted", "suppressed")
            )
            print(
                f"  {name:16}{window:5}{f'{formula:.3f} / {out:.3f}':>24}"
                f"{promoted:12.3f}{suppressed:12.3f}",
                flush=True,
            )
            if bounded:
                misses += missed(name, window, promoted, deals)
    return misses


def missed(name: str, window: int, promoted: float, deals: int) -> list[str]:
    """Return the bound that a share misses, by more than luck where the deals are few."""
    luck = 0.0 if deals >= DEALT else LUCK * (promoted * (1 - promoted) / deals) ** 0.5
    if name == "useless" and promoted > USELESS_PROMOTED + luck:
        return [
            (
                f"useless lessons promoted after {window} runs: "
                f"{promoted:.3f} is above {USELESS_PROMOTED}"
            )
        ]
    if name == "prevents 60 %" and promoted < GOOD_PROMOTED.get(window, 0.0) - luck:
        return [
            (
                f"good lessons promoted after {window} runs: "
                f"{promoted:.3f} is below {GOOD_PROMOTED[window]}"
            )
        ]
    return []


def report_looks(runs: Mapping[Kind, list[Episode]], deals: int) -> list[str]:
    """Print the fate of lessons judged after each run, and return the missed bounds."""
    print(
        f"judged after each run from {WINDOWS[0]} to {WINDOWS[-1]}, whole runs, "
        f"{deals:,} lessons each"
    )
    misses: list[str] = []
    for name, share in LESSONS.items():
        random, ended, once = Random(1), Counter[str](), 0
        for _ in range(deals):
            shown, baseline = deal(runs, WINDOWS[-1], share, whole_run, random)
            statuses: list[LessonStatus] = ["candidate"]
            for window in range(WINDOWS[0], WINDOWS[-1] + 1):
                move = verdict(record(effect_of(shown[:window], baseline[:window]), statuses[-1]))
                statuses.append(move.to if move else statuses[-1])
            ended[statuses[-1]] += 1
            once += "promoted" in statuses
        shares = ", ".join(
            f"{end} {ended[end] / deals:.3f}" for end in ("promoted", "suppressed", "candidate")
        )
        print(
            f"  {name:16}at the end {shares}; promoted at any time {once / deals:.3f}", flush=True
        )
        misses += missed(name, WINDOWS[-1], ended["promoted"] / deals, deals)
    return misses


@dataclass
class Planted:
    """A lesson that is tried, with its record."""

    match: LessonMatch
    useless: int = 0
    shown: list[RunEvidence] = field(default_factory=list)

    def tried(self, settled: Settlement, run: RunEvidence, at: datetime) -> None:
        helped, hurt = settled.helped is True, settled.helped is False
        self.match = self.match._replace(
            helped=self.match.helped + helped, hurt=self.match.hurt + hurt, evidence_at=at
        )
        self.useless += settled.useless
        self.shown.append(run)

    def judged(self, baseline: Sequence[RunEvidence], wins: Counter[str]) -> None:
        known = LessonRecord(
            status=self.match.status,
            by_person=False,
            helped=self.match.helped,
            hurt=self.match.hurt,
            useless=self.useless,
            loses_conflicts=always_loses(won := wins[self.match.lesson_id], wins.total() - won),
            effect=judge(self.shown, baseline),
        )
        if move := verdict(known):
            self.match = self.match._replace(status=move.to)


def report_planted(runs: Mapping[Kind, list[Episode]], seeds: int) -> list[str]:
    """Print the fate of the wrong correction and of the right one, and return the missed bounds."""
    both = [plant(runs, Random(seed)) for seed in range(seeds)]
    out = sum(
        wrong.match.status == "suppressed" and wrong.useless <= MOST_USELESS_RETRIEVALS
        for wrong, _ in both
    )
    lost = sum(right.match.status == "suppressed" for _, right in both)
    kept = sum(right.match.status == "promoted" for _, right in both)
    most = max(wrong.useless for wrong, _ in both)
    print(f"a wrong correction beside a right one, {seeds} times over {MATCHES} runs")
    print(f"  the wrong one is out {out} times, after {most} useless retrievals at most")
    print(f"  the right one is out {lost} times, promoted {kept} times")
    return [
        *([f"the wrong correction is out in {out} of {seeds}"] if out < seeds else []),
        *([f"the right correction is out in {lost} of {seeds}"] if lost else []),
    ]


def plant(runs: Mapping[Kind, list[Episode]], random: Random) -> tuple[Planted, Planted]:
    """Try a wrong correction, the newer of the two, and a right one at the same errors."""
    kind = random.choice([item for item, of_kind in runs.items() if len(of_kind) >= MATCHES])
    right, wrong = (
        Planted(
            LessonMatch(
                lesson_id=name,
                status="candidate",
                tool="sql",
                tier=Tier.EXACT,
                fingerprint_match=1.0,
                evidence_at=at,
                conflicts=frozenset({"right", "wrong"} - {name}),
            )
        )
        for name, at in (("right", START), ("wrong", START + timedelta(hours=1)))
    )
    wins, baseline = Counter[str](), list[RunEvidence]()
    for number, episode in enumerate(random.sample(runs[kind], MATCHES)):
        at = START + timedelta(days=number + 1)
        chosen = rank([right.match, wrong.match], "sql", (), at, MOST_ON_ERROR)
        lesson = {"right": right, "wrong": wrong}[chosen[0].match.lesson_id] if chosen else None
        if lesson and lesson.match.status == "candidate" and is_withheld(f"{random.random()}"):
            lesson = None
        follows = goes_on(episode, kind[1], lesson, random)
        run = replace(
            evidence(follows, of_run(episode, number)),
            as_said=bool(follows) and not follows[0].failed,
        )
        if lesson is None:
            baseline.append(run)
            continue
        if settled := settle(follows, None, run_ended=True):
            lesson.tried(settled, run, at)
            if settled.helped is not None:
                better = right if (lesson is right) is settled.helped else wrong
                wins[better.match.lesson_id] += 1
        for planted in (right, wrong):
            planted.judged(baseline, wins)
    return wrong, right


def goes_on(
    episode: Episode, shape: str, lesson: Planted | None, random: Random
) -> list[FollowingStep]:
    """Return the events after the first error of a kind, by the lesson shown to the executor."""
    first = next(place for place, step in enumerate(episode.steps) if step.shape == shape)
    recorded = following(episode.steps, first)
    if lesson is None:
        return recorded
    if lesson.match.lesson_id == "wrong":
        return [FollowingStep(failed=True, same_error=True), *recorded]
    done = FollowingStep(failed=False, same_error=False)
    return [done, *recorded] if random.random() < SLIPS else [done] * HORIZON


if __name__ == "__main__":
    sys.exit(main())
