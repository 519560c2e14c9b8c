"""A fact says only what the person typed. All sentences are made up here."""

import pytest

from memapp.language.english import grounding
from memapp.language.english.writing import check_fact


@pytest.mark.parametrize(
    ("typed", "fact"),
    [
        ("I'm vegetarian.", "User is vegetarian."),
        ("i live in Porto and work as a welder", "User works as a welder."),
        ("My brother Ivo plays the cello.", "User's brother Ivo plays the cello."),
        ("I don't eat fish.", "User does not eat fish."),
        ("I have two parrots and three ferrets.", "User has two parrots and three ferrets."),
        ("I have two parrots.", "User has 2 parrots."),
        ("My favourite colour is teal.", "User's favorite color is teal."),
        ("On Tuesdays I fence with a club.", "User fences with a club on Tuesdays."),
        ("Please call me Zoe.", "User is called Zoe."),
        ("I moved from Lyon to Ghent in 2019.", "User moved from Lyon to Ghent in 2019."),
        ("I work in IT in the US.", "User works in IT in the US."),
    ],
)
def test_a_sentence_made_of_what_was_typed_passes(typed: str, fact: str) -> None:
    assert check_fact(fact, typed) == []


@pytest.mark.parametrize(
    ("problem", "typed", "fact"),
    [
        (grounding.NOT_GROUNDED, "I have a dog.", "User has a dog named Bella."),
        (grounding.NOT_GROUNDED, "I feel sick today.", "User has influenza."),
        (grounding.SAYS_NOTHING, "I am.", "User is User."),
        (grounding.NEGATION, "I don't eat fish.", "User eats fish."),
        (grounding.NEGATION, "I eat fish.", "User does not eat fish."),
        (grounding.NEGATION, "I never smoke cigars.", "User smokes cigars."),
        (grounding.REARRANGED, "I like cats but I don't like dogs.", "User does not like cats but likes dogs."),
        (grounding.NUMBERS_DIFFER, "I have two cats and three dogs.", "User has two dogs."),
        (grounding.NOT_GROUNDED, "I have two cats.", "User has three cats."),
        (grounding.CERTAINTY, "I used to smoke a pipe.", "User smokes a pipe."),
        (grounding.CERTAINTY, "I want to live in Malta.", "User lives in Malta."),
        (grounding.CERTAINTY, "If I had a boat I would sail to Crete.", "User sails to Crete."),
        (grounding.CERTAINTY, "Maybe I am allergic to bees.", "User is allergic to bees."),
        (grounding.CERTAINTY, "My friend says I have asthma.", "User has asthma."),
        (grounding.TENSE, "I lived in Kyoto.", "User lives in Kyoto."),
        (grounding.TENSE, "I was a pilot.", "User is a pilot."),
        (grounding.TENSE, "I had a parrot.", "User has a parrot."),
        (grounding.SOMEBODY_ELSE, "My sister lives in Turin.", "User lives in Turin."),
        (grounding.SOMEBODY_ELSE, "I have a friend who collects stamps.", "User collects stamps."),
        (grounding.SOMEBODY_ELSE, "Anna's dog barks.", "User's dog barks."),
        (grounding.REARRANGED, "My dog bit the postman.", "The postman bit User's dog."),
        (grounding.REARRANGED, "I moved from Lyon to Ghent.", "User moved to Lyon from Ghent."),
        (grounding.QUESTION, "Do I own a bicycle?", "User owns a bicycle."),
        (grounding.NOT_GROUNDED, 'He told me: "I am a thief and I rob banks at night".', "User robs banks."),
        (grounding.NOT_GROUNDED, "> I am a plumber\nIs this sentence fine?", "User is a plumber."),
    ],
)
def test_a_sentence_that_says_something_else_than_what_was_typed_is_refused(problem: str, typed: str, fact: str) -> None:
    assert problem in check_fact(fact, typed)
