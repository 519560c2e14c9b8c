"""The day until which a sentence holds that tells of a coming day, in all languages."""

from datetime import date

import pytest

from memapp.language.last_day import last_day
from memapp.language.word_file import words

SUNDAY = date(2026, 11, 29)
COMING: list[tuple[str, str, date]] = [
    ("en", "my flight to Riga is next friday", date(2026, 12, 4)),
    ("en", "the exam is on Friday", date(2026, 12, 4)),
    ("en", "i'm in Porto until the 3rd", date(2026, 12, 3)),
    ("en", "the exam is on 12 december", date(2026, 12, 12)),
    ("en", "The exam is on January 7th.", date(2027, 1, 7)),
    ("en", "my visa runs until 5 March 2028", date(2028, 3, 5)),
    ("en", "the vet comes tomorrow", date(2026, 11, 30)),
    ("en", "we leave the day after tomorrow", date(2026, 12, 1)),
    ("en", "I have a race in ten days", date(2026, 12, 9)),
    ("en", "The baby is due in 3 weeks.", date(2026, 12, 20)),
    ("en", "I'm moving to Oslo in march", date(2027, 3, 31)),
    ("en", "My parents visit next week.", date(2026, 12, 6)),
    ("en", "We stay from the 20th to the 3rd.", date(2027, 1, 3)),
    ("en", "I have booked the train for Friday", date(2026, 12, 4)),
    ("de", "am freitag hab ich prüfung", date(2026, 12, 4)),
    ("de", "nächsten Freitag fliege ich nach Riga", date(2026, 12, 4)),
    ("de", "ich bin bis zum 3. in Porto", date(2026, 12, 3)),
    ("de", "die Prüfung ist am 12. Dezember", date(2026, 12, 12)),
    ("de", "Die Prüfung ist am 12. März. Danach ist frei.", date(2027, 3, 12)),
    ("de", "Der Termin ist am 7.1.", date(2027, 1, 7)),
    ("de", "übermorgen kommt der Klempner", date(2026, 12, 1)),
    ("de", "in drei Wochen ziehen wir um", date(2026, 12, 20)),
    ("de", "naechste woche kommen meine eltern", date(2026, 12, 6)),
    ("fr", "j'ai un examen vendredi", date(2026, 12, 4)),
    ("fr", "mon vol pour Riga est vendredi prochain", date(2026, 12, 4)),
    ("fr", "je suis à Porto jusqu'au 3", date(2026, 12, 3)),
    ("fr", "l'examen est le 12 décembre", date(2026, 12, 12)),
    ("fr", "apres demain le plombier passe", date(2026, 12, 1)),
    ("fr", "on déménage dans trois semaines", date(2026, 12, 20)),
    ("fr", "mes parents viennent la semaine prochaine", date(2026, 12, 6)),
    ("es", "el viernes tengo examen", date(2026, 12, 4)),
    ("es", "mi vuelo a Riga es el próximo viernes", date(2026, 12, 4)),
    ("es", "estoy en Oporto hasta el 3", date(2026, 12, 3)),
    ("es", "el examen es el 12 de diciembre", date(2026, 12, 12)),
    ("es", "pasado mañana viene el fontanero", date(2026, 12, 1)),
    ("es", "nos mudamos en tres semanas", date(2026, 12, 20)),
    ("es", "mis padres vienen la semana que viene", date(2026, 12, 6)),
]
NO_DAY = [
    ("en", "I play squash every friday"),
    ("en", "On fridays I play squash."),
    ("en", "I go to choir on friday evenings"),
    ("en", "my birthday is on 12 december"),
    ("en", "I met Tom on friday"),
    ("en", "last friday we went to Ghent"),
    ("en", "I have two dogs and may get a third"),
    ("en", "I moved here in 2019"),
    ("en", "I was born on 12 December 1987"),
    ("en", "im dana, 37, opened a bakery in march and havent slept since"),
    ("en", "lena quit today so im alone at the counter now"),
    ("de", "ich hab heute gekündigt"),
    ("de", "jeden Freitag spiele ich Squash"),
    ("de", "freitags geh ich zum Chor"),
    ("de", "letzten Freitag war ich in Gent"),
    ("de", "am Freitag hab ich Tom getroffen"),
    ("de", "mein Geburtstag ist am 12. Dezember"),
    ("de", "ich steh morgens um 5 auf"),
    ("fr", "le vendredi je joue au squash"),
    ("fr", "tous les vendredis c'est crêpes"),
    ("fr", "vendredi dernier j'étais à Gand"),
    ("fr", "mon anniversaire est le 12 décembre"),
    ("es", "los viernes juego al squash"),
    ("es", "el viernes pasado estuve en Gante"),
    ("es", "mi cumpleaños es el 12 de diciembre"),
    ("es", "por la mañana hago yoga"),
]


@pytest.mark.parametrize(("code", "text", "day"), COMING)
def test_what_tells_of_a_coming_day_holds_until_then(code: str, text: str, day: date) -> None:
    assert last_day(text, SUNDAY, words(code)) == day


@pytest.mark.parametrize(("code", "text"), NO_DAY)
def test_a_habit_and_what_is_over_have_no_such_day(code: str, text: str) -> None:
    assert last_day(text, SUNDAY, words(code)) is None


@pytest.mark.parametrize(
    ("said", "day"),
    [(date(2026, 11, 23), date(2026, 12, 4)), (date(2026, 12, 4), date(2026, 12, 11))],
)
def test_next_friday_is_the_one_of_next_week(said: date, day: date) -> None:
    assert last_day("my flight is next friday", said, words("en")) == day


def test_of_several_days_the_last_counts() -> None:
    assert last_day(
        "The exam is tomorrow. I am in Ghent until 5 January.", SUNDAY, words("en")
    ) == date(2027, 1, 5)


@pytest.mark.parametrize(
    "text", ["on 31 february", "on 99 May", "in 9999 years", "until the 45th", "on 12 May 0000"]
)
def test_what_is_no_day_of_any_calendar_is_passed_over(text: str) -> None:
    assert last_day(f"I go there {text}", SUNDAY, words("en")) is None
