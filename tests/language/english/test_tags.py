"""Tags are words of the sentence, and of nothing that it leaves unsaid."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.language.english.tags import tags_after, tags_for
from memapp.language.english.writing import check_tags


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("User is vegetarian.", ["vegetarian"]),
        ("User does not eat meat.", ["meat"]),
        ("User's religion is Islam.", ["religion", "Islam"]),
        ("User is on a budget.", ["budget"]),
        ("User wants to learn how to weld.", ["weld"]),
        ("User loves seeing new places and old churches.", ["places", "churches"]),
        ("User is a big fan of Lord of the Rings.", ["Lord of the Rings"]),
        ("User lives in the US.", ["US"]),
        ("User moved from Lyon to Ghent last year.", ["Lyon", "Ghent"]),
        ("User loves to knit and sing.", ["knit", "sing"]),
        ("User has a cat called Pickle.", ["cat", "Pickle"]),
        ("User is planning to move to Malta.", ["Malta"]),
        ("User adopted a greyhound.", ["greyhound"]),
        ("Rex is a brown labrador who loves swimming", ["Rex", "brown labrador", "swimming"]),
        ("I love fried food", ["fried food"]),
        ("My brother Ole plays chess.", ["brother Ole", "chess"]),
        ("User's sister Anna works at Google.", ["sister Anna", "Google"]),
        ("User collects Beatles records.", ["Beatles records"]),
        ("My Beatles records are old.", ["Beatles records"]),
        ("buy milk and bread", ["milk", "bread"]),
        ("the wifi password is on the fridge", ["wifi password", "fridge"]),
        ("…", []),
    ],
)
def test_tags_are_noun_phrases_of_the_statement(text: str, tags: list[str]) -> None:
    assert tags_for(text) == tags


@pytest.mark.parametrize(
    ("tags", "before", "after", "expected"),
    [
        (["cat", "Pickle"], "User has a cat called Pickle.", "User has a dog called Pickle.", ["Pickle", "dog"]),
        (["hobby", "stamps"], "User collects stamps.", "User collects coins and stamps.", ["hobby", "stamps"]),
        (["hobby", "stamps"], "User collects stamps.", "User collects coins.", ["hobby", "coins"]),
        (["Oslo"], "User lives in Oslo.", "User works in Bergen.", ["Bergen"]),
        (["tea"], "User likes tea.", "User really likes tea.", ["tea"]),
        (["vegetarian"], "User is vegetarian.", "User plays chess.", ["chess"]),
        (["mine"], "User is vegetarian.", "User lives in Oslo.", ["mine"]),
    ],
)
def test_the_tags_of_words_that_are_gone_give_way_to_those_of_new_ones(
    tags: list[str], before: str, after: str, expected: list[str]
) -> None:
    assert tags_after(tags, before, after) == expected


@given(st.text(max_size=400))
def test_any_text_can_be_tagged(text: str) -> None:
    assert check_tags(tags_for(text)) == [] or not tags_for(text)
