"""The writing rules: what a fact looks like, that it is grounded, and when two say the same. All sentences are made up here."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.domain import writing
from memapp.domain.writing import as_fact, check_fact, check_form, check_tags, is_duplicate, normalise, own_words


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
    ("problem", "fact"),
    [
        (writing.EMPTY, ""),
        (writing.EMPTY, " ... "),
        (writing.TOO_LONG, "User likes " + "tea and " * 40 + "milk."),
        (writing.NOT_ONE_SENTENCE, "User likes tea. User likes milk."),
        (writing.NO_FULL_STOP, "User likes tea"),
        (writing.NO_FULL_STOP, "User likes tea!"),
        (writing.PRONOUN, "User likes my tea."),
        (writing.PRONOUN, "User said he likes tea."),
        (writing.PRONOUN, "User likes its taste."),
        (writing.VAGUE, "User likes this."),
        (writing.VAGUE, "User lives there."),
        (writing.VAGUE, "User likes the red one."),
        (writing.NOT_ABOUT_USER, "Tea is nice."),
    ],
)
def test_a_sentence_against_the_form_is_refused(problem: str, fact: str) -> None:
    assert problem in check_form(fact)


@pytest.mark.parametrize(
    "fact", ["User lives in St. Ives.", "User works in IT.", "User works in a gold mine.", "User moved to Bonn this year."]
)
def test_names_and_abbreviations_are_no_pronouns_and_end_no_sentence(fact: str) -> None:
    assert check_form(fact) == []


@pytest.mark.parametrize(
    ("problem", "typed", "fact"),
    [
        (writing.NOT_GROUNDED, "I have a dog.", "User has a dog named Bella."),
        (writing.NOT_GROUNDED, "I feel sick today.", "User has influenza."),
        (writing.SAYS_NOTHING, "I am.", "User is User."),
        (writing.NEGATION, "I don't eat fish.", "User eats fish."),
        (writing.NEGATION, "I eat fish.", "User does not eat fish."),
        (writing.NEGATION, "I never smoke cigars.", "User smokes cigars."),
        (writing.REARRANGED, "I like cats but I don't like dogs.", "User does not like cats but likes dogs."),
        (writing.NUMBERS_DIFFER, "I have two cats and three dogs.", "User has two dogs."),
        (writing.NOT_GROUNDED, "I have two cats.", "User has three cats."),
        (writing.CERTAINTY, "I used to smoke a pipe.", "User smokes a pipe."),
        (writing.CERTAINTY, "I want to live in Malta.", "User lives in Malta."),
        (writing.CERTAINTY, "If I had a boat I would sail to Crete.", "User sails to Crete."),
        (writing.CERTAINTY, "Maybe I am allergic to bees.", "User is allergic to bees."),
        (writing.CERTAINTY, "My doctor says I have asthma.", "User has asthma."),
        (writing.TENSE, "I lived in Kyoto.", "User lives in Kyoto."),
        (writing.TENSE, "I was a pilot.", "User is a pilot."),
        (writing.TENSE, "I had a parrot.", "User has a parrot."),
        (writing.SOMEBODY_ELSE, "My sister lives in Turin.", "User lives in Turin."),
        (writing.SOMEBODY_ELSE, "I have a friend who collects stamps.", "User collects stamps."),
        (writing.SOMEBODY_ELSE, "Anna's dog barks.", "User's dog barks."),
        (writing.REARRANGED, "My dog bit the postman.", "The postman bit User's dog."),
        (writing.REARRANGED, "I moved from Lyon to Ghent.", "User moved to Lyon from Ghent."),
        (writing.QUESTION, "Do I own a bicycle?", "User owns a bicycle."),
        (writing.NOT_GROUNDED, 'He told me: "I am a thief and I rob banks at night".', "User robs banks."),
        (writing.NOT_GROUNDED, "> I am a plumber\nIs this sentence fine?", "User is a plumber."),
    ],
)
def test_a_sentence_that_says_something_else_than_what_was_typed_is_refused(problem: str, typed: str, fact: str) -> None:
    assert problem in check_fact(fact, typed)


def test_one_to_five_short_noun_phrases_are_tags() -> None:
    assert check_tags(["sister Anna", "Oslo"]) == []
    assert check_tags(["Lord of the Rings"]) == []


@pytest.mark.parametrize(
    "tags",
    [
        [],
        ["a", "b", "c", "d", "e", "f"],
        ["tea", "Tea"],
        ["User likes tea a lot"],
        ["my dog"],
        ["of the"],
        ["tea, milk"],
        ["x" * 60],
        [""],
        ["tea."],
    ],
)
def test_other_things_are_no_tags(tags: list[str]) -> None:
    assert check_tags(tags) != []


@pytest.mark.parametrize(
    "written",
    ["The user likes tea", '"User likes tea."', "- User likes tea.", "Fact: User likes tea..", "1. The user  likes\ntea!"],
)
def test_a_sentence_of_a_model_is_tidied(written: str) -> None:
    assert as_fact(written) == "User likes tea."


def test_a_question_is_not_made_a_statement_by_tidying() -> None:
    assert check_form(as_fact("Does the user like tea?")) != []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User likes tea.", "user likes  TEA"),
        ("User likes hiking.", "User likes to hike."),
        ("User has two cats.", "User has 2 cats."),
        ("User does not eat fish.", "User doesn't eat fish."),
        ("User's favorite color is teal.", "User's favourite colour is teal."),
        ("User really loves the sea.", "User loves sea."),
    ],
)
def test_the_same_fact_in_nearly_the_same_words_is_a_duplicate(one: str, other: str) -> None:
    assert is_duplicate(one, ["User has a boat.", other]) == other


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User likes cats.", "User does not like cats."),
        ("User likes cats.", "User likes bats."),
        ("User likes cats.", "User liked cats."),
        ("User has two cats.", "User has three cats."),
        ("User has a dog named Max.", "User has a dog named Rex."),
        ("User moved from Lyon to Ghent.", "User moved from Ghent to Lyon."),
        ("User used to smoke.", "User smokes."),
        ("User likes C++.", "User likes C#."),
        ("User's sister lives in Turin.", "User lives in Turin."),
    ],
)
def test_similar_facts_are_no_duplicates(one: str, other: str) -> None:
    assert is_duplicate(one, [other]) is None


def test_normal_text_keeps_numbers_and_other_scripts() -> None:
    assert normalise("User weighs 72.5 kg!") != normalise("User weighs 725 kg.")
    assert normalise("Él habla español. 日本語も。") == normalise("él  habla español 日本語も。")


def test_code_quotes_links_and_speech_are_not_the_persons_own_words() -> None:
    typed = (
        'I like `rm -rf`.\n```\nI am code\n```\n> I am quoted\nSee https://a.example/x and she said "I am so very tired of it".'
    )
    words = own_words(typed)
    for foreign in ("rm", "code", "quoted", "example", "tired"):
        assert foreign not in words


def test_a_short_title_in_quotes_stays() -> None:
    assert check_fact("User loves War and Peace.", 'I love "War and Peace".') == []


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_can_be_checked(text: str, evidence: str) -> None:
    assert isinstance(check_fact(text, evidence), list)
    assert isinstance(check_fact(f"User {text}.", f"I {evidence} {text}"), list)
    assert normalise(normalise(text)) == normalise(text)
