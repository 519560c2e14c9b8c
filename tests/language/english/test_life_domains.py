"""What a fact bears on, by rule."""

import pytest

from memapp.language.english.life_domains import domains_of, kept_out_by, serves


def test_a_keyword_names_the_domain_that_it_bears_on() -> None:
    assert domains_of("allergies") == ["food"]


@pytest.mark.parametrize(
    ("fact", "foods"),
    [
        ("User is allergic to walnuts.", {"walnut"}),
        ("User has a nut allergy.", {"nut"}),
        ("User does not eat pork or shrimp.", {"pork", "shrimp"}),
        ("User never drinks milk any more.", {"milk"}),
        ("User's daughter Lena is allergic to soya.", {"soya"}),
        ("User loves walnuts.", set()),
    ],
)
def test_a_fact_tells_which_food_is_not_to_be_given(fact: str, foods: set[str]) -> None:
    assert kept_out_by(fact) == foods


def test_a_sentence_that_leaves_a_food_out_does_not_serve_it() -> None:
    assert serves("Try a walnut loaf.", frozenset({"walnut"}))
    assert not serves("Bake it without walnuts.", frozenset({"walnut"}))
    assert not serves("Try a rye loaf.", frozenset({"walnut"}))
