"""Statements with something around them. All sentences are made up here."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.language.english.framing import plays_a_part, takes_back, told_by_healers, unwrap
from memapp.language.english.profile import stated
from memapp.language.english.profile_hints import unknown_in
from memapp.language.english.statements import read
from memapp.services.statements import told_by
from tests.builders import Reader


def facts(typed: str) -> list[str]:
    return [one.fact for one in read(typed) if one.fact]


@pytest.mark.parametrize(
    ("said", "is_played"),
    [
        (["pretend you're a grumpy pirate and greet me", "I'm captain Rowan"], True),
        (["Let's roleplay. You are a waiter.", "hello", "I live in the castle"], True),
        (["ok, you're the doctor and I'm the patient", "I have a cough"], True),
        (["let's play pirates!", "I drink rum"], True),
        (["pretend you're a pirate", "ok stop the pirate thing", "I live in Rome"], False),
        (["pretend you're a pirate", "ok be yourself again, I live in Rome"], False),
        (["pretend you're a pirate", *["ok"] * 8], False),
        (["I act in a play", "my son likes to play football", "let's play the song again", "I live in Rome"], False),
    ],
)
def test_a_play_goes_on_until_it_is_ended_or_long_past(said: list[str], is_played: bool) -> None:
    assert plays_a_part(said) is is_played


@pytest.mark.parametrize(
    ("typed", "fact"),
    [
        # somebody who must know told it, or it turned out
        ("My dentist just told me that I grind my teeth at night.", "User grinds User's teeth at night."),
        ("I'm a welder, and my allergy test says I'm allergic to cashews.", "User is allergic to cashews."),
        ("According to my optician, I am colorblind", "User is colorblind."),
        ("It turned out I'm allergic to cashews", "User is allergic to cashews."),
        ("I've only recently found out that I'm a twin", "User is a twin."),
        # we, and what is ours
        ("We've got two geckos named Ping and Pong", "User has got two geckos named Ping and Pong."),
        ("We live on a farm near Kiel.", "User lives on a farm near Kiel."),
        ("We keep bees and goats", "User keeps bees and goats."),
        ("We both own cats", "User owns cats."),
        ("Our spaniel is called Wolke", "User's spaniel is called Wolke."),
        # for oneself; how it ended
        ("I bought myself a cello last spring", "User bought a cello last spring."),
        ("I ended up with two kittens", "User ended up with two kittens."),
        ("I decided to become a midwife", "User decided to become a midwife."),
        ("I adopted a beagle", "User adopted a beagle."),
        ("I taught myself Python", "User learned Python."),
        ("We're from Ghent", "User is from Ghent."),
        ("We are both vegetarian", "User is vegetarian."),
        # what stands behind it
        ("My favourite film's got to be Heat, don't judge me", "User's favourite film is Heat."),
        ("I can't stand coriander, tastes of soap", "User cannot stand coriander."),
        ("I hate celery, ugh", "User hates celery."),
        ("I'm a welder, for my sins", "User is a welder."),
        # what leads up to it
        ("Apparently I am colorblind", "User is colorblind."),
        ("Ever since school I've played the cello", "User has played the cello ever since school."),
        ("Since I was ten I have played the cello", "User has played the cello since User was ten."),
        ("Lately I've been into pottery", "User has been into pottery lately."),
        ("These days I mostly knit socks", "User mostly knits socks."),
        ("To be honest, I can't stand coriander", "User cannot stand coriander."),
        ("By the way I happen to be left-handed", "User is left-handed."),
        # the other way round
        ("What I really love is fencing", "User loves fencing."),
        ("The thing I hate most is traffic", "User hates traffic."),
        ("I like tea!My sister Anna is a pilot.", "User's sister Anna is a pilot."),
        # in place of what is taken back
        ("My favourite colour is not blue but green", "User's favourite colour is green."),
        ("I no longer work at Google", "User does not work at Google."),
        ("I am not a fan of rain", "User is not a fan of rain."),
    ],
)
def test_what_stands_around_a_statement_is_no_part_of_the_fact(typed: str, fact: str) -> None:
    assert fact in facts(typed)


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
    assert [fact for fact in facts(typed) if "called Bob" in fact] == []


@pytest.mark.parametrize("typed", ["My name is Bob", "I am not tired, but it is late", "It is not that I mind"])
def test_where_nothing_is_taken_back_nothing_changes(typed: str) -> None:
    assert unwrap(typed).split() == typed.split()


@pytest.mark.parametrize(
    "typed",
    [
        "My friend says he has asthma",
        "My sister says I have asthma",
        "My doctor says he has asthma",
        "My doctor says I might have asthma",
        "My doctor does not think I have asthma",
        "My doctor asked whether I have asthma",
        "If my doctor says I have asthma, what then?",
        "Does my doctor think I have asthma?",
        "Imagine my doctor says I have asthma.",
        "The doctor on TV says I have asthma",
        "Turns out I was wrong",
        "It turns out she is allergic to nuts",
        "We could get a cat",
        "Do we have a cat?",
        "You told me we have a cat",
        "I wish we had a cat",
        "If we have a cat, it must be grey",
        "We live in a strange world",
        "Our meeting went well",
        "Our order never arrived",
        "I got myself into trouble",
        "What I love about it is the colour",
        "Ever since then I've wondered",
        "I was convicted that it was fine",
        "I own a helicopter, just kidding",
        "I own a helicopter lol jk",
        "I own a helicopter. That was a lie.",
    ],
)
def test_what_is_not_said_of_oneself_in_earnest_gives_nothing(typed: str) -> None:
    known = [one.text for one in told_by(Reader(), typed) if not (one.topic or unknown_in(one.text, {}))]
    assert (known, stated(typed)) == ([], ())


def test_what_a_doctor_says_is_read_for_the_profile_where_it_stands() -> None:
    typed = "Hello. My doctor says I have asthma."
    (one,) = stated(typed)
    assert (one.field, one.value, typed[one.start : one.end]) == ("health", "asthma", "I have asthma")
    assert told_by_healers("My dentist told me I grind my teeth. I have a dog.") == ["I grind my teeth"]


def test_a_name_with_a_full_stop_in_it_is_one_word() -> None:
    assert facts("I use Node.js and ASP.NET.") == ["User uses Node.js and ASP.NET."]


@pytest.mark.parametrize(
    ("typed", "is_taken_back"),
    [
        ("That was a lie", True),
        ("haha I was only joking.", True),
        ("Sorry, I made that up!", True),
        ("That was a joke about the helicopter", True),
        ("Was that a joke?", False),
        ("That is a lie", False),
        ("I was joking with Anna about the boss", False),
        ("My brother lied to me", False),
    ],
)
def test_only_a_message_that_says_no_more_takes_back_the_one_before(typed: str, is_taken_back: bool) -> None:
    assert takes_back(typed) is is_taken_back


_PIECES = (
    "I|am|my doctor says|we|have|a cat|our|dog|.|\n|,|what I love is|I happen to be|jk|that"
    "|is|isn't|not|no longer|Bob|but|it's|no|said"
)


@given(st.lists(st.sampled_from(_PIECES.split("|"))).map(" ".join))
def test_every_word_that_stays_keeps_its_place(text: str) -> None:
    assert len(unwrap(text)) == len(text)
