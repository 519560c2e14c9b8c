"""The normal form of a text, and its gist. All sentences are made up here."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.language.normal_form import gist, normalise


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
