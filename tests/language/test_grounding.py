"""Which replies the quotations hold, and which messages ask about the person."""

import pytest

from memapp.language.grounding import is_held, unsaid
from memapp.language.questions import Asked, asked_about, content
from memapp.language.word_file import words

EN = words("en")
TOM = "You told me on 3 November: “My son Tom turned 8 in May, and our dog Waldo is 3.”"


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("how old is my son Tom?", "Your son Tom is 8 years old."),
        ("how old is my son?", "Eight! Tom had his birthday in May."),
        ("whats my dogs name", "Your dog is called Waldo."),
        ("what's my brother called?", "You haven't told me your brother's name yet. What is it?"),
        ("when is my mother's birthday?", "I don't know that yet. When is it?"),
        ("when did my son turn 8?", "In May, as you told me on November 3rd."),
    ],
)
def test_what_the_quotations_say_is_held(question: str, reply: str) -> None:
    assert is_held(reply, question, [TOM], [], EN)


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("what's my brother called?", "Your brother's name is Tom."),
        ("what's my cat called?", "Your cat is called Waldo."),
        ("which car do I drive?", "You don't have a car yet."),
        ("what did I say about my job as a teacher?", "You said you like to teach."),
        ("how old is my son?", "Your son Tom is 9."),
        ("how old is my son?", "Your son is nine."),
        ("what's my son called?", "Your son is called Toby."),
        ("what's my son called?", "You haven't told me that yet."),
        ("what's my son called?", "Dein Sohn heißt Tom und er ist acht."),
    ],
)
def test_what_they_do_not_say_is_not_held(question: str, reply: str) -> None:
    assert not is_held(reply, question, [TOM], [], EN)


def test_what_was_said_in_the_chat_holds_a_name_too() -> None:
    assert unsaid("Waldo may like Bruges.", ["our dog Waldo"], EN) == ["Bruges"]
    assert unsaid("Waldo may like Bruges.", ["our dog Waldo", "we are off to bruges!"], EN) == []


def test_quotations_in_another_language_are_asked_for_names_and_numbers_only() -> None:
    quotation = "“Mein Bruder heißt Karl und wohnt seit 2019 bei Graz.”"
    assert is_held("Your brother is called Karl.", "what's my brother called?", [quotation], [], EN)
    assert not is_held(
        "Your brother is called Tom.", "what's my brother called?", [quotation], [], EN
    )


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("what's my cat called?", "own"),
        ("where do we live", "own"),
        ("Remind me what the vet said about Biscuit's teeth", "own"),
        ("I once shared an emotional issue. What was it about?", "own"),
        ("I keep sheep, right?", "own"),
        ("which painters did you recommend to me?", "replied"),
        ("How do I take my coffee?", "perhaps"),
        ("has Helmut retired yet?", "anything"),
        ("what should I wear tomorrow?", ""),
        ("what could I give Mira for her birthday?", ""),
        ("can you recommend me a book?", ""),
        ("my cat is called Miso", ""),
        ("how are you?", ""),
        ("good morning!", ""),
        ("tell me a long story", "anything"),
        ("tell me where I live", "own"),
    ],
)
def test_a_question_about_the_person_is_told_from_others(message: str, asked: Asked) -> None:
    assert asked_about(message, EN) == asked


def test_words_are_compared_without_their_endings() -> None:
    assert content("What cities have I visited with my running friends?", EN) == content(
        "city visits run friend", EN
    )
