"""What the clock may decide about memories, and what it may not."""

from datetime import UTC, datetime, timedelta

import pytest

from memapp.domain.lifecycle import (
    DAYS_OF_USE,
    Pace,
    has_leapt,
    is_over,
    may_go,
    most_at_once,
    next_pace,
)

NOW = datetime(2026, 1, 31, 8, 15, tzinfo=UTC)


@pytest.mark.parametrize("hours", [73, -73, 24 * 3650, -24 * 3650])
def test_a_clock_more_than_three_days_off_has_leapt(hours: int) -> None:
    assert has_leapt(Pace(NOW, NOW), NOW + timedelta(hours=hours))


@pytest.mark.parametrize("hours", [1, -1, 25, 71, -71])
def test_an_hour_of_daylight_saving_or_a_weekend_is_no_leap(hours: int) -> None:
    assert not has_leapt(Pace(NOW, NOW), NOW + timedelta(hours=hours))


def test_after_a_leap_the_clock_is_watched_before_it_is_believed() -> None:
    assert next_pace(NOW, leapt=True) == Pace(NOW, NOW + timedelta(minutes=10))
    assert next_pace(NOW, leapt=False) == Pace(NOW, NOW + timedelta(hours=1))


@pytest.mark.parametrize(("among", "most"), [(0, 0), (1, 1), (20, 1), (21, 2), (200, 10), (1000, 50), (100_000, 50)])
def test_a_run_touches_fifty_or_one_in_twenty(among: int, most: int) -> None:
    assert most_at_once(among) == most


def test_nothing_goes_before_its_time_or_before_enough_days_of_use() -> None:
    came = NOW - timedelta(days=40)
    purge_at = NOW - timedelta(days=10)
    days = [came.date() + timedelta(days=number) for number in range(1, DAYS_OF_USE + 1)]
    days[-2:] = after = [purge_at.date() + timedelta(days=number) for number in (1, 2)]
    assert may_go(came, purge_at, days, NOW)
    assert not may_go(came, purge_at, days[1:], NOW)
    assert not may_go(came, purge_at, [came.date(), *days[1:]], NOW), "the day itself is no chance to look"
    assert not may_go(came, NOW + timedelta(seconds=1), days, NOW)
    assert is_over(purge_at, after, NOW)
    for too_few in (after[1:], [purge_at.date(), after[0]], [after[0], NOW.date()], [after[0], NOW.date() + timedelta(days=9)]):
        assert not is_over(purge_at, too_few, NOW), "the clock of one day may be wrong"
