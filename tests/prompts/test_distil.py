"""Asking a model what a surprise taught, and reading its answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.domain.memory import MAX_MEMORY_CHARS
from memapp.prompts import distil


def test_the_request_names_what_was_expected_and_what_was_said() -> None:
    prompt, sampling = distil.request("Tell me\nmore.", "I moved to Ghent." + " and on" * 10_000)
    asked = prompt.turns[-1].content
    assert "Expected: Tell me more." in asked
    assert "User said: I moved to Ghent." in asked
    assert len(asked) < 2000
    assert "Write one sentence describing what you learned from the difference." in asked
    assert sampling.grammar is not None and sampling.temperature == 0


def test_the_examples_are_read_as_drafts() -> None:
    for one in distil.examples():
        draft = distil.parse(one["reply"])
        assert draft is not None and draft.tags
        assert distil.parse(one["reply"].removeprefix(distil.HEAD)) == draft


def test_a_sentence_without_usable_tags_gets_them_from_its_words() -> None:
    draft = distil.parse(' has a cello.", "tags": [", ", ""]}')
    assert draft is not None
    assert draft.text == "User has a cello."
    assert draft.tags == ("cello",)


@pytest.mark.parametrize("text", ["", '"}', " has a ce", " ", "x" * 400 + '"}', "\x00\ud800", "null", "[]"])
def test_a_reply_without_a_whole_short_sentence_is_nothing(text: str) -> None:
    assert distil.parse(text) is None


@given(st.text(st.characters(exclude_categories=[]), max_size=400))
def test_parsing_never_raises(text: str) -> None:
    for reply in (text, f'{text}"', f'{text}", "tags": ["{text}"]}}'):
        draft = distil.parse(reply)
        if draft is not None:
            assert len(draft.text) <= MAX_MEMORY_CHARS
            f"{draft.text}{draft.tags}".encode()
