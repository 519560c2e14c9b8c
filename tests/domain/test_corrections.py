"""What is taken back in the same breath."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.domain.corrections import corrected
from memapp.domain.distil import distil
from memapp.domain.profile import said_instead, stated


@pytest.mark.parametrize(
    "typed",
    [
        "Actually, my name is not Bob but Rob",
        "My name isn't Bob, it's Rob",
        "My name isn’t Bob, it’s Rob.",
        "No, I said my name is Rob",
        "I'm not Bob, I'm Rob",
    ],
)
def test_what_is_said_instead_counts(typed: str) -> None:
    assert [(one.field, one.value) for one in stated(typed)] == [("preferred_name", "Rob")]
    assert [draft.text for draft in distil(typed) if "Bob" in draft.text] == []


@pytest.mark.parametrize(
    ("typed", "fact"),
    [
        ("My favourite colour is not blue but green", "User's favourite colour is green."),
        ("I no longer work at Google", "User does not work at Google."),
        ("I am not a fan of rain", "User is not a fan of rain."),
    ],
)
def test_a_fact_is_what_is_left(typed: str, fact: str) -> None:
    assert "".join(draft.text for draft in distil(typed)) == fact


@pytest.mark.parametrize("typed", ["My name is Bob", "I am not tired, but it is late", "It is not that I mind"])
def test_where_nothing_is_taken_back_nothing_changes(typed: str) -> None:
    assert corrected(typed).split() == typed.split()


_PIECES = st.sampled_from(["I", "am", "is", "isn't", "not", "no longer", "Bob", ",", "but", "it's", "no", "said"])


@given(st.lists(_PIECES).map(" ".join))
def test_every_word_that_stays_keeps_its_place(text: str) -> None:
    assert len(corrected(text)) == len(text)


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("No, Bergen", "Bergen"),
        ("No! I said New York.", "New York"),
        ("No, thanks", ""),
        ("Nope. Stop asking.", ""),
        ("No. Never.", ""),
        ("Bergen", ""),
        ("No, I moved", ""),
    ],
)
def test_a_no_may_give_another_value(reply: str, value: str) -> None:
    assert said_instead(reply, "city") == value
