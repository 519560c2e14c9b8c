from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.language.english.dates import dated, lasting
from memapp.language.english.grounding import check_grounding

MONDAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("User has a driving test next Friday.", "User has a driving test on Friday 4 December 2026."),
        ("User has a driving test this friday.", "User has a driving test on Friday 27 November 2026."),
        (
            "User is getting married in December, on the 12th, in Ghent.",
            "User is getting married on Saturday 12 December 2026, in Ghent.",
        ),
        ("User's knee is bad since fall from a ladder.", "User's knee is bad since fall from a ladder."),
        ("User's aunt's birthday is on the 12th of June.", "User's aunt's birthday is on the 12th of June."),
        ("User's exam is friday.", "User's exam is on Friday 27 November 2026."),
        ("User's exam is on Monday at nine.", "User's exam is on Monday 30 November 2026 at nine."),
        ("User had an exam on Monday.", "User had an exam on Monday 16 November 2026."),
        ("User sold the car last Monday.", "User sold the car on Monday 16 November 2026."),
        ("User has a checkup tuesday next week.", "User has a checkup on Tuesday 1 December 2026."),
        ("User has a checkup next week on tuesday.", "User has a checkup on Tuesday 1 December 2026."),
        ("User is staying with Ann until next Wednesday.", "User is staying with Ann until Wednesday 2 December 2026."),
        ("User has surgery tomorrow morning.", "User has surgery on the morning of Tuesday 24 November 2026."),
        ("Tomorrow is User's first day.", "Tuesday 24 November 2026 is User's first day."),
        ("User sold the car the day before yesterday.", "User sold the car on Saturday 21 November 2026."),
        ("User is on call this weekend.", "User is on call on the weekend of 28 November 2026."),
        ("User starts a new job next week.", "User starts a new job in the week of 30 November 2026."),
        ("User visits Japan the week after next.", "User visits Japan in the week of 7 December 2026."),
        ("User's mother turns 70 next month.", "User's mother turns 70 in December 2026."),
        ("User's lease ends at the end of next month.", "User's lease ends at the end of December 2026."),
        ("User retires next year.", "User retires in 2027."),
        ("User quit smoking two years ago.", "User quit smoking in 2024."),
        ("User adopted a cat 3 weeks ago.", "User adopted a cat in the week of 2 November 2026."),
        ("User's sister is due in 3 months.", "User's sister is due in February 2027."),
        ("User has a race in ten days.", "User has a race on Thursday 3 December 2026."),
        ("User flies to Rome on the 14th.", "User flies to Rome on Monday 14 December 2026."),
        ("User flies to Rome on the 28th.", "User flies to Rome on Saturday 28 November 2026."),
        ("User leaves on Friday the 4th.", "User leaves on Friday 4 December 2026."),
        (
            "User's cousins stay with User from the 20th to the 3rd.",
            "User's cousins stay with User from Sunday 20 December 2026 to Sunday 3 January 2027.",
        ),
        ("User is moving to Oslo in march.", "User is moving to Oslo in March 2027."),
        (
            "User's sister moves in at the end of February, I told her ok.",
            "User's sister moves in at the end of February 2027, I told her ok.",
        ),
        ("In May, I moved to Hull.", "In May 2026, I moved to Hull."),
        ("User moved to Oslo in December.", "User moved to Oslo in December 2025."),
        ("User has lived in Oslo since March.", "User has lived in Oslo since March 2026."),
        ("User's flight is on March 14.", "User's flight is on Sunday 14 March 2027."),
        ("User is having a party on the 12th of December.", "User is having a party on Saturday 12 December 2026."),
        ("User is going to Oslo this summer.", "User is going to Oslo in summer 2027."),
        ("User broke the leg last summer.", "User broke the leg in summer 2026."),
        ("User will ski this winter.", "User will ski in winter 2026/27."),
        ("User has been to Oslo this summer.", "User has been to Oslo in summer 2026."),
        ("User went skiing this past weekend.", "User went skiing on the weekend of 21 November 2026."),
        ("User saw a play last night.", "User saw a play on Sunday 22 November 2026."),
        ("User met Tom over two years ago.", "User met Tom around 2024."),
        ("User bought a boat a few days ago.", "User bought a boat in the week of 16 November 2026."),
        ("User bought a boat a couple of months ago.", "User bought a boat around September 2026."),
        ("User has worked there for the last year.", "User has worked there since 2025."),
        ("User has been to Italy twice in the past few years.", "User has been to Italy twice since 2023."),
        ("User has been a nurse for nearly ten years.", "User has been a nurse since around 2016."),
        ("User has played the cello for eight months.", "User has played the cello since March 2026."),
    ],
)
def test_a_time_as_seen_from_the_day_becomes_a_date_as_coarse_as_its_words(text: str, expected: str) -> None:
    assert dated(text, MONDAY) == expected
    assert dated(expected, date(2031, 6, 1)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "User plays football every friday.",
        "User swims on fridays.",
        "The rental for May is due on the 20th.",
        "User does not work on Mondays.",
        "User does not work on Monday.",
        "User has yoga on Friday.",
        "User works from Monday to Thursday.",
        "User skis in february.",
        "User always flies to Rome in May.",
        "User gets paid on the 15th.",
        "User lives on the 4th floor.",
        "User was born in March.",
        "User's birthday is in March.",
        "User's birthday is on March 14.",
        "User spent summers in Rome in August as a child.",
        "User has been to Rome in May.",
        "User may go this may.",
        "User likes marches in the dark.",
        "User works part time, 2 days a week.",
        "User reads three books in a month.",
        "User lost 10 kg in two months.",
        "Every first saturday of the month is market day for User.",
        "User's flight is on March 14, 2027.",
        "User moved in March of 2020.",
        "User was a nurse for ten years.",
        "User has been to Rome for two weeks.",
        "User has a contract for two years.",
        "The last two years were hard for User.",
        "User's favourite song is Yesterday.",
    ],
)
def test_what_comes_again_or_is_unclear_stays_in_its_words(text: str) -> None:
    assert dated(text, MONDAY) == text


