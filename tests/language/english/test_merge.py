"""What a new fact is to a stored one. All sentences are made up here; the numbers are their likeness by the bundled model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.language.english.merge import MERGE_BANDS, Bands, MergeVerdict, compare, holds_both, richer

CONTRADICTIONS = [
    ("User lives in Oslo.", "User lives in Bergen.", 0.67),
    ("User now lives in Lyon.", "User lives in Ghent.", 0.52),
    ("User likes coffee.", "User does not like coffee.", 0.86),
    ("User hates coffee.", "User loves coffee.", 0.85),
    ("User has two cats.", "User has three cats.", 0.95),
    ("User works as a nurse.", "User works as a teacher.", 0.65),
    ("User is a nurse.", "User is not a nurse.", 0.91),
    ("User is vegetarian.", "User is not vegetarian.", 0.96),
    ("User is married.", "User is single.", 0.64),
    ("User is 31 years old.", "User is 30 years old.", 0.96),
    ("User's favorite color is teal.", "User's favourite colour is red.", 0.60),
    ("User is called Ana.", "User is called Zoe.", 0.68),
    ("User's birthday is in May.", "User's birthday is in June.", 0.91),
    ("User no longer eats meat.", "User eats meat.", 0.90),
    ("User quit User's job at Google.", "User works at Google.", 0.70),
    ("User quit the job at Google.", "User works at Google.", 0.70),
    ("User does not work at Google.", "User works at Google.", 0.87),
    ("User quit smoking.", "User smokes.", 0.76),
    ("User stopped playing chess.", "User plays chess.", 0.81),
    ("User used to live in Oslo.", "User lives in Oslo.", 0.94),
    ("User eats fish.", "User never eats fish.", 0.89),
    ("User is left-handed.", "User is right-handed.", 0.98),
    ("User has no children.", "User has two children.", 0.74),
    ("User does not have a dog.", "User has a dog.", 0.83),
    ("User works for Google.", "User works for Siemens.", 0.47),
    ("User's wife works as a baker.", "User's wife works as a judge.", 0.62),
    ("User's sister Mira lives in Ghent.", "User's sister Mira lives in Bonn.", 0.72),
    ("User can swim.", "User cannot swim.", 0.93),
    ("Pizza is User's favorite food.", "User's favorite food is sushi.", 0.64),
    ("User eats red meat.", "User does not eat meat.", 0.81),
    ("User speaks two languages.", "User speaks three languages.", 0.91),
    ("User is not allergic to nuts.", "User is allergic to nuts.", 0.97),
    ("User runs 10 km every day.", "User runs 5 km every day.", 0.93),
    ("User is retired.", "User is employed.", 0.57),
    ("User lives in Valencia with User's cousin.", "User lives in Turin.", 0.54),
    ("User's husband works as a plumber.", "User's husband works as a chef.", 0.68),
    ("User has four grandchildren.", "User has three grandchildren.", 0.94),
    ("User does not drink alcohol.", "User drinks alcohol.", 0.78),
    ("User loathes opera.", "User enjoys opera.", 0.86),
    ("User can drive.", "User cannot drive.", 0.83),
    ("User is divorced.", "User is married to Paul.", 0.58),
    ("User's nickname is Kit.", "User's nickname is Bo.", 0.60),
    ("User's favorite season is autumn.", "User's favorite season is spring.", 0.83),
    ("User is currently based in Nairobi.", "User lives in Kampala.", 0.73),
    ("User no longer plays the violin.", "User plays the violin.", 0.80),
    ("User quit drinking coffee.", "User drinks coffee every morning.", 0.68),
    ("User is not religious.", "User is religious.", 0.96),
    ("User has no siblings.", "User has one sibling.", 0.84),
    ("User owns one horse.", "User owns two horses.", 0.94),
    ("User sleeps six hours a night.", "User sleeps eight hours a night.", 0.89),
    ("User never swims in the sea.", "User swims in the sea.", 0.79),
    ("User's mother is 70 years old.", "User's mother is 68 years old.", 0.97),
    ("User is a smoker.", "User is not a smoker.", 0.95),
    ("User used to own a boat.", "User owns a boat.", 0.92),
    ("User is allergic to cats.", "User is not allergic to cats.", 0.97),
    ("User works at Nokia.", "User works at Ericsson.", 0.62),
    ("User has a garden.", "User does not have a garden.", 0.86),
    ("User's hair is red.", "User's hair is black.", 0.77),
    ("User stopped eating sugar.", "User eats sugar.", 0.82),
    ("User works as an accountant in Leeds.", "User works as a gardener.", 0.40),
]
SEPARATE = [
    ("User swims a mile twice a week.", "User swims a mile twice a day.", 0.97),
    ("User likes jazz but not opera.", "User likes opera but not jazz.", 0.97),
    ("User is training for a marathon in May.", "User is training for a marathon in October.", 0.86),
    ("User has a cat.", "User has two cats.", 0.89),
    ("User was born in Porto.", "User was born in Lisbon.", 0.83),
    ("User is from Chile.", "User is from Peru.", 0.81),
    ("User likes tea.", "User likes coffee.", 0.73),
    ("User has a cat.", "User has a dog.", 0.75),
    ("User wants a dog.", "User has a dog.", 0.88),
    ("User has dogs.", "User likes dogs.", 0.85),
    ("User's sister is a nurse.", "User is a nurse.", 0.80),
    ("User's sister likes tea.", "User's brother likes tea.", 0.88),
    ("User's sister lives in Oslo.", "User's sister lives in Bergen.", 0.71),
    ("User lived in Oslo.", "User lives in Oslo.", 0.94),
    ("User lives in a small house.", "User lives in Oslo.", 0.54),
    ("User has a cat allergy.", "User has a cat.", 0.75),
    ("User likes hot dogs.", "User likes dogs.", 0.81),
    ("User plays the guitar.", "User plays the piano.", 0.64),
    ("User does not eat red meat.", "User eats meat.", 0.82),
    ("User does not eat red meat.", "User does not eat meat.", 0.91),
    ("User ran a marathon in 2019.", "User ran a marathon in 2020.", 0.93),
    ("User visited Paris.", "User visited Rome.", 0.69),
    ("User speaks French.", "User speaks German.", 0.76),
    ("User is a mother.", "User is a nurse.", 0.59),
    ("User has a brother named Ivo.", "User has a brother named Max.", 0.69),
    ("User flew from Oslo to Bergen.", "User flew from Bergen to Oslo.", 1.00),
    ("User likes dogs more than cats.", "User likes cats more than dogs.", 1.00),
    ("User likes coffee ice cream.", "User does not like coffee.", 0.72),
    ("User also works as a model.", "User works as a nurse.", 0.57),
    ("User likes red wine with fish.", "User loves white wine.", 0.71),
    ("User's dog is called Rex.", "User's dog is called Max.", 0.66),
    ("User dislikes running.", "User likes swimming.", 0.41),
    ("User's favorite movie is Jaws.", "User's favorite book is Dune.", 0.48),
    ("User works in the morning.", "User works at night.", 0.83),
    ("User lives in Oslo.", "User works in Oslo.", 0.92),
    ("User won two medals in 2010.", "User won three medals in 2012.", 0.87),
    ("User might move to Oslo.", "User moved to Oslo.", 0.87),
    ("User has two cats and three dogs.", "User has three cats and two dogs.", 1.00),
    ("User has a tattoo of a cat.", "User has a cat.", 0.82),
    ("User likes jazz.", "User likes opera.", 0.43),
    ("User's aunt lives in Rome.", "User's uncle lives in Rome.", 0.89),
    ("User is learning Polish.", "User speaks Polish.", 0.81),
    ("User plans to visit Iceland.", "User visited Iceland.", 0.79),
    ("User has a motorbike.", "User sold User's motorbike.", 0.79),
    ("User read two books in May.", "User read three books in June.", 0.84),
    ("User studied biology in Graz.", "User studied physics in Graz.", 0.71),
    ("User collects stamps.", "User collects coins.", 0.65),
    ("User is afraid of heights.", "User is afraid of dogs.", 0.61),
    ("User volunteers at a shelter.", "User adopted a dog from a shelter.", 0.53),
    ("User's brother is a pilot.", "User's father is a pilot.", 0.82),
    ("User cooks for User's wife.", "User's wife cooks for User.", 0.98),
    ("User likes cycling before breakfast.", "User likes cycling after breakfast.", 0.98),
    ("User bakes bread.", "User bakes cakes.", 0.76),
    ("User has two sons.", "User has two daughters.", 0.81),
    ("User dislikes cold weather.", "User likes hot weather.", 0.80),
    ("User likes dancing.", "User's sister likes dancing.", 0.78),
    ("User moved from Rome to Milan.", "User moved from Milan to Rome.", 1.00),
    ("User does not like fish soup.", "User likes fish.", 0.72),
    ("User has a sailing licence.", "User likes sailing.", 0.77),
    ("User is good at chess.", "User is bad at maths.", 0.50),
    ("User works in marketing.", "User works on weekends.", 0.52),
    ("User lives near the sea.", "User lives in Split.", 0.42),
    ("User teaches math.", "User studies math.", 0.78),
    ("User would like to learn the harp.", "User plays the harp.", 0.82),
    ("User has a brother in Peru.", "User has a brother in Chile.", 0.83),
    ("User likes to play cards, watch horror films, and sing.", "User likes to watch films.", 0.7),
    ("User plays cards, bowls and chess.", "User likes chess.", 0.6),
    ("User met Ana, Ivo and Tom.", "User met Tom.", 0.8),
    ("User's sister-in-law is a potter.", "User has a sister.", 0.68),
    ("User's garden shed leaks.", "User has a garden.", 0.7),
    ("User's cat was called Tom.", "User has a cat.", 0.8),
    ("User's cat is called Tom.", "User has two cats.", 0.8),
    ("User's neighbour has a boat.", "User has a boat.", 0.8),
]
UPDATES = [
    ("User lives in Oslo, Norway.", "User lives in Oslo.", 0.94),
    ("User has a dog named Rex.", "User has a dog.", 0.75),
    ("User has two black cats.", "User has two cats.", 0.91),
    ("User plays the piano every evening.", "User plays the piano.", 0.83),
    ("User works as a nurse in Bergen.", "User works as a nurse.", 0.75),
    ("User works as a pediatric nurse.", "User works as a nurse.", 0.86),
    ("User's sister Mira lives in Ghent.", "User's sister lives in Ghent.", 0.89),
    ("User has three dogs.", "User has dogs.", 0.86),
    ("User likes hiking in the mountains.", "User likes hiking.", 0.91),
    ("User is allergic to peanuts and eggs.", "User is allergic to peanuts.", 0.91),
    ("User has a parrot called Kiki.", "User has a parrot.", 0.80),
    ("User runs every morning before work.", "User runs.", 0.70),
    ("User enjoys painting landscapes with watercolors.", "User enjoys painting landscapes.", 0.92),
    ("User's brother Ivo plays the cello.", "User's brother plays the cello.", 0.93),
    ("User lives in Graz, Austria.", "User lives in Graz.", 0.77),
    ("User has two young daughters.", "User has two daughters.", 0.97),
    ("User has been learning Polish since around 2023.", "User is learning Polish.", 0.79),
    ("User likes to play cards, watch horror films, and sing with friends.", "User likes to watch horror films.", 0.78),
    ("User has a dog, two hens and a parrot.", "User has a dog.", 0.66),
    ("User's sister is also a potter.", "User has a sister.", 0.68),
    ("User's best friend Ivo lives next door.", "User has a best friend.", 0.71),
]
SAME = [
    ("User loves coffee.", "User likes coffee.", 0.96),
    ("User really enjoys hiking.", "User loves to hike.", 0.92),
    ("User has 2 cats.", "User has two cats.", 0.99),
    ("User owns a dog.", "User has a dog.", 0.92),
    ("User hates coffee.", "User does not like coffee.", 0.90),
    ("User lives in Oslo.", "User is living in Oslo.", 0.96),
    ("User lives in Oslo.", "User lives in Oslo, Norway.", 0.94),
    ("User's favourite food is rice.", "Rice is User's favorite food.", 0.95),
    ("User is a vegetarian.", "User is vegetarian.", 0.99),
    ("User plays piano.", "User plays the piano every evening.", 0.83),
    ("User adores cats.", "User loves cats.", 0.84),
    ("User has 3 nieces.", "User has three nieces.", 0.99),
    ("User plays chess.", "User plays chess on Fridays with Tom.", 0.72),
    ("User really likes to ski.", "User likes skiing.", 0.90),
    ("User does not like mushrooms.", "User hates mushrooms.", 0.91),
    ("User is living in Graz now.", "User lives in Graz.", 0.95),
    ("User's favourite color is blue.", "User's favorite colour is blue.", 0.99),
    ("User works as a teacher.", "User is working as a teacher.", 0.95),
]

SUBJECTS = st.sampled_from(["User", "User's sister", "User's wife"])
PREDICATES = st.builds(
    "{} {} {}.".format,
    st.sampled_from(["has", "likes", "does not like", "hates", "used to have", "wants"]),
    st.sampled_from(["a cat", "two cats", "three cats", "a black cat", "a cat named Tom", "cats and dogs"]),
    st.sampled_from(["in Oslo", "at home"]),
)
LIKENESSES = st.floats(0.0, 1.0)


@pytest.mark.parametrize(("new", "old", "likeness"), CONTRADICTIONS)
def test_what_cannot_both_hold_contradicts_whichever_came_first(new: str, old: str, likeness: float) -> None:
    assert compare(new, old, likeness) is MergeVerdict.CONTRADICTS
    assert compare(old, new, likeness) is MergeVerdict.CONTRADICTS


@pytest.mark.parametrize(("new", "old", "likeness"), SEPARATE)
def test_what_may_both_hold_stays_separate(new: str, old: str, likeness: float) -> None:
    assert compare(new, old, likeness) is MergeVerdict.SEPARATE
    assert compare(old, new, likeness) is MergeVerdict.SEPARATE


@pytest.mark.parametrize(("new", "old", "likeness"), UPDATES)
def test_the_same_and_more_updates_and_the_same_and_less_does_not(new: str, old: str, likeness: float) -> None:
    assert compare(new, old, likeness) is MergeVerdict.UPDATES
    assert compare(old, new, likeness) is MergeVerdict.SAME
    assert richer(new, old) == richer(old, new) == new


@pytest.mark.parametrize(("new", "old", "likeness"), SAME)
def test_the_same_in_other_words_is_the_same(new: str, old: str, likeness: float) -> None:
    assert compare(new, old, likeness) is MergeVerdict.SAME


def test_the_stored_wording_stays_when_both_tell_as_much() -> None:
    assert richer("User loves coffee.", "User likes coffee.") == "User likes coffee."


@pytest.mark.parametrize(
    ("new", "old", "likeness"),
    [
        ("User owns a trailer.", "User owns a caravan.", 0.95),
        ("User works as a janitor.", "User works as a caretaker.", 0.94),
        ("User lives with User's pal.", "User lives with User's friend.", 0.97),
    ],
)
def test_one_unknown_word_for_another_is_the_same_only_where_nearly_nothing_is_lost(new: str, old: str, likeness: float) -> None:
    assert compare(new, old, likeness) is MergeVerdict.SAME
    assert compare(new, old, likeness - 0.1) is not MergeVerdict.SAME


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("User likes red wine.", "User likes white wine."),
        ("User has a small dog.", "User has a big dog."),
        ("User's sister has two cats.", "User's sister has three cats."),
        ("User has a friend in Bonn.", "User has a friend in Lyon."),
        ("User lives in Bonn.", "User lives in Lyon."),
        ("User is 30 years old.", "User is 31 years old."),
        ("User flew from Bonn to Lyon.", "User flew from Lyon to Bonn."),
        ("User does not like tea.", "User likes tea."),
        ("User wants to buy a boat.", "User bought a boat."),
        ("User's dog bit a man.", "A man bit User's dog."),
        ("A red bus stands behind the house.", "A blue bus stands behind the house."),
        ("The cafe opens on the first of June.", "The cafe opens on the fifth of June."),
        ("The shop is open.", "The shop is not open."),
    ],
)
def test_no_likeness_makes_numbers_names_opposites_or_denials_the_same(new: str, old: str) -> None:
    for likeness in (0.9, 0.99, 1.0):
        assert compare(new, old, likeness) not in (MergeVerdict.SAME, MergeVerdict.UPDATES)


@pytest.mark.parametrize(
    ("new", "old", "likeness"),
    [
        ("A dog is running along the beach.", "The dog runs on a beach.", 0.93),
        ("Two kids are walking down a path in a wood.", "Two children walk on a path in the woods.", 0.93),
        ("A blackbird sits on a fence.", "The black bird is sitting on the fence.", 0.90),
        ("A grey cat sleeps on a chair.", "A gray cat is sleeping on the chair.", 0.96),
    ],
)
def test_sentences_about_anything_merge_when_worded_anew(new: str, old: str, likeness: float) -> None:
    assert compare(new, old, likeness) in (MergeVerdict.SAME, MergeVerdict.UPDATES)
    assert compare(new, old, 0.6) is MergeVerdict.SEPARATE


def test_sentences_about_anything_never_contradict() -> None:
    assert compare("The shop is not open.", "The shop is open.", 0.95) is MergeVerdict.SEPARATE


def test_what_is_on_another_day_is_another_thing() -> None:
    test = "User has a driving test on Friday {} December 2026."
    assert compare(test.format(4), test.format(11), 0.98) is MergeVerdict.SEPARATE
    assert compare(test.format(4), "User has a driving test.", 0.9) is MergeVerdict.UPDATES


def test_the_bands_decide_how_alike_is_alike_enough() -> None:
    pair = ("User has a small dog.", "User has a dog.", 0.90)
    assert compare(*pair, MERGE_BANDS) is MergeVerdict.UPDATES
    assert compare(*pair, Bands(addition=0.95)) is MergeVerdict.SEPARATE


@given(SUBJECTS, PREDICATES, PREDICATES, LIKENESSES)
def test_the_order_changes_nothing_but_which_of_the_two_tells_more(who: str, does: str, or_does: str, likeness: float) -> None:
    swapped = {MergeVerdict.UPDATES: MergeVerdict.SAME}
    one, other = f"{who} {does}", f"{who} {or_does}"
    forth, back = compare(one, other, likeness), compare(other, one, likeness)
    assert swapped.get(forth, forth) == swapped.get(back, back)


@pytest.mark.parametrize(("new", "old", "likeness"), UPDATES + SAME)
def test_greater_likeness_never_takes_two_apart(new: str, old: str, likeness: float) -> None:
    assert {compare(new, old, more) for more in (likeness, (likeness + 1) / 2, 1.0)} == {compare(new, old, likeness)}


@given(st.text(max_size=120))
def test_any_text_says_the_same_as_itself(text: str) -> None:
    assert compare(text, text, 1.0) is MergeVerdict.SAME
    assert richer(text, text) == text


@given(st.text(max_size=80), st.text(max_size=80), LIKENESSES)
def test_any_two_texts_can_be_compared(one: str, other: str, likeness: float) -> None:
    assert compare(f"User {one}", f"User's {other}", likeness) in MergeVerdict


def test_a_sentence_holds_two_facts_if_it_says_all_of_both_and_no_word_more() -> None:
    both, alike = "User has a brown dog named Rex.", (0.95, 0.95)
    assert holds_both(both, "User has a dog named Rex.", "User has a brown dog.", alike)
    assert not holds_both(both, "User has a dog named Rex.", "User has a dog.", alike), "who said that it is brown?"
    assert not holds_both(both, "User has a dog named Rex.", "User has a brown dog from Ghent.", alike)
    assert not holds_both(both, "User has a dog named Rex.", "User has no brown dog.", alike)
