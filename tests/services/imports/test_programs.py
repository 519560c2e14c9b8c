"""Exports of other programs: every item is imported or counted, and damage stays local."""

import json
import os
import tomllib
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services import chats, undo
from memapp.services.imports import files
from memapp.services.imports.import_file import import_file
from memapp.services.imports.running_import import Imported
from memapp.store import chat
from tests.services.imports import sample_exports as made
from tests.services.imports.builders import dump, waiting
from tests.services.imports.sample_exports import as_database, as_folder, as_json, as_zip


def brought(
    runtime: Runtime, tmp_path: Path, write: Callable[[Path], None], name: str = "x"
) -> Imported:
    write(tmp_path / name)
    return import_file(runtime, tmp_path / name)


def said(runtime: Runtime) -> dict[str, list[str]]:
    """Return what was said in each chat, by its title."""
    session = runtime.read()
    return {
        thread.title: [message.text for message in chat.list_messages(session, thread.id)]
        for thread in chats.list_threads(runtime)
    }


def facts(runtime: Runtime) -> set[str]:
    return {text for _, _, text in waiting(runtime)}


EXPECTED = tomllib.loads(Path(__file__).with_name("expected.toml").read_text("utf-8"))


@pytest.mark.parametrize("program", EXPECTED)
def test_all_there_is_comes_in_or_counts(runtime: Runtime, tmp_path: Path, program: str) -> None:
    expected = EXPECTED[program]
    found = brought(runtime, tmp_path, made.export(expected["export"]))
    assert said(runtime) == expected["chats"]
    assert facts(runtime) == set(expected["facts"])
    assert str(found).partition("left out: ")[2] == expected["left_out"]
    assert (found.facts, found.chats) == (len(expected["facts"]), len(expected["chats"]))
    again = import_file(runtime, tmp_path / "x")
    assert (again.added, again.facts) == ({}, 0)
    undo.undo_last(runtime)
    assert (said(runtime), facts(runtime)) == ({}, set())


def test_a_zip_as_it_is_downloaded_brings_all_its_parts(runtime: Runtime, tmp_path: Path) -> None:
    parts = {
        "conversations-001.json": json.dumps(
            [{**made.CHATGPT, "conversation_id": "c-2", "title": "Second"}]
        ),
        "conversations-000.json": json.dumps([made.CHATGPT]),
        "user.json": json.dumps({"id": "x", "email": "a@example.com"}),
        "chat.html": "<html>",
        "message_feedback.json": json.dumps(
            [{"conversation_id": "c-1", "rating": "good", "content": "{}"}]
        ),
    }
    found = brought(runtime, tmp_path, as_zip(**parts))
    assert set(said(runtime)) == {"Bees", "Second"}
    assert "2 .json files" in str(found) and "1 .html file" in str(found)
    claude = {
        "conversations.json": json.dumps([made.CLAUDE]),
        "memories.json": json.dumps(made.MEMORIES),
        "projects__p.json": json.dumps(made.PROJECT),
    }
    found = brought(runtime, tmp_path, as_zip(**claude), "claude")
    assert (found.chats, found.facts) == (1, 5)


def times(runtime: Runtime, title: str) -> list[tuple[str, bool]]:
    session = runtime.read()
    (thread,) = (thread for thread in chats.list_threads(runtime) if thread.title == title)
    messages = [
        (message.created_at, message.time_estimated)
        for message in chat.list_messages(session, thread.id)
    ]
    return [
        (f"{at:%Y-%m-%d %H:%M}", is_estimated)
        for at, is_estimated in [*messages, (thread.created_at, False)]
    ]


