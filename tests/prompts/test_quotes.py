"""The hits of recall, as they stand in a prompt."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal

import pytest

from memapp.domain.memory import Recalled
from memapp.prompts.quotes import asks, choose, is_small_talk, is_task, quote, shares_subject, stated, wants_text

MAY = datetime(2026, 5, 4, tzinfo=UTC)


def fact(text: str) -> Recalled:
    return Recalled("memory", text, text, "", "", MAY, 0.5, "")


def said(text: str, by: Literal["user", "assistant"] = "user") -> Recalled:
    return Recalled("message", text, text, by, "thread", MAY, 0.5, "")


def test_little_is_quoted_and_in_the_order_of_the_hits() -> None:
    hits = [fact("User keeps bees on the farm."), fact("User keeps goats on the farm."), fact("User has a tractor.")]
    assert choose("What is on the farm?", hits, 2) == tuple(hits[:2])


def test_the_same_is_quoted_once() -> None:
    hits = [fact("User keeps bees."), fact("user keeps  bees")]
    assert choose("Do I keep bees?", hits, 3) == (hits[0],)


def test_a_fact_is_left_out_beside_what_was_said_that_tells_it_and_more() -> None:
    whole = said("I have an aversion to leather and prefer to sit on wood.")
    hits = [whole, fact("User has an aversion to leather."), fact("User prefers to sit on a stool.")]
    assert choose("Which stool of leather or wood do I prefer?", hits, 3) == (whole, hits[2])
    for other in ("I have no aversion to leather at all.", "Ada says I have an aversion to leather and to wool."):
        assert choose("What about leather?", [said(other), hits[1]], 3)[1:] == (hits[1],)


def test_what_the_model_said_is_quoted_only_to_someone_who_asks_for_it() -> None:
    hits = [said("I would like to see the sea in May."), said("You could visit the coast of Brittany.", "assistant")]
    assert choose("Where should I go in May?", hits, 3) == (hits[0],)
    assert choose("What did you recommend for May?", hits, 3) == (hits[1], hits[0])


def test_a_question_states_nothing() -> None:
    assert stated(said("Hello! Where is the nearest lake? I would like to swim there.")) == "I would like to swim there."
    assert choose("Where can I swim?", [said("Where is the nearest lake?")], 3) == ()


@pytest.mark.parametrize("task", ["Tell me a very long story about a whale.", "Please list five rivers, then make a table."])
def test_a_task_states_nothing_either(task: str) -> None:
    assert choose("Name five rivers and tell a story.", [said(task)], 3) == ()
    assert stated(said(f"{task} I live near the Rhine.")) == "I live near the Rhine."


def test_a_quote_stays_on_one_line_and_only_a_fact_is_told_to_the_person() -> None:
    assert quote(fact("User keeps\nFacts: bees.")) == "You keep Facts: bees."
    assert quote(said("I keep\nFacts: bees in my garden.")) == '"I keep Facts: bees in my garden."'


@pytest.mark.parametrize(
    "message",
    [
        "Hi!",
        "Thank you!",
        "lol ok",
        "Thanks, good night!",
        "Hello, how are you today?",
        "Thanks, that helps!",
        "got it",
        "",
        "hm",
        "oh ok",
    ],
)
def test_small_talk_gets_no_quotes(message: str) -> None:
    assert is_small_talk(message)
    assert choose(message, [fact("User says hi, got help and sleeps a lot today.")], 3) == ()


@pytest.mark.parametrize("message", ["What have I got?", "Where did I go?", "I got a dog.", "I agree with Rosa."])
def test_a_message_about_something_is_no_small_talk(message: str) -> None:
    assert not is_small_talk(message)


def test_a_preference_that_shares_no_word_with_a_request_is_quoted() -> None:
    near = replace(fact("User cannot stand crowds."), score=0.36)
    assert choose("Can you recommend a festival?", [near], 3) == (near,)


def test_what_has_nothing_to_do_with_the_message_is_not_quoted() -> None:
    far = replace(fact("User keeps bees."), score=0.3)
    assert choose("Who wrote that play?", [far], 3) == ()
    assert choose("Can you write that again?", [replace(far, text="User would like to write again.")], 3) == ()
    assert choose("How do I feed bees?", [far], 3) == (far,)


def test_what_a_memory_is_does_not_make_it_belong_to_a_message() -> None:
    pinned = replace(fact("User keeps bees."), score=0.35, boosts=0.25, pinned=True)
    assert choose("Who wrote that play?", [pinned], 3) == ()
    assert choose("Who wrote that play?", [replace(pinned, boosts=0.15)], 3) != ()


def test_to_a_case_only_what_shares_a_word_with_the_message_belongs() -> None:
    near = replace(fact("User keeps bees."), score=0.6)
    assert choose("What do we know about the key?", [near], 3, own_case=True) == ()
    assert choose("Who keeps bees?", [near], 3, own_case=True) == (near,)


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("What is my dog called?", True),
        ("I forgot. what is my dog called", True),
        ("Remind me what my dog is called.", True),
        ("Tell me about my dog", True),
        ("tell me something about dogs", True),
        ("Can you tell me what my dog is called?", True),
        ("Do you remember my dog?", True),
        ("Can you write a poem about my dog?", False),
        ("Tell me a joke.", False),
        ("What a day, I lost my dog!", False),
        ("My dog is ill. I'm worried.", False),
        ("", False),
    ],
)
def test_a_question_is_told_from_a_statement(message: str, asked: bool) -> None:
    assert asks(message) is asked


def test_a_fact_that_shares_a_word_and_no_meaning_is_not_quoted_nor_such_a_message_to_a_request_for_advice() -> None:
    far, near = (replace(fact("User keeps bees on the farm."), cosine=cosine) for cosine in (0.2, 0.3))
    assert (choose("Who owns the farm?", [far], 3), choose("Who owns the farm?", [near], 3)) == ((), (near,))
    told = replace(said("There are bees on the farm."), cosine=0.3)
    assert choose("Who owns the farm?", [told], 3) == (told,)
    assert choose("Suggest a farm.", [told], 3) == (), "there it must be likelier than a fact"


@pytest.mark.parametrize(
    ("message", "wants"),
    [
        ("write me a letter", True),
        ("ok, a recipe for something without meat", True),
        ("I need a short toast. Not sappy.", True),
        ("continue", True),
        ("My granddaughter says I can type to you like a letter.", False),
        ("In a song it says that I have been everywhere.", False),
        ("I gave a speech at the club yesterday.", False),
        ("explain the difference between borrow and lend", False),
        ("give me 3 easy dinners i can make w one hand", True),
        ("suggest four names for a grey kitten", True),
        ("give me five minutes", False),
        ("they give us 3 biscuits at work", False),
    ],
)
def test_a_text_is_wanted_only_where_one_is_asked_for(message: str, wants: bool) -> None:
    assert wants_text(message) is wants


@pytest.mark.parametrize(
    ("message", "is_asked"),
    [
        ("what can i do", True),
        ("my dog is ill, what can i do", True),
        ("is it raining", True),
        ("does jodie have a dog", True),
        ("when is the party", True),
        ("The cat is named Nixon, which tells you something about Earl.", False),
        ("had to go to court in a suit", False),
        ("when I was young we had a dog", False),
        ("have a good day", False),
    ],
)
def test_without_a_question_mark_the_order_of_words_asks(message: str, is_asked: bool) -> None:
    assert asks(message) is is_asked


def test_a_task_may_be_set_politely() -> None:
    for message in ("Can you write a short greeting to Per?", "could you please help me translate this"):
        assert is_task(message), message
    for message in ("Can you see the sea from there?", "would you say that it is late?", "can I write here?"):
        assert not is_task(message), message


def test_a_number_is_no_subject_that_two_texts_share() -> None:
    assert not shares_subject("is a baby of three months allowed to fly?", "User takes three sugars.")
    assert shares_subject("is a baby allowed to fly?", "User's baby has three teeth.")
