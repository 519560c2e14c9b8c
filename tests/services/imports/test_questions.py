"""An import never says anything of the person: it asks."""

import json
from pathlib import Path

import pytest

from memapp.domain.filters import MemoryFilter
from memapp.runtime import Runtime
from memapp.services import curate, exports, undo
from memapp.services.consent import decisions, requests
from memapp.services.imports.import_file import import_file
from tests.builders import chat_of, erase, learn, new_chat, say
from tests.services.imports.builders import (
    HEADER,
    ROWS,
    carry,
    empty_store,
    requests_of_files,
    say_yes,
    waiting,
)


def test_a_benign_field_applies_by_no_imported_signal(runtime: Runtime, tmp_path: Path) -> None:
    request = requests.propose(runtime, "tone", "formal")
    assert request
    with empty_store() as other:
        carry(runtime, other, tmp_path)
        say(other, new_chat(other), "Please be more formal.")
        assert waiting(other) == {("tone", "formal", "")}
        assert decisions.profile(other) == {}


def test_what_was_erased_comes_back_only_as_a_question(runtime: Runtime, tmp_path: Path) -> None:
    curate.add(runtime, "I keep bees.")
    with empty_store() as other:
        memory_id = curate.add(other, "I keep bees.").memory_id
        erase(other, memory_id)
        carry(runtime, other, tmp_path)
        assert curate.count(other) == 0
        assert waiting(other) == {("forgotten", "I keep bees.", "I keep bees.")}


@pytest.mark.parametrize(
    "text",
    [
        "I live in Berlin and my name is Ana.",
        "I live in Berlin and I have HIV.",
        "I use a wheelchair.",
    ],
)
def test_a_memory_of_several_values_waits_in_its_own_words(tmp_path: Path, text: str) -> None:
    with empty_store() as one, empty_store() as other, empty_store() as third:
        curate.add(one, text)
        carry(one, other, tmp_path)
        carry(other, third, tmp_path)
        assert waiting(third) == waiting(other) == {("fact", text, text)}
        assert curate.count(third) == 0
        approve(third, "fact")
        assert [memory.text for memory in curate.list_memories(third)] == [text]
        assert decisions.profile(third) == {}


def test_what_an_undone_import_put_into_the_trash_leaves_it_with_the_yes(tmp_path: Path) -> None:
    with empty_store() as one, empty_store() as other:
        memory_id = curate.add(one, "I live in Ghent.").memory_id
        decisions.set_field(other, "city", "Ghent")
        carry(one, other, tmp_path)
        undo.undo_last(other)
        undo.undo_last(other)
        carry(one, other, tmp_path)
        approve(other, "city")
        assert [memory.id for memory in curate.list_memories(other)] == [memory_id]
        assert curate.count(other, MemoryFilter(state=None)) == 0


def test_a_harmless_line_restores_no_other_memory(runtime: Runtime, tmp_path: Path) -> None:
    memory_id = curate.add(runtime, "I live in Oslo.").memory_id
    undo.undo_last(runtime)
    header, line = (json.loads(line) for line in exports.as_lines(runtime))
    line.update(state="live", reason="", purge_at=None, text="I like tea.")
    file = tmp_path / "all.jsonl"
    file.write_text(f"{json.dumps(header)}\n{json.dumps(line)}\n")
    assert (import_file(runtime, file).reworded, curate.count(runtime)) == (1, 0)
    assert curate.get(runtime, memory_id).text == "I live in Oslo."


def approve(runtime: Runtime, field: str) -> None:
    (request,) = (request for request in requests_of_files(runtime) if request.field == field)
    decisions.approve(runtime, request.id)


def test_a_held_memory_stays_with_its_request_in_a_file(runtime: Runtime, tmp_path: Path) -> None:
    thread = new_chat(runtime)
    for text in ("I use a wheelchair.", "I live in Ghent.", "I got divorced in March."):
        say(runtime, thread, text)
        learn(runtime, thread)
    assert {text for _, _, text in waiting(runtime)} >= {"I use a wheelchair.", "I live in Ghent."}
    with empty_store() as other, empty_store() as third:
        carry(runtime, other, tmp_path)
        assert waiting(other) == waiting(runtime)
        assert curate.count(other) == 0
        carry(other, third, tmp_path)
        assert waiting(third) == waiting(runtime)
        say_yes(third)
        assert {memory.origin for memory in curate.list_memories(third)} == {"import"}


def test_of_two_memories_that_say_the_same_the_second_is_left_out(tmp_path: Path) -> None:
    with empty_store() as one, empty_store() as other:
        curate.add(one, "I live in Ghent.")
        curate.add(one, "I am living in Ghent.")
        found = carry(one, other, tmp_path)
        assert waiting(other) == {("city", "Ghent", "I live in Ghent.")}
        assert (found.facts, found.known, found.left_out.total()) == (1, 0, 1)


REQUEST, WITH_MEMORY = ROWS["request"], ROWS["memory of a request"]


OLD = "User owes the bank a fortune."
BEES = ("fact", "I keep bees.", "I keep bees.")
HIV = "I live in Berlin. I have HIV."
DEBT = "I owe the bank a fortune."


@pytest.mark.parametrize(
    ("field", "value", "text", "arrives"),
    [
        ("city", "Berlin", "I live in Berlin.", {("city", "Berlin", "I live in Berlin.")}),
        (
            "city",
            "Berlin",
            "I have HIV.",
            {("city", "Berlin", ""), ("fact", "I have HIV.", "I have HIV.")},
        ),
        (
            "city",
            "Berlin",
            "I live in Ghent.",
            {("city", "Berlin", ""), ("city", "Ghent", "I live in Ghent.")},
        ),
        ("city", "Berlin", HIV, {("city", "Berlin", ""), ("fact", HIV, HIV)}),
        ("city", "Berlin", "I keep bees.", {("city", "Berlin", ""), BEES}),
        ("money", DEBT, DEBT, {("money", DEBT, DEBT)}),
        (
            "money",
            "owes the bank a fortune",
            OLD,
            {("money", "owes the bank a fortune", ""), ("fact", OLD, OLD)},
        ),
        ("goals_add", DEBT, DEBT, {("goals_add", DEBT, ""), ("fact", DEBT, DEBT)}),
        (
            "forgotten",
            "I kept bees.",
            "I kept bees.",
            {("forgotten", "I kept bees.", "I kept bees.")},
        ),
        ("forgotten", "I kept bees.", "I keep bees.", {("forgotten", "I kept bees.", ""), BEES}),
    ],
)
def test_a_request_brings_no_memory_that_says_something_else(
    runtime: Runtime,
    tmp_path: Path,
    field: str,
    value: str,
    text: str,
    arrives: set[tuple[str, str, str]],
) -> None:
    file = tmp_path / "all.jsonl"
    line = {**REQUEST, "field": field, "new_value": value, "memory": {**WITH_MEMORY, "text": text}}
    file.write_text(HEADER + json.dumps(line) + "\n")
    found = import_file(runtime, file)
    assert waiting(runtime) == arrives
    assert (found.left_out.total(), curate.count(runtime)) == (0, 0)


def test_a_yes_in_the_chat_keeps_nothing_slipped_in(runtime: Runtime, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    file.write_text(
        HEADER + json.dumps({**REQUEST, "memory": {**WITH_MEMORY, "text": "I have HIV."}}) + "\n"
    )
    import_file(runtime, file)
    chat_of(runtime, "I live in Berlin.", "yes")
    assert decisions.profile(runtime) == {"city": ("Berlin",)}
    assert "I have HIV." not in [memory.text for memory in curate.list_memories(runtime)]
