"""Settlement, utility, its test and what follows from them; the numbers in the tables were
calculated by hand.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memapp.domain.lessons.outcome import FollowingStep, RunEvidence, Settlement, evidence, settle
from memapp.domain.lessons.ranking import is_withheld, reliability
from memapp.domain.lessons.utility import (
    EXACTLY,
    Effect,
    LessonRecord,
    Move,
    barnard,
    judge,
    permutation_test,
    reduction,
    utility,
    verdict,
)

OK = FollowingStep(False, False)
AGAIN = FollowingStep(True, True)
OTHER = FollowingStep(True, False)


def near(value: float) -> object:
    return pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(
    ("steps", "recurrences", "extra", "fix", "helped"),
    [
        ([OK, OK, OK], 0, 0, 1, True),
        ([OTHER, OTHER, OK], 0, 2, 3, None),
        ([AGAIN, OK, OK], 1, 0, 2, None),
        ([OK, AGAIN, OK], 1, 0, 3, None),
        ([OK, OK, AGAIN], 1, 0, None, False),
        ([AGAIN, OTHER, AGAIN], 2, 1, None, False),
        ([AGAIN, AGAIN, AGAIN], 3, 0, None, False),
        ([OTHER, OTHER, OTHER], 0, 3, None, None),
        ([OTHER, OTHER, OTHER, OK], 0, 3, None, None),
        ([OK, OK, OK, AGAIN], 0, 0, 1, True),
        ([OK, OTHER, OTHER], 0, 2, 1, True),
        ([OK], 0, 0, 1, True),
        ([AGAIN], 1, 0, None, False),
    ],
)
def test_an_activation_is_settled_by_the_next_three_steps(
    steps: list[FollowingStep], recurrences: int, extra: int, fix: int | None, helped: bool | None
) -> None:
    settled = settle(steps, None, run_ended=True)
    assert settled == Settlement(recurrences, extra, fix, None)
    assert settled.helped is helped
    assert settled.useless is (recurrences > 0 and fix is None)
    assert settle(steps, None, run_ended=False) == (settled if len(steps) >= 3 else None)


def test_nothing_is_settled_by_no_step_and_lost_progress_is_harm() -> None:
    assert settle([], None, run_ended=True) is None
    steps = [FollowingStep(False, False, progress) for progress in (0.5, None, 0.2)]
    assert settle(steps, 0.25, run_ended=False) == Settlement(0, 0, 1, near(-0.05))
    actual = [settle(steps, before, run_ended=False).helped for before in (0.25, 0.2, None)]
    assert actual == [False, True, True]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("steps", "recurrences", "errors", "until_fixed"),
    [
        ([], 0, 0, 1),
        ([OK], 0, 0, 1),
        ([OK, OTHER, OTHER], 0, 0, 1),  # what fails later is another matter
        ([OTHER, AGAIN, OTHER, OK, OTHER], 1, 3, 4),
        ([OK, AGAIN, OK, OK, AGAIN, OTHER], 2, 3, 7),
        ([AGAIN] * 9, 9, 9, 10),
        ([OTHER] * 4 + [OK], 0, 4, 5),
    ],
)
def test_the_evidence_of_a_run_is_all_that_followed_until_the_error_was_fixed(
    steps: list[FollowingStep], recurrences: int, errors: int, until_fixed: int
) -> None:
    run = RunEvidence(recurrences=0, errors=0, steps=0, session="monday", passed=True)
    assert evidence(steps, run) == replace(
        run, recurrences=recurrences, errors=errors, steps=until_fixed
    )


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (4, 1, 0.75), (4, 4, 0), (4, 6, -0.5), (1, 3, -1), (0, 0, 0), (0, 0.1, -1),
        (0.3, 0.1, 2 / 3), (5, 0, 1), (2.5, 2, 0.2),
    ],
)  # fmt: skip
def test_reduction(before: float, after: float, expected: float) -> None:
    assert reduction(before, after) == near(expected)


@pytest.mark.parametrize(
    ("errors", "steps", "referee", "expected"),
    [
        (1, 1, None, 1.0),
        (0, 0, None, 0.0),
        (-1, -1, None, -1.0),
        (1, 0, None, 0.65),
        (0, 1, None, 0.35),
        (0.4, -0.2, None, 0.19),
        (0.25, 0.125, None, 0.20625),
        (-0.35, 0.65, None, 0.0),
        (1 / 3, 1 / 7, None, 0.26666666666666666),
        (0.2, 0.2, None, 0.2),
        (1, 1, 1, 1.0),
        (1, 0, 0, 0.5),
        (0, 1, 0, 0.3),
        (0, 0, 1, 0.2),
        (0.5, 0.5, -1, 0.2),
        (-0.4, 0.2, 0.7, 0.0),
        (0.1, 0.3, 0.05, 0.15),
        (2 / 3, -1 / 3, 0.25, 0.28333333333333333),
        (0, 0, 0, 0.0),
        (-1, -1, -1, -1.0),
    ],
)
def test_utility(errors: float, steps: float, referee: float | None, expected: float) -> None:
    assert utility(errors, steps, referee) == near(expected)


@pytest.mark.parametrize(
    ("helped", "hurt", "expected"),
    [(0, 0, 1 / 2), (1, 0, 2 / 3), (0, 3, 1 / 5), (7, 2, 8 / 11), (0, 1, 1 / 3), (6, 12, 7 / 20)],
)
def test_reliability(helped: int, hurt: int, expected: float) -> None:
    assert reliability(helped, hurt) == near(expected)


def runs(
    errors: Sequence[int], steps: Sequence[int] | None = None, **more: object
) -> list[RunEvidence]:
    """Runs with these errors, each of them a recurrence, on different days."""
    known = {name: value for name, value in more.items() if not isinstance(value, list)}
    lists = {name: value for name, value in more.items() if isinstance(value, list)}
    return [
        RunEvidence(
            **{"recurrences": number, "errors": number, "session": str(place), **known},
            steps=steps[place] if steps else number + 1,
            **{name: value[place] for name, value in lists.items()},
        )
        for place, number in enumerate(errors)
    ]


def p_of(shown: list[RunEvidence], baseline: list[RunEvidence]) -> float:
    return permutation_test(shown, baseline)[0]


def judged(shown: list[RunEvidence], baseline: list[RunEvidence]) -> Effect:
    found = judge(shown, baseline)
    assert found is not None
    return found


def test_a_judgement_needs_both_arms() -> None:
    assert judge([], runs([1])) is None
    assert judge(runs([1]), []) is None


def test_a_judgement_by_hand() -> None:
    found = judged(runs([1, 0, 2], [2, 2, 2]), runs([3, 1, 2, 4], [3, 2, 4, 3]))
    assert found.window == 3
    assert found.compared == 4
    assert found.sessions == 3
    assert found.evaluated is False
    assert found.regressed is False
    assert found.error_reduction == near(0.6)  # 2.5 -> 1
    assert found.step_efficiency_gain == near(1 / 3)  # 3 -> 2
    assert found.utility == near(0.65 * 0.6 + 0.35 / 3)
    assert found.referee_score_gain is None
    refereed = judged(
        runs([1, 0, 2], [2, 2, 2], referee_score=[0.5, 0.7, 0.9]),
        runs([3, 1, 2, 4], [3, 2, 4, 3], referee_score=0.4),
    )
    assert refereed.referee_score_gain == near(0.3)
    assert refereed.utility == near(0.5 * 0.6 + 0.3 / 3 + 0.2 * 0.3)
    half = judged(
        runs([1, 0, 2], [2, 2, 2], referee_score=1.0),
        runs([3, 1, 2, 4], [3, 2, 4, 3], referee_score=[1.0, None, 1.0, 1.0]),
    )
    assert half.utility == found.utility, "a referee that did not judge every run judges none"


@pytest.mark.parametrize(
    ("shown", "baseline", "expected"),
    [
        ([0, 0, 0], [1, 1, 1], 1 / 20),  # one way of the twenty
        ([0, 0], [1, 1, 1], 1 / 10),
        ([0], [1, 1, 1], 1 / 4),
        ([0, 0, 1], [1, 1, 1], 4 / 20),  # both zeros, with any of the four ones
        ([1, 1, 1], [1, 1, 1], 1.0),
        ([1, 1, 1], [0, 0, 0], 1.0),
        ([0, 1, 2], [3, 4, 5], 1 / 20),
        ([0, 1, 3], [2, 4, 5], 2 / 20),
    ],
)
def test_the_exact_p(shown: list[int], baseline: list[int], expected: float) -> None:
    assert p_of(runs(shown), runs(baseline)) == near(expected)


def test_runs_change_places_within_their_block_only() -> None:
    # Five pairs of a good and a bad run: 2**5 ways within pairs, of which none is as useful;
    # freely, some would be.
    shown, baseline = runs([0, 2, 4, 6, 8]), runs([1, 3, 5, 7, 9])
    names = (
        [replace(run_evidence, block=str(place)) for place, run_evidence in enumerate(shown)],
        [replace(run_evidence, block=str(place)) for place, run_evidence in enumerate(baseline)],
    )
    assert p_of(*names) == near(1 / 32)
    assert p_of(shown, baseline) > 0.25
    few = [name[:3] for name in names]
    assert p_of(*few) == p_of(shown[:3], baseline[:3]), "8 ways are too few"


numbers = st.lists(st.integers(0, 6), min_size=1, max_size=5)


def tried(shown: list[int], baseline: list[int]) -> float:
    """Return the share of all ways to choose the runs that are at least as useful."""
    every = shown + baseline
    observed = judged(runs(shown), runs(baseline)).utility
    ways = [set(chosen) for chosen in combinations(range(len(every)), len(shown))]
    split = [
        (
            [every[place] for place in way],
            [number for place, number in enumerate(every) if place not in way],
        )
        for way in ways
    ]
    means = [(sum(other) / len(other), sum(group) / len(group)) for group, other in split]
    useful = sum(
        utility(reduction(before, now), reduction(before + 1, now + 1)) >= observed - 1e-9
        for before, now in means
    )
    return useful / len(ways)


@settings(max_examples=60)
@given(numbers, numbers)
def test_the_p_counts_the_ways_at_least_as_useful(shown: list[int], baseline: list[int]) -> None:
    p = p_of(runs(shown), runs(baseline))
    assert p == near(tried(shown, baseline))
    assert 0 < p <= 1
    with_ties = p + permutation_test(runs(shown), runs(baseline))[1]
    assert 1 < with_ties <= 2, "the way that came about is in both"
    assert p == p_of(runs(shown[::-1]), runs(baseline[::-1])), "the order of runs is nothing"


def test_where_all_runs_are_alike_a_lesson_is_neither_better_nor_worse() -> None:
    assert permutation_test(runs([0] * 6), runs([0] * 3)) == (1.0, 1.0)
    # any other way has the bad run in it too
    assert permutation_test(runs([5, 0, 0, 0]), runs([0])) == (near(1.0), near(4 / 5))


@settings(max_examples=5)
@given(st.lists(st.integers(0, 9), min_size=14, max_size=14))
def test_more_ways_than_can_be_tried_are_drawn_the_same_each_time(errors: list[int]) -> None:
    shown, baseline = errors[:7], errors[7:]
    p = p_of(runs(shown), runs(baseline))
    assert p == p_of(runs(shown), runs(baseline))
    assert 1 / (EXACTLY + 1) <= p <= 1
    assert abs(p - tried(shown, baseline)) < 0.08, "five standard errors"


def test_one_match_in_five_is_withheld_and_always_the_same() -> None:
    ids = [f"01J{number:023}" for number in range(5_000)]
    withheld = [is_withheld(memory_id) for memory_id in ids]
    assert withheld == [is_withheld(memory_id) for memory_id in ids]
    assert 0.18 < sum(withheld) / len(ids) < 0.22
    assert not any(is_withheld(memory_id, 0.0) for memory_id in ids)


@pytest.mark.parametrize(
    ("shown", "baseline", "expected"),
    [
        ((5, 5), (0, 1), (5 / 6) ** 5 / 6),  # the greatest of g^5 (1 - g)
        ((4, 4), (0, 1), (4 / 5) ** 4 / 5),
        ((3, 3), (0, 2), (3 / 5) ** 3 * (2 / 5) ** 2),
        ((1, 1), (0, 1), 1 / 4),
        ((0, 3), (3, 3), 1.0),
    ],
)
def test_barnards_p(shown: tuple[int, int], baseline: tuple[int, int], expected: float) -> None:
    # the shares are tried in steps
    assert barnard(shown, baseline) == pytest.approx(expected, abs=2e-4)


def test_one_run_that_went_wrong_without_a_lesson_and_three_right_with_it_are_enough() -> None:
    for shown, promoted in ((2, False), (3, True)):
        effect = judged(runs([0] * shown, as_said=True), runs([2]))
        assert (effect.proven, effect.p > 0.1) == (promoted, True)
    assert not judged(runs([0] * 9, as_said=True), runs([0])).proven, (
        "people put it right at once anyway"
    )
    assert not judged(runs([0] * 4, as_said=[True] * 3 + [False]), runs([2])).proven, (
        "once by something else"
    )


def test_what_is_put_right_at_once_anyway_is_promoted_if_always_by_what_the_lesson_says() -> None:
    always = judged(runs([0] * 8, as_said=True), runs([0] * 3, as_said=True))
    assert (always.utility, always.proven, always.still_proven) == (0.0, True, True)
    record = LessonRecord(
        status="candidate", by_person=False, helped=8, hurt=0, useless=0, effect=always
    )
    assert verdict(record) == Move("promoted", "always right")
    for shown, baseline in (
        ([True] * 8, [True, True]),
        ([True] * 7, [True] * 3),
        ([True] * 8, [True, True, False]),
    ):
        assert not judged(
            runs([0] * len(shown), as_said=shown), runs([0] * len(baseline), as_said=baseline)
        ).proven


SURE = Effect(
    window=3,
    compared=3,
    sessions=2,
    error_reduction=0.2,
    step_efficiency_gain=0.2,
    referee_score_gain=None,
    recurrence_reduction=0.0,
    utility=0.2,
    p=0.10,
    p_worse=0.90,
    evaluated=False,
    improved=False,
    regressed=False,
)
EVALUATED = replace(SURE, evaluated=True, improved=True, recurrence_reduction=0.5, utility=-0.5)


@pytest.mark.parametrize(
    ("effect", "promoted"),
    [
        (SURE, True),
        (replace(SURE, utility=0.2 - 1e-6), False),
        (replace(SURE, utility=0.65 * 0.2 + 0.35 * 0.2), True),
        (replace(SURE, window=2), False),
        (replace(SURE, sessions=1), False),
        (replace(SURE, p=0.1001), False),
        (replace(SURE, p=0.2), False),
        (replace(SURE, p=0.2001), False),
        (replace(SURE, regressed=True), False),
        (replace(SURE, compared=2), False),
        (replace(SURE, compared=2, p=1.0, p_few=0.135), True),
        (replace(SURE, p=1.0, p_few=0.1351), False),
        (EVALUATED, True),
        (replace(EVALUATED, recurrence_reduction=0.4999), False),
        (replace(EVALUATED, improved=False, utility=1.0), False),
        (replace(EVALUATED, regressed=True), False),
        (replace(EVALUATED, window=2), False),
        (replace(EVALUATED, p=0.11), False),
    ],
)
def test_a_candidate_is_promoted_by_the_formula_if_stable(effect: Effect, promoted: bool) -> None:
    record = LessonRecord(
        status="candidate", by_person=False, helped=1, hurt=0, useless=0, effect=effect
    )
    assert verdict(record) == (Move("promoted", "useful") if promoted else None)
    again = Move("candidate", "no longer sure")
    still = effect.reaches_formula and (
        (effect.p <= 0.2 and effect.compared >= 3) or effect.p_few <= 0.2
    )
    assert verdict(replace(record, status="promoted")) == (None if still else again)


@pytest.mark.parametrize(
    ("shown", "baseline", "evaluated", "improved", "regressed"),
    [
        ({"passed": None}, {"passed": True}, False, False, False),
        # an evaluator that passes all tells no run from another
        ({"passed": True}, {"passed": True}, False, False, False),
        ({"passed": True}, {"passed": [False, True, True]}, True, True, False),
        ({"passed": False}, {"passed": False}, True, False, False),
        ({"passed": [True, True, False]}, {"passed": True}, True, False, True),
        ({"score": 0.5}, {"score": 0.6}, True, False, False),
        ({"score": 0.5}, {"score": 0.61}, True, False, True),
        ({"score": 0.61}, {"score": 0.6}, True, True, False),
        (
            {"score": [0.9, None, None], "passed": False},
            {"score": 0.5, "passed": [True, False, False]},
            True,
            True,
            True,
        ),
    ],
)
def test_the_evaluator_says_better_and_much_worse(
    shown: dict[str, object],
    baseline: dict[str, object],
    evaluated: bool,
    improved: bool,
    regressed: bool,
) -> None:
    found = judged(runs([0, 0, 0], **shown), runs([1, 1, 1], **baseline))
    assert (found.evaluated, found.improved, found.regressed) == (evaluated, improved, regressed)
    two = judged(runs([0, 0, 0], **shown)[:2], runs([1, 1, 1], **baseline))
    assert not two.regressed, "two runs are too few to say so"


NEUTRAL = LessonRecord(status="candidate", by_person=False, helped=0, hurt=0, useless=0)
NO_BETTER = replace(SURE, utility=0.0, p=0.80, p_worse=0.20)


@pytest.mark.parametrize(
    ("record", "move"),
    [
        (NEUTRAL, None),
        (replace(NEUTRAL, useless=2, hurt=2), None),
        (replace(NEUTRAL, useless=3, hurt=3), Move("suppressed", "never helped")),
        (replace(NEUTRAL, useless=3, hurt=3, helped=1), None),
        (replace(NEUTRAL, helped=1, effect=NO_BETTER), Move("suppressed", "no better than none")),
        (replace(NEUTRAL, helped=1, effect=replace(NO_BETTER, utility=1e-6)), None),
        (replace(NEUTRAL, helped=1, effect=replace(NO_BETTER, p=1.0, p_worse=0.201)), None),
        (replace(NEUTRAL, helped=1, effect=replace(NO_BETTER, window=2)), None),
        (replace(NEUTRAL, helped=1, effect=replace(NO_BETTER, compared=2)), None),
        (
            replace(NEUTRAL, effect=SURE, loses_conflicts=True),
            Move("suppressed", "another lesson is better"),
        ),
        (replace(NEUTRAL, hurt=1, unused=timedelta(days=60)), Move("archived", "unused")),
        (replace(NEUTRAL, hurt=1, unused=timedelta(days=59, hours=23)), None),
        # 7 / 20 is not below .35
        (replace(NEUTRAL, helped=6, hurt=12, unused=timedelta(days=90)), None),
        (replace(NEUTRAL, unused=timedelta(days=600)), None),
        (replace(NEUTRAL, useless=9, status="suppressed"), None),
        (replace(NEUTRAL, hurt=9, unused=timedelta(days=90), status="archived"), None),
    ],
)
def test_what_is_suppressed_and_what_archived(record: LessonRecord, move: Move | None) -> None:
    assert verdict(record) == move
    if move and record.status == "candidate":
        assert verdict(replace(record, status="promoted")) == move
    assert verdict(replace(record, by_person=True)) is None, "the person's own word overrules"
