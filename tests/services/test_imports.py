"""Everything out and in again: exact but for what consent forbids, and all or nothing."""

import json
import re
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memapp.domain.portable import as_imported, read_items
from memapp.errors import MemappError, UsageError
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats, curate, exports, forget, imports, transfer, undo
from memapp.services.consent import decisions, pending, proposals
from tests.builders import make_runtime, new_chat, say


@contextmanager
def empty_store() -> Iterator[Runtime]:
    with TemporaryDirectory() as folder, closing(make_runtime(Path(folder) / "home", ScriptedModel())) as runtime:
        yield runtime


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    with closing(make_runtime(tmp_path / "home", ScriptedModel())) as opened:
        yield opened


def dump(runtime: Runtime) -> list[dict[str, Any]]:
    """Return all that a store holds, without the header, which has the time in it."""
    return [json.loads(line) for line in exports.as_lines(runtime)][1:]


def kept(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what has to be the same afterwards: everything but the profile and the proposals."""
    return [line for line in lines if line["type"] not in ("patch", "profile")]


def as_it_arrives(runtime: Runtime) -> list[dict[str, Any]]:
    lines = [line.encode() for line in exports.as_lines(runtime)]
    return kept([as_imported(item).model_dump() for _, item in read_items(lines)])


def waiting(runtime: Runtime) -> set[tuple[str, str, str]]:
    return {(one.field, one.new_value, pending.held_text(runtime, one.id)) for one in pending.waiting(runtime)}


def carry(runtime: Runtime, other: Runtime, tmp: Path) -> imports.Imported:
    file = tmp / "all.jsonl"
    transfer.write_private(file, exports.as_lines(runtime))
    return imports.import_file(other, file)


def lived_in(runtime: Runtime) -> None:
    """Fill a store with one of everything."""
    thread = new_chat(runtime)
    say(runtime, thread, "I grow dahlias on my balcony.")
    say(runtime, thread, "Which flowers do I grow?")
    say(runtime, new_chat(runtime), "A second chat.")
    pinned = curate.add(runtime, "I keep bees.", ["bees"], pinned=True).memory_id
    again = curate.add(runtime, "I like tea.").memory_id
    curate.forget(runtime, again)
    curate.add(runtime, "I like tea.", importance=5)
    curate.edit(runtime, pinned, "I keep hens.")
    chats.delete_thread(runtime, new_chat(runtime))
    decisions.set_field(runtime, "city", "Ghent")
    decisions.set_field(runtime, "city", "Bruges")
    proposals.propose(runtime, "language", "Dutch")
    patch = proposals.propose(runtime, "pronouns", "she/her")
    assert patch
    decisions.deny(runtime, patch.id)


def test_everything_comes_back_but_the_profile_waits_for_a_yes(runtime: Runtime, tmp_path: Path) -> None:
    lived_in(runtime)
    with empty_store() as other:
        found = carry(runtime, other, tmp_path)
        assert kept(dump(other)) == as_it_arrives(runtime)
        assert decisions.profile(other) == {}
        assert waiting(other) == {("city", "Bruges", ""), ("language", "Dutch", "")}
        assert (found.proposals, found.left_out) == (2, 2)
        assert {line["proposer"] for line in dump(other) if line["type"] == "patch"} == {"import"}


def test_what_came_in_counts_as_nobodys_typing(runtime: Runtime, tmp_path: Path) -> None:
    lived_in(runtime)
    with empty_store() as other:
        carry(runtime, other, tmp_path)
        for line in dump(other):
            assert line.get("origin") != "typed"
            assert line["type"] != "surprise" or line["state"] != "pending"
            assert line["type"] != "patch" or not any(one["typed"] for one in line["evidence"])


def test_a_benign_field_does_not_apply_by_imported_signals(runtime: Runtime, tmp_path: Path) -> None:
    patch = proposals.propose(runtime, "tone", "formal")
    assert patch
    with empty_store() as other:
        carry(runtime, other, tmp_path)
        say(other, new_chat(other), "Please be more formal.")
        assert {(one.field, one.state) for one in pending.waiting(other)} == {("tone", "pending")}
        assert decisions.profile(other) == {}


def test_the_same_file_again_changes_nothing(runtime: Runtime, tmp_path: Path) -> None:
    lived_in(runtime)
    with empty_store() as other:
        carry(runtime, other, tmp_path)
        before = dump(other)
        again = imports.import_file(other, tmp_path / "all.jsonl")
        assert dump(other) == before
        assert (again.added, again.proposals, again.step) == ({}, 0, "")
    before = dump(runtime)
    assert imports.import_file(runtime, tmp_path / "all.jsonl").added == {}, "into the store that it came from"
    assert dump(runtime) == before


def test_one_undo_takes_all_of_it_back(runtime: Runtime, tmp_path: Path) -> None:
    lived_in(runtime)
    with empty_store() as other:
        curate.add(other, "I play chess.")
        carry(runtime, other, tmp_path)
        undo.undo_last(other)
        assert [memory.text for memory in curate.list_memories(other)] == ["I play chess."]
        assert chats.list_threads(other) == []
        assert waiting(other) == set()
        assert undo.undo_last(other).text == "I play chess."


def test_an_import_is_taken_back_though_a_part_of_it_was_erased(runtime: Runtime, tmp_path: Path) -> None:
    erased = curate.add(runtime, "I keep bees.").memory_id
    curate.add(runtime, "I play chess.")
    with empty_store() as other:
        carry(runtime, other, tmp_path)
        forget.purge(other, [erased])
        undo.undo_last(other)
        assert curate.count(other) == 0


def test_the_chats_of_an_import_are_taken_back_though_its_memories_were_erased(runtime: Runtime, tmp_path: Path) -> None:
    erased = curate.add(runtime, "I keep bees.").memory_id
    say(runtime, new_chat(runtime), "Hello.")
    with empty_store() as other:
        carry(runtime, other, tmp_path)
        forget.purge(other, [erased])
        undo.undo_last(other)
        assert chats.list_threads(other) == []


def test_an_import_of_chats_alone_is_taken_back_too(runtime: Runtime, tmp_path: Path) -> None:
    say(runtime, new_chat(runtime), "Hello.")
    with empty_store() as other:
        carry(runtime, other, tmp_path)
        assert len(chats.list_threads(other)) == 1
        undo.undo_last(other)
        assert chats.list_threads(other) == []
        with pytest.raises(UsageError):
            undo.undo_last(other)


def test_a_look_changes_nothing_and_tells_the_same(runtime: Runtime, tmp_path: Path) -> None:
    lived_in(runtime)
    file = tmp_path / "all.jsonl"
    transfer.write_private(file, exports.as_lines(runtime))
    with empty_store() as other:
        seen = imports.import_file(other, file, dry_run=True)
        assert dump(other) == []
        assert str(imports.import_file(other, file)) == str(seen)


def test_what_memapp_knows_already_is_not_known_twice(runtime: Runtime, tmp_path: Path) -> None:
    curate.add(runtime, "I keep bees.")
    with empty_store() as other:
        curate.add(other, "I keep BEES")
        found = carry(runtime, other, tmp_path)
        assert (found.known, curate.count(other)) == (1, 1)


def test_what_was_erased_for_good_comes_back_only_as_a_question(runtime: Runtime, tmp_path: Path) -> None:
    curate.add(runtime, "I keep bees.")
    with empty_store() as other:
        memory_id = curate.add(other, "I keep bees.").memory_id
        forget.purge(other, [memory_id])
        carry(runtime, other, tmp_path)
        assert curate.count(other) == 0
        assert waiting(other) == {("forgotten", "I keep bees.", "I keep bees.")}


def test_another_thing_under_the_same_id_is_refused(runtime: Runtime, tmp_path: Path) -> None:
    memory_id = curate.add(runtime, "I keep bees.").memory_id
    file = tmp_path / "all.jsonl"
    transfer.write_private(file, exports.as_lines(runtime))
    curate.edit(runtime, memory_id, "I keep hens.")
    before = dump(runtime)
    with pytest.raises(UsageError, match="Line 2: Something else is here under the id of this memory"):
        imports.import_file(runtime, file)
    assert dump(runtime) == before


# Files that are not in order -------------------------------------------------------------------------------------------

HEADER = '{"type":"header","memapp":1,"made_at":"2026-01-31T08:15:00.000Z","items":1}\n'
FACT = (
    '{"type":"memory","id":"01KG9Z0000000000000000000A","kind":"semantic","category":"notes","text":"I keep bees.","tags":[],'
    '"importance":3,"pinned":false,"state":"live","reason":"","merged_into":"","purge_at":null,"origin":"person","agent_id":"",'
    '"run_id":"","created_at":"2026-01-31T08:15:00.000Z","updated_at":"2026-01-31T08:15:00.000Z","sources":[],"used":null}\n'
)


def test_the_line_of_the_examples_is_good(runtime: Runtime, tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    file.write_text(HEADER + FACT)
    assert imports.import_file(runtime, file).added == {"memory": 1}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("I keep bees.", "x" * 281, "at most 280"),
        ("I keep bees.", "", "at least 1"),
        ("I keep bees.", "bees\\u0000", "cannot be stored"),
        ("I keep bees.", "bees\\ud800", "cannot be stored"),
        ('"importance":3', '"importance":NaN', "NaN"),
        ('"importance":3', '"importance":9', "less than or equal to 5"),
        ('"importance":3', '"importance":true', "importance"),
        ('"importance":3', '"importance":"3"', "importance"),
        ('"importance":3', '"importance":3.0', "importance"),
        ('"importance":3', '"importance":' + "9" * 400, "too large"),
        ('"importance":3', '"importance":3,"importance":3', "stands twice"),
        ('"importance":3', '"importance":3,"more":1', "more"),
        ('"importance":3,', "", "importance"),
        ('"tags":[]', '"tags":' + "[" * 40 + "]" * 40, "deep"),
        ('"tags":[]', '"tags":' + "[" * 100_000, "deep"),
        ('"tags":[]', '"tags":[1]', "tags"),
        ('"sources":[]', '"sources":["01KG9Z0000000000000000000B"]', "not there"),
        ('"state":"live"', '"state":"merged"', "does not fit"),
        ('"state":"live"', '"state":"alive"', "state"),
        ('"type":"memory"', '"type":"history"', "history"),
        ("2026-01-31T08:15:00.000Z", "2026-02-31T08:15:00.000Z", "made_at|created_at"),
        ("01KG9Z0000000000000000000A", "../../etc/passwd", "id"),
        ('"type":"memory"', "", "JSON"),
    ],
)
def test_what_memapp_would_not_have_written_is_refused_with_its_line(
    runtime: Runtime, tmp_path: Path, old: str, new: str, said: str
) -> None:
    file = tmp_path / "bad.jsonl"
    assert old in FACT
    file.write_text(HEADER + FACT.replace(old, new, 2))
    with pytest.raises(UsageError, match="Line 2: ") as refused:
        imports.import_file(runtime, file)
    assert re.search(said, str(refused.value))
    assert "Nothing was imported." in str(refused.value)
    assert dump(runtime) == []


@pytest.mark.parametrize(
    "content",
    [
        HEADER,
        HEADER + FACT + FACT,
        HEADER.replace('"items":1', '"items":2') + FACT + FACT,
        HEADER.replace('"items":1', '"items":1000000') + FACT,
        HEADER.replace('"memapp":1', '"memapp":2') + FACT,
        HEADER + FACT.replace("bees", "b\xe9es").encode("latin-1").decode("latin-1", "ignore")[:50],
        HEADER + "\n" + FACT,
        "",
        "\x00\x00",
        "null\n",
        "[1, 2]",
        "[",
        '{"mapping": 1}',
    ],
)
def test_files_that_are_cut_or_made_up_leave_everything_as_it_is(runtime: Runtime, tmp_path: Path, content: str) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(content)
    with pytest.raises(UsageError):
        imports.import_file(runtime, file)
    assert dump(runtime) == []


def test_a_file_that_is_too_large_or_no_file_is_not_read(runtime: Runtime, tmp_path: Path) -> None:
    large = tmp_path / "large.jsonl"
    with large.open("wb") as file:
        file.truncate(101 * 1024 * 1024)
    for path in (large, tmp_path, tmp_path / "nowhere"):
        with pytest.raises(UsageError):
            imports.import_file(runtime, path)


# Random stores, random damage ------------------------------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=40)
moments = st.datetimes(datetime(2001, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC)).map(
    lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)
)


@st.composite
def actions(draw: st.DrawFn) -> list[tuple[Any, ...]]:
    one = st.one_of(
        st.tuples(st.just("add"), texts, st.lists(texts, max_size=3), st.booleans(), st.integers(1, 5)),
        st.tuples(st.just("edit"), st.integers(0, 9), texts),
        st.tuples(st.just("trash"), st.integers(0, 9)),
        st.tuples(st.just("restore"), st.integers(0, 9)),
        st.tuples(st.just("undo")),
        st.tuples(st.just("say"), texts),
        st.tuples(st.just("field"), st.sampled_from(["city", "tone", "health", "goals_add"]), texts),
        st.tuples(st.just("propose"), st.sampled_from(["city", "language", "money"]), texts),
    )
    return draw(st.lists(one, max_size=12))


def live_through(runtime: Runtime, steps: list[tuple[Any, ...]]) -> None:
    """Do what makes sense of it."""
    made: list[str] = []
    thread = new_chat(runtime)
    for name, *rest in steps:
        try:
            match name:
                case "add":
                    text, tags, pinned, importance = rest
                    made.append(curate.add(runtime, text, tags, pinned=pinned, importance=importance).memory_id)
                case "undo":
                    undo.undo_last(runtime)
                case "say":
                    say(runtime, thread, rest[0])
                case "field":
                    decisions.set_field(runtime, *rest)
                case "propose":
                    proposals.propose(runtime, *rest)
                case _ if made:
                    memory_id = made[rest[0] % len(made)]
                    {"edit": curate.edit, "trash": curate.forget, "restore": curate.restore}[name](runtime, memory_id, *rest[1:])
        except MemappError:
            continue


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=actions())
@example(steps=[("field", "city", ".")])
@example(steps=[("field", "health", "; asthma"), ("add", "tea", ["tea"], True, 5), ("trash", 0), ("add", "Tea!", [], False, 1)])
def test_a_store_is_the_same_after_its_way_through_a_file(steps: list[tuple[Any, ...]]) -> None:
    with TemporaryDirectory() as folder, empty_store() as one, empty_store() as other:
        live_through(one, steps)
        carry(one, other, Path(folder))
        assert kept(dump(other)) == as_it_arrives(one)
        assert decisions.profile(other) == {}
        proposed = {(field, value) for field, value, _ in waiting(other)}
        for patch in pending.waiting(one):
            assert any(field == patch.field for field, _ in proposed)
        assert {field for field, _ in proposed} >= set(decisions.profile(one))


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    with closing(make_runtime(tmp_path_factory.mktemp("source"), ScriptedModel())) as runtime:
        lived_in(runtime)
        return "".join(exports.as_lines(runtime)).encode()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_is_refused_whole_or_harmless(exported: bytes, shared: Runtime, tmp_path: Path, data: st.DataObject) -> None:
    """Whatever is cut, changed or put in: the store is as before, or everything that came in can be taken back."""
    at = data.draw(st.integers(0, len(exported) - 1))
    damage = data.draw(st.sampled_from(["cut", "flip", "insert", "swap", "drop"]))
    lines = exported.splitlines(keepends=True)
    row = data.draw(st.integers(0, len(lines) - 1))
    damaged = {
        "cut": exported[:at],
        "flip": exported[:at] + bytes([data.draw(st.integers(0, 255))]) + exported[at + 1 :],
        "insert": exported[:at] + data.draw(st.binary(max_size=8)) + exported[at:],
        "swap": b"".join([*lines[row:], *lines[:row]]),
        "drop": b"".join(lines[:row] + lines[row + 1 :]),
    }[damage]
    file = tmp_path / "damaged.jsonl"
    file.write_bytes(damaged)
    before = dump(shared)
    try:
        imports.import_file(shared, file, dry_run=damage in ("flip", "insert") or damaged.strip() == exported.strip())
    except UsageError:
        pass
    else:
        assert damage in ("flip", "insert") or damaged.strip() == exported.strip() or row == 0
    if damaged.strip() != exported.strip():
        assert dump(shared) == before


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runtime]:
    with closing(make_runtime(tmp_path_factory.mktemp("target"), ScriptedModel())) as runtime:
        curate.add(runtime, "I play chess.")
        yield runtime


# Writing ---------------------------------------------------------------------------------------------------------------


def test_an_export_is_private_and_an_old_one_stays_until_the_new_one_is_whole(runtime: Runtime, tmp_path: Path) -> None:
    target = tmp_path / "all.jsonl"
    target.write_text("old")
    target.chmod(0o644)

    def broken() -> Iterator[str]:
        yield "new"
        raise UsageError("in the middle")

    with pytest.raises(UsageError, match="in the middle"):
        transfer.write_private(target, broken())
    assert target.read_text() == "old"
    assert list(tmp_path.glob("*.partial")) == []
    transfer.write_private(target, exports.as_lines(runtime))
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    link, folder = tmp_path / "link", tmp_path / "folder"
    link.symlink_to(target)
    folder.mkdir()
    for path in (link, folder, tmp_path / "nowhere" / "x"):
        with pytest.raises(UsageError):
            transfer.write_private(path, ["text"])
    assert target.read_text() != "text"


def test_the_markdown_is_for_reading(runtime: Runtime) -> None:
    lived_in(runtime)
    text = "".join(exports.as_markdown(runtime))
    assert "- Home: Bruges" in text
    assert "- I keep hens. ★" in text
    assert "Which flowers do I grow?" in text


def test_a_memory_in_the_trash_may_say_what_a_live_one_says(runtime: Runtime, tmp_path: Path) -> None:
    curate.forget(runtime, curate.add(runtime, "I keep bees.").memory_id)
    curate.add(runtime, "I keep bees.")
    states = {line["state"] for line in dump(runtime)}
    assert states == {"live", "soft_deleted"}
    with empty_store() as other:
        carry(runtime, other, tmp_path)
        assert kept(dump(other)) == kept(dump(runtime))


def test_a_memory_that_states_something_sensitive_waits_with_its_proposal(tmp_path: Path) -> None:
    with empty_store() as one, empty_store() as other:
        curate.add(one, "User lives in Ghent.")
        curate.add(one, "User keeps bees.")
        carry(one, other, tmp_path)
        assert [memory.text for memory in curate.list_memories(other)] == ["User keeps bees."]
        (patch,) = pending.waiting(other)
        assert (patch.field, pending.held_text(other, patch.id)) == ("city", "User lives in Ghent.")
        decisions.approve(other, patch.id)
        assert {memory.text for memory in curate.list_memories(other)} == {"User keeps bees.", "User lives in Ghent."}


PATCH = {
    **{"type": "patch", "id": "01KG9Z0000000000000000000P", "field": "city", "old_value": "", "new_value": "Berlin"},
    **{"proposer": "worker", "state": "pending", "asked_in": None, "snoozed_until": None, "evidence": []},
    **{"created_at": "2026-01-31T08:15:00.000Z", "expires_at": "2026-02-07T08:15:00.000Z"},
    **{"decided_at": None, "decided_by": None},
}
HELD = {
    **{"id": "", "tags": [], "kind": "semantic", "category": "notes", "importance": 5, "pinned": True, "reason": ""},
    **{"sources": [], "origin": "distilled", "agent_id": "", "run_id": "", "created_at": "2026-01-31T08:15:00.000Z"},
}


@pytest.mark.parametrize(
    ("field", "value", "text", "arrives", "left_out"),
    [
        ("city", "Berlin", "User lives in Berlin.", {("city", "Berlin", "User lives in Berlin.")}, 0),
        ("city", "Berlin", "User has HIV.", {("city", "Berlin", ""), ("health", "HIV", "User has HIV.")}, 0),
        ("city", "Berlin", "User lives in Ghent.", {("city", "Berlin", ""), ("city", "Ghent", "User lives in Ghent.")}, 0),
        ("city", "Berlin", "User lives in Berlin. User has HIV.", {("city", "Berlin", ""), ("health", "HIV", "")}, 0),
        ("city", "Berlin", "User owes the bank a fortune.", {("city", "Berlin", "")}, 1),
        ("forgotten", "User kept bees.", "User kept bees.", {("forgotten", "User kept bees.", "User kept bees.")}, 0),
        ("forgotten", "User kept bees.", "User owes the bank.", {("forgotten", "User kept bees.", "")}, 1),
    ],
)
def test_a_proposal_brings_no_memory_that_says_something_else(
    runtime: Runtime, tmp_path: Path, field: str, value: str, text: str, arrives: set[tuple[str, str, str]], left_out: int
) -> None:
    file = tmp_path / "all.jsonl"
    line = {**PATCH, "field": field, "new_value": value, "held": {**HELD, "text": text}}
    file.write_text(HEADER + json.dumps(line) + "\n")
    found = imports.import_file(runtime, file)
    assert waiting(runtime) == arrives
    assert (found.left_out, curate.count(runtime)) == (left_out, 0)


def test_a_yes_in_the_chat_keeps_nothing_that_an_import_slipped_in(runtime: Runtime, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    file.write_text(HEADER + json.dumps({**PATCH, "held": {**HELD, "text": "User has HIV."}}) + "\n")
    imports.import_file(runtime, file)
    thread = new_chat(runtime)
    say(runtime, thread, "I live in Berlin.")
    say(runtime, thread, "yes")
    assert decisions.profile(runtime) == {"city": "Berlin"}
    assert "User has HIV." not in [memory.text for memory in curate.list_memories(runtime)]
