"""Which messages ask about the one who writes them, in all languages, and which words of them are
compared.
"""

import pytest

from memapp.language.questions import Asked, asked_about, content
from memapp.language.word_file import words

OWN: dict[str, list[str]] = {
    "en": [
        "what's my sister called?",
        "where do I work",
        "remind me which street we live in",
        "what did I tell you about Ola?",
    ],
    "de": [
        "wie heißt meine schwester?",
        "wie hiess nochmal mein zahnarzt",
        "wo arbeite ich",
        "Weißt du noch, wann ich Geburtstag habe?",
        "sag mir nochmal wie unsere katze heisst",
        "seit wann wohnen wir hier?",
        "welche sprachen kann ich?",
        "was hab ich dir über Ola erzählt?",
        "in welche schule geht mein sohn",
        "hab ich noch ein fahrrad?",
        "Ich esse kein Fleisch, oder?",
        (
            "was mag Ola denn gern essen und was verträgt sie nicht, weißt du das noch? "
            "ich will heut abend was kochen"
        ),
        "weißt du noch wohin wir am 14. fahren?",
        "weißt du zufällig noch welche farbe die küche kriegt?",
    ],
    "fr": [
        "comment s'appelle ma sœur ?",
        "c'est quoi deja le nom de mon dentiste",
        "je travaille où ?",
        "Tu te souviens quand je suis née ?",
        "rappelle-moi comment s'appelle notre chat",
        "depuis quand on habite ici ?",
        "jhabite dans quelle rue? je sais plus, mon adresse",
        "qu'est-ce que je t'ai raconté sur Ola ?",
        "mon fils va dans quelle école",
        "Je mange pas de viande, hein ?",
        "Ola elle a fait quoi comme études, tu t'en souviens ?",
    ],
    "es": [
        "¿cómo se llama mi hermana?",
        "como se llamaba mi dentista",
        "dónde trabajo",
        "¿Te acuerdas de cuándo es mi cumpleaños?",
        "recuérdame cómo se llama nuestro gato",
        "desde cuándo vivimos aquí?",
        "que idiomas hablo yo",
        "qué te conté de Ola?",
        "a qué colegio va mi hijo",
        "¿qué estudió Ola, lo recuerdas?",
        "No como carne, mi dieta es vegetariana, ¿verdad?",
    ],
}
OTHER: dict[str, list[tuple[str, Asked]]] = {
    "en": [
        ("what's the capital of Peru?", "anything"),
        ("what should I cook?", ""),
        ("what did you recommend to me?", "replied"),
    ],
    "de": [
        ("wie heißt die hauptstadt von peru?", "anything"),
        ("wer hat faust geschrieben", "anything"),
        ("kannst du mir sagen wie spät es in tokio ist?", "anything"),
        ("weißt du noch ein gutes rezept für zucchini?", "anything"),
        ("was soll ich kochen?", ""),
        ("wie kann ich besser schlafen?", ""),
        ("kannst du mir ein buch empfehlen?", ""),
        ("hast du tipps gegen kopfweh?", ""),
        ("was hast du mir empfohlen?", "replied"),
        ("welches rezept hast du mir gestern gegeben", "replied"),
        ("wie geht es dir?", "anything"),
        ("meine katze heißt Miso", ""),
        ("was mein bruder kocht, schmeckt mir immer", ""),
        ("guten morgen!", ""),
    ],
    "fr": [
        ("c'est quoi la capitale du pérou ?", "anything"),
        ("qui a écrit les misérables", "anything"),
        ("tu peux me dire l'heure qu'il est à tokyo ?", "anything"),
        ("comment on dit bonjour en japonais ?", ""),
        ("qu'est-ce que je dois cuisiner ?", ""),
        ("comment je peux mieux dormir ?", ""),
        ("tu peux me conseiller un livre ?", ""),
        ("tu as des conseils contre le mal de tête ?", ""),
        ("qu'est-ce que tu m'as conseillé ?", "replied"),
        ("t'as dit quoi hier sur la recette", "replied"),
        ("ma chatte s'appelle Miso", ""),
        ("mon frère qui habite à Lyon vient demain", ""),
        ("bonjour !", ""),
    ],
    "es": [
        ("¿cuál es la capital de perú?", "anything"),
        ("quién escribió el quijote", "anything"),
        ("qué debería cocinar?", ""),
        ("cómo puedo dormir mejor?", ""),
        ("me recomiendas un libro?", ""),
        ("tienes algún consejo para el dolor de cabeza?", ""),
        ("qué me recomendaste?", "replied"),
        ("cuál era la receta que me diste ayer", "replied"),
        ("mi gata se llama Miso", ""),
        ("como mucho pescado", ""),
        ("cuando era niño vivía en Vigo", ""),
        ("buenos días!", ""),
    ],
}


@pytest.mark.parametrize(
    ("code", "message"), [(code, text) for code, texts in OWN.items() for text in texts]
)
def test_a_question_about_the_person_is_known(code: str, message: str) -> None:
    assert asked_about(message, words(code)) == "own"


@pytest.mark.parametrize(
    ("code", "message", "asked"), [(code, *text) for code, texts in OTHER.items() for text in texts]
)
def test_what_asks_about_the_world_for_advice_or_what_memapp_said_is_told_from_it(
    code: str, message: str, asked: Asked
) -> None:
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
def test_words_are_compared_without_accents_and_endings(
    code: str, question: str, told: str
) -> None:
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