def test_a_missing_time_is_that_of_a_neighbour_and_told(runtime: Runtime, tmp_path: Path) -> None:
    mapping = made.CHATGPT["mapping"]
    late = {**mapping["d"], "message": {**mapping["d"]["message"], "create_time": None}}
    without = {
        name: {**item, "message": item["message"] and {**item["message"], "create_time": 0}}
        for name, item in mapping.items()
    }
    data = [
        {
            **made.CHATGPT,
            "title": "Mine",
            "conversation_id": "1",
            "create_time": None,
            "mapping": {**mapping, "d": late},
        },
        {
            **made.CHATGPT,
            "title": "Textual",
            "conversation_id": "2",
            "create_time": "2025-05-05T10:00:00Z",
        },
        {
            **made.CHATGPT,
            "title": "None",
            "conversation_id": "3",
            "create_time": None,
            "update_time": None,
            "mapping": without,
        },
    ]
    found = brought(runtime, tmp_path, as_json(data))
    assert "3 messages without a time, dated by a neighbour" in str(found)
    assert times(runtime, "Mine") == [
        ("2026-01-31 08:15", False),
        ("2026-01-31 08:15", True),
        ("2026-01-31 08:15", False),
    ]
    assert times(runtime, "Textual")[-1] == ("2025-05-05 10:00", False)
    assert times(runtime, "None")[:2] == [("2026-01-31 08:25", True)] * 2, (
        "when the one before it in the export ended"
    )
    brought(runtime, tmp_path, made.export("oterm.sql"), "store.db")
    os.utime(tmp_path / "store.db", (1.7e9, 1.7e9))
    assert not any(
        at.startswith("1970") for title in said(runtime) for at, _ in times(runtime, title)
    )
    assert dump(runtime), "and goes out again"


def test_a_chat_that_went_on_elsewhere_says_what_is_left(runtime: Runtime, tmp_path: Path) -> None:
    more = {"sender": "human", "text": "More?", "created_at": made.ISO}
    longer = {**made.CLAUDE, "chat_messages": [*made.CLAUDE["chat_messages"], more]}
    brought(runtime, tmp_path, as_json([made.CLAUDE]))
    found = brought(runtime, tmp_path, as_json([longer]))
    assert "1 entry of a chat that is here already" in str(found)


def test_a_long_passage_becomes_its_sentences(runtime: Runtime, tmp_path: Path) -> None:
    long = f"I keep bees on the roof. {'The hives are blue. ' * 15}{'x' * 300}."
    found = brought(runtime, tmp_path, as_json([{"conversations_memory": long}]))
    assert facts(runtime) == {"I keep bees on the roof.", "The hives are blue."}
    assert "1 sentence longer than 280 characters" in str(found)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"<!DOCTYPE html><html>", "web page: ask for the export as JSON"),
        (b"\x89PNG\r\n", "no export that memapp knows"),
        (
            b"SQLite format 3\0" + bytes(100),
            "cannot be read as a SQLite database|not the database of a chat program",
        ),
        (b'{"a": ' * 100_000, "deep"),
        (b"[" * 5_000_000, "deep"),
        (json.dumps([made.CHATGPT]).encode()[:-40], "no list, or it does not end"),
        (json.dumps(made.CHATGPT).encode()[:-40], "not JSON"),
        (json.dumps(made.CHATGPT, indent=1).encode()[:-40], "not JSON"),
        (
            json.dumps({"inner_voice_state": {"conversation_history": []}}).encode(),
            "memapp chats import",
        ),
    ],
)
def test_a_file_that_is_none_is_refused_in_words(
    runtime: Runtime, tmp_path: Path, content: bytes, why: str
) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(UsageError, match=why) as refused:
        import_file(runtime, tmp_path / "x")
    assert len(str(refused.value)) < 700
    assert dump(runtime) == []


def test_another_database_is_told_and_left_as_it_is(runtime: Runtime, tmp_path: Path) -> None:
    as_database(
        "CREATE TABLE chat (id)", "CREATE VIEW message AS SELECT load_extension('x') AS chat_id"
    )(tmp_path / "x")
    before = (tmp_path / "x").read_bytes()
    with pytest.raises(UsageError, match=r"no chat program that memapp knows|unsafe use"):
        import_file(runtime, tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "x"]


