"""What of a message is the person's own statement."""

import pytest

from memapp.language.english.authorship import others_words, own_text, own_words
from memapp.language.english.writing import check_fact


def test_code_quotes_links_and_speech_are_not_the_persons_own_words() -> None:
    typed = (
        'I like `rm -rf`.\n```\nI am code\n```\n> I am quoted\nSee https://a.example/x and she said "I am so very tired of it".'
    )
    words = own_words(typed)
    for foreign in ("rm", "code", "quoted", "example", "tired"):
        assert foreign not in words


@pytest.mark.parametrize(
    "typed",
    [
        "they broke up :(",
        "so happy :-)) now",
        "just kidding ;) I <3 my cat",
        "what :D\n> quoted :)",
        "😢 sad 👩‍👩‍👧 “well” he said…",
        "İzmir :/ \r\n",
    ],
)
def test_what_is_blanked_keeps_its_length_with_smileys_too(typed: str) -> None:
    assert len(own_text(typed)) == len(typed)
    assert others_words(f'{typed}\nshe said "I am so very tired of it"')[-1:] == ["I am so very tired of it"]


def test_a_short_title_in_quotes_stays() -> None:
    assert check_fact("User loves War and Peace.", 'I love "War and Peace".') == []


@pytest.mark.parametrize("typed", ["house is so quiet :(", 'and :-) <3 "I am so very tired of it" 🙂 :D', "well :)) yes"])
def test_places_in_a_message_stay_the_same_beside_smileys(typed: str) -> None:
    assert len(own_text(typed)) == len(typed)
    assert ("I am so very tired of it" in others_words(typed)) == ('"' in typed)
