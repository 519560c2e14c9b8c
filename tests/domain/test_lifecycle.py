"""The clock may decide some things about memories, and may not decide others."""

from datetime import UTC, datetime, timedelta

import pytest

from memapp.domain.lifecycle import DAYS_OF_USE, is_over, may_go, most_at_once

NOW = datetime(2026, 1, 31, 8, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("among", "most"), [(0, 0), (1, 1), (20, 1), (21, 2), (200, 10), (1000, 50), (100_000, 50)]
)
def test_a_run_touches_fifty_or_one_in_twenty(among: int, most: int) -> None:
    assert most_at_once(among) == most


def test_nothing_goes_before_its_time_or_before_enough_days_of_use() -> None:
    came = NOW - timedelta(days=40)
    purge_at = NOW - timedelta(days=10)
    days = [came.date() + timedelta(days=number) for number in range(1, DAYS_OF_USE + 1)]
    days[-2:] = after = [purge_at.date() + timedelta(days=number) for number in (1, 2)]
    assert may_go(came, purge_at, days, NOW)
    assert not may_go(came, purge_at, days[1:], NOW)
    assert not may_go(came, purge_at, [came.date(), *days[1:]], NOW), (
        "the day itself is no chance to look"
    )
    assert not may_go(came, NOW + timedelta(seconds=1), days, NOW)
    assert is_over(purge_at, after, NOW)
    for too_few in (
        after[1:],
        [purge_at.date(), after[0]],
        [after[0], NOW.date()],
        [after[0], NOW.date() + timedelta(days=9)],
    ):
        assert not is_over(purge_at, too_few, NOW), "the clock of one day may be wrong"
