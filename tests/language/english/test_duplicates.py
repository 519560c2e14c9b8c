"""When two facts say the same. All sentences are made up here."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.language.english.duplicates import duplicate_of, gist, normalise


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User likes tea.", "user likes  TEA"),
        ("User likes hiking.", "User likes to hike."),
        ("User has two cats.", "User has 2 cats."),
        ("User does not eat fish.", "User doesn't eat fish."),
        ("User's favorite color is teal.", "User's favourite colour is teal."),
        ("User really loves the sea.", "User loves sea."),
    ],
)
def test_the_same_fact_in_nearly_the_same_words_is_a_duplicate(one: str, other: str) -> None:
    assert duplicate_of(one, ["User has a boat.", other]) == other


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User likes cats.", "User does not like cats."),
        ("User likes cats.", "User likes bats."),
        ("User likes cats.", "User liked cats."),
        ("User has two cats.", "User has three cats."),
        ("User has a dog named Max.", "User has a dog named Rex."),
        ("User moved from Lyon to Ghent.", "User moved from Ghent to Lyon."),
        ("User used to smoke.", "User smokes."),
        ("User likes C++.", "User likes C#."),
        ("User's freezer is at -18 degrees.", "User's freezer is at 18 degrees."),
        ("User's sister lives in Turin.", "User lives in Turin."),
    ],
)
def test_similar_facts_are_no_duplicates(one: str, other: str) -> None:
    assert duplicate_of(one, [other]) is None


def test_normal_text_keeps_numbers_and_other_scripts() -> None:
    assert normalise("User weighs 72.5 kg!") != normalise("User weighs 725 kg.")
    assert normalise("Él habla español. 日本語も。") == normalise("él  habla español 日本語も。")


@given(st.text(max_size=300))
def test_normal_text_is_its_own_normal_text(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User loves sailing.", "I love to sail"),
        ("User has got two cats.", "2 cats, User has them"),
        ("User studied in Cork.", "User studies in Cork."),
        ("User's children run.", "my child was running"),
    ],
)
def test_the_gist_is_the_same_whatever_forms_and_order_the_words_have(one: str, other: str) -> None:
    assert gist(one) == gist(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User loves sailing.", "User does not love sailing."),
        ("User loves sailing.", "User's sister loves sailing."),
        ("User has two cats.", "User has three cats."),
        ("User loves sailing.", "User hates sailing."),
    ],
)
def test_another_statement_has_another_gist(one: str, other: str) -> None:
    assert gist(one) != gist(other)
