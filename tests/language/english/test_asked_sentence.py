"""What the sentence that asks says by itself: whether it is about the talk, and whether it names anybody."""

import pytest

from memapp.language.english.asked_sentence import asks_what_was_talked_about, names_nobody


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("what did we talk about?", True),
        ("What topics did we talk about on April 29th?", True),
        ("On April 30th, we talked a lot. What did we talk about?", True),
        ("what did we talk about when my sister was here?", False),
        ("what did I tell you today?", True),
        ("what have I told you so far today?", True),
        ("what did I say about the boat yesterday?", False),
        ("what did we buy?", False),
    ],
)
def test_what_was_talked_about_is_asked_for(message: str, wanted: bool) -> None:
    assert asks_what_was_talked_about(message) == wanted


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("where does she live?", True),
        ("so, what is his name again?", True),
        ("what could I give Mira for her birthday?", False),
        ("what should I get my sister for her birthday?", False),
        ("How did Napoleon lose his army?", False),
        ("where do they live?", False),
    ],
)
def test_a_question_about_her_or_him_alone_names_nobody(message: str, wanted: bool) -> None:
    assert names_nobody(message) == wanted
