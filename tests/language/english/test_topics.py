"""What a sentence is said to be about: whole phrases, and no half ones."""

import pytest

from memapp.language.english.topics import topics_in


@pytest.mark.parametrize(
    ("sentence", "topics"),
    [
        ("I rowed to the island with my cousin Tobias.", ["the island", "User's cousin Tobias"]),
        ("What is the cheapest way to paint a shed?", ["a shed"]),
        ("The regatta is on the 5th of June.", ["the regatta"]),
        ("I keep the dough in the cellar overnight.", ["the dough", "the cellar"]),
        ("did the scarecrow win?", ["the scarecrow"]),
        ("does the kiln heat up fast?", ["the kiln"]),
        ("When will the tram museum open?", ["the tram museum"]),
        ("did the old pier really burn?", ["the old pier"]),
        ("I told everyone about the scarecrow win.", ["the scarecrow win"]),
        ("I need a pair of tongs for the head of the lobster.", ["a pair of tongs", "the head of the lobster"]),
        ("We tried a variety of them on the pier.", ["the pier"]),
        ("That sounds like a brave plan, and it's really one of the best regattas on the lake.", ["the lake"]),
        ("I oil the loom on Tuesdays, and there is no bread.", ["the loom", "bread"]),
        ("She is a great potter, and the kiln is the Big Bertha.", ["the kiln", "the Big Bertha"]),
        ("WE SAW A SEAL AND THE OLD PIER", ["a seal", "the old pier"]),
        ("I saw Jaws Have you seen it at the cinema?", ["Jaws", "the cinema"]),
        ("Today I went to a tea shop and asked for travel tips.", ["a tea shop", "travel tips"]),
        ("I asked for useful tips about the meaning of life.", ["the meaning of life"]),
        ("My companion, the chat bot companion, met a couple of mayors at a fair someday.", ["a couple of mayors", "a fair"]),
        ("I really enjoy rowing, playing chess and old maps.", ["rowing", "chess", "old maps"]),
        ("We rowed to the pier, and swim at noon with some net problems today.", ["the pier", "noon", "net problems"]),
        ("I like to watch the old rowers push themselves.", ["the old rowers"]),
        ("We drove to the north, and then to the west coast of the North Sea.", ["the west coast of the North Sea"]),
        ("I am falling out of love with rowing tbh", ["rowing"]),
        ("The forest and the best harvest of the year.", ["the forest", "the best harvest"]),
    ],
)
def test_a_topic_is_a_whole_phrase(sentence: str, topics: list[str]) -> None:
    assert topics_in(sentence) == topics
