"""What of a message is the person's own statement."""

from memapp.language.english.authorship import own_words
from memapp.language.english.writing import check_fact


def test_code_quotes_links_and_speech_are_not_the_persons_own_words() -> None:
    typed = (
        'I like `rm -rf`.\n```\nI am code\n```\n> I am quoted\nSee https://a.example/x and she said "I am so very tired of it".'
    )
    words = own_words(typed)
    for foreign in ("rm", "code", "quoted", "example", "tired"):
        assert foreign not in words


def test_a_short_title_in_quotes_stays() -> None:
    assert check_fact("User loves War and Peace.", 'I love "War and Peace".') == []
