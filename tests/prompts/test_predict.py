"""Parsing the output of call 1, however broken."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.domain.chat import Exchange
from memapp.prompts import predict
from memapp.prompts.few_shot import look_up_turns
from memapp.prompts.predict import (
    MAX_KEYWORDS,
    keywords,
    needs_nothing,
    parse,
    parse_prediction,
    read_enough,
)
from tests.prompts.contexts import context, tom

WHOLE = ' ["jazz music", "AC/DC"], "what_the_person_writes_next": "I saw them live once."}'


def test_a_whole_reply_is_read() -> None:
    assert parse(WHOLE) == ("jazz music", "AC/DC")


@pytest.mark.parametrize("length", range(len(WHOLE)))
def test_a_reply_cut_anywhere_keeps_what_was_there(length: int) -> None:
    needed_info = parse(WHOLE[:length])
    assert needed_info == () or needed_info[0] in "jazz music"
    if length > WHOLE.index("]"):
        assert needed_info == ("jazz music", "AC/DC")


def test_the_list_counts_as_closed_only_at_its_own_bracket() -> None:
    listed = ' ["a bar] or club"], "prediction_next": "I saw [them] live."}'
    closed = [read_enough(listed[:length]) for length in range(len(listed) + 1)]
    assert closed.index(True) == listed.index('"]') + 2
    assert all(later or not earlier for earlier, later in pairwise(closed))
    assert not read_enough(' ["a bracket ] in a word')


def test_junk_and_doubles_are_dropped_and_five_are_kept() -> None:
    items = [", ", "needed_info", "Tea", "tea", "", "...", "green\ntea", "a", "b", "c", "d", "e"]
    assert parse(json.dumps(items)) == ("Tea", "green tea", "b", "c", "e")


def test_a_list_without_end_is_read_to_some_length_only() -> None:
    assert parse('["' + '", "'.join(["a the of"] * 1000 + ["tea"])) == ()


def test_other_things_than_strings_are_skipped() -> None:
    assert parse('["tea", 3, null, NaN, {"x": 1e999}, "cake"]')[0] == "tea"


def test_a_server_that_writes_the_head_again_is_understood() -> None:
    text = 'Sure!\n```json\n{"needed_info": ["tea", "cake"], "prediction_next": "Thanks"}\n```'
    assert parse(text) == ("tea", "cake")
    assert read_enough(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "]", '"', "\\", '"]', "[" * 100_000, '["' * 50_000, "9" * 10_000, "\x00", "\ud800",
        '\\ud800", "\\u12', '\\"' * 20_000,
    ],
)  # fmt: skip
def test_garbage_gives_something_storable(text: str) -> None:
    said = (*parse(text), parse_prediction(text))
    assert [text for text in said if not text.isprintable()] == []
    assert len(said) <= MAX_KEYWORDS + 1
    assert max(map(len, said)) <= predict.PREDICTION_CHARS


@given(
    st.text(st.characters(exclude_categories=[]), max_size=300)
    | st.text('"\\[],:{}u0n \n', max_size=120)
)
def test_parsing_never_raises_and_gives_clean_bounded_text(text: str) -> None:
    needed_info = parse(text)
    read_enough(text)
    assert len(needed_info) <= MAX_KEYWORDS
    for said in (*needed_info, parse_prediction(text)):
        said.encode()
        assert "\n" not in said and "\x00" not in said
        assert len(said) <= predict.PREDICTION_CHARS


def test_the_rest_of_a_reply_is_asked_for_where_it_stopped() -> None:
    prompt, sampling = predict.finish_request(context(), ["tea", 'a "b"'])
    assert prompt.head == '{"needed_info": ["tea", "a \\"b\\""], "what_the_person_writes_next": "'
    assert parse_prediction('I like "it".\n"}') == "I like"
    assert sampling.grammar is not None and "item" not in sampling.grammar


def test_both_requests_of_a_context_begin_alike() -> None:
    first, _ = predict.request(context())
    rest, _ = predict.finish_request(context(), ["tea"])
    assert (first.system, first.turns, first.suffix) == (rest.system, rest.turns, rest.suffix)


def test_the_words_of_a_message_stand_in_for_missing_keywords() -> None:
    assert keywords("What was the name of the café in Ghent?") == ("name", "café", "ghent")
    assert keywords("") == ()
    assert len(keywords("word " * 100_000 + "a b c d e f g h i j k l")) <= MAX_KEYWORDS


@pytest.mark.parametrize(
    "text",
    [
        ' [], "prediction_next": "And at night?"}',
        ' [ ], "pre',
        '{"needed_info": []}',
        '{"needed_info": ["", "..."]}',
    ],
)
def test_nothing_is_needed_where_the_model_says_so(text: str) -> None:
    assert needs_nothing(text) and parse(text) == ()


@pytest.mark.parametrize(
    "text",
    ["", "}{:,,", 'I would "really" need [your] diet.', '"diet', ' ["diet', '{"needed": ["diet"]}'],
)
def test_what_is_no_list_says_neither_what_is_needed_nor_that_nothing_is(text: str) -> None:
    assert not needs_nothing(text)
    assert parse(text) == (("diet",) if text == ' ["diet' else ())


def test_call_1_has_a_prompt_of_its_own_that_begins_alike_in_every_chat() -> None:
    short, _ = predict.request(
        context("and for her?", [Exchange("What could I give Igor?", "A pen, maybe?")])
    )
    long, _ = predict.request(context("word " * 2000, persona=tom()))
    assert (short.slot, short.head, short.suffix) == ("look-up", '{"needed_info":', "")
    assert (short.system, short.turns[:-1]) == (long.system, long.turns[:-1])
    actual = short.turns[-1].content
    assert actual == "[before: What could I give Igor? / A pen, maybe?]\n\nand for her?"
    assert len(long.turns[-1].content) < 1300


def test_the_examples_are_written_as_the_grammar_allows() -> None:
    written = [turn.content for turn in look_up_turns() if turn.role == "assistant"]
    assert all(text.startswith('{"needed_info": [') and len(parse(text)) <= 2 for text in written)
    assert sum(needs_nothing(text) for text in written) * 2 >= len(written) - 1


def test_a_list_without_end_is_enough_at_some_length() -> None:
    assert read_enough(' ["a"' + ', "a"' * 20_000)
    assert len(parse(' ["a"' + ', "a"' * 20_000)) <= MAX_KEYWORDS
