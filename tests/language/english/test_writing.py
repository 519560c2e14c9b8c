"""The writing rules: what a fact and its tags look like. All sentences are made up here."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memapp.language.english import writing
from memapp.language.english.writing import as_fact, check_episode, check_fact, check_form, check_tags


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
        (writing.VAGUE, "User would love to."),
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


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("User loves the band, they are great.", "User loves the band."),
        ("User has heard of the play, but they haven't seen it yet.", "User has heard of the play."),
        ("User keeps bees. It is a hobby of theirs.", "User keeps bees."),
        ("User has a boat and your dog likes boats.", "User has a boat."),
        ("User drives to work because they’re late.", "User drives to work."),
        ("User likes tea, milk, and honey.", "User likes tea, milk, and honey."),
        ("User met Dr. Itō, who is kind.", "User met Dr. Itō, who is kind."),
    ],
)
def test_a_sentence_of_a_model_ends_where_it_runs_on(written: str, kept: str) -> None:
    assert as_fact(written) == kept


def test_a_question_is_not_made_a_statement_by_tidying() -> None:
    assert check_form(as_fact("Does the user like tea?")) != []


@example("_", "")
@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_can_be_checked(text: str, typed_text: str) -> None:
    assert isinstance(check_fact(text, typed_text), list)
    assert isinstance(check_fact(f"User {text}.", f"I {typed_text} {text}"), list)


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("User got married in 2019.", []),
        ("User visited Rome. User saw the Colosseum.", []),
        ("User lives in Rome.", ["not in the past tense"]),
        ("User visited Rome. User lives in Oslo.", ["not in the past tense"]),
        ("User visited Rome. User saw Bergen. User ate fish.", ["more than two sentences"]),
        ("User saw it in Rome.", ["has a pronoun"]),
        (f"User visited {'Rome and ' * 40}Oslo.", ["longer than 280 characters"]),
        ("  ", ["nothing is left of it"]),
    ],
)
def test_an_episode_is_one_or_two_sentences_in_the_past(text: str, problems: list[str]) -> None:
    said = "I visited Rome and Oslo and I saw the Colosseum and Bergen and ate fish. I got married in 2019. I live in Rome, Oslo."
    assert check_episode(text, said) == problems
