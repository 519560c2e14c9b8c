"""Names that the person gave to those who are theirs."""

import pytest

from memapp.language.english.given_names import given_names, with_names


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("my cousin Petra is a diver", "Your cousin is called Petra."),
        ("User's best friend Ole plays the tuba.", "Your best friend is called Ole."),
        ("my neighbour paul snores", "Your neighbour is called Paul."),
        ("we have a cat, her name is smilla", "Your cat is called Smilla."),
        ("I have a horse called Donner and a pony.", "Your horse is called Donner."),
        ("we have a dog, a pug called Otto", "Your dog is called Otto."),
        ("User adopted a second cat, Mog.", "Your cat is called Mog."),
        ("my late husband Jens was a baker", "Your late husband is called Jens."),
        ("my aunt's name is Ruth", "Your aunt is called Ruth."),
        ("My granddaughter is Suzie. She is nine.", "Your granddaughter is called Suzie."),
        ("my boss is Greta and she is strict", "Your boss is called Greta."),
        ("Ruth is my aunt.", "Your aunt is called Ruth."),
        ("my aunt's dog Fips is old", "Your aunt's dog is called Fips."),
        ("our landlord is called Mrs. De Smet and she is odd", "Your landlord is called Mrs. De Smet."),
        ("My boss is called J. R. Ewing.", "Your boss is called J. R. Ewing."),
        ("Dr. Anna Lee is my dentist", "Your dentist is called Dr. Anna Lee."),
        ("my teacher, St. John Rivers, is strict", "Your teacher is called St. John Rivers."),
    ],
)
def test_a_name_is_told_as_it_is_written_properly(text: str, told: str) -> None:
    assert [one.told for one in given_names(text)] == [told]


def test_several_may_be_named_at_once() -> None:
    for text in ("User has two uncles, Bo and Finn.", "my uncles Bo and Finn sail", "our uncles are called Bo, Per and Finn"):
        assert {("uncle", "Bo"), ("uncle", "Finn")} <= {(one.who, one.name) for one in given_names(text)}, text
    assert given_names("I have two uncles, one and two") == []


@pytest.mark.parametrize(
    "text",
    [
        "my cousin is a diver",
        "my cousin called me yesterday",
        "my cousin comes on Saturday",
        "my cousin's name is hard to spell",
        "my cat may bite",
        "my uncle really likes it",
        "our boss Monday morning: grumpy",
        "Petra is a diver",
        "my wife is Dutch",
        "my friend is Tom's brother",
        "our neighbour is Catholic, I think",
    ],
)
def test_what_is_no_name_is_taken_for_none(text: str) -> None:
    assert given_names(text) == []


@pytest.mark.parametrize(
    "text",
    ["two kids, Milo (9) and Frida (12)", "I have two kids, Milo 9 and Frida 12, and a cat", "I have 2 kids: Milo (9) and Frida"],
)
def test_several_are_named_with_their_ages_and_without_a_verb(text: str) -> None:
    assert [(one.who, one.name) for one in given_names(text)] == [("kid", "Milo"), ("kid", "Frida")]


@pytest.mark.parametrize("text", ["my dog is Miso", "I have a cat called Tofu", "my aunt's name is Ruth", "my sister Mira sails"])
def test_who_is_named_is_not_named_once_more(text: str) -> None:
    assert with_names(text, given_names(text)) == text
