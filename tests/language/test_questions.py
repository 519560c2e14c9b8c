"""Which messages ask about the one who writes them, in all languages, and which words of them are
compared.
"""

import pytest

from memapp.language.questions import Asked, asked_about, content
from memapp.language.word_file import words
from tests.language.sentences import sentences


@pytest.mark.parametrize(("code", "message"), sentences("about_the_person"))
def test_a_question_about_the_person_is_known(code: str, message: str) -> None:
    assert asked_about(message, words(code)) == "own"


@pytest.mark.parametrize(("code", "message", "asked"), sentences("about_anything_else"))
def test_what_asks_about_the_world_is_told_from_it(code: str, message: str, asked: Asked) -> None:
    assert asked_about(message, words(code)) == asked


@pytest.mark.parametrize(
    ("code", "question", "told"),
    [
        ("en", "what's my dog's name?", "dogs"),
        ("de", "wie viele huehner haben wir?", "Hühner"),
        ("de", "wo wohnst du, wo wohnt sie?", "ich wohne"),
        ("fr", "où dort l'âne de mon frère ?", "dort âne frere"),
        ("fr", "quand j'habitais à Lyon", "habite Lyon"),
        ("es", "¿dónde bailé con mis abuelos?", "bailo abuelo"),
    ],
)
def test_words_are_compared_without_their_endings(code: str, question: str, told: str) -> None:
    assert sorted(content(question, words(code))) == sorted(content(told, words(code)))


@pytest.mark.parametrize(
    ("code", "text", "stems"),
    [("en", "ok thanks, and the cat?", ["cat"]), ("de", "ach ok, und die Katze?", ["katz"])],
)
def test_a_greeting_or_a_yes_is_no_subject(code: str, text: str, stems: list[str]) -> None:
    assert content(text, words(code)) == stems


def test_a_sister_is_no_brother() -> None:
    assert content("mi hermana", words("es")) != content("mi hermano", words("es"))
    assert content("mon amie", words("fr")) != content("mon ami", words("fr"))
