"""Asking a model what a message tells, and reading its answer."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memapp.domain.memory import Kind
from memapp.domain.utterance import DEFAULT_IMPORTANCE
from memapp.inference.server_request import ways_to_ask
from memapp.language.english.writing import NO_SENTENCE
from memapp.prompts import distil


def facts(*written: dict[str, Any]) -> str:
    return json.dumps({"facts": list(written)})


def test_the_request_names_what_was_expected_and_what_was_said() -> None:
    prompt, sampling = distil.request("Tell me\nmore.", "I moved to Ghent." + " and on" * 10_000)
    asked = prompt.turns[-1].content
    assert "Expected: Tell me more." in asked
    assert "User said: I moved to Ghent." in asked
    assert len(asked) < distil.SHOWN_CHARS + 200
    assert "what you learned from the difference" in asked
    assert sampling.grammar is not None and sampling.temperature == 0


def test_a_server_that_takes_no_grammar_gets_the_schema() -> None:
    ways = ways_to_ask(*distil.request("", "I moved to Ghent."), "any", llama_server=False)
    assert [one.name for one in ways] == ["schema", "json", "plain"]
    assert ways[0].body["response_format"]["json_schema"]["schema"] == distil.SCHEMA


def test_the_examples_in_the_prompt_are_read_as_facts() -> None:
    system = distil.request("", "")[0].system
    examples = [line for line in system.partition("Examples:")[2].splitlines() if line]
    assert [len(distil.parse(line).drafts) for line in examples] == [1, 1, 0]
    assert not any(distil.parse(line).refused for line in examples)


def test_category_and_importance_are_kept_where_there_are_such() -> None:
    reply = facts(
        {"fact": "The user sold the boat in May.", "category": "event", "importance": 4},
        {"fact": "User loves tea", "category": "drinks", "importance": 9},
        {"fact": "User has a boat."},
    )
    first, second, third = distil.parse(reply).drafts
    assert (first.text, first.category, first.kind, first.importance) == ("User sold the boat in May.", "event", Kind.EPISODIC, 4)
    assert (second.text, second.category, second.importance) == ("User loves tea.", "preferences", DEFAULT_IMPORTANCE)
    assert (third.category, third.tags) == ("profile", ("boat",))


@pytest.mark.parametrize(
    ("reply", "kept", "refused"),
    [
        ('{"facts": []}', 0, 0),
        ('```json\n{ "facts": [ ] }\n```', 0, 0),
        ("", 0, 1),
        ("}{:,,\n", 0, 1),
        ("I would rather not say.", 0, 1),
        ('{"facts": [{"fact": "User has a dog."}, {"fact": "User has a c', 1, 0),
        ('{"facts": [{"fact": "User has a dog."}, {"fact": 7}, {"fact": "User"}, {broken}]}', 1, 3),
        (facts(*({"fact": f"User has {number} dogs."} for number in range(2, 10))), 5, 3),
    ],
)
def test_what_is_broken_is_counted_and_costs_no_other_fact(reply: str, kept: int, refused: int) -> None:
    found = distil.parse(reply)
    assert (len(found.drafts), len(found.refused)) == (kept, refused)
    assert set(found.refused) <= {NO_SENTENCE, distil.TOO_MANY}


@given(st.text(st.characters(exclude_categories=[]), max_size=400))
def test_parsing_never_raises(text: str) -> None:
    for reply in (text, f'{{"fact": "{text}"}}', f'{{"fact": "User {text}.", "importance": "{text}"}}'):
        for draft in distil.parse(reply).drafts:
            assert draft.text and f"{draft.text}{draft.tags}".encode()
