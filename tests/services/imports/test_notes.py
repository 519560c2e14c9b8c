"""Memories as notes in a folder: out and in again they are the same, and an edit of a note is an
edit of its memory.
"""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from memapp.domain import memory_notes
from memapp.domain.text import clean, one_line
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services import curate, exports, undo
from memapp.services.consent import decisions
from memapp.services.imports.import_file import import_file
from tests.builders import chat_of, learn
from tests.services.imports.builders import dump, empty_store, remembered, say_yes, waiting

CHAT = "left out: 1 chat in a note for reading"


def lived_in(runtime: Runtime) -> None:
    learn(runtime, chat_of(runtime, "My dog is called Pip."))
    curate.edit(
        runtime,
        curate.add(runtime, "I keep bees.", ["bees", "my #1"], pinned=True).memory_id,
        "I keep hens.",
        importance=5,
    )
    curate.add(runtime, '--- "yes": [x] # no \\n', ["on", "1.0"])
    curate.add(runtime, "Feed the dog", steps=["Fill the bowl", "2. Call Pip"])
    curate.discard(runtime, curate.add(runtime, "I like tea.").memory_id)


def written(runtime: Runtime, folder: Path) -> dict[str, Path]:
    """Write the notes and return them by the words that they begin with."""
    exports.write_notes(runtime, folder)
    return {path.stem.rpartition(" ")[0]: path for path in folder.iterdir() if path.is_file()}


def test_a_note_is_what_obsidian_and_basic_memory_read(runtime: Runtime, tmp_path: Path) -> None:
    lived_in(runtime)
    notes = written(runtime, tmp_path / "notes")
    assert set(notes) == {"My dog is called Pip.", "I keep hens.", "--- yes x no n", "Feed the dog"}
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "notes", *notes.values())} == {0}
    text = notes["I keep hens."].read_text("utf-8")
    header = yaml.safe_load(text.split("---")[1])
    assert (header["title"], header["type"], header["tags"], header["pinned"]) == (
        "I keep hens.",
        "memory",
        ["bees", "my #1"],
        True,
    )
    assert "- [notes] I keep hens.\n" in text
    assert "remembered by you: “I keep bees.”" in text and "changed by you: “I keep hens.”" in text
    assert "> My dog is called Pip." in notes["My dog is called Pip."].read_text("utf-8")


def test_chats_and_the_profile_are_notes_for_reading(runtime: Runtime, tmp_path: Path) -> None:
    lived_in(runtime)
    decisions.set_field(runtime, "city", "Ghent")
    assert exports.write_notes(runtime, tmp_path / "notes") == (4, 1, 1)
    (talk,) = (tmp_path / "notes" / "chats").iterdir()
    profile = tmp_path / "notes" / "profile.md"
    assert {path.stat().st_mode & 0o077 for path in (talk.parent, talk, profile)} == {0}
    title = yaml.safe_load(talk.read_text("utf-8").split("---")[1])["title"]
    assert talk.name.startswith(f"{title.rstrip('.')}")
    assert "My dog is called Pip." in talk.read_text("utf-8").split("---")[2]
    assert profile.read_text("utf-8").endswith("\n- Home: Ghent\n")
    with empty_store() as other:
        found = import_file(other, tmp_path / "notes")
        assert (
            found.left_out == {"chat in a note for reading": 1, "profile in a note for reading": 1}
            and not found.chats
        )


def test_the_same_notes_again_change_nothing(runtime: Runtime, tmp_path: Path) -> None:
    lived_in(runtime)
    notes = written(runtime, tmp_path / "notes")
    notes["Feed the dog"].unlink()
    before = dump(runtime)
    found = import_file(runtime, tmp_path / "notes")
    assert str(found) == f"nothing new; 3 entries here already; {CHAT}"
    assert found.step == ""
    assert dump(runtime) == before
    curate.edit(
        runtime,
        next(
            memory.id for memory in curate.list_memories(runtime) if memory.text == "I keep hens."
        ),
        "I keep ducks.",
    )
    before = dump(runtime)
    assert "1 memory here in other words" in str(import_file(runtime, tmp_path / "notes"))
    assert dump(runtime) == before, "what was edited here since stays"


