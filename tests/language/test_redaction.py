"""The parts of a message that may be shown beside a pending or denied value."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.domain.profile import Hint
from memapp.language.profile import stated
from memapp.language.redaction import says_again, says_any, told_beside, told_of_reply
from memapp.language.word_file import words_of

NAME = Hint("preferred_name", "Tom")
CITY = Hint("city", "Porto")


@pytest.mark.parametrize(
    ("text", "withheld", "told"),
    [
        ("I'm Tom. I work at a bakery.", NAME, ["I work at a bakery."]),
        ("hi! i'm Tom, just moved here for a new job. my sister paints", NAME,
         ["hi!", "my sister paints"]),
        ("I live in Porto. It is lovely. I play chess.", CITY, ["I play chess."]),
        ("I live in Porto. Porto's trams rattle. I play chess.", CITY, ["I play chess."]),
        ("I live in Porto. My home is in Lyon now. I play chess.", CITY, ["I play chess."]),
        ("I am diabetic and I play chess. I keep hens.",
         Hint("fact", "I am diabetic and I play chess."), ["I keep hens."]),
        ("I take pills. My knee hurts. I keep hens.", Hint("fact", "My knee hurts."),
         ["I keep hens."]),
        ("Ich heiße Tom. Er ist ein Name. Ich spiele Schach.", NAME, ["Ich spiele Schach."]),
        ("Je prends des cachets. Je joue aux échecs.", Hint("fact", "Je prends des cachets."),
         ["Je joue aux échecs."]),
        ("I am on antidepressants and I play chess",
         Hint("health", "on antidepressants and i play chess"), []),
        ("My pronouns are they/them. I told them so. I play chess.", Hint("pronouns", "they/them"),
         ["I play chess."]),
        ("我叫小明。 I play chess.", Hint("preferred_name", "小明"), []),
    ],
)  # fmt: skip
def test_the_sentences_beside_a_value_are_told(text: str, withheld: Hint, told: list[str]) -> None:
    assert told_beside(text, [withheld]).splitlines() == told


@pytest.mark.parametrize(
    "text",
    [
        "I'm Tom",
        "I'm Tom, a baker",
        "My brother is called Tom, moved here and works as a baker",
        "I want to be called Tom and work as a baker",
        "If I were called Tom, I would work as a baker",
        "My sister says I'm Tom, I work too much",
        "I'm not Tom, I work as a baker",
        "I'm Tom because I was born there, I work as a baker",
        'I said "I am Tom, I work as a baker"',
        "Keep this between us: I'm Tom. I work as a baker.",
        "Translate what Tom wrote: I work as a baker.",
        "I work as a baker. My name is what you think it is.",
        "I work as a baker. `my name is Tom`",
        "I'm Tom. " + "I work as a baker. " * 120,
    ],
)
def test_a_message_is_hidden_whole_where_nothing_can_be_cut_out_for_sure(text: str) -> None:
    assert told_beside(text, [NAME]) == ""


def test_what_was_erased_and_is_said_again_is_hidden_whole() -> None:
    assert told_beside("I have a dog. I play chess.", [Hint("forgotten", "User has a dog.")]) == ""


def test_each_of_several_values_is_hidden() -> None:
    text = "I'm Tom. I moved to Porto. I play chess. I have a dog."
    assert told_beside(text, [NAME, CITY]).splitlines() == ["I play chess.", "I have a dog."]


WORD = st.text(st.characters(categories=("Lu", "Ll", "Lo", "Nd")), min_size=1, max_size=12)
VALUE = st.lists(WORD, min_size=1, max_size=3).map(" ".join)
SAYING = st.sampled_from(
    ["I'm {}", "my name is {}", "I live in {}", "call me {}", "I have {}", "we met {}, {} and I"]
)
BESIDE = st.sampled_from(
    [
        "I work as a baker",
        "just moved here",
        "my sister paints",
        "hi",
        "I play chess and sing",
        "It is",
    ]
)
JOINT = st.sampled_from([". ", ", ", " and ", "\n", "! ", "; ", " - ", ", but "])


@given(VALUE, st.lists(st.tuples(st.one_of(SAYING, BESIDE), JOINT), min_size=1, max_size=6))
def test_no_message_tells_a_withheld_value(value: str, parts: list[tuple[str, str]]) -> None:
    text = "".join(f"{part.replace('{}', value)}{joint}" for part, joint in parts)
    for field in ("preferred_name", "city", "health"):
        told = told_beside(text, [Hint(field, value)])
        actual = re.search(rf"(?<![^\W_]){re.escape(value.casefold())}(?![^\W_])", told.casefold())
        assert actual is None
        assert not any(hint.field == field for hint in stated(told, words_of(told)))


@pytest.mark.parametrize(
    ("text", "gives", "hints"),
    [
        ("since 2019 i have been treated for a deep depression", True, True),
        ("my treatment for depression went on", False, True),
        ("we were treated like kings, since 1990", False, False),
        ("how do I bake bread", False, False),
    ],
)
def test_most_words_give_a_sentence_away_and_one_hints(text: str, gives: bool, hints: bool) -> None:
    value = Hint("health", "i have been treated for depression since 2019")
    assert (says_again(text, value), says_any(text, [value])) == (gives, hints)


@pytest.mark.parametrize("text", ["Diabetes is hard.", "Does it run in the family, type one?"])
def test_a_reply_with_one_word_of_a_value_is_hidden(text: str) -> None:
    assert told_of_reply(text, [Hint("health", "type one diabetes")]) == ""
    assert says_any(text, [Hint("health", "type one diabetes")])


def test_what_was_learned_in_the_third_person_is_given_away_by_its_own_words() -> None:
    assert says_again("I once owned a parrot.", Hint("fact", "User owned a parrot."))
