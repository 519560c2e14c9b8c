"""The day until which a sentence holds that tells of a coming day, in all languages."""

from datetime import date

import pytest

from memapp.language.last_day import last_day
from memapp.language.word_file import words
from tests.language.sentences import sentences

SUNDAY = date(2026, 11, 29)


@pytest.mark.parametrize(("code", "text", "day"), sentences("until_a_day"))
def test_what_tells_of_a_coming_day_holds_until_then(code: str, text: str, day: date) -> None:
    assert last_day(text, SUNDAY, words(code)) == day


@pytest.mark.parametrize(("code", "text"), sentences("without_a_day"))
def test_a_habit_and_what_is_over_have_no_such_day(code: str, text: str) -> None:
    assert last_day(text, SUNDAY, words(code)) is None


@pytest.mark.parametrize(
    ("said", "day"),
    [(date(2026, 11, 23), date(2026, 12, 4)), (date(2026, 12, 4), date(2026, 12, 11))],
)
def test_next_friday_is_the_one_of_next_week(said: date, day: date) -> None:
    assert last_day("my flight is next friday", said, words("en")) == day


def test_of_several_days_the_last_counts() -> None:
    assert last_day(
        "The exam is tomorrow. I am in Ghent until 5 January.", SUNDAY, words("en")
    ) == date(2027, 1, 5)


@pytest.mark.parametrize(
    "text", ["on 31 february", "on 99 May", "in 9999 years", "until the 45th", "on 12 May 0000"]
)
def test_what_is_no_day_of_any_calendar_is_passed_over(text: str) -> None:
    assert last_day(f"I go there {text}", SUNDAY, words("en")) is None
