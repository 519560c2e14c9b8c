"""Limits: the words that state one, and the things it forbids."""

import pytest

from memapp.language.limits import forbidden, is_limit, names_forbidden
from memapp.language.word_file import words_of


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("i'm allergic to walnuts", {"walnut"}),
        ("My son Leo has a peanut allergy.", {"peanut"}),
        (
            "I’m allergic to nuts, shellfish and kiwi, so I read every label",
            {"nut", "shellfish", "kiwi"},
        ),
        ("I'm lactose intolerant", {"lactos"}),
        ("We don't eat pork at all", {"pork"}),
        ("i'm a vegetarian", set()),
        ("Ich bin allergisch gegen Erdbeeren", {"erdbeeren"}),
        ("Ich habe eine Nussallergie", {"nuss"}),
        ("Je suis allergique aux arachides", {"arachides"}),
        ("Soy alérgica a los cacahuetes", {"cacahuetes"}),
    ],
)
def test_what_a_limit_forbids_is_what_its_words_are_about(text: str, named: set[str]) -> None:
    words = words_of(text)
    assert is_limit(text, words)
    found = forbidden(text, words)
    # endings are the word file's
    assert {text[:4] for text in found} == {name[:4] for name in named}, found


@pytest.mark.parametrize(
    "text",
    [
        "I love walnuts",
        "My sister Ilse is a potter.",
        "I don't have a car",
        "Ich wohne in Kiel",
        "No sé",
    ],
)
def test_what_tells_no_limit(text: str) -> None:
    assert not is_limit(text, words_of(text))


@pytest.mark.parametrize(
    ("reply", "is_named"),
    [
        ("How about a carrot cake with a walnut on top?", True),
        ("Walnuts go well with it.", True),
        ("How about a carrot cake?", False),
        ("A carrot cake without walnuts is just as good.", False),
        ("You're allergic to walnuts, so take almonds.", False),
        ("There's no walnut in it.", False),
    ],
)
def test_a_reply_names_what_is_forbidden_unless_left_out(reply: str, *, is_named: bool) -> None:
    limit = "i'm allergic to walnuts"
    assert names_forbidden(reply, limit, words_of(limit)) is is_named
