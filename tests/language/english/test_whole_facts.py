"""Half a fact is none: what the same statement says of when, how much, with whom and on what condition belongs to it."""

import pytest

from memapp.language.english.grounding import HALF, check_grounding
from memapp.language.english.statements import read


def facts(text: str) -> list[str]:
    return [one.fact for one in read(text) if one.fact]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("I used to smoke but quit in 2019", ["User used to smoke but quit in 2019."]),
        ("used to smoke, but quit in 2019", ["User used to smoke, but quit in 2019."]),
        ("I love to whittle spoons whenever I am on a boat", ["User loves to whittle spoons whenever User is on a boat."]),
        ("Every time I visit my gran we bake bread", ["User bakes bread whenever User visits User's gran."]),
        ("Whenever I travel, I buy a mug", ["User buys a mug whenever User travels."]),
        ("I love old films, like Casablanca", ["User loves old films like Casablanca."]),
        ("I workout four hours a day", ["User works out four hours a day."]),
        ("my brother has a dog, he's called Bo", ["User's brother has a dog called Bo."]),
        ("i cycle to work so i can skip the gym", ["User cycles to work."]),
        ("I eat fish but no meat", ["User eats fish but no meat."]),
        ("I like all vegetables but not aubergine", ["User likes all vegetables but not aubergine."]),
        ("I love hiking, but only in autumn", ["User loves hiking, but only in autumn."]),
        ("I smoke - only at parties", ["User smokes, only at parties."]),
        ("I eat fish (except tuna)", ["User eats fish (except tuna)."]),
        ("I have two sons, Max (12) and Leo (9)", ["User has two sons, Max (12) and Leo (9)."]),
        ("I've worked in 3 countries: Norway, Spain and Chile", ["User has worked in 3 countries: Norway, Spain and Chile."]),
        ("I work at the zoo (I'm a vet)", ["User works at the zoo.", "User is a vet."]),
        (
            "I work from home but go to the office on tuesdays",
            ["User works from home.", "User goes to the office on tuesdays."],
        ),
        (
            "my brother Tom lives in Perth, but comes home for christmas",
            ["User's brother Tom lives in Perth.", "User's brother Tom comes home for christmas."],
        ),
        ("I only eat meat when we have guests", ["User only eats meat when User has guests."]),
        ("I drink and smoke only at parties", ["User drinks only at parties.", "User smokes only at parties."]),
        ("On sundays I swim and play chess", ["User swims on sundays.", "User plays chess on sundays."]),
        ("I drink tea instead of coffee since my surgery", ["User drinks tea instead of coffee since User's surgery."]),
        ("I can sleep well if I take my pills", ["User can sleep well if User takes User's pills."]),
        ("we go to Italy every summer unless my mother is ill", ["User goes to Italy every summer unless User's mother is ill."]),
        ("I was a teacher until 2015", ["User was a teacher until 2015."]),
        ("I earn £3,200 a month", ["User earns £3,200 a month."]),
        ("I drive a $2,900 car", ["User drives a $2,900 car."]),
        ("I take the 7:15 train to Antwerp every weekday", ["User takes the 7:15 train to Antwerp every weekday."]),
        ("I have run 42.195 km in 3:58:12", ["User has run 42.195 km in 3:58:12."]),
        ("my car does 5.6 l/100 km", ["User's car does 5.6 l/100 km."]),
        ("I like dogs as long as they're small", []),
        ("I eat lunch at the museum, unless they are closed", []),
    ],
)
def test_what_belongs_to_a_statement_stays_in_its_fact(typed: str, told: list[str]) -> None:
    assert facts(typed) == told


@pytest.mark.parametrize(
    ("typed", "half", "whole"),
    [
        ("I used to smoke but quit in 2019", "User used to smoke.", "User used to smoke but quit in 2019."),
        ("I eat fish but no meat", "User eats fish.", "User eats fish but no meat."),
        ("I eat everything except fish", "User eats everything.", "User eats everything except fish."),
        ("I get a rash if I eat nuts", "User gets a rash.", "User gets a rash if User eats nuts."),
        ("I sleep well if I take my pills", "User sleeps well.", "User sleeps well if User takes User's pills."),
        ("I smoke, but only at parties", "User smokes.", "User smokes, but only at parties."),
        ("I walk to work unless it rains", "User walks to work.", "User walks to work unless it rains."),
        ("I lived in Ghent until 2015", "User lived in Ghent.", "User lived in Ghent until 2015."),
        ("I have been vegan since March 2021", "User has been vegan.", "User has been vegan since March 2021."),
        ("I only drink coffee on weekends", "User drinks coffee on weekends.", "User only drinks coffee on weekends."),
    ],
)
def test_half_of_a_statement_is_refused(typed: str, half: str, whole: str) -> None:
    assert check_grounding(half, typed) == [HALF]
    assert check_grounding(whole, typed) == []


@pytest.mark.parametrize(
    ("typed", "fact"),
    [
        ("I play the cello, but my sister sings", "User plays the cello."),
        ("I live in Oslo, but I work in Bergen", "User lives in Oslo."),
        ("I live in Oslo but work in Bergen", "User lives in Oslo."),
        ("I have a dog and if you ask me he is the best", "User has a dog."),
        ("I keep bees. Only two hives.", "User keeps bees."),
        ("I'm learning Korean because my wife is from Busan", "User is learning Korean."),
    ],
)
def test_what_another_clause_says_is_no_half_of_it(typed: str, fact: str) -> None:
    assert check_grounding(fact, typed) == []