def test_links_devices_and_hidden_folders_are_left_alone(runtime: Runtime, tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text(json.dumps([made.CLAUDE]))
    folder = tmp_path / "x"
    notes = {"notes__Bees.md": "I keep bees.", "notes__.hidden.md": "I keep hens."}
    as_folder(**notes, **{".obsidian__a.json": "[]", "a.png": "x"})(folder)
    (folder / "link.json").symlink_to(tmp_path / "secret.json")
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "fifo.json")
    found = import_file(runtime, folder)
    assert facts(runtime) == {"I keep bees."}
    assert found.left_out == {
        "hidden folder": 1,
        "link": 1,
        "link or device": 2,
        ".md file": 1,
        ".png file": 1,
    }
    with pytest.raises(UsageError, match="is a device"):
        import_file(runtime, Path("/dev/zero"))


def test_a_folder_may_hold_archives_and_too_many_files_are_refused(
    runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "x"
    folder.mkdir()
    as_zip(**{"conversations.json": json.dumps([made.CHATGPT])})(folder / "a.zip")
    as_zip(**{"memories.json": json.dumps(made.MEMORIES), "inner.zip": "PK"})(folder / "b.zip")
    found = import_file(runtime, folder)
    assert (found.chats, found.facts, found.left_out[".zip file"]) == (1, 9, 1)
    monkeypatch.setattr(files, "MAX_FILES", 1)
    with pytest.raises(UsageError, match="more than 1 files"):
        import_file(runtime, folder)


@pytest.mark.slow
def test_a_large_list_is_read_without_being_held(runtime: Runtime, tmp_path: Path) -> None:
    filler = "x" * 1_000_000
    with (tmp_path / "x").open("w") as file:
        file.write("[")
        for number in range(60):
            file.write(
                ("," if number else "")
                + json.dumps({**made.CLAUDE, "uuid": f"u-{number}", "padding": filler})
            )
        file.write("]")
    tracemalloc.start()
    found = import_file(runtime, tmp_path / "x", dry_run=True)
    assert (found.chats, tracemalloc.get_traced_memory()[1] < 20_000_000) == (60, True)
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("damage", "brought_in", "left_out"),
    [
        ("DELETE FROM chat", ["Hi", "Yes."], {"image": 1}),
        ("UPDATE message SET text = x'ff00' WHERE id = 1", ["Yes."],
         {"entry of oterm or elia that cannot be read": 1}),
        ("UPDATE message SET author = '', images = '{' WHERE id = 1", ["Yes."],
         {"message without an author": 1}),
        ("UPDATE message SET chat_id = NULL WHERE id = 2", ["Hi"],
         {"image": 1, "entry of unknown form": 1}),
        ("ALTER TABLE message DROP COLUMN images", ["Hi", "Yes."], {}),
    ],
)  # fmt: skip
def test_what_is_odd_in_a_database_costs_itself(
    runtime: Runtime, tmp_path: Path, damage: str, brought_in: list[str], left_out: dict[str, int]
) -> None:
    found = brought(runtime, tmp_path, as_database(made.OTERM, damage))
    assert [*said(runtime).values()] == [brought_in]
    assert found.left_out == left_out


@pytest.mark.parametrize(
    ("note", "is_counted"),
    [
        ("---\ntitle: [open\n---\nI keep bees.", True),
        ("---\na: &a [*a, *a]\n---\nI keep bees.", True),
        (f"---\ntags: {'[' * 9000}\n---\nI keep bees.", True),
        ("---\nI keep bees.", False),
        ("---\ntags: {x: y}\n---\nI keep bees.", False),
    ],
)
def test_a_note_with_odd_front_matter_loses_nothing(
    runtime: Runtime, tmp_path: Path, note: str, is_counted: bool
) -> None:
    found = brought(runtime, tmp_path, as_folder(**{"Bees.md": note}))
    assert facts(runtime) == {"I keep bees."}
    assert found.left_out == ({"front matter that cannot be read": 1} if is_counted else {})
