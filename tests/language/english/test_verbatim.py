"""What makes no fact and stands by itself is kept as it was typed."""

import pytest

from memapp.language.english.grounding import NOT_GROUNDED, check_grounding
from memapp.language.english.merge import MergeVerdict, compare
from memapp.language.english.second_person import addressed
from memapp.language.english.verbatim import verbatim
from memapp.language.english.writing import check_form
from memapp.language.language_of import language_of

STANDS = [
    "no mushrooms tho cant stand them never could",
    "alfies scared of spiders tho so no tarantula stuff.",
    "Ruth passed in the spring of 2019.",
    "Elie won't eat anything that's green.",
    "no coffee after 2 for me, only black tea with lemon",
    "night shift only, 12 years",
    "pottery on wednesdays with the neighbours",
    "eggs for breakfast every day.",
    "vegetarian since 2015",
]
ASKS = [
    "Recommend a novel for a lady who has read all of Achebe",
    "what a week costs in Lisbon",
    "please keep the recipe short",
    "can my sister come along",
    "write it in Japanese on a card",
    "the court wants a new net, where do small clubs buy them",
    "old tins from the fifties, do folk collect them or is it junk",
    "is Bergen a wet place to visit",
    "need a rhyme for ladder, its a slow song",
    "schedule a pto request for me on march 1-2",
]
POINTS_ELSEWHERE = [
    "he fixes elevators.",
    "On Saturdays she goes to the polish school",
    "That is where the keys are kept",
    "u shd know gerald",
    "Mondays and Thursdays",
    "Mine is navy blue",
    "300 of them are mine",
    "glueing model ones, the kind that really dive",
    "I've never heard of dog agility classes.",
]


@pytest.mark.parametrize("sentence", STANDS)
def test_a_sentence_that_stands_by_itself_is_quoted(sentence: str) -> None:
    fact = verbatim(sentence)
    assert fact == f"User said: {sentence.rstrip('.')}."
    assert check_form(fact) == []
    assert check_grounding(fact, f"hm. {sentence} ok?") == []
    assert check_grounding(fact, "somebody said something else.") == [NOT_GROUNDED]
    assert addressed(fact) == f"You said: {sentence.rstrip('.')}."


@pytest.mark.parametrize("sentence", [*ASKS, *POINTS_ELSEWHERE])
def test_what_asks_or_points_elsewhere_is_not(sentence: str) -> None:
    assert verbatim(sentence) == ""


def test_a_lasting_wish_is_quoted_though_it_is_said_to_memapp() -> None:
    assert verbatim("please always give me the short version") == "User said: please always give me the short version."
    assert verbatim("please give me the short version") == ""


@pytest.mark.parametrize(
    ("message", "quoted"),
    [
        ("My son Dale rang. He sells boilers in Tucson.", "My son Dale rang. He sells boilers in Tucson."),
        ("My tuba is in the attic! I used to play it in a band.", "My tuba is in the attic! I used to play it in a band."),
        ("How is it? the piano is the neighbour's kid", ""),
        ("Zosia is in year six, her Dutch is better than mine.", "Zosia is in year six, her Dutch is better than mine."),
        ("I used to play it in a band.", ""),
        ("I've seen him twice.", ""),
        ("How is Dale? He sells boilers in Tucson.", ""),
    ],
)
def test_what_tells_of_the_sentence_before_is_quoted_with_it(message: str, quoted: str) -> None:
    facts = [one.fact for one in language_of("x").read(message).standing]
    assert f"User said: {quoted}" in facts if quoted else facts == []


def test_a_sentence_stands_also_where_a_fact_is_made_of_it() -> None:
    told = language_of("x").read("I keep bees. no mushrooms tho cant stand them never could. How are you?")
    assert [one.fact for one in told.statements if one.fact] == ["User keeps bees."]
    assert [one.said for one in told.standing] == ["I keep bees.", "no mushrooms tho cant stand them never could."]


def test_a_quote_is_only_the_same_as_itself() -> None:
    one, other = (verbatim(text) for text in STANDS[2:4])
    assert compare(one, one, 1.0) is MergeVerdict.SAME
    assert compare(one, other, 0.99) is MergeVerdict.SEPARATE
    assert compare("User said: Ruth passed in the spring of 2018.", one, 0.99) is MergeVerdict.SEPARATE
