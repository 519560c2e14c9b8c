"""The word files of the languages: the same entries in all, and which language a text is written
in.
"""

import pytest

from memapp.language.sentence import (
    corrects,
    is_for_now,
    is_question,
    is_sensitive,
    leans,
    tells_secret,
)
from memapp.language.word_file import CODES, words, words_of
from tests.language.sentences import sentences


@pytest.mark.parametrize("code", CODES)
def test_each_language_has_the_entries_of_the_first_and_every_pattern_compiles(code: str) -> None:
    entries, first = (
        {(section, name) for section, names in words(text).sections.items() for name in names}
        for text in (code, CODES[0])
    )
    assert entries == first
    for section, name in sorted(entries):
        assert words(code).pattern(section, name) != "(?:)"
        words(code).finds(section, name, "x")
    assert len(words(code).common) > 40


LANGUAGES = [
    ("en", "my sister moved to a small town by the sea last year"),
    ("de", "meine schwester ist letztes jahr ans meer gezogen"),
    ("fr", "ma soeur sest installee au bord de la mer lan dernier"),
    ("es", "mi hermana se mudo el año pasado a un pueblo de la costa"),
]


@pytest.mark.parametrize(("code", "text"), LANGUAGES)
def test_the_common_words_tell_the_language_also_without_accents(code: str, text: str) -> None:
    assert words_of(text).code == code


@pytest.mark.parametrize("text", ["", "ok", "nein", "Vincenza Nakamura", "1234"])
def test_one_word_or_none_that_is_common_is_taken_for_english(text: str) -> None:
    assert words_of(text).code == "en"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("de", "nee warte, sie heisst anders"),
        ("fr", "non attends, elle sappelle autrement"),
        ("es", "no espera, se llama de otra manera"),
    ],
)
def test_what_takes_back_ones_own_words_is_known_by_its_mark(code: str, text: str) -> None:
    assert corrects(text, words(code)) == "own"


@pytest.mark.parametrize(
    ("code", "text"),
    [("de", "wir rauchen nicht mehr"), ("fr", "je ne fume plus"), ("es", "ya no fumo")],
)
def test_what_is_over_is_known_by_its_words(code: str, text: str) -> None:
    assert corrects(text, words(code)) == "over"


@pytest.mark.parametrize(
    ("code", "asked", "told"),
    [
        ("de", "wie lange kocht man ein ei", "ich koche gern eier"),
        ("fr", "cest quoi la capitale du perou", "jai vecu au perou"),
        ("es", "cual es la capital de peru", "yo vivi en peru"),
    ],
)
def test_a_question_is_known_also_without_its_mark(code: str, asked: str, told: str) -> None:
    assert is_question(asked, words(code))
    assert not is_question(told, words(code))


@pytest.mark.parametrize(
    ("code", "leaning", "whole"),
    [
        ("en", "He lives in the country.", "Hello, here we live in the country."),
        ("de", "Sie wohnt auf dem Land.", "Meine Tante wohnt auf dem Land."),
        ("fr", "Elle habite à la campagne.", "Ma tante habite à la campagne."),
        ("es", "Vive en el campo.", "Mi tía vive en el campo."),
    ],
)
def test_a_sentence_that_leans_on_another_is_known(code: str, leaning: str, whole: str) -> None:
    assert leans(leaning, words(code), is_first=True)
    assert not leans(whole, words(code), is_first=True)


@pytest.mark.parametrize(
    ("code", "sensitive", "ordinary", "secret"), sentences("sensitive_or_secret")
)
def test_what_is_sensitive_or_secret_is_known_by_its_words(
    code: str, sensitive: str, ordinary: str, secret: str
) -> None:
    assert is_sensitive(sensitive, words(code))
    assert not is_sensitive(ordinary, words(code))
    assert tells_secret(secret)


@pytest.mark.parametrize(("code", "text"), sentences("sensitive_in_passing"))
def test_what_is_sensitive_is_heard_where_it_is_said_in_passing(code: str, text: str) -> None:
    assert is_sensitive(text, words(code))


@pytest.mark.parametrize(("code", "text"), sentences("ordinary"))
def test_prices_and_the_words_of_a_trade_are_not_sensitive(code: str, text: str) -> None:
    assert not is_sensitive(text, words(code))


@pytest.mark.parametrize(("code", "for_now", "lasting"), sentences("for_now_and_lasting"))
def test_orders_and_plans_for_today_are_for_now(code: str, for_now: str, lasting: str) -> None:
    assert is_for_now(for_now, words(code))
    assert not is_for_now(lasting, words(code))


@pytest.mark.parametrize(
    ("code", "of_person", "of_others"),
    [
        ("de", ["unser Hund", "mir reichts"], ["meinst du", "die Einheit"]),
        (
            "fr",
            ["j'habite ici", "jai un chien", "il m'énerve", "nos voisins"],
            ["l'ami", "d'accord", "jeudi"],
        ),
        ("es", ["nuestro perro", "a mí", "me voy"], ["mil perros", "el mes"]),
    ],
)
def test_the_first_person_is_known_also_where_letters_are_left_out(
    code: str, of_person: list[str], of_others: list[str]
) -> None:
    assert all(words(code).finds("others", "first_person", text) for text in of_person)
    assert not any(words(code).finds("others", "first_person", other) for other in of_others)


def test_feeling_safe_is_no_secret() -> None:
    assert tells_secret("the safe code is 4711")
    assert not tells_secret("i feel safe at 40 on the motorway")
