import pytest

from memapp.language.english.salience.salient import category_of


@pytest.mark.parametrize(
    ("rule", "words", "category"),
    [
        ("is", "a nurse", "profile"),
        ("is", "a", ""),
        ("is", "a mess", ""),
        ("is", "a child psychologist", "profile"),
        ("is", "a child again", ""),
        ("is", "in the old navy", "profile"),
        ("is", "in the very old navy", ""),
        ("is", "forty two years old", "profile"),
        ("is", "ten minutes away", ""),
        ("is", "called Rex", "profile"),
        ("is", "called back", ""),
        ("is", "planning to visit Peru next year", "goals"),
        ("is", "planning to visit Peru", ""),
        ("can", "swim", "profile"),
        ("can", "swim it", ""),
        ("can", "eat nuts", ""),
        ("can", "not eat nuts", "profile"),
        ("taste", "the sea", "preferences"),
        ("taste", "all kinds of music", "preferences"),
        ("taste", "all of them", ""),
        ("owned", "no siblings", "profile"),
        ("owned", "no idea", ""),
    ],
)
def test_a_rule_keeps_what_begins_like_one_of_its_phrases(rule: str, words: str, category: str) -> None:
    assert category_of(rule, words.split()) == category


def test_a_part_of_a_phrase_stands_for_a_whole_word() -> None:
    assert category_of("got", ["a", "dog"]) == "event"
    assert category_of("got", ["a", "dogged", "answer"]) == ""
