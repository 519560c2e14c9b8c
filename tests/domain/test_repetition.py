"""A reply that goes round in circles, or says its message again, is noticed."""

import pytest

from memapp.domain.repetition import is_degenerate, loop_start, without_echo

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
        "\n\n".join(("The first verse is about the sea.", "Oh, sing it with me again.",
         "The second is about rain.", "Oh, sing it with me again.")),
    ],
)  # fmt: skip
def test_a_chorus_and_a_short_word_may_come_again(text: str) -> None:
    assert loop_start(text) is None
    assert not is_degenerate(text)


def test_a_long_text_of_few_words_says_nothing() -> None:
    assert is_degenerate("very " * 50)


@pytest.mark.parametrize(
    ("message", "reply", "own"),
    [
        ("Who had a motive?", "Who had a motive?", ""),
        ("Why?", "Why?", ""),
        ("Was denkst du über den Frost?", "„Was denkst du über den Frost?“", ""),
        ("I found scorch marks inside. Odd.", "I found scorch marks inside.", ""),
        (
            "I found scorch marks inside.",
            "I found scorch marks inside. What do you make of them?",
            "What do you make of them?",
        ),
    ],
)
def test_a_reply_that_says_its_message_again_is_none(message: str, reply: str, own: str) -> None:
    assert without_echo(reply, message) == own


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("Who had a motive?", "Who had a motive? The baker, I would say, and he was out."),
        ("It was cast from inside.", 'You say "It was cast from inside." That is a bold guess.'),
        (
            "I think it was cast from inside.",
            "You think it was cast from inside? Then someone opened the window.",
        ),
        ("Good morning", "Good morning!"),
        ("Say: the cat sat on the mat.", "The cat sat on the mat."),
        (
            "Mend the spelling.\nI went home. It was late by then.",
            "I went home. It was late by then.",
        ),
        ("My dog ran away.", ""),
    ],
)
def test_a_reply_may_quote_ask_back_and_give_a_text_back(message: str, reply: str) -> None:
    assert without_echo(reply, message) == reply
