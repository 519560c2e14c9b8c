"""Backups: which stay, and how old one is in words."""

from datetime import UTC, datetime, timedelta

import pytest

from memapp.domain.backups import OLDEST, in_words, staying

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def days_old(made: set[datetime], now: datetime) -> list[int]:
    return sorted({(now.date() - at.date()).days for at in made})


def test_over_400_days_six_last_seven_days_and_four_weeks_stay() -> None:
    made: set[datetime] = set()
    now = NOW
    for day in range(400):
        for hour in range(8, 20, 3):
            now = NOW + timedelta(days=day, hours=hour)
            made = staying({*made, now}, now)
            assert now in made and len(made) <= 17
            assert all(now - at <= OLDEST for at in made)
        if day > 40:
            old = days_old(made, now)
            assert old[:7] == [0, 1, 2, 3, 4, 5, 6] and 14 <= old[-1] <= 28
            assert len([at for at in made if now - at < timedelta(days=2)]) >= 6


@pytest.mark.parametrize("away", [timedelta(days=31), timedelta(days=730)])
def test_after_a_time_away_or_a_clock_ahead_the_old_ones_stay_in_use(away: timedelta) -> None:
    made: set[datetime] = set()
    for hours in range(0, 400, 5):
        made = staying({*made, NOW + timedelta(hours=hours)}, NOW + timedelta(hours=hours))
    before, back = set(made), max(made) + away
    for minutes in range(0, 300, 30):
        made = staying(
            {*made, back + timedelta(minutes=minutes)}, back + timedelta(minutes=minutes)
        )
    assert before < made and len(made - before) <= 8
    right = max(before) + timedelta(hours=1)  # the clock is put right
    assert before - staying({*made, right}, right) == before - staying({*before, right}, right)
    for days in range(7):
        assert before < made
        made = staying({*made, back + timedelta(days=days)}, back + timedelta(days=days))
    assert not before & made
    assert staying([], NOW) == set()


def test_those_of_a_clock_that_was_wrong_take_nobody_s_place() -> None:
    good = {NOW - timedelta(hours=hours) for hours in range(6)}
    wrong = {NOW + timedelta(days=days) for days in range(1, 20)}
    assert staying(good | wrong, NOW) == good | wrong


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(seconds=-5), "0 minutes"),
        (timedelta(seconds=119), "1 minute"),
        (timedelta(minutes=25), "25 minutes"),
        (timedelta(hours=47, minutes=59), "47 hours"),
        (timedelta(days=2), "2 days"),
    ],
)
def test_an_age_is_told_in_one_number(span: timedelta, words: str) -> None:
    assert in_words(span) == words
