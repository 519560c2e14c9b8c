"""What recall reads in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.domain import ranking
from memapp.language.query_words import MAX_WORDS, measure_asked, query_words


def test_stop_words_and_repetitions_are_not_searched_for():
    assert query_words("What is the name of my dog? The DOG's name!") == ["name", "dog"]


def test_a_query_has_at_most_sixteen_words():
    assert len(query_words(" ".join(f"word{number}" for number in range(500)))) == MAX_WORDS


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("When did I move?", "I moved in May."),
        ("Back again. How many cats has Wim got?", "Wim has three cats."),
        ("In which year did she leave?", "She left in 2019."),
    ],
)
def test_what_asks_for_a_time_or_number_is_answered_by_a_text_with_one(text: str, held: str):
    measure = measure_asked(text)
    assert measure is not None
    assert measure.search(held)
    assert not measure.search("I like tea.")


@pytest.mark.parametrize("text", ["", "Where do I live?", "I love it in the park when it rains."])
def test_nothing_else_asks_for_a_time_or_a_number(text: str):
    assert measure_asked(text) is None


@given(st.text())
def test_query_words_hold_nothing_but_letters_with_their_marks_and_digits(text: str):
    assert all(word.isalnum() or word in ranking._MARKS for word in "".join(query_words(text)))


def test_a_word_of_any_script_is_one_word():
    assert query_words("İstanbul, हिन्दी; cafe\u0301!") == ["istanbul", "हिन्दी", "café"]
