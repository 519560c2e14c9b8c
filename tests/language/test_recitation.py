"""Tests of the sentences in which a model speaks as the person."""

import pytest

from memapp.language.recitation import misquoted, recited, without
from memapp.language.word_file import words
from tests.language.sentences import sentences

NOTES = [
    "i have coeliac disease so we can't have gluten at home",
    "My sister Mira lives in Oslo with us",
    "Ich wohne jetzt in Gent",
    "im saving up for a second hand kiln",
    "i hate coriander, tastes of soap",
    "i have a small idea for the shed",
    "we're moving to a bigger flat",
]


@pytest.mark.parametrize(("code", "reply", "said"), sentences("recited"))
def test_a_note_said_in_the_first_person_is_recited(code: str, reply: str, said: list[str]) -> None:
    assert recited(reply, NOTES, "what can we cook?", words(code)) == said


def test_what_the_message_says_itself_is_none() -> None:
    asked = "write to my boss that i have coeliac disease"
    assert recited("Dear boss, I have coeliac disease.", NOTES, asked, words("en")) == []


@pytest.mark.parametrize(
    ("message", "reply", "said"),
    [
        ("we need blackout curtains for the nursery, which are good?",
         "We need blackout curtains. Look for ...", True),
        ("we need blackout curtains for the nursery, which are good?",
         "Good ones are thick. We need blackout curtains.", True),
        ("write a letter: we need blackout curtains", "We need blackout curtains for the nursery.",
         False),
        ("i'm so tired of this", "I am sorry to hear that. Rest a little.", False),
        ("my sister paints boats", "Oh, my sister paints boats too!", True),
        ("my sister paints boats", "Your sister paints boats? Lovely!", False),
        ("no wait, it's Noor who goes, not me", "Sorry! It's Noor who goes, not me.", True),
        ("what did i say about the raft?", "You said: “i say about the raft”.", False),
    ],
)  # fmt: skip
def test_a_sentence_that_says_the_message_in_the_first_person_is_recited(
    message: str, reply: str, said: bool
) -> None:
    assert bool(recited(reply, [], message, words("en"))) == said


def test_an_introduction_is_not_returned_as_the_models_own() -> None:
    message = "hi! i'm Tomas, i repair church organs and i live in Ghent"
    reply = (
        "Hello! I'm Tomas, and I repair church organs. I live in Ghent. Nice to meet you, Tomas!"
    )
    said = recited(reply, [], message, words("en"))
    assert without(reply, said) == "Hello! Nice to meet you, Tomas!"


@pytest.mark.parametrize(
    ("message", "before"),
    [
        ("write to my boss that i can't come on monday", ""),
        ("how do i say that i can't come on monday?", ""),
        ("and that i can't come on monday", "write two lines to my boss"),
    ],
)
def test_a_text_that_the_person_asks_for_may_speak_as_the_person(message: str, before: str) -> None:
    reply = "Dear Ms Brown,\nI can't come on Monday.\nBest wishes"
    assert recited(reply, [], message, words("en"), before) == []


def test_a_recited_sentence_is_removed_with_the_quotation_in_it() -> None:
    reply = 'Nice! I play "Tetris" with my sister Mira. And you?'
    said = recited(reply, NOTES, "hello there", words("en"))
    assert without(reply, said) == "Nice! And you?"


def test_a_quotation_that_quotes_nothing_is_found() -> None:
    invented = "You told me on 29 November on: “mums in leicester w i got a 12-year-old"
    assert misquoted(f"Oh dear. {invented}", NOTES) == [invented]
    assert not misquoted("You told me on 3 May: “i hate coriander”. You told me that twice.", NOTES)


def test_the_rest_of_a_reply_stays() -> None:
    reply = "I have coeliac disease, so we can't eat gluten. Try rice.\n- rice\n- beans"
    actual = without(reply, recited(reply, NOTES, "what now?", words("en")))
    assert actual == "Try rice.\n- rice\n- beans"
