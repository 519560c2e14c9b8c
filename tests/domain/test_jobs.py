"""Jobs fall due by the clock, and a clock that jumps is not believed."""

from datetime import UTC, datetime, timedelta

import pytest

from memapp.domain.jobs import Pace, has_leapt, next_pace

NOW = datetime(2026, 1, 31, 8, 15, tzinfo=UTC)


@pytest.mark.parametrize("hours", [73, -73, 24 * 3650, -24 * 3650])
def test_a_clock_more_than_three_days_off_has_leapt(hours: int) -> None:
    assert has_leapt(Pace(NOW, NOW), NOW + timedelta(hours=hours))


@pytest.mark.parametrize("hours", [1, -1, 25, 71, -71])
def test_an_hour_of_daylight_saving_or_a_weekend_is_no_leap(hours: int) -> None:
    assert not has_leapt(Pace(NOW, NOW), NOW + timedelta(hours=hours))


def test_after_a_leap_the_clock_is_watched_before_it_is_believed() -> None:
    assert next_pace(NOW, timedelta(hours=1), leapt=True) == Pace(NOW, NOW + timedelta(minutes=10))
    assert next_pace(NOW, timedelta(hours=1), leapt=False) == Pace(NOW, NOW + timedelta(hours=1))
