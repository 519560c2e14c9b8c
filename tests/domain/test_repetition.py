"""A reply that goes round in circles is noticed."""

import pytest

from memapp.domain.repetition import is_degenerate, loop_start

I_AM_HERE = "I am always here for you."
TALK = "You can tell me all of it."


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"{I_AM_HERE} {I_AM_HERE}", I_AM_HERE),
        (f"{I_AM_HERE} {TALK} {I_AM_HERE} {TALK} And more.", f"{I_AM_HERE} {TALK}"),
        (f"Well.\n\n{I_AM_HERE} {TALK}\n\n{I_AM_HERE} {TALK}", f"Well.\n\n{I_AM_HERE} {TALK}"),
    ],
)
def test_a_text_is_cut_where_it_begins_again(text: str, kept: str) -> None:
    start = loop_start(text)
    assert start is not None
    assert text[:start].strip() == kept
    assert is_degenerate(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No. No. No.",
        f"{I_AM_HERE} {TALK}",
        "\n\n".join(
            (
                "The first verse is about the sea.",
                "Oh, sing it with me again.",
                "The second is about rain.",
                "Oh, sing it with me again.",
            )
        ),
    ],
)
def test_a_chorus_and_a_short_word_may_come_again(text: str) -> None:
    assert loop_start(text) is None
    assert not is_degenerate(text)


def test_a_long_text_of_few_words_says_nothing() -> None:
    assert is_degenerate("very " * 50)
