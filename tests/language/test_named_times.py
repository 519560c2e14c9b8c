from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.domain.named_time import NamedTime
from memapp.language.named_times import named_times, since_in

TODAY = date(2026, 3, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did I say on May 4th?", NamedTime(None, 5, 4)),
        ("the 4th of May", NamedTime(None, 5, 4)),
        ("4 May 2023", NamedTime(2023, 5, 4)),
        ("May 4, 2023", NamedTime(2023, 5, 4)),
        ("in July", NamedTime(None, 7, None)),
        ("in may 2023", NamedTime(2023, 5, None)),
        ("on 2023-05-04", NamedTime(2023, 5, 4)),
        ("around Sep. 9", NamedTime(None, 9, 9)),
        ("today", NamedTime(2026, 3, 1)),
        ("Yesterday", NamedTime(2026, 2, 28)),
        ("last month", NamedTime(2026, 2, None)),
    ],
)
def test_days_and_months_are_read(text: str, expected: NamedTime):
    assert named_times(text, TODAY) == [expected]


@pytest.mark.parametrize(
    "text", ["May I ask?", "a long march", "marketing", "decide 4 things", "in 2023", "octopus", ""]
)
def test_other_words_name_no_time(text: str):
    assert named_times(text, TODAY) == []


def test_a_month_fits_every_day_of_it_in_any_year():
    assert NamedTime(None, 5, None).fits(datetime(2023, 5, 31, tzinfo=UTC))
    assert not NamedTime(2024, 5, None).fits(datetime(2023, 5, 31, tzinfo=UTC))
    assert not NamedTime(None, 5, 4).fits(datetime(2023, 5, 31, tzinfo=UTC))


@given(st.text(), st.dates())
def test_no_text_around_a_day_hides_it(text: str, today: date):
    found = named_times(f"{text} 2023-05-04 {text} 99 May 0 0000 2023-13-45 ", today)
    assert NamedTime(2023, 5, 4) in found
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("fact", "since"),
    [
        ("User has been learning the cello since winter 2025/26.", "winter 2025/26"),
        ("User has been a nurse since around 2016, at night.", "around 2016"),
        ("User has lived in Oslo since Monday 2 March 2026.", "Monday 2 March 2026"),
        ("User has smoked since school.", ""),
        ("User moved to Oslo in 2020.", ""),
    ],
)
def test_since_when_something_holds_is_read_of_its_words(fact: str, since: str) -> None:
    assert since_in(fact) == since


def test_a_week_is_its_days_and_not_its_month() -> None:
    days = named_times("what did I do in the week of 16 November 2026?", date(2026, 11, 26))
    assert days == [NamedTime(2026, 11, day) for day in range(16, 23)]
