"""Asking a model how the facts of some pairs are related, and reading its answer."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.inference.server_request import ways_to_ask
from memapp.prompts import same_fact
from memapp.prompts.same_fact import Relation

PAIRS = [("I have a dog.", "I have a dog named Rex."), ("I like\ntea.", "I like coffee.")]


def test_each_pair_is_one_line_and_gets_one_answer() -> None:
    prompt, sampling = same_fact.request(PAIRS)
    assert prompt.turns[0].content.splitlines() == [
        "1. A: I have a dog. B: I have a dog named Rex.",
        "2. A: I like tea. B: I like coffee.",
    ]
    assert sampling.temperature == 0 and sampling.grammar is not None
    schema = ways_to_ask(prompt, sampling, "any", llama_server=False)[0].body["response_format"][
        "json_schema"
    ]["schema"]
    assert schema["properties"]["answers"]["minItems"] == 2


def test_the_example_in_the_prompt_is_read() -> None:
    actual = same_fact.parse(same_fact.request(PAIRS)[0].system.splitlines()[-1], 3)
    assert actual == ["same", "b_more", "different"]


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        (
            '{"answers": [{"pair": 2, "is": "related"}, {"pair": 1, "is": "same"}]}',
            ["same", "related"],
        ),
        ('```json\n{"answers": [{"is": "same", "pair": 1}, {"pair": 2, "is": "sa', ["same", None]),
        (
            (
                '{"answers": [{"pair": 3, "is": "same"}, {"pair": 1, "is": "alike"}, {"pair": '
                '"2", "is": "same"}]}'
            ),
            [None, None],
        ),
        ('[{"pair": 1, "is": "same"}, {"pair": 1, "is": "different"}]', ["same", None]),
        ("", [None, None]),
    ],
)
def test_what_can_be_read_of_an_answer_counts(reply: str, found: list[Relation | None]) -> None:
    assert same_fact.parse(reply, 2) == found


@given(
    st.text(max_size=200)
    | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps),
    st.integers(0, 10),
)
def test_any_reply_is_read_without_an_error(reply: str, pairs: int) -> None:
    assert len(same_fact.parse(reply, pairs)) == pairs
