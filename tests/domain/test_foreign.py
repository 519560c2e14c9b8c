"""Whatever stands in an export of another program: what was said and is known comes in, or is
counted.
"""

import copy
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain
from typing import Any

import pytest

from memapp.domain.foreign.items import (
    ForeignConversation,
    ForeignFact,
    ForeignMessage,
    Unread,
    each,
    moment,
)
from memapp.domain.foreign.notes import passages
from memapp.domain.foreign.programs import PROGRAMS, program_of, unwrapped
from tests.services.imports import sample_exports as made

EXPORTS: dict[str, Any] = {
    "ChatGPT": made.CHATGPT,
    "Claude": made.CLAUDE,
    "project": made.PROJECT,
    "Open WebUI": made.loaded("open_webui.json")[0],
    "Jan": made.loaded("jan/j-1/messages.jsonl")[:1],
    "MCP": made.loaded("mcp.jsonl"),
    **{
        name: made.loaded(f"{name}.json")
        for name in ("claude_memories", "gemini", "lm_studio", "mem0", "letta")
    },
}
Path = tuple[str | int, ...]


def found_in(data: Any) -> tuple[list[str], Counter[str]]:
    """Return the messages and memories of an export, and the items left out."""
    said, left_out = list[str](), Counter[str]()
    for element in unwrapped(data):
        program = program_of(element)
        if program is None:
            left_out["unknown"] += 1
            continue
        for item in each(program.read, [element]):
            match item:
                case ForeignConversation(said=messages):
                    said += [message.text for message in messages]
                    left_out["without words"] += not messages
                case ForeignFact() | ForeignMessage():
                    said.append(item.text)
                case Unread(kind, count):
                    left_out[kind] += count
    return said, left_out


def paths(data: Any, above: Path = ()) -> Iterator[Path]:
    pairs = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    yield from chain.from_iterable(
        [(*above, key), *paths(value, (*above, key))] for key, value in pairs
    )


def changed(data: Any, path: Path, value: Any) -> Any:
    data = part = copy.deepcopy(data)
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return data


@pytest.mark.parametrize("program", EXPORTS)
def test_another_thing_in_place_of_any_part_costs_that_part_and_is_counted(program: str) -> None:
    whole, left_out = found_in(EXPORTS[program])
    assert whole
    for path in paths(EXPORTS[program]):
        for value in (7, [1], True, {"a": 1}):
            if path[:-1] == ("mapping",) and value == {"a": 1}:
                continue  # a node with nothing in it
            said, now_left_out = found_in(changed(EXPORTS[program], path, value))
            lost = set(whole) - set(said)
            assert not lost or now_left_out - left_out, (path, value)
        for value in (None, "x", "", [], {}):
            found_in(changed(EXPORTS[program], path, value))


def test_an_export_is_known_whatever_it_lies_in() -> None:
    one = made.CHATGPT
    for wrapped in (
        one,
        [one],
        {"conversations": [one]},
        {"data": {"conversations": [one, {}]}},
        {"account": {"id": 1}, "x": [[one]]},
    ):
        assert "How many hives?" in found_in(wrapped)[0]


def test_a_message_is_no_fact() -> None:
    for data in (
        {"role": "user", "content": "Hi"},
        {"conversation_id": "x", "content": "{}", "rating": "good"},
    ):
        assert program_of(data) is None


@pytest.mark.parametrize(
    ("value", "at"),
    [
        *(
            (value, datetime(2026, 1, 31, 8, 15, tzinfo=UTC))
            for value in (made.AT, made.AT * 1000, made.AT * 1e6, made.AT * 1e9)
        ),
        *(
            (value, datetime(2026, 1, 31, 8, 15, tzinfo=UTC))
            for value in (made.ISO, "1769847300", "2026-01-31 09:15:00+01:00")
        ),
        *(
            (value, None)
            for value in (
                None, 0, -5, True, "", "soon", "0001-01-01T00:00:00+14:00", 1e300, float("nan"), [],
                "9" * 40,
            )
        ),
    ],
)  # fmt: skip
def test_a_time_is_read_in_every_form_and_never_made_up(value: Any, at: datetime | None) -> None:
    assert moment(value) == at


def node(
    text: str, at: float | None, parent: Any = ..., children: list[str] | None = None
) -> dict[str, Any]:
    links = ({} if parent is ... else {"parent": parent}) | (
        {} if children is None else {"children": children}
    )
    return {
        "message": {
            "author": {"role": "user"},
            "content": {"content_type": "text", "parts": [text]},
            "create_time": at,
        },
        **links,
    }


A_TREE = {
    "both": {"a": node("1", 1.8e9, None, ["b"]), "b": node("2", 1.8e9, "a", ["c"]),
     "c": node("3", 1.8e9, "b", [])},
    "only parents": {
        "a": node("1", 1.8e9, None),
        "b": node("2", 1.8e9, "a"),
        "c": node("3", 1.8e9, "b"),
    },
    "only children": {"a": node("1", None, children=["b"]), "b": node("2", None, children=["c"]),
     "c": node("3", None, children=[])},
    "none": {"a": node("1", 1.8e9), "b": node("2", 1.8e9 + 1), "c": node("3", 1.8e9 + 2)},
    "out of order": {
        "c": node("3", 1.8e9, "b"),
        "b": node("2", 1.8e9, "a"),
        "a": node("1", 1.8e9, None),
    },
    "one lost": {"a": node("1", 1.8e9, None, ["x"]), "b": node("2", 1.8e9 + 1, "x", ["c"]),
     "c": node("3", 1.8e9 + 2, "b", [])},
    "one side each": {
        "a": node("1", 1.8e9, None, ["b"]),
        "b": node("2", 1.8e9),
        "c": node("3", 1.8e9, "b"),
    },
    "a retry": {"a": node("1", 1.8e9, None), "old": node("no", 1.8e9, "a"),
     "b": node("2", 1.8e9, "a"), "c": node("3", 1.8e9 + 1, "b")},
    "a first retry": {"old": node("no", 1.8e9, None), "a": node("1", 1.8e9, None),
     "b": node("2", 1.8e9, "a"), "c": node("3", 1.9e9, "b")},
}  # fmt: skip


@pytest.mark.parametrize("links", A_TREE)
@pytest.mark.parametrize("current", ["c", None, "gone"])
def test_a_conversation_comes_in_whole_whatever_its_links(links: str, current: str | None) -> None:
    said, _ = found_in({"id": "x", "mapping": A_TREE[links], "current_node": current})
    assert said == ["1", "2", "3"]


def test_long_trees_and_texts_take_no_long_time() -> None:
    long = {
        str(number): node(str(number), None, str(number - 1) if number else None)
        for number in range(5_000)
    }
    assert len(found_in({"id": "x", "mapping": long})[0]) == 5_000
    for text in (
        "[[" * 5000,
        "**a " * 2500,
        "#" * 9000,
        "- [" * 3000,
        "~~~" * 3000,
        "a  " * 3000,
        "![" * 4000,
    ):
        assert all(isinstance(passage, ForeignFact | Unread) for passage in passages(text, (), "x"))


def test_every_program_has_a_made_export() -> None:
    known = {
        program.name
        for data in EXPORTS.values()
        for item in unwrapped(data)
        if (program := program_of(item))
    }
    assert known | {"oterm or elia"} == {program.name for program in PROGRAMS} - {"facts"} | (
        known & {"facts"}
    )
