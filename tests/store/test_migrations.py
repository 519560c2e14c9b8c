"""Migrations: the changes that later ones may make, and the data that must survive."""

import json
import shutil
import sqlite3
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from memapp.domain.changes import (
    Actor,
    Change,
    Created,
    Linked,
    Merged,
    Pinned,
    Reverted,
    Revision,
    SoftDeleted,
    Updated,
)
from memapp.domain.filters import ALL_LIVE
from memapp.domain.turn_events import Accepted
from memapp.errors import StoreError
from memapp.language.normal_form import WORDING
from memapp.services import chats, curate, undo
from memapp.store import access_counts, changes, history, memories, schema, vectors
from memapp.store.database import Database
from memapp.store.opening import open_database
from memapp.store.snapshots import FORM
from memapp.store.vocabulary import VOCABULARY, words_of
from tests.builders import fact, make_runtime, on, only, say
from tests.store.conftest import NOW

TABLE = "CREATE TABLE memories (\n"
ADDED = f"{TABLE}    mood TEXT NOT NULL DEFAULT 'calm',\n"


def growth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file for one more migration, which every file is brought to from now on; it is empty
    so far.
    """
    folder = tmp_path / "migrations"
    folder.mkdir()
    for released in schema.scripts():
        shutil.copy(released, folder)
    monkeypatch.setattr(schema, "scripts", lambda: sorted(folder.glob("*.sql")))
    return folder / "9999_more.sql"


def rebuilt() -> str:
    """Return a migration that makes `memories` anew with one more column, and knows one more kind
    and actor.
    """
    made = {name: sql for _, name, sql in schema.golden(len(schema.scripts()))[0]}
    parts = [
        f"{sql};" for sql in made.values() if " ON memories" in sql or "memories_indexed AS" in sql
    ]
    table = f"{made['memories']};"
    columns = "key, id, user_id, normal_text, " + ", ".join(
        name for name in memories.COLUMNS if name != "id"
    )
    return "\n".join([
        "INSERT INTO memory_kinds (name) VALUES ('song');",
        "INSERT INTO actors (name) VALUES ('orchestra');",
        "DROP VIEW memories_indexed;",
        table.replace(TABLE, ADDED).replace("memories (", "grown (", 1),
        f"INSERT INTO grown ({columns}) SELECT {columns} FROM memories;",
        "DROP TABLE memories;",
        "ALTER TABLE grown RENAME TO memories;",
        *parts,
    ])  # fmt: skip


def everything(conn: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    """Return the rows of all that undo needs."""
    named = ", ".join(memories.COLUMNS)
    tables = ("versions", "history", "memory_sources", "access_counts", "relations", "embeddings")
    rows = {
        table: [tuple(row) for row in conn.execute(f"SELECT * FROM {table} ORDER BY 1, 2")]
        for table in tables
    }
    return {
        **rows,
        "memories": [
            tuple(row) for row in conn.execute(f"SELECT {named} FROM memories ORDER BY id")
        ],
    }


def make_past(database: Database, thread_message: str) -> list[Revision]:
    """Change memories in every way that leaves something to take back, oldest first."""

    def apply(change: Change) -> Revision:
        with database.write() as conn:
            return changes.apply(on(conn), change, Actor("person"))

    one, two, three, _ = (
        apply(Created(fact(text, NOW, sources=(thread_message,)))).memory_id
        for text in ("Tea.", "Green tea.", "Coffee.", "Rain.")
    )
    with database.write() as conn:
        vectors.save(
            on(conn),
            "memory",
            "letters",
            vectors.waiting(on(conn), "memory", "letters", 9),
            np.eye(4, dtype="f4"),
        )
        access_counts.count_access(on(conn), [one, two, three])
    edited = apply(Updated(one, text="Black tea."))
    apply(Linked(one, ((two, 0.8), (three, 0.6))))
    changed = [Pinned(three, True), Merged(two, one, NOW), SoftDeleted(three, "person", NOW)]
    return [edited, *(apply(change) for change in changed)]


def test_a_rebuilt_table_keeps_the_past(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = make_runtime(tmp_path / "home")
    thread = chats.new_thread(runtime).id
    message = only(Accepted, say(runtime, thread, "I drink tea.")).message.id
    revisions = make_past(runtime.database, message)
    before = everything(runtime.database.read())
    assert {table for table, rows in before.items() if not rows} == set(), (
        "all of it is put to the test"
    )
    runtime.close()
    migration = growth(tmp_path, monkeypatch)
    migration.write_text(rebuilt(), "utf-8")

    runtime = make_runtime(tmp_path / "home")
    session = runtime.read()
    assert everything(session.conn) == before
    assert session.conn.execute("PRAGMA foreign_key_check").fetchall() == []
    assert {row["mood"] for row in session.conn.execute("SELECT mood FROM memories")} == {"calm"}
    for revision in reversed(revisions):
        undo.undo(runtime, revision.step)
    texts = {memory.text: (memory.state, memory.pinned) for memory in curate.list_memories(runtime)}
    assert texts == {
        "Tea.": ("live", False),
        "Green tea.": ("live", False),
        "Coffee.": ("live", False),
        "Rain.": ("live", False),
    }
    (found,) = [memory for memory in curate.list_memories(runtime) if memory.text == "Tea."]
    actual = {version.text for version in history.list_versions(session, found.id)}
    assert actual == {"Tea.", "Black tea."}
    with runtime.database.write() as writer:
        kind, actor = fact("User keeps calm.", NOW), Actor("person")
        changes.apply(on(writer), Created(kind), actor)
        writer.execute("UPDATE memories SET kind = 'song', mood = 'glad' WHERE id = ?", (kind.id,))
    runtime.close()
    open_database(runtime.paths.database, WORDING).close()


def test_a_migration_that_loses_what_others_refer_to_changes_nothing(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.write() as conn:
        changes.apply(on(conn), Created(fact("Tea.", NOW)), Actor("person"))
    database.close()
    migration = growth(tmp_path, monkeypatch)
    migration.write_text("DELETE FROM memories;", "utf-8")
    with pytest.raises(
        StoreError,
        match=r"After 9999_more\.sql, a row of versions refers to a missing row of memories",
    ):
        open_database(database.path, WORDING)
    migration.unlink()
    opened = open_database(database.path, WORDING)
    assert [memory.text for memory in memories.list_memories(on(opened.read()), ALL_LIVE)] == [
        "Tea."
    ]
    opened.close()


def test_a_snapshot_without_a_name_takes_the_default_but_no_unknown_one(database: Database) -> None:
    with database.write() as conn:
        made = changes.apply(
            on(conn), Created(fact("Tea.", NOW, run_id="a thread")), Actor("person")
        )
        edited = changes.apply(on(conn), Updated(made.memory_id, text="Coffee."), Actor("person"))
    database.close()
    with closing(sqlite3.connect(database.path)) as raw, raw:
        (first,) = raw.execute("SELECT snapshot FROM versions ORDER BY id LIMIT 1").fetchone()
        other = {**json.loads(first), "version": FORM + 1, "mood": "calm"}
        del other["run_id"]
        raw.execute(
            "UPDATE versions SET snapshot = ? WHERE id = (SELECT min(id) FROM versions)",
            (json.dumps(other),),
        )
    opened = open_database(database.path, WORDING)
    with opened.write() as conn:
        changes.apply(on(conn), Reverted(edited.step, NOW), Actor("person"))
    memory = memories.get_memory(on(opened.read()), made.memory_id)
    assert (memory.text, memory.run_id) == ("Tea.", "")
    stored = json.loads(
        opened.read().execute("SELECT snapshot FROM versions ORDER BY id LIMIT 1").fetchone()[0]
    )
    assert stored["mood"] == "calm"
    opened.close()


@pytest.mark.parametrize("table", sorted(VOCABULARY))
def test_the_words_of_a_column_are_those_of_the_code(database: Database, table: str) -> None:
    assert {
        row["name"] for row in database.read().execute(f"SELECT name FROM {table}")
    } == words_of(VOCABULARY[table])


def test_each_table_of_words_is_known_and_a_persons_names_them(database: Database) -> None:
    conn = database.read()
    columns = {
        row["name"]: {
            column["name"] for column in conn.execute(f"PRAGMA table_info({row['name']})")
        }
        for row in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        if "fts" not in row["name"] and "sqlite_" not in row["name"]
    }
    assert {table for table, names in columns.items() if names == {"name"}} == set(VOCABULARY)
    nobodys = {table for table, names in columns.items() if "user_id" not in names} - set(
        VOCABULARY
    )
    of_the_file = {"forgotten_key", "profile_fields", "memory_file", "leases", "deleted_embeddings"}
    of_the_machine = {
        f"sync_{what}" for what in ("machine", "things", "entries", "erasures", "decisions")
    }
    assert nobodys == of_the_file | of_the_machine, (
        "a key of the whole file, the fields there are, whose copy it is, who works on it, a count"
    )


def test_nobody_writes_a_word_of_the_schema(database: Database) -> None:
    for table in VOCABULARY:
        with (
            pytest.raises(StoreError, match="does not allow this change"),
            database.decide() as conn,
        ):
            conn.execute(f"INSERT INTO {table} (name) VALUES ('more')")


def test_what_a_file_of_any_version_must_hold_is_known() -> None:
    """A backup of an older version can be put back; version 15 dropped a table and its index, and
    no other dropped anything.
    """
    parts = [len(schema.golden(version)[0]) for version in range(1, len(schema.scripts()) + 1)]
    assert [version for version, (old, new) in enumerate(pairwise(parts), 2) if new < old] == [15]
    assert parts[0] > 0
