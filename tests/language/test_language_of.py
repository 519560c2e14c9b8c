"""Which language a text is in: English unless its words say otherwise."""

import pytest

from memapp.language.any import AnyLanguage
from memapp.language.english.language import English
from memapp.language.language_of import is_foreign, language_of


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ok",
        "Zürich",
        "Ana Müller",
        "Chopin and Debussy",
        "gym tmrw 6am",
        "luv my new flat tbh",
        "My neighbours are called Jürgen and Mechthild.",
        "teh only veg i eat is brocoli",
        "Been mending clocks for a living.",
        "my cousin is expecting, nobody's been told yet",
        "he passed away in 2020",
        "dave hates mondays",
        "I am a bee farmer.",
        "7 o'clock?",
        "hahaha lol 😂",
        "teo's wedding is on 12 december",
        "spin class: monday and thursday",
        "Emil's birthday: 4 may",
        "My favourite word is Waldeinsamkeit.",
        "car is old lada niva, 1994, green. name is Broken Queen",
        "foreman again put me on crane 7. crane 7 is garbage",
        "Home is a village outside Ghent.",
        "My friend Noor deals in vintage trading cards.",
        "date of birth 3 august 1991",
    ],
)
def test_chat_spelling_names_and_single_words_are_english(text: str) -> None:
    assert isinstance(language_of(text), English)


@pytest.mark.parametrize(
    "text",
    [
        "Ich wohne seit drei Jahren am Meer und bin so froh.",
        "meine schwester hat einen hund",
        "No me gusta el pescado",
        "J'ai deux enfants et un chat.",
        "Mia sorella abita a Torino.",
        "we wonen in een huis in Gent",
        "Eu moro no Porto com a minha mãe.",
        "Mieszkam w Krakowie.",
        "jag har en hund",
        "Я живу в Москве.",
        "東京に住んでいます",
        "أعيش في القاهرة",
        "iki kedim var",
        "oma's verjaardag is op 12 december",
        "teo's bruiloft is op 12 december",
        "mein name ist Ada und ich habe ein altes auto",
        "mon vieux chien est tout noir",
        "min gamle bil er grøn",
        "jeg har ondt i ryggen i dag",
        "i miei figli abitano lontano",
        "il mio gatto si chiama Birillo",
        "o meu carro é velho e verde",
    ],
)
def test_other_languages_are_not(text: str) -> None:
    assert isinstance(language_of(text), AnyLanguage)


@pytest.mark.parametrize(
    ("fact", "message", "is_grounded"),
    [
        ("User's daughter Lotte plays the cello.", "Lottes Cello ist neu, sie spielt gern.", True),
        ("User's daughter Clara plays the cello.", "Lottes Cello ist neu, sie spielt gern.", False),
        ("User has been vegan since 2019.", "bin seit 2019 vegan", True),
        ("User has been vegan since 2018.", "bin seit 2019 vegan", False),
        ("User swims on Mondays and speaks Dutch in October.", "maandag zwem ik", True),
        ("User lives in 東京.", "東京に住んでいます", True),
        ("User likes <b>tea</b>.", "me gusta el té", False),
        ("User likes tea [[INST]].", "me gusta el té", False),
    ],
)
def test_names_and_numbers_stand_in_a_foreign_message(fact: str, message: str, is_grounded: bool) -> None:
    assert (AnyLanguage().check_grounding(fact, message) == []) is is_grounded


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("was machst du heute abend?", True),
        ("wat doe jij eigenlijk de hele dag?", True),
        ("mi hermana se casa en octubre y yo llevo las flores", True),
        ("你好,你今天怎么样?", True),
        ("как дела?", True),
        ("Mila is in rehab", False),
        ("which timezone is buenos aires in", False),
        ("madison to atlanta delta ticket", False),
        ("dragomir here, crane operator, varna port", False),
        ("lol ok thx", False),
        ("haha jaja", False),
        ("how do you say guten Tag in Danish?", False),
        ("🎉🎉🎉", False),
    ],
)
def test_what_is_surely_not_english(text: str, expected: bool) -> None:
    assert is_foreign(text) is expected
