"""What a fact bears on, by rule."""

import pytest

from memapp.language.english.life_domains import (
    disliked_in,
    domains_of,
    is_constraint,
    is_request,
    kept_out_by,
    serves,
    touches_food,
)


def test_a_keyword_names_the_domain_that_it_bears_on() -> None:
    assert domains_of("allergies") == ["food"]


@pytest.mark.parametrize(
    ("fact", "foods"),
    [
        ("User is allergic to walnuts.", {"walnut"}),
        ("User does not eat shrimp or mango.", {"shrimp", "mango"}),
        ("User never drinks milk any more.", {"milk"}),
        ("User's daughter Lena is allergic to soya.", {"soya"}),
        ("User loves walnuts.", set()),
    ],
)
def test_a_fact_tells_which_food_is_not_to_be_given(fact: str, foods: set[str]) -> None:
    assert kept_out_by(fact) == foods


@pytest.mark.parametrize(
    ("fact", "food", "fine"),
    [
        ("User does not eat fish.", "salmon", "beef"),
        ("User has a nut allergy.", "cashew", "milk"),
        ("User is vegetarian.", "chicken", "cheese"),
        ("I am vegan.", "cheese", "bean"),
        ("User has coeliac disease.", "bread", "rice"),
    ],
)
def test_a_kind_of_food_stands_for_all_that_is_of_it(fact: str, food: str, fine: str) -> None:
    assert serves(f"Try it with {food}.", kept_out_by(fact))
    assert not serves(f"Try it with {fine}.", kept_out_by(fact))


@pytest.mark.parametrize(
    ("typed", "food"),
    [
        ("recipe please, no mushrooms pls, can't stand olives", "Add the olives."),
        ("recipe please, no mushrooms pls, can't stand olives", "Fry some mushrooms."),
        ("give me a pasta recipe but no cheese, i find it disgusting", "Grate the parmesan."),
        ("I do not like spicy food or coriander, what should I cook?", "Top it with coriander."),
        ("I hate fish and I love rice, dinner ideas?", "Try salmon."),
    ],
)
def test_what_somebody_does_not_want_to_eat_is_not_served(typed: str, food: str) -> None:
    assert serves(food, disliked_in(typed))


@pytest.mark.parametrize(
    "typed",
    [
        "I hate cooking, quick dinner ideas?",
        "there's no bread left, what can I bake?",
        "a no bake cheesecake recipe please",
        "I hate to cook but I need a dinner",
        "dinner ideas, I have no time",
        "I don't want to spend more than 20 minutes on dinner",
        "I love olives, any recipe?",
    ],
)
def test_what_is_no_dislike_of_a_food_keeps_nothing_out(typed: str) -> None:
    assert disliked_in(typed) == frozenset()


def test_who_keeps_no_diet_any_longer_may_be_given_anything() -> None:
    assert not kept_out_by("User is no longer vegetarian.") | kept_out_by("User is not vegan.")


def test_a_sentence_that_leaves_a_food_out_does_not_serve_it() -> None:
    assert serves("Try a walnut loaf.", frozenset({"walnut"}))
    assert not serves("Bake it without walnuts.", frozenset({"walnut"}))
    assert not serves("Try a rye loaf.", frozenset({"walnut"}))


@pytest.mark.parametrize("said", ["I find crowded rooms unsettling.", "User finds podcasts unengaging.", "I avoid lifts."])
def test_what_somebody_avoids_or_minds_keeps_them_from_it(said: str) -> None:
    assert is_constraint(said)
    assert not is_constraint("I find peace in the woods.")


def test_who_drinks_too_much_does_not_speak_of_food() -> None:
    assert touches_food("what drinks go with curry?") and touches_food("i need a drink with that soup")
    assert not any(
        map(touches_food, ("my wife lost her mum to the drink last spring", "he has a drink problem", "back on the drink"))
    )


def test_what_makes_somebody_feel_something_asks_for_nothing() -> None:
    assert is_request("make me a plan for the week") and is_request("give me ideas")
    assert not is_request("my pills make me dizzy")