def test_another_memapp_gets_them_as_they_are(runtime: Runtime, tmp_path: Path) -> None:
    lived_in(runtime)
    exports.write_notes(runtime, tmp_path / "notes")
    with empty_store() as other:
        import_file(other, tmp_path / "notes")
        assert curate.count(other) == 0
        say_yes(other)
        own = [{**line, "origin": "import", "sources": []} for line in remembered(dump(runtime))]
        assert sorted(remembered(dump(other)), key=str) == sorted(own, key=str)


def edited(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def test_an_edited_note_comes_in_as_an_edit(runtime: Runtime, tmp_path: Path) -> None:
    lived_in(runtime)
    notes = written(runtime, tmp_path / "notes")
    edited(
        notes["I keep hens."],
        "- [notes] I keep hens.",
        "- [notes] I keep ten hens.\nThey lay well.",
    )
    edited(notes["My dog is called Pip."], "tags: []", "tags:\n  - dogs\n")
    edited(notes["Feed the dog"], "1. Fill the bowl\n", "1. Fill the bowl\n2. Wait\n")
    before = dump(runtime)
    found = import_file(runtime, tmp_path / "notes")
    assert (
        str(found) == f"1 edited memory, 2 facts to wait for your yes; 1 entry here already; {CHAT}"
    )
    texts = {memory.text: memory for memory in curate.list_memories(runtime)}
    assert (texts["My dog is called Pip."].tags, "I keep hens." in texts) == (("dogs",), True)
    say_yes(runtime)
    texts = {memory.text: memory for memory in curate.list_memories(runtime)}
    hens = texts["I keep ten hens. They lay well."]
    assert (hens.tags, hens.pinned, hens.importance, len(texts)) == (("bees", "my #1"), True, 5, 4)
    assert hens.origin == "import", "anybody could have edited the note"
    assert texts["Feed the dog"].steps == ("Fill the bowl", "Wait", "2. Call Pip")
    undo.undo_last(runtime)
    undo.undo(runtime, found.step)
    assert remembered(dump(runtime)) == remembered(before)


def test_an_edit_that_memapp_cannot_keep_is_counted(runtime: Runtime, tmp_path: Path) -> None:
    lived_in(runtime)
    notes = written(runtime, tmp_path / "notes")
    edited(notes["I keep hens."], "I keep hens.\n\n## ", f"{'I keep hens. ' * 30}\n\n## ")
    edited(notes["My dog is called Pip."], "] My dog is called Pip.", "] My password is hunter2.")
    edited(notes["Feed the dog"], "created_at: ", "created_at: soon #")
    found = import_file(runtime, tmp_path / "notes")
    assert found.left_out == {
        "note of memapp that cannot be read": 2,
        "secret": 1,
        "chat in a note for reading": 1,
    }
    assert waiting(runtime) == set()


def test_a_folder_that_holds_something_is_left_as_it_is(runtime: Runtime, tmp_path: Path) -> None:
    lived_in(runtime)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.md").write_text("Mine.")
    with pytest.raises(UsageError, match="Name a new folder, or an empty one"):
        exports.write_notes(runtime, tmp_path / "notes")
    assert [path.name for path in (tmp_path / "notes").iterdir()] == ["mine.md"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "notes"]


words = (
    st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=60)
    .map(lambda text: one_line(clean(text)))
    .filter(bool)
)
lines = st.fixed_dictionaries({
    "text": words,
    "tags": st.lists(words, max_size=5),
    "steps": st.lists(words, max_size=4),
    "importance": st.integers(1, 5),
    "pinned": st.booleans(),
    "category": st.sampled_from(["notes", "preferences", ""]),
})  # fmt: skip


@settings(
    max_examples=150,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
@given(lines, st.text(max_size=60))
def test_a_note_says_exactly_what_was_written(line: dict[str, Any], source: str) -> None:
    whole = {
        **{
            "id": "01KG9Z0000000000000000000A",
            "kind": "procedural" if line["steps"] else "semantic",
            "origin": "person",
        },
        **{
            "created_at": "2026-01-31T08:15:00.000Z",
            "updated_at": "2026-01-31T08:15:00.000Z",
            "valid_until": None,
            **line,
        },
    }
    header, body = memory_notes.split(memory_notes.write(whole, [("Here:", source)], [source]))
    assert header
    note = memory_notes.read(header, body)
    assert not note.is_edited
    assert {name: note.line.model_dump()[name] for name in whole} == {**whole, "origin": "import"}
