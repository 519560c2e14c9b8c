"""An import never says anything of the person: it asks."""

import json
from pathlib import Path

import pytest

from memapp.domain.filters import MemoryFilter
from memapp.runtime import Runtime
from memapp.services import curate, exports, undo
from memapp.services.consent import decisions, requests
from memapp.services.imports.whole import import_file
from tests.builders import chat_of, erase, learn, new_chat, say
from tests.services.imports.builders import HEADER, carry, empty_store, requests_of_files, waiting


def test_a_benign_field_does_not_apply_by_imported_signals(runtime: Runtime, tmp_path: Path) -> None:
    request = requests.propose(runtime, "tone", "formal")
    assert request
    with empty_store() as other:
        carry(runtime, other, tmp_path)
        say(other, new_chat(other), "Please be more formal.")
        assert waiting(other) == {("tone", "formal", "")}
        assert decisions.profile(other) == {}


def test_what_was_erased_for_good_comes_back_only_as_a_question(runtime: Runtime, tmp_path: Path) -> None:
    curate.add(runtime, "I keep bees.")
    with empty_store() as other:
        memory_id = curate.add(other, "I keep bees.").memory_id
        erase(other, memory_id)
        carry(runtime, other, tmp_path)
        assert curate.count(other) == 0
        assert waiting(other) == {("forgotten", "I keep bees.", "I keep bees.")}


TWO = "User has HIV and lives in Berlin."


@pytest.mark.parametrize("first", ["city", "health"])
def test_a_memory_that_states_two_such_things_comes_with_the_yes_to_the_second(tmp_path: Path, first: str) -> None:
    with empty_store() as one, empty_store() as other, empty_store() as third:
        curate.add(one, TWO)
        found = carry(one, other, tmp_path)
        assert (found.facts, found.known, found.left_out) == (2, 0, 0)
        found = carry(other, third, tmp_path)
        assert (found.facts, found.known, found.left_out) == (2, 0, 0)
        assert waiting(third) == waiting(other) == {("city", "Berlin", ""), ("health", "HIV", "")}
        approve(third, first)
        assert curate.count(third) == 0
        assert [text for *_, text in waiting(third)] == [TWO]
        approve(third, "health" if first == "city" else "city")
        assert [memory.text for memory in curate.list_memories(third)] == [TWO]


def test_a_memory_that_states_two_such_things_stays_away_after_one_no(tmp_path: Path) -> None:
    with empty_store() as one, empty_store() as other:
        curate.add(one, TWO)
        carry(one, other, tmp_path)
        (city,) = (request for request in requests_of_files(other) if request.field == "city")
        decisions.deny(other, city.id)
        approve(other, "health")
        assert (curate.count(other), decisions.profile(other)) == (0, {"health": ("HIV",)})


def test_what_an_undo_of_an_import_put_into_the_trash_comes_out_of_it_with_the_yes(tmp_path: Path) -> None:
    with empty_store() as one, empty_store() as other:
        memory_id = curate.add(one, "User lives in Ghent.").memory_id
        decisions.set_field(other, "city", "Ghent")
        carry(one, other, tmp_path)
        undo.undo_last(other)
        undo.undo_last(other)
        carry(one, other, tmp_path)
        approve(other, "city")
        assert [memory.id for memory in curate.list_memories(other)] == [memory_id]
        assert curate.count(other, MemoryFilter(state=None)) == 0


def test_a_harmless_line_brings_no_memory_back_that_says_something_else(runtime: Runtime, tmp_path: Path) -> None:
    memory_id = curate.add(runtime, "User lives in Oslo.").memory_id
    undo.undo_last(runtime)
    header, line = (json.loads(one) for one in exports.as_lines(runtime))
    line.update(state="live", reason="", purge_at=None, text="User likes tea.")
    file = tmp_path / "all.jsonl"
    file.write_text(f"{json.dumps(header)}\n{json.dumps(line)}\n")
    assert (import_file(runtime, file).reworded, curate.count(runtime)) == (1, 0)
    assert curate.get(runtime, memory_id).text == "User lives in Oslo."


def approve(runtime: Runtime, field: str) -> None:
    (request,) = (one for one in requests_of_files(runtime) if one.field == field)
    decisions.approve(runtime, request.id)


WHEELS = "User uses a wheelchair."


def test_a_memory_that_touches_something_sensitive_waits_though_it_states_no_value(tmp_path: Path) -> None:
    with empty_store() as one, empty_store() as other:
        curate.add(one, WHEELS)
        carry(one, other, tmp_path)
        assert curate.count(other) == 0
        (request,) = requests_of_files(other)
        assert waiting(other) == {("health", "uses a wheelchair", WHEELS)}
        decisions.approve(other, request.id)
        assert [memory.text for memory in curate.list_memories(other)] == [WHEELS]


