"""Requests to the memory in all languages, and their look-alikes."""

import pytest

from memapp.domain.memory_request import RequestKind
from memapp.language.requests import asked
from memapp.language.word_file import words
from tests.language.sentences import sentences


@pytest.mark.parametrize(("code", "text", "kind", "content"), sentences("requests"))
def test_a_polite_request_is_known(code: str, text: str, kind: RequestKind, content: str) -> None:
    request = asked(text, words(code))
    assert request is not None
    assert (request.kind, request.content) == (kind, content)


@pytest.mark.parametrize(("code", "text"), sentences("kept_out_of_memory"))
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


@pytest.mark.parametrize(("code", "text"), sentences("no_requests"))
def test_what_only_has_such_words_asks_nothing(code: str, text: str) -> None:
    assert asked(text, words(code)) is None
