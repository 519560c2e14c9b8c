"""Reading what a message asks of the memory, and telling which sentences answer it."""

import pytest

from memapp.domain.asked_sentence import asks_what_was_talked_about, names_nobody
from memapp.domain.from_memory import certain, read


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
        "I live in Bruges.",
        "Tell me a story.",
        "word " * 200 + "what is my name?",
    ],
)
def test_what_no_memory_can_answer_is_left_alone(message: str) -> None:
    assert read(message) is None


@pytest.mark.parametrize(
    ("question", "answers", "does_not"),
    [
        ("what's my sister called?", "User's sister Mira loves pottery.", "User's sister loves pottery."),
        ("what's my sister called?", "User's sister is called Mira.", "User's sister's dog is called Rex."),
        ("where do I work?", "User works at a bakery.", "User's brother works at a bakery."),
        ("where was I born?", "User was born in Graz.", "User's mother was born in Graz."),
        ("when is my mum's birthday?", "User's mother's birthday is 2 June.", "User's father's birthday is 2 June."),
        ("do I play the piano?", "User plays the piano.", "User plays the cello."),
        ("do I have any pets?", "User has a parrot.", "User has a car."),
        ("what does my wife do?", "User's wife is a teacher.", "User's wife loves jazz."),
        ("when did I move to Berlin?", "User moved to Berlin in 2019.", "User moved to Bruges in 2019."),
        ("which sweets do I hate?", "User can't stand marzipan.", "User loves marzipan."),
        ("what does my cousin eat?", "User's cousin is a vegan.", "User's cousin is a diver."),
        ("where does my aunt live?", "User's aunt moved to Leeds in May.", "User's aunt moved the desk to May."),
        ("how often do I swim?", "User swims three times a week.", "User likes to swim."),
        ("why do I avoid hills?", "User avoids hills because of a knee injury.", "User avoids hills."),
        ("what do I do in the evening?", "User reads in the evening.", "User reads in the morning."),
        ("where do I work?", "User works in a bakery.", "User has a lot of work to do."),
        ("what is my job?", "User is a nurse.", "User is a vegetarian."),
        ("what was my dad's job?", "User's father was a salesman.", "User's father was a big fan of jazz."),
        ("what's my boss's name?", "User's boss is called Ann.", "Actually, User's boss gave User a task."),
        ("where does Mira live?", "User's sister Mira lives in Ghent.", "User's sister Anna lives in Ghent."),
    ],
)
def test_a_fact_must_hold_all_that_is_asked_for(question: str, answers: str, does_not: str) -> None:
    asked = read(question)
    assert asked is not None
    assert certain(asked, answers, is_fact=True)
    assert not certain(asked, does_not, is_fact=True)


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
    assert (asked.text, asked.is_personal, asked.wants) == ("how long did I run in the park On April 27th", True, "number")


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("what did we talk about?", True),
        ("What topics did we talk about on April 29th?", True),
        ("On April 30th, we talked a lot. What did we talk about?", True),
        ("what did we talk about when my sister was here?", False),
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
