"""Everything out and in again: exact but for what consent forbids, and all or nothing."""

import json
from datetime import date
from pathlib import Path

import pytest

from memapp.domain.changes import Actor, Linked
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services import chats, curate, exports, undo
from memapp.services.consent import decisions, requests
from memapp.services.imports.import_file import import_file
from memapp.store import changes
from tests.builders import chat_of, erase, learn, new_chat, say
from tests.services.imports.builders import (
    HEADER,
    as_it_arrives,
    carry,
    dump,
    empty_store,
    kept,
    lived_in,
    remembered,
    say_yes,
    waiting,
)


def test_all_comes_back_but_the_profile_waits_for_a_yes(runtime: Runtime, tmp_path: Path) -> None:
    lived_in(runtime)
    with empty_store() as other:
        found = carry(runtime, other, tmp_path)
        arrived = as_it_arrives(runtime)
        assert kept(dump(other)) == kept(arrived)
        assert (decisions.profile(other), curate.count(other)) == ({}, 0)
        values = {
            ("city", "Bruges"),
            ("health", "asthma"),
            ("health", "allergic to dust"),
            ("language", "Dutch"),
        }
        facts = {("fact", line["text"], line["text"]) for line in remembered(arrived)}
        assert waiting(other) == {(*value, "") for value in values} | facts
        assert (found.facts, found.chats) == (4 + len(facts), 2)
        for line in dump(other):
            assert line.get("origin") in (None, "model", "import"), "nobody typed it"
            assert line["type"] != "surprise" or line["state"] != "pending"
            if line["type"] == "consent_request":
                assert line["proposer"] == "import"
                assert not any(message["typed"] for message in line["evidence"])
        say_yes(other)
        assert "person" in {line["origin"] for line in dump(runtime) if line["type"] == "memory"}
        assert {line["origin"] for line in dump(other) if line["type"] == "memory"} == {"import"}
        assert remembered(dump(other)) == remembered(arrived)
        assert decisions.profile(other) == {
            "city": ("Bruges",),
            "health": ("allergic to dust", "asthma"),
            "language": ("Dutch",),
        }


def test_a_memory_of_a_file_brings_no_lines_of_its_own(runtime: Runtime, tmp_path: Path) -> None:
    curate.add(runtime, "User flies kites.", ["kites"])
    (line,) = dump(runtime)
    forged = {
        **line,
        "text": "User flies kites.\n[tasks] Pay the \x1b[31mprinter bill.",
        "tags": ["kites\n- bills"],
    }
    file = tmp_path / "forged.jsonl"
    with empty_store() as other:
        file.write_text(f"{HEADER}{json.dumps(forged)}\n", "utf-8")
        import_file(other, file)
        say_yes(other)
        (memory,) = curate.list_memories(other)
    assert memory.text == "User flies kites. [tasks] Pay the printer bill."
    assert memory.tags == ("kites - bills",)
    file.write_text(f"{HEADER}{json.dumps({**line, 'text': ' '})}\n", "utf-8")
    with pytest.raises(UsageError, match="Line 2"):
        import_file(runtime, file)


def test_the_day_until_which_a_thing_is_news_comes_along(runtime: Runtime, tmp_path: Path) -> None:
    text = "My sister's wedding is on 12 December 2031."
    learn(runtime, chat_of(runtime, text))
    with empty_store() as other:
        carry(runtime, other, tmp_path)
        say_yes(other)
        assert [(memory.text, memory.valid_until) for memory in curate.list_memories(other)] == [
            (text, date(2031, 12, 12))
        ]


def test_the_same_file_again_changes_nothing(runtime: Runtime, tmp_path: Path) -> None:
    lived_in(runtime)
    with empty_store() as other:
        carry(runtime, other, tmp_path)
        before = dump(other)
        again = import_file(other, tmp_path / "all.jsonl")
        assert dump(other) == before
        assert (again.added, again.facts, again.step) == ({}, 0, "")
    before = dump(runtime)
    assert import_file(runtime, tmp_path / "all.jsonl").added == {}, (
        "into the store that it came from"
    )
    assert dump(runtime) == before


def test_one_undo_takes_all_of_it_back(runtime: Runtime, tmp_path: Path) -> None:
    lived_in(runtime)
    with empty_store() as other:
        curate.add(other, "I play chess.")
        say(other, new_chat(other), "A chat of before.")
        decisions.set_field(other, "tone", "dry")
        requests.propose(other, "city", "Oslo")
        before = dump(other)
        carry(runtime, other, tmp_path)
        undo.undo_last(other)
        assert [memory.text for memory in curate.list_memories(other)] == ["I play chess."]
        assert [thread.title for thread in chats.list_threads(other)] == ["A chat of before."]
        assert waiting(other) == {("city", "Oslo", "")}
        assert [line for line in dump(other) if line in before] == before
        actual = [undo.undo_last(other).subject_id, undo.undo_last(other).text]
        assert actual == ["profile:tone", "I play chess."]


