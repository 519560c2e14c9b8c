"""The arithmetic of trust, against hand calculations."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.domain import trust
from memapp.domain.trust import Act, Agent, Override, TrustEvent, TrustSums

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("words", "citations", "new", "depth"),
    [
        (0, 0, 0.0, 0.0), (25, 0, 0.0, 0.5), (50, 0, 0.0, 1.0), (5_000, 0, 0.0, 1.0),
        (8, 1, 0.6, 0.96), (10, 2, 0.25, 0.85), (50, 3, 0.0, 1.5), (50, 9, 0.0, 1.5),
        (50, 3, 0.5, 2.0), (50, 3, 1.0, 2.0),
    ],
)  # fmt: skip
def test_depth_is_length_and_novelty(words: int, citations: int, new: float, depth: float) -> None:
    assert trust.dissent_depth("word " * words, ["Accuracy"] * citations, new) == pytest.approx(
        depth, abs=1e-9
    )


@given(st.integers(0, 500), st.integers(0, 20), st.lists(st.floats(-1, 1)))
def test_no_padding_adds_to_depth(words: int, citations: int, likeness: list[float]) -> None:
    new = trust.novelty(likeness)
    depth = trust.dissent_depth("pad " * words, ["A"] * citations, new)
    assert 0 <= depth <= 2
    assert depth <= 1 + min(0.2 * citations, 0.5) + new + 1e-9


def test_the_first_dissent_has_no_novelty_and_neither_has_a_repeated_one() -> None:
    assert trust.novelty([]) == 0.0
    assert trust.novelty([0.2, 1.0, 0.4]) == 0.0
    assert trust.novelty([0.2, 0.7]) == pytest.approx(0.3, abs=1e-9)


@pytest.mark.parametrize(
    ("sums", "formula", "shown", "kept"),
    [
        (TrustSums(), 0.3, 0.6, 0.6),
        (TrustSums(1, 1, 1), 0.7, (0.7 + 3) / 6, 4 / 6),
        (TrustSums(1, 1, 0), 0.3, (0.3 + 3) / 6, 3 / 6),
        (TrustSums(8, 8, 1), 0.35, (8 * 0.35 + 3) / 13, 4 / 13),
        (TrustSums(8, 8, 7, favours=7), 0.65, (8 * 0.65 + 3) / 13, 10 / 13),
        (TrustSums(10, 10, 5, favours=6, reversed=3), 0.35, (10 * 0.35 + 3) / 15, 8 / 15),
        (TrustSums(4, 4, 4, 4, 4.0, 4), 0.85, (4 * 0.85 + 3) / 9, 7 / 9),
        (TrustSums(4, 4, 4, 4, 8.0, 4), 1.0, (4 + 3) / 9, 7 / 9),
        (TrustSums(4, 4, 0, 4, 0.0, 4, 4), 0.0, 3 / 9, 3 / 9),
        (
            TrustSums(5, 5, 3, 5, 3.5, 4, 1),
            0.4 * 0.6 + 0.3 * 0.35 + 0.3 * 0.75,
            (5 * 0.57 + 3) / 10,
            6 / 10,
        ),
        (TrustSums(20, 20, 19, favours=20, reversed=1), 0.4 * 0.95 + 0.3 * 0.95,
         (20 * 0.665 + 3) / 25, 22 / 25),
        (TrustSums(15, 15, 4), 0.4 * 4 / 15 + 0.3, (15 * (0.4 * 4 / 15 + 0.3) + 3) / 20, 0.35),
        (TrustSums(100, 100, 50), 0.5, (50 + 3) / 105, 53 / 105),
        (TrustSums(3, 0, 0, favours=3, reversed=1, overrides=3, regretted=1), 0.2, (0.6 + 3) / 8,
         0.6),
        (TrustSums(42, 0, 0, favours=42, reversed=4), 0.3 * 38 / 42, (42 * 0.3 * 38 / 42 + 3) / 47,
         0.6),
        (TrustSums(2, 2, 1, 2, 2.8, 1), 0.2 + 0.21 + 0.3, (2 * 0.71 + 3) / 7, 4 / 7),
        (TrustSums(6, 6, 0, 6, 9.0), 0.225 + 0.3, (6 * 0.525 + 3) / 11, 3 / 11),
        (TrustSums(7, 7, 7, 1, 1.4, 7), 0.4 + 0.21 + 0.3, (7 * 0.91 + 3) / 12, 10 / 12),
        (TrustSums(9, 9, 3, 2, 0.5, 4, 2), 0.4 / 3 + 0.0375 + 0.15,
         (9 * (0.4 / 3 + 0.1875) + 3) / 14, 6 / 14),
        (TrustSums(12, 12, 12, 12, 15.0, 12), 0.4 + 0.3 * 0.625 + 0.3, (12 * 0.8875 + 3) / 17,
         15 / 17),
    ],
)  # fmt: skip
def test_trust_by_hand(sums: TrustSums, formula: float, shown: float, kept: float) -> None:
    assert trust.formula(sums) == pytest.approx(formula, abs=1e-9)
    assert trust.shown(sums) == pytest.approx(shown, abs=1e-9)
    assert trust.kept_share(sums) == pytest.approx(kept, abs=1e-9)


def events(*impacts: bool, last: datetime = NOW) -> list[TrustEvent]:
    """Return events a day apart, the last of them then."""
    first = last - DAY * (len(impacts) - 1)
    return [
        TrustEvent(first + DAY * at, "kept", TrustSums(1, 1, impact), at + 1)
        for at, impact in enumerate(impacts)
    ]


def test_the_last_ninety_days_count_and_all_history_below_five_events() -> None:
    old, new = events(*[False] * 8, last=NOW - 100 * DAY), events(*[True] * 5)
    assert trust.total([*old, *new], {}, NOW) == TrustSums(5, 5, 5)
    assert trust.total([*old, *new[1:]], {}, NOW) == TrustSums(12, 12, 4)


def test_the_history_of_trust_has_a_reason_for_each_score() -> None:
    first, second = events(True, False)
    agent = Agent("rules", events=(first, second))
    new, *later = agent.history()
    assert (new[0].at, new[0].reason, new[1]) == (first.at, "initial", 0.6)
    assert later == [
        (first, pytest.approx((0.7 + 3) / 6)),
        (second, pytest.approx((2 * 0.5 + 3) / 7)),
    ]
    assert agent.history(1) == later[1:]
    assert replace(agent, months={"2026-01": TrustSums()}).history() == later, (
        "it was new before these"
    )
    assert Agent("rules").history() == []


def test_months_count_in_both() -> None:
    new = events(*[True] * 4)
    months = {
        "2026-02": TrustSums(50, 50, 0),
        "2026-03": TrustSums(9, 9, 3),
        "2026-04": TrustSums(6, 6, 6),
    }
    assert trust.total(new, months, NOW) == TrustSums(10, 10, 10), (
        "a month that is not whole in the window is none of it"
    )
    assert trust.total(new[:1], {"2026-02": TrustSums(50, 50, 0)}, NOW) == TrustSums(51, 51, 1)


def test_an_agent_asks_at_its_share_and_writes_again_only_above_the_other() -> None:
    taken_back = [False] * 7
    assert not trust.asks_first(events(*taken_back[:3]), {}, NOW), "3 / 8 is kept still"
    assert trust.asks_first(events(True, *taken_back), {}, NOW), "4 / 13"
    assert trust.asks_first(events(*taken_back, True, True), {}, NOW), (
        "5 / 14 is above .35, and not yet above .45"
    )
    assert trust.asks_first(events(*taken_back, *[True] * 4), {}, NOW), "7 / 16"
    assert not trust.asks_first(events(*taken_back, *[True] * 5), {}, NOW), "8 / 17"
    exactly = events(*[True] * 4, *[False] * 11)
    assert trust.kept_share(trust.total(exactly, {}, NOW)) == 0.35
    assert trust.asks_first(exactly, {}, NOW)


def test_a_critical_role_needs_trust_rounds_and_the_end_of_probation() -> None:
    fit = Agent("a", trust=0.2001, rounds=5)
    assert trust.may_be_critical(fit, NOW)
    assert not trust.may_be_critical(replace(fit, trust=0.2), NOW)
    assert not trust.may_be_critical(replace(fit, rounds=4), NOW)
    assert not trust.may_be_critical(replace(fit, probation_until=NOW + DAY), NOW)
    assert trust.may_be_critical(replace(fit, probation_until=NOW), NOW)


def test_the_devils_advocate_is_drawn_by_trust_and_there_is_always_one() -> None:
    some = [
        Agent("high", trust=0.9, rounds=9),
        Agent("low", trust=0.3, rounds=9),
        Agent("out", trust=0.2, rounds=9),
        Agent("new"),
    ]
    drawn = Counter(
        trust.devils_advocate(some, NOW, random).name
        for random in [Random(4)]
        for _ in range(4_000)
    )
    assert set(drawn) == {"high", "low"}
    assert drawn["high"] / 4_000 == pytest.approx(0.75, abs=0.03)
    assert trust.devils_advocate([Agent("nobody", trust=0.0)], NOW, Random(4)).name == "nobody"
    again = [trust.devils_advocate(some, NOW, Random(7)).name for _ in range(5)]
    assert len(set(again)) == 1


def over(
    act: int, kind: trust.OverrideKind = "edit", *, after: timedelta = DAY, **other: object
) -> Override:
    made = NOW - 30 * DAY
    values = {
        "agent": "rules",
        "number": act + 100,
        "act": act,
        "act_at": made,
        "at": made + after,
        "kind": kind,
        "memory_id": "m",
    }
    return Override(**values | other)  # type: ignore[arg-type]


def test_an_override_is_open_for_a_day_and_a_way_back_is_a_regret_at_once() -> None:
    one = over(1, after=29 * DAY + timedelta(hours=12))
    assert one.deadline == one.at + timedelta(hours=24)
    assert one.outcome(NOW) == "open"
    assert one.outcome(one.deadline) == "stood"
    assert over(1, became="regretted").outcome(NOW) == "regretted"
    assert over(1, became="revised").outcome(NOW) == "revised"


def test_a_correction_that_is_taken_back_counts_for_the_agent() -> None:
    stood = trust.override_event([over(1)])
    regretted = trust.override_event([over(1, became="regretted")])
    assert (stood.sums.impactful, regretted.sums.impactful) == (0, 1)
    assert regretted.reason == "override_regretted"
    twice = trust.override_event([over(1, became="regretted"), over(1, "delete", number=300)])
    assert twice.sums.judged == 1
    assert twice.sums.impactful == 0
    assert twice.sums.overrides == 2
    assert twice.sums.regretted == 1


def test_what_was_kept_for_a_week_and_corrected_then_was_a_favour_that_is_reversed() -> None:
    soon, late = (trust.override_event([over(1, after=days * DAY)]).sums for days in (6, 8))
    assert (soon.favours, soon.reversed) == (0, 0)
    assert (late.favours, late.reversed) == (1, 1)


def test_an_act_is_kept_after_a_week_on_which_memapp_was_used_again() -> None:
    acts = [Act(1, NOW - 8 * DAY), Act(2, NOW - 6 * DAY), Act(3, NOW - 20 * DAY)]
    kept, open_ = trust.act_events(acts, [over(3)], NOW, used=NOW)
    assert [(event.number, event.reason) for event in kept] == [(103, "override_edit"), (1, "kept")]
    assert [act.number for act in open_] == [2]
    assert trust.act_events(acts[:1], [], NOW, used=NOW - 2 * DAY)[0] == [], (
        "by the clock alone nothing is kept"
    )
    assert trust.act_events(acts[:1], [], NOW, used=None)[0] == []


def test_citations_that_narrow_while_trust_is_high_are_flagged() -> None:
    assert trust.entropy(["A", "B", "C", "D"]) == pytest.approx(2.0)
    assert trust.entropy([]) == trust.entropy(["A", "A"]) == 0.0
    wide, narrow = [["A"], ["B"], ["C"], ["D"], ["A", "B"]], [["A"]] * 5
    assert trust.narrows([*wide, *narrow], 0.7)
    assert not trust.narrows([*wide, *narrow], 0.69)
    assert not trust.narrows([*narrow, *wide], 0.9)
    assert not trust.narrows([*wide, *narrow][1:], 0.9), "of so few nothing is said"


def test_what_is_shown_says_its_count() -> None:
    assert (
        Agent("rules", total=TrustSums(8, 8, 1), trust=0.45).counted == "trust 0.45 (kept 1 of 8)"
    )
    assert Agent("rules", total=TrustSums(8, 8, 1)).corrected == "you undid 7 of its last 8"
    assert Agent("rules").counted == "trust 0.60 (not judged yet)"
    assert trust.dissent_event(NOW, 1.4, impact=True).reason == "dissent_impact_true"
