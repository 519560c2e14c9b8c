"""Requests to the memory in all languages, and their look-alikes."""

import pytest

from memapp.domain.memory_request import RequestKind
from memapp.language.requests import asked
from memapp.language.word_file import words

ASKED: list[tuple[str, str, RequestKind, str]] = [
    ("en", "can you remember that I hate kiwis?", "remember", "I hate kiwis"),
    ("en", "remove my address from your memory please", "forget", "my address"),
    (
        "en",
        "can u like.. not keep the thing abt my tablets pls, feels weird",
        "forget",
        "my tablets",
    ),
    ("en", "lose the bit about Lyon please", "forget", "Lyon"),
    ("de", "Kannst du dir bitte merken, dass ich Kiwis hasse?", "remember", "ich Kiwis hasse"),
    ("de", "kannst du das mit der Kündigung vergessen", "forget", "das mit der Kündigung"),
    ("de", "nimm meine adresse aus deinem gedaechtnis raus", "forget", "meine adresse"),
    (
        "de",
        (
            "das mit Ola hätt ich nich ausplaudern sollen, das vergisst du bitte wieder, ja? "
            "is ja ihre sache"
        ),
        "forget",
        "das mit Ola",
    ),
    ("de", "das mit Ola musst du wieder löschen, ok?", "forget", "das mit Ola"),
    ("de", "das vergisst du jetzt mal wieder", "forget", ""),
    ("fr", "j'aurais pas dû parler de Ola, tu oublies ça stp", "forget", "Ola"),
    ("fr", "l'adresse de mon frère tu l'effaces, d'accord ?", "forget", "l'adresse de mon frère"),
    ("es", "lo de Ola no tendría que haberlo contado, olvídalo porfa", "forget", "Ola"),
    ("es", "la dirección de mi hermano la borras, ¿vale?", "forget", "la dirección de mi hermano"),
    ("de", "bitte nicht vergessen: am Montag kommt Ola", "remember", "am Montag kommt Ola"),
    ("de", "Zeig mir, was du über meinen Hund weißt", "know", "meinen Hund"),
    ("de", "hast du was über mich gespeichert?", "know", ""),
    ("fr", "tu peux noter que je déteste le kiwi ?", "remember", "je déteste le kiwi"),
    ("fr", "enlève mon adresse de ta mémoire stp", "forget", "mon adresse"),
    ("fr", "je voudrais que tu retiennes que Ola vient lundi", "remember", "Ola vient lundi"),
    ("fr", "n'oublie pas que Ola vient lundi", "remember", "Ola vient lundi"),
    ("fr", "dis-moi ce que tu sais de mon chien", "know", "mon chien"),
    ("fr", "tas gardé quoi sur moi", "know", ""),
    ("es", "¿puedes apuntar que odio el kiwi?", "remember", "odio el kiwi"),
    ("es", "quita mi dirección de tu memoria porfa", "forget", "mi dirección"),
    ("es", "quiero q recuerdes que Ola viene el lunes", "remember", "Ola viene el lunes"),
    ("es", "no olvides que Ola viene el lunes", "remember", "Ola viene el lunes"),
    ("es", "¿qué sabes de mi perro?", "know", "mi perro"),
    ("es", "dime los datos que tienes sobre mí", "know", ""),
]
NOTHING = [
    ("en", "can you remember my sister's name?"),
    ("de", "ich hab meinen schirm im zug vergessen"),
    ("de", "Namen kann ich mir nicht merken"),
    ("de", "unsere Küche streichen wir jetzt blau"),
    ("de", "das wetter kannst du vergessen, es regnet nur"),
    ("de", "meine oma vergisst du nicht so schnell wieder"),
    ("fr", "le film tu peux l'oublier, trop nul"),
    ("es", "a mi abuela no la olvidas fácil"),
    ("fr", "notes de réunion : le budget est voté"),
    ("fr", "je veux pas garder le chat"),
    ("fr", "j'ai oublié mon parapluie"),
    ("es", "olvidar es difícil"),
    ("es", "no quiero guardar rencor"),
]


@pytest.mark.parametrize(("code", "text", "kind", "content"), ASKED)
def test_a_request_is_known_in_its_polite_forms_too(
    code: str, text: str, kind: RequestKind, content: str
) -> None:
    request = asked(text, words(code))
    assert request is not None
    assert (request.kind, request.content) == (kind, content)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("de", "Was ich jetzt sage, musst du nicht behalten."),
        ("de", "nix davon merken ok?"),
        ("fr", "hors de question que tu l'enregistres"),
        ("fr", "pas besoin de le noter"),
        ("es", "no hace falta que lo recuerdes"),
        ("es", "no quiero que guardes esto"),
        ("en", "nope, don't go noting that down"),
        ("en", "Leave that out of your records, please."),
        ("en", "what the doctor told me is not to be stored"),
    ],
)
def test_what_is_to_be_kept_out_of_memory_is_known(code: str, text: str) -> None:
    request = asked(text, words(code))
    assert request is not None
    assert request.kind == "off"


@pytest.mark.parametrize(
    ("text", "is_of_last"),
    [
        ("oh, don't keep that. I was only angry.", True),
        ("don't keep this. I may quit in June.", False),
        ("I may quit in June. don't keep that.", False),
    ],
)
def test_a_reason_may_follow_a_request_to_keep_the_last_message_out(
    text: str, is_of_last: bool
) -> None:
    request = asked(text, words("en"))
    assert request is not None
    assert (request.content == "") == is_of_last


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("leave my salary out of your notes", "my salary"),
        ("don't save that bit about the loan", "the loan"),
        ("don't keep the mortgage stuff though, my brother reads this", "the mortgage"),
    ],
)
def test_what_is_named_to_be_left_out_is_to_be_forgotten(text: str, content: str) -> None:
    request = asked(text, words("en"))
    assert request is not None
    assert (request.kind, request.content) == ("forget", content)


@pytest.mark.parametrize(("code", "text"), NOTHING)
def test_what_only_has_such_words_asks_nothing(code: str, text: str) -> None:
    assert asked(text, words(code)) is None
