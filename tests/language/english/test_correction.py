"""Reading corrections, and putting what holds instead in the place of what does not."""

import pytest

from memapp.language.english.correction import Value, is_about, read_correction, says_no_more
from memapp.language.english.replacement import replacements


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("no wait, he's called Bisou", Value("Bisou", is_name=True)),
        ("scratch that, it's Sunday", Value("Sunday")),
        ("They come on Friday instead and bring their kids.", Value("Friday", "on")),
        ("I meant Gdynia! I always write the wrong one.", Value("Gdynia")),
        ("sorry, near Zadar", Value("Zadar", "near")),
        ("ok that was last year. I switched to green tea in the summer", Value("green tea")),
        ("three actually", Value("three")),
        ("nope, sundays i meant", Value("sundays")),
    ],
)
def test_a_value_is_given_in_place_of_another(said: str, instead: Value) -> None:
    correction = read_correction(said)
    assert correction is not None and correction.instead == instead


@pytest.mark.parametrize(
    "said",
    [
        "no wait, how do I get there?",
        "actually I love it",
        "not anymore, thanks",
        "Black coffee, no sugar",
        "if I gave up the harp my mother would cry",
        "sorry for the typos",
        "I used to bite my nails. Not any more.",
        'he said "I don\'t drink coffee any more"',
        "my daughter plays chess actually, she's 11 and beats me every time",
    ],
)
def test_what_only_sounds_like_a_correction_is_none(said: str) -> None:
    assert read_correction(said) is None


@pytest.mark.parametrize(
    ("said", "is_all"),
    [
        ("no wait, Teo", True),
        ("not anymore, I switched to tea", True),
        ("no, Teo, and the flat is too quiet since he left", False),
    ],
)
def test_only_what_corrects_in_each_of_its_parts_says_no_more(said: str, is_all: bool) -> None:
    assert says_no_more(said) is is_all


@pytest.mark.parametrize(
    ("said", "fact", "is_meant"),
    [
        ("I quit smoking", "User smokes about ten cigarettes a day.", True),
        ("my brother quit smoking", "User smokes about ten cigarettes a day.", False),
        ("I don't run anymore", "User runs a bookshop.", False),
        ("I don't run anymore", "User runs every morning.", True),
        ("I left the bank in June", "User works at a bank.", True),
        ("Wanda isn't in Turku any more", "User's sister Wanda moved to Turku last spring.", True),
        ("Wanda isn't in Turku any more", "User's sister Wanda moved to Oulu last spring.", False),
        ("I left the bank in June", "User likes the old bank.", False),
        ("we broke up", "User's girlfriend Lena is a vet.", True),
        ("Mia and I broke up", "User's girlfriend Lena is a vet.", False),
        ("I moved to Ghent", "User lives in Utrecht.", True),
        ("I moved to Ghent", "User lives in Ghent.", False),
        ("I'm fine again", "User has a broken laptop.", False),
        ("my mother is fine again", "User's mother has the flu.", True),
        ("Excuse me, I said wrong, the course is on Monday, not Friday.", "User takes a course every Friday.", True),
        ("I meant to say Ana paints boats, not cars", "User's sister Ana paints cars.", True),
        ("I meant to say Ana paints boats, not cars", "User's brother paints cars.", False),
    ],
)
def test_what_is_ended_is_known_by_its_words_and_by_whose_it_is(said: str, fact: str, is_meant: bool) -> None:
    correction = read_correction(said)
    assert correction is not None and is_about(correction, fact, is_recent=False) == is_meant


@pytest.mark.parametrize(
    ("said", "fact", "placed"),
    [
        ("no sorry, he's called Rox", "User has a dog named Rex.", ["User has a dog named Rox."]),
        ("make that Thursday", "User has choir practice on Wednesdays.", ["User has choir practice on Thursdays."]),
        ("I meant Braga", "User's sister Ana lives in Porto.", ["User's sister Ana lives in Braga."]),
        ("I meant Braga", "User moved from Porto to Lisbon.", []),
        ("I meant to say Ana paints boats, not cars", "User's sister Ana paints cars.", ["User's sister Ana paints boats."]),
        ("wait, not peanuts, it's cashews", "User is allergic to peanuts.", ["User is allergic to cashews."]),
        ("four, I can't count", "User has three sisters.", ["User has four sisters."]),
        ("my mistake, it's an owl", "User keeps a hawk.", ["User keeps an owl."]),
        ("I switched to the bike", "User takes the bus to work.", ["User takes the bike."]),
    ],
)
def test_a_value_stands_in_the_place_of_its_kind(said: str, fact: str, placed: list[str]) -> None:
    correction = read_correction(said)
    assert correction is not None and [one.text for one in replacements(correction, fact)] == placed