@pytest.mark.parametrize("day", [date(2026, 11, 23 + at) for at in range(7)])
def test_next_friday_is_the_one_of_next_week_and_this_one_of_this(day: date) -> None:
    assert dated("next Friday", day) == "on Friday 4 December 2026"
    assert dated("this Friday", day) == ("on Friday 27 November 2026" if day.day <= 27 else "on Friday 4 December 2026")


def test_a_fact_with_a_date_is_grounded_in_the_message_and_its_day() -> None:
    said = "so nervous, I have a driving test next friday and my sister quit smoking two years ago"
    fact = dated("User has a driving test next friday.", MONDAY)
    assert check_grounding(fact, said) != []
    assert check_grounding(fact, dated(said, MONDAY)) == []
    assert check_grounding(fact, dated(said, date(2026, 11, 30))) != []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("User is rowing to the island instead.", "User is rowing to the island."),
        ("User drinks tea instead of coffee.", "User drinks tea instead of coffee."),
        ("Lately, User bakes bread these days.", "User bakes bread."),
        ("User is currently learning Greek and, right now, paints.", "User is learning Greek and paints."),
        ("User just moved to Bergen a while ago.", "User moved to Bergen."),
        ("User has been learning Greek recently, by ear.", "User has been learning Greek, by ear."),
        ("User will be a father soon.", "User will be a father."),
        ("User eats just one meal every now and then, as soon as hungry.",) * 2,
        ("User was packing boxes last night.", ""),
        ("User enjoyed yesterday's concert.", ""),
        ("User's last day is soon.", ""),
    ],
)
def test_a_fact_that_lasts_keeps_no_time_as_seen_from_its_day(text: str, expected: str) -> None:
    assert lasting(text, MONDAY) == expected


WORDS = "User has had will on in since next last this Friday march summer week the 31st 14 two weeks ago may , . every 2026"


@given(st.lists(st.sampled_from(WORDS.split())).map(" ".join), st.dates(date(1950, 1, 1), date(2150, 1, 1)))
def test_no_text_is_dated_twice(text: str, today: date) -> None:
    once = dated(text, today)
    assert dated(once, today) == once