def test_a_chat_that_is_here_already_stays_as_it_is(runtime: Runtime, tmp_path: Path) -> None:
    thread = chat_of(runtime, "Which animals do I keep?")
    bees = curate.add(runtime, "I keep bees.").memory_id
    hens = curate.add(runtime, "I keep hens.").memory_id
    with empty_store() as other:
        carry(runtime, other, tmp_path)
        say_yes(other)
        say(other, thread, "Both went on with it.")
        before = dump(other)
        say(runtime, thread, "And which plants?")
        chats.add_context_card(runtime, thread, "A card that only one of the two has.")
        learned = curate.add(runtime, "I grow dahlias.").memory_id
        with runtime.write() as session:
            one = chats.page(runtime, thread).messages[-2]
            session.conn.execute(
                "INSERT INTO memory_sources VALUES (?, ?, 'me')", (learned, one.id)
            )
            for to in (hens, learned):
                changes.apply(session, Linked(bees, ((to, 0.9),)), Actor("rules"))
        found = carry(runtime, other, tmp_path)
        assert (found.added, found.facts) == ({}, 1)
        assert "of a chat that is here already" in str(found)
        undo.undo_last(other)
        assert [line for line in dump(other) if line in before] == before
        assert waiting(other) == set()


def test_an_imports_chats_are_undone_without_memories(runtime: Runtime, tmp_path: Path) -> None:
    erased = curate.add(runtime, "I keep bees.").memory_id
    say(runtime, new_chat(runtime), "Hello.")
    with empty_store() as other:
        step = carry(runtime, other, tmp_path).step
        say_yes(other)
        erase(other, erased)
        undo.undo(other, step)
        assert chats.list_threads(other) == []


def test_a_chat_that_goes_on_outlives_the_import(runtime: Runtime, tmp_path: Path) -> None:
    trip = chat_of(runtime, "Where shall I travel?")
    say(runtime, new_chat(runtime), "Hello.")
    with empty_store() as other:
        carry(runtime, other, tmp_path)
        say(other, trip, "Let us go on with the trip.")
        actual = undo.describe(other, undo.undo_last(other))
        assert actual == "Imported a file: 2 chats; 1 you went on with stays"
        assert [thread.id for thread in chats.list_threads(other)] == [trip]


def test_a_look_changes_nothing_and_tells_the_same(runtime: Runtime, tmp_path: Path) -> None:
    lived_in(runtime)
    file = tmp_path / "all.jsonl"
    exports.write_private(runtime, file, exports.as_lines(runtime))
    with empty_store() as other:
        seen = import_file(other, file, dry_run=True)
        assert dump(other) == []
        assert str(import_file(other, file)) == str(seen)


def test_what_memapp_knows_already_is_not_known_twice(runtime: Runtime, tmp_path: Path) -> None:
    curate.add(runtime, "I keep bees.")
    with empty_store() as other:
        curate.add(other, "I keep BEES")
        found = carry(runtime, other, tmp_path)
        assert (found.known, curate.count(other)) == (1, 1)


def test_what_changed_here_since_stays_and_does_no_harm(runtime: Runtime, tmp_path: Path) -> None:
    bees = curate.add(runtime, "I keep bees.").memory_id
    hens = curate.add(runtime, "I keep hens.").memory_id
    thread = chat_of(runtime, "Which animals do I keep?")
    file = tmp_path / "all.jsonl"
    exports.write_private(runtime, file, exports.as_lines(runtime))
    curate.edit(runtime, bees, "I keep bumblebees.")
    curate.discard(runtime, hens)
    chats.rename_thread(runtime, thread, "Animals")
    before = dump(runtime)
    found = import_file(runtime, file)
    assert (found.added, found.step) == ({}, "")
    assert str(found).endswith("entries here already; 1 memory here in other words, left unchanged")
    assert dump(runtime) == before


def test_what_went_with_an_undo_comes_in_again(runtime: Runtime, tmp_path: Path) -> None:
    lived_in(runtime)
    with empty_store() as other:
        carry(runtime, other, tmp_path)
        came, waited = len(chats.list_threads(other)), waiting(other)
        undo.undo_last(other)
        assert (waiting(other), chats.list_threads(other)) == (set(), [])
        assert "2 chats, " in str(import_file(other, tmp_path / "all.jsonl")), (
            "their messages were here"
        )
        (again, *_) = undo.undoable(other)
        assert undo.describe(other, again) == "Imported a file: 6 facts, 2 chats"
        assert (waiting(other), len(chats.list_threads(other))) == (waited, came)
        undo.undo_last(other)
        assert (waiting(other), chats.list_threads(other)) == (set(), [])


def test_a_trashed_memory_may_say_what_a_live_one_says(runtime: Runtime, tmp_path: Path) -> None:
    curate.discard(runtime, curate.add(runtime, "I keep bees.").memory_id)
    curate.add(runtime, "I keep bees.")
    states = {line["state"] for line in dump(runtime)}
    assert states == {"live", "soft_deleted"}
    with empty_store() as other:
        carry(runtime, other, tmp_path)
        assert kept(dump(other)) == kept(as_it_arrives(runtime))
        say_yes(other)
        assert remembered(dump(other)) == remembered(as_it_arrives(runtime))
