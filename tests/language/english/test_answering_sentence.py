"""Judging which sentences answer a question."""

import pytest

from memapp.language.english.answering_sentence import certain, with_subject
from memapp.language.english.memory_question import read


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
        ("what's my job?", "User got promoted to staff engineer.", "User's sister got promoted to staff engineer."),
        ("what hobbies do I have?", "User plays the oboe on Sundays.", "User plays a big role in the union."),
        ("what do I do in my free time?", "User knits.", "User has a free day in May."),
        ("what was my dad's job?", "User's father was a salesman.", "User's father was a big fan of jazz."),
        ("what's my boss's name?", "User's boss is called Ann.", "Actually, User's boss gave User a task."),
        ("what medicine do I take?", "User takes pills every morning.", "User is taking a German course."),
        ("what language am I learning?", "User is taking a German course.", "User is taking a pottery course."),
        ("which club do I cheer for?", "User supports Boavista.", "User rows at a club."),
        ("what is my grandchild called?", "User's granddaughter is called Mira.", "User's daughter is called Mira."),
        ("where does Mira live?", "User's sister Mira lives in Ghent.", "User's sister Anna lives in Ghent."),
        ("what does my niece do?", "User's niece is a pilot.", "User's niece wants to be a pilot."),
        ("where is my car?", "User's car is in the yard.", "User works in a car factory."),
        ("where is my phone?", "User put the phone on the shelf.", "User repairs phones at a kiosk."),
        ("what phone do I have?", "User has a grey phone.", "User repairs phones at a kiosk."),
        ("what is my book about?", "User is writing a book about snails.", "User reads two books a week."),
        ("when is my choir concert?", "User's choir concert is in May.", "User reviews choir concerts in May."),
        ("what is my favourite film?", "User's favorite film is Heat.", "User's brother's favorite film is Heat."),
        ("what is my favourite team?", "User supports a team from Porto.", "User coaches a team of kids."),
    ],
)
def test_a_fact_must_hold_all_that_is_asked_for(question: str, answers: str, does_not: str) -> None:
    asked = read(question)
    assert asked is not None
    assert certain(asked, answers, is_fact=True)
    assert not certain(asked, does_not, is_fact=True)


@pytest.mark.parametrize(
    ("statement", "meant"),
    [
        ("he is 4", "my son is 4"),
        ("just moved here for a job", "I just moved here for a job"),
        ("went to Kiel", "I went to Kiel"),
        ("the dog went to Kiel", "the dog went to Kiel"),
        ("lovely weather", "lovely weather"),
    ],
)
def test_a_statement_is_about_whom_its_pronoun_stands_for_or_about_the_person(statement: str, meant: str) -> None:
    assert with_subject(statement, ["our son is here"]) == meant
