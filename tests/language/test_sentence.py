"""What a sentence is by its form, and the person's own words in a message."""

import pytest

from memapp.language.own_words import own_words, plays
from memapp.language.requests import asked
from memapp.language.sentence import corrects, cut_at_clause, is_question, leans
from memapp.language.word_file import words, words_of

EN = words("en")


@pytest.mark.parametrize(
    "text", ["what is that?", "wat was her name", "so how do i get there", "is it far"]
)
def test_a_question_needs_no_mark(text: str) -> None:
    assert is_question(text, EN)


@pytest.mark.parametrize("text", ["what i like is tea", "when we lived in Ghent we had a boat"])
def test_a_sentence_that_begins_like_a_question_may_be_none(text: str) -> None:
    assert not is_question(text, EN)


@pytest.mark.parametrize(
    ("text", "is_leaning"),
    [("She keeps goats.", True), ("and they hate it", True), ("My aunt loves her goats.", False)],
)
def test_a_sentence_leans_on_the_one_before_by_its_pronouns(text: str, is_leaning: bool) -> None:
    assert leans(text, EN, is_first=False) is is_leaning


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("no wait, its Moss", "own"),
        ("oh sorry, I meant Tuesday", "own"),
        ("I sold the van", "over"),
        ("we broke up", "over"),
        ("nice day", ""),
    ],
)
def test_a_correction_is_known_by_its_words(text: str, kind: str) -> None:
    assert corrects(text, EN) == kind


def test_what_is_too_long_is_cut_at_a_clause_or_at_a_word() -> None:
    actual = cut_at_clause("I keep goats on a farm, and I sell the cheese", 30, EN)
    assert actual == "I keep goats on a farm"
    assert cut_at_clause("goats " * 20, 32, EN) == "goats goats goats goats goats"
    assert cut_at_clause("x" * 50, 20, EN) == "x" * 20


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ('My boss said "I hate mondays and I live alone". I like her.', "I like her."),
        ("Translate to French: I have two dogs", ""),
        ("> I have two dogs\nI have a cat", "I have a cat"),
        ("*draws sword* I am the king", ""),
        ("my favourite book is 'Emma' by the way", "my favourite book is 'Emma' by the way"),
        ("Fix this mail\nDear Tom, I moved to Rome.", "Fix this mail"),
    ],
)
def test_what_is_quoted_pasted_or_played_is_not_the_persons_own(text: str, own: str) -> None:
    assert own_words(text, EN) == own


def test_a_play_goes_on_until_it_is_ended() -> None:
    assert plays(["let's play a game where you are my boss", "I have been a pirate for years"], EN)
    assert not plays(["let's play a game", "ok stop the game", "I have a cat"], EN)


@pytest.mark.parametrize(
    ("text", "kind", "content"),
    [
        ("please remember that I keep goats", "remember", "I keep goats"),
        ("remember that", "remember", ""),
        ("forget my locker number, it changed", "forget", "my locker number"),
        ("forget everything about me", "forget", "everything"),
        ("dont save this", "off", ""),
        ("no, please dont save that", "off", ""),
        ("dont save that my ferrets bite", "off", "dont save that my ferrets bite"),
        ("what do you know about me?", "know", ""),
        ("what do you know about my sister?", "know", "my sister"),
        ("that's wrong", "wrong", ""),
        ("undo that", "undo", ""),
        ("always answer in one sentence", "remember", "always answer in one sentence"),
    ],
)
def test_a_request_is_read_by_its_plain_form(text: str, kind: str, content: str) -> None:
    request = asked(text, EN)
    assert request is not None
    assert (request.kind, request.content) == (kind, content)


@pytest.mark.parametrize(
    "text",
    [
        "do you remember the war?",
        "I don't remember where I put my glasses",
        "don't forget to blink, haha",
        "forget it, I'll do it myself",
    ],
)
def test_what_only_speaks_of_remembering_is_no_request(text: str) -> None:
    assert asked(text, EN) is None


def test_an_unclear_text_is_taken_for_english() -> None:
    assert words_of("Pip").code == "en"
