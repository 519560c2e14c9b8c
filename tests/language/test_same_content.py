"""Two sentences say the same in other spelling, or at least lose no name, number or denial."""

import pytest

from memapp.language.same_content import is_respelt, keeps_facts


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("I don't eat olives.", "i dont eat olives", True),
        ("I really keep the bees", "I keep bees!", True),
        ("J'élève des abeilles.", "j’eleve des abeilles", True),
        ("I keep bees.", "I kept bees.", False),
        ("I keep two hens.", "I keep 2 hens.", False),
        ("I moved from Ghent to Bruges.", "I moved from Bruges to Ghent.", False),
        ("!", "?", False),
    ],
)
def test_only_spelling_and_fillers_make_no_difference(one: str, other: str, same: bool) -> None:
    assert is_respelt(one, other) is same


@pytest.mark.parametrize(
    ("kept", "gone", "keeps"),
    [
        ("I have a dog called Rex.", "I have a dog.", True),
        ("I have a dog.", "I have a dog called Rex.", False),
        ("I ran 10 km.", "I ran 12 km.", False),
        ("I eat fish.", "I don't eat fish.", False),
        ("Ich esse keinen Fisch.", "Ich esse nie Fisch.", True),
        ("Mi gata se llama Luna.", "Mi gata no se llama Luna.", False),
    ],
)
def test_names_numbers_and_denials_are_kept(kept: str, gone: str, keeps: bool) -> None:
    assert keeps_facts(kept, gone) is keeps