def test_a_held_memory_stays_with_its_request_on_the_way_through_a_file(runtime: Runtime, tmp_path: Path) -> None:
    thread = new_chat(runtime)
    for text in ("I use a wheelchair.", "I live in Ghent.", "I got divorced in March."):
        say(runtime, thread, text)
        learn(runtime, thread)
    assert {text for _, _, text in waiting(runtime)} >= {WHEELS, "User lives in Ghent."}
    with empty_store() as other, empty_store() as third:
        carry(runtime, other, tmp_path)
        assert waiting(other) == waiting(runtime)
        assert curate.count(other) == 0
        carry(other, third, tmp_path)
        assert waiting(third) == waiting(runtime)


def test_a_memory_that_may_be_about_a_field_but_names_no_value_of_it_waits_in_its_own_words(tmp_path: Path) -> None:
    with empty_store() as one, empty_store() as other:
        text = "User's name is on the list."
        curate.add(one, text)
        carry(one, other, tmp_path)
        assert (waiting(other), curate.count(other)) == ({("fact", text, text)}, 0)


def test_of_two_memories_that_say_the_same_of_the_person_the_second_is_told_to_be_left_out(tmp_path: Path) -> None:
    with empty_store() as one, empty_store() as other:
        curate.add(one, "User lives in Ghent.")
        curate.add(one, "User's home is Ghent.")
        found = carry(one, other, tmp_path)
        assert waiting(other) == {("city", "Ghent", "User lives in Ghent.")}
        assert (found.facts, found.known, found.left_out) == (1, 0, 1)


REQUEST = {
    **{"type": "consent_request", "id": "01KG9Z0000000000000000000P", "field": "city", "old_value": "", "new_value": "Berlin"},
    **{"proposer": "rules", "state": "pending", "asked_in": None, "snoozed_until": None, "evidence": []},
    **{"created_at": "2026-01-31T08:15:00.000Z", "expires_at": "2026-02-07T08:15:00.000Z"},
    **{"decided_at": None, "decided_by": None},
}
WITH_MEMORY = {
    **{"id": "", "tags": [], "kind": "semantic", "category": "notes", "importance": 5, "pinned": True, "reason": ""},
    **{"sources": [], "origin": "distilled", "agent_id": "", "run_id": "", "created_at": "2026-01-31T08:15:00.000Z"},
}


BOTH = "User lives in Berlin. User wants to learn Dutch."
OWES = ("money", "owes the bank a fortune", "User owes the bank a fortune.")
BEES = ("fact", "User keeps bees.", "User keeps bees.")
GOAL = ("goals_add", "owes the bank a fortune")


@pytest.mark.parametrize(
    ("field", "value", "text", "arrives", "left_out"),
    [
        ("city", "Berlin", "User lives in Berlin.", {("city", "Berlin", "User lives in Berlin.")}, 0),
        ("city", "Berlin", "User has HIV.", {("city", "Berlin", ""), ("health", "HIV", "User has HIV.")}, 0),
        ("city", "Berlin", "User lives in Ghent.", {("city", "Berlin", ""), ("city", "Ghent", "User lives in Ghent.")}, 0),
        ("city", "Berlin", "User lives in Berlin. User has HIV.", {("city", "Berlin", ""), ("health", "HIV", "")}, 0),
        ("city", "Berlin", BOTH, {("city", "Berlin", BOTH)}, 0),
        ("city", "Berlin", "User keeps bees.", {("city", "Berlin", ""), BEES}, 0),
        ("city", "Berlin", "User owes the bank a fortune.", {("city", "Berlin", ""), OWES}, 0),
        ("money", "owes the bank a fortune", "User owes the bank a fortune.", {OWES}, 0),
        ("money", "owes the bank", "User owes the bank a fortune.", {("money", "owes the bank", ""), OWES}, 0),
        ("goals_add", "owes the bank a fortune", "User owes the bank a fortune.", {(*GOAL, ""), OWES}, 0),
        ("forgotten", "User kept bees.", "User kept bees.", {("forgotten", "User kept bees.", "User kept bees.")}, 0),
        ("forgotten", "User kept bees.", "User keeps bees.", {("forgotten", "User kept bees.", ""), BEES}, 0),
    ],
)
def test_a_request_brings_no_memory_that_says_something_else(
    runtime: Runtime, tmp_path: Path, field: str, value: str, text: str, arrives: set[tuple[str, str, str]], left_out: int
) -> None:
    file = tmp_path / "all.jsonl"
    line = {**REQUEST, "field": field, "new_value": value, "memory": {**WITH_MEMORY, "text": text}}
    file.write_text(HEADER + json.dumps(line) + "\n")
    found = import_file(runtime, file)
    assert waiting(runtime) == arrives
    assert (found.left_out, curate.count(runtime)) == (left_out, 0)


def test_a_yes_in_the_chat_keeps_nothing_that_an_import_slipped_in(runtime: Runtime, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    file.write_text(HEADER + json.dumps({**REQUEST, "memory": {**WITH_MEMORY, "text": "User has HIV."}}) + "\n")
    import_file(runtime, file)
    chat_of(runtime, "I live in Berlin.", "yes")
    assert decisions.profile(runtime) == {"city": ("Berlin",)}
    assert "User has HIV." not in [memory.text for memory in curate.list_memories(runtime)]
