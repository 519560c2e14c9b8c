"""What a sentence is said to be about: whole phrases, and no half ones."""

import pytest

from memapp.language.english.topics import clear, topics_in


@pytest.mark.parametrize(
    ("sentence", "topics"),
    [
        ("I rowed to the island with my cousin Tobias.", ["the island", "User's cousin Tobias"]),
        ("What is the cheapest way to paint a shed?", ["a shed"]),
        ("The regatta is on the 5th of June.", ["the regatta"]),
        ("I keep the dough in the cellar overnight.", ["the dough", "the cellar"]),
        ("I need a pair of tongs for the head of the lobster.", ["a pair of tongs", "the head of the lobster"]),
        ("We tried a variety of them on the pier.", ["the pier"]),
        ("That sounds like a brave plan, and it's really one of the best regattas on the lake.", ["the lake"]),
        ("I oil the loom on Tuesdays, and there is no bread.", ["the loom", "bread"]),
        ("She is a great potter, and the kiln is the Big Bertha.", ["the kiln", "the Big Bertha"]),
        ("WE SAW A SEAL AND THE OLD PIER", ["a seal", "the old pier"]),
        ("The forest and the best harvest of the year.", ["the forest", "the best harvest"]),
    ],
)
def test_a_topic_is_a_whole_phrase(sentence: str, topics: list[str]) -> None:
    assert topics_in(sentence) == topics


def test_what_says_little_stands_only_where_nothing_else_does() -> None:
    assert clear(["a decision", "the loom", "progress"]) == ["the loom"]
    assert clear(["a decision", "progress"]) == ["a decision", "progress"]
