"""Reading what a message asks of the memory."""

import pytest

from memapp.language.english.memory_question import read


@pytest.mark.parametrize(
    ("question", "field"),
    [
        ("where do i live?", "city"),
        ("hey, do you still remember where I live", "city"),
        ("which town do I live in?", "city"),
        ("whats my name again", "preferred_name"),
        ("when's my birthday?", "birth_date"),
        ("what is my sister's name?", ""),
        ("where does my sister live?", ""),
    ],
)
def test_a_field_of_the_profile_is_asked_for(question: str, field: str) -> None:
    found = read(question)
    assert found is not None
    assert found.field == field


@pytest.mark.parametrize(
    "message",
    [
        "",
        "?",
        "How are you?",
        "What is your name?",
        "Where was he born?",
        "What should I give my sister?",
        "do you think my dog is happy?",
        "Why is my bread so dry?",
        "How do I get rid of fleas?",
        "Can you help me with my essay?",
        "what's a good gift for my sister?",
        "what is the best food for my dog?",
        "why does it rain so much?",
        "what is my best option?",
        "is that bad for my dog?",
        "are grapes bad for my dog?",
        "any idea what to get for my daughter?",
        "I live in Bruges.",
        "Tell me a story.",
        "word " * 200 + "what is my name?",
    ],
)
def test_what_no_memory_can_answer_is_left_alone(message: str) -> None:
    assert read(message) is None


@pytest.mark.parametrize(
    ("before", "question", "text"),
    [
        ("My sister is here.", "what's her name again?", "what is my sister's name"),
        ("I saw my brother and my mother.", "where does he live?", "where does my brother live"),
        ("my dog is ill", "how old is it?", "how old is my dog"),
        ("my girls are here", "what are their names?", "what are my girls' names"),
    ],
)
def test_a_pronoun_stands_for_somebody_of_the_person(before: str, question: str, text: str) -> None:
    found = read(question, [before, "ok, and listen"])
    assert (found.text if found else "") == text


def test_a_day_before_the_question_stays_in_it() -> None:
    asked = read("On April 27th, how long did I run in the park?")
    assert asked is not None
    assert (asked.text, asked.is_personal, asked.wants) == ("how long did I run in the park On April 27th", True, "duration")
