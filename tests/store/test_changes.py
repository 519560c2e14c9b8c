"""Every change of a memory, and every change undone."""

import ast
import json
import re
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from memapp import paths
from memapp.domain.changes import (
    Actor,
    Change,
    Created,
    Event,
    LessonAdded,
    LessonDeleted,
    LessonEdited,
    LessonMoved,
    LessonRestored,
    Linked,
    Merged,
    Pinned,
    ProfileChanged,
    Purged,
    Restored,
    Reverted,
    Revision,
    SoftDeleted,
    Updated,
)
from memapp.domain.lessons.lesson import Lesson, LessonStatus, rule
from memapp.domain.memory import Kind, State
from memapp.domain.portable import Row
from memapp.errors import NotFound, StoreError, UsageError
from memapp.language.normal_form import WORDING
from memapp.store import changes, chat, history, memories, portable, snapshots, vectors
from memapp.store.database import Database
from memapp.store.encoding import new_id
from memapp.store.opening import open_database
from tests.builders import fact, on, typed_message, word_list
from tests.store.conftest import NOW, USER

PERSON = Actor("person")
LATER = NOW + timedelta(days=30)


def apply(database: Database, change: Change, actor: Actor = PERSON) -> Revision:
    with database.decide() as conn:
        return changes.apply(on(conn), change, actor)


def add(database: Database, text: str) -> str:
    return apply(database, Created(fact(text, NOW, category="goals"))).memory_id


def undo(database: Database, revision: Revision) -> Revision:
    return apply(database, Reverted(revision.step, LATER))


def dump(conn: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    """Everything that the person's memory consists of. A creation undone lies in the trash: the
    one allowed difference.
    """
    # for a table in memory: the file itself is open for reading only
    conn.execute("PRAGMA query_only = 0")
    conn.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms USING fts5vocab ('main', 'memories_fts', "
        "'instance')"
    )
    conn.execute("PRAGMA query_only = 1")
    kept = "SELECT id FROM memories WHERE reason <> 'undone'"
    tables = {
        "memories": "SELECT * FROM memories WHERE reason <> 'undone' ORDER BY id",
        "sources": f"SELECT * FROM memory_sources WHERE memory_id IN ({kept}) ORDER BY 1, 2",
        "relations": f"""SELECT * FROM relations WHERE from_id IN ({kept}) AND to_id IN ({kept})
                         ORDER BY id""",
        "index": "SELECT doc, col, offset, term FROM temp.terms ORDER BY 1, 2, 3",
        "profile": "SELECT user_id, field, value FROM profile ORDER BY 1, 2",
        "lessons": (
            "SELECT id, status, rule_text, wrong, correct, level, tool FROM lessons "
            "WHERE purge_at IS NULL ORDER BY id"
        ),
    }
    return {name: [tuple(row) for row in conn.execute(sql)] for name, sql in tables.items()}


def give_vectors(database: Database) -> None:
    """Give each live memory without a vector one that tells its text, as idle time would."""
    if waiting := vectors.waiting(on(database.read()), "memory", "letters", 100):
        made = np.array([list(text.encode().ljust(40)) for _, text in waiting], np.float32)
        with database.write() as conn:
            vectors.save(on(conn), "memory", "letters", waiting, made)


def dump_with_vectors(database: Database) -> dict[str, list[tuple[object, ...]]]:
    give_vectors(database)
    sql = """SELECT m.id, e.vector
             FROM embeddings e LEFT JOIN memories m ON m.key = e.owner_key
             WHERE e.owner_kind = 'memory'
             ORDER BY m.id"""
    return {
        **dump(database.read()),
        "vectors": [tuple(row) for row in database.read().execute(sql)],
    }


def found(database: Database, word: str) -> int:
    return (
        database.read()
        .execute("SELECT count(*) FROM memories_fts WHERE memories_fts MATCH ?", (word,))
        .fetchone()[0]
    )


def test_each_change_writes_history_change_log_revision_and_event(database: Database) -> None:
    one = add(database, "User drinks oolong.")
    two = add(database, "User likes oolong tea.")
    asked: list[tuple[Change, str, str]] = [
        (Updated(one, text="User drinks green tea."), "UPDATE", "updated"),
        (Pinned(one, True), "PIN", "pinned"),
        (Linked(one, ((two, 0.7),)), "LINK", "linked"),
        (SoftDeleted(one, "person", LATER), "DELETE", "soft_deleted"),
        (Restored(one), "RESTORE", "restored"),
        (Merged(one, two, LATER), "MERGE", "merged"),
        (Restored(one), "RESTORE", "restored"),
        (SoftDeleted(one, "unused", LATER), "TTL", "soft_deleted"),
        (Purged(one), "PURGE", "deleted"),
    ]
    for number, (change, event, logged) in enumerate(asked, start=3):
        revision = apply(database, change)
        conn = database.read()
        assert revision.number == number
        entries = history.entries_of_step(on(conn), revision.step)
        assert {entry.event for entry in entries} == {event}
        in_log = conn.execute("SELECT event FROM change_log WHERE rev = ?", (number,)).fetchall()
        assert [row["event"] for row in in_log] == [logged] * len(entries)
    operations = [
        row["op"] for row in database.read().execute("SELECT op FROM events ORDER BY rowid")
    ]
    assert operations == word_list(
        "create create update pin link delete restore merge restore ttl purge"
    )
    assert {row["category"] for row in database.read().execute("SELECT category FROM events")} == {
        "goals"
    }


def test_what_is_in_the_trash_is_in_no_index_until_it_is_restored(database: Database) -> None:
    one = add(database, "User drinks oolong.")
    for change, hits, purge_at in (
        (SoftDeleted(one, "person", LATER), 0, LATER),
        (Restored(one), 1, None),
    ):
        apply(database, change)
        assert found(database, "oolong") == hits
        assert memories.get_memory(on(database.read()), one).purge_at == purge_at


def test_merging_destroys_nothing_and_can_be_taken_back(database: Database) -> None:
    one, two = add(database, "User drinks oolong."), add(database, "User drinks oolong tea.")
    apply(database, Pinned(one, True))
    before = dump(database.read())
    revision = apply(database, Merged(one, two, LATER))
    absorbed, kept = memories.get_memories(on(database.read()), [one, two])
    assert absorbed.state == State.MERGED
    assert absorbed.merged_into == two
    assert absorbed.text == "User drinks oolong."
    assert kept.pinned, "what the person had pinned stays pinned"
    undo(database, revision)
    assert dump(database.read()) == before


def test_only_live_memories_are_merged_and_none_with_itself(database: Database) -> None:
    one, two = add(database, "User drinks oolong."), add(database, "User drinks oolong tea.")
    with pytest.raises(UsageError):
        apply(database, Merged(one, one, LATER))
    apply(database, SoftDeleted(two, "person", LATER))
    with pytest.raises(UsageError):
        apply(database, Merged(one, two, LATER))


def test_a_pair_is_linked_once_in_either_direction_and_nothing_to_what_is_not_there(
    database: Database,
) -> None:
    one, two = add(database, "User drinks oolong."), add(database, "User likes tea.")
    with pytest.raises(NotFound):
        apply(database, Linked(one, ((two, 0.5), ("nothing", 0.5))))
    for pair in (Linked(one, ((two, 0.5),)), Linked(two, ((one, 0.8),))):
        apply(database, pair)
    rows = database.read().execute("SELECT strength FROM relations").fetchall()
    assert [row["strength"] for row in rows] == [0.8]


def test_a_version_keeps_only_what_is_no_default_and_says_the_same(database: Database) -> None:
    add(database, "User likes tea.")
    (written,) = database.read().execute("SELECT snapshot FROM versions").fetchone()
    (memory,) = memories.list_memories(on(database.read()))
    assert not {"pinned", "state", "purge_at", "relations", "run_id"} & json.loads(written).keys()
    assert snapshots.read(written, memory.id).memory == memory


def test_the_version_of_a_new_memory_is_what_is_read_of_it(database: Database) -> None:
    with database.write() as conn:
        thread = chat.create_thread(on(conn), "Tea", "companion", NOW).id
        said = [typed_message(on(conn), thread, text) for text in "AB"]
    at = NOW + timedelta(microseconds=1234)
    made = apply(
        database,
        Created(
            fact(
                "User likes tea.",
                at,
                tags=("drinks",),
                sources=(said[1].id, said[0].id, said[1].id),
            )
        ),
    )
    session = on(database.read())
    (entry,) = history.list_entries(session)
    assert entry.after
    assert history.snapshot_of(session, entry.after).memory == memories.get_memory(
        session, made.memory_id
    )
    apply(database, Pinned(made.memory_id, True))
    assert [entry.before for entry in history.list_entries(session)] == [entry.after, None], (
        "it is not kept twice"
    )


def test_other_words_drop_the_relations_and_undo_brings_them_back(database: Database) -> None:
    one, two = add(database, "User drinks oolong."), add(database, "User likes tea.")
    apply(database, Linked(one, ((two, 0.5),)))
    before = dump(database.read())
    revision = apply(database, Updated(two, text="User plays the cello."))
    assert dump(database.read())["relations"] == []
    undo(database, revision)
    assert dump(database.read()) == before


def test_a_creation_taken_back_lies_in_the_trash(database: Database) -> None:
    revision = apply(database, Created(fact("User drinks oolong.", NOW)))
    undo(database, revision)
    memory = memories.get_memory(on(database.read()), revision.memory_id)
    assert (memory.state, memory.reason, memory.purge_at) == (State.SOFT_DELETED, "undone", LATER)
    assert found(database, "oolong") == 0


def test_the_changes_of_a_step_are_taken_back_together(database: Database) -> None:
    old = add(database, "User lives in Oslo.")
    before = dump(database.read())
    together = replace(PERSON, step="step")
    apply(database, SoftDeleted(old, "superseded", LATER), together)
    revision = apply(database, Created(fact("User lives in Bergen.", NOW)), together)
    undo(database, revision)
    assert dump(database.read()) == before


def test_taking_back_what_an_insight_rests_on_ends_the_insight(database: Database) -> None:
    learned = apply(database, Created(fact("User ran to the lake.", NOW)))
    insight = fact("User talked about running.", NOW, kind=Kind.INSIGHT, origin="reflected")
    apply(database, Created(insight, (learned.memory_id,)))
    undo(database, learned)
    assert memories.get_memory(on(database.read()), insight.id).state is State.SOFT_DELETED


def test_an_insight_stays_when_what_lies_in_the_trash_is_changed_there(database: Database) -> None:
    gone, other = add(database, "User ran to the lake."), add(database, "User likes lakes.")
    insight = fact("User talked about running.", NOW, kind=Kind.INSIGHT, origin="reflected")
    apply(database, Created(insight, (gone,)))
    apply(database, SoftDeleted(gone, "person", LATER))
    apply(database, Restored(insight.id))
    apply(database, Linked(gone, ((other, 0.5),)))
    assert memories.get_memory(on(database.read()), insight.id).state is State.LIVE


def test_what_was_taken_back_is_not_offered_again_and_links_never_are(database: Database) -> None:
    one, two = add(database, "User drinks oolong."), add(database, "User likes tea.")
    pinned = apply(database, Pinned(one, True))
    apply(database, Linked(one, ((two, 0.5),)))
    actual = [step.event for step in history.undoable_steps(on(database.read()))]
    assert actual == [Event.PIN, Event.ADD, Event.ADD]
    undo(database, pinned)
    steps = history.undoable_steps(on(database.read()))
    actual = [(step.event, step.text) for step in steps]
    assert actual == [(Event.ADD, "User likes tea."), (Event.ADD, "User drinks oolong.")]


def test_undo_works_after_the_file_was_closed_and_opened(tmp_path: Path) -> None:
    file = tmp_path / "data" / "memapp.db"
    opened = open_database(file, WORDING)
    one = add(opened, "User drinks oolong.")
    apply(opened, Updated(one, text="User drinks coffee."))
    opened.close()
    opened = open_database(file, WORDING)
    last = history.undoable_steps(on(opened.read()))[0]
    apply(opened, Reverted(last.id, LATER))
    assert memories.get_memory(on(opened.read()), one).text == "User drinks oolong."
    opened.close()


def test_a_purge_leaves_no_version_and_cannot_be_taken_back(database: Database) -> None:
    one = add(database, "User drinks oolong.")
    edited = apply(database, Updated(one, text="User drinks coffee."))
    purged = apply(database, Purged(one))
    assert database.read().execute("SELECT count(*) FROM versions").fetchone()[0] == 0
    for revision in (purged, edited):
        with pytest.raises(UsageError, match="erased"):
            undo(database, revision)
    assert history.undoable_steps(on(database.read())) == []
    kept = history.list_entries(on(database.read()), subject_id=one)
    assert [(entry.event, entry.before, entry.after) for entry in kept] == [
        (Event.PURGE, None, None),
        (Event.UPDATE, None, None),
        (Event.ADD, None, None),
    ]


def test_what_goes_back_to_the_trash_has_its_whole_time_there_again(database: Database) -> None:
    one = add(database, "User drinks oolong.")
    apply(database, SoftDeleted(one, "person", NOW))
    restored = apply(database, Restored(one))
    undo(database, restored)
    memory = memories.get_memory(on(database.read()), one)
    assert (memory.state, memory.purge_at) == (State.SOFT_DELETED, LATER)


def test_the_same_fact_cannot_come_back_twice(database: Database) -> None:
    one = add(database, "User drinks oolong.")
    deleted = apply(database, SoftDeleted(one, "person", LATER))
    add(database, "User drinks oolong.")
    with pytest.raises(UsageError, match="knows that already"):
        undo(database, deleted)


def test_versions_hold_what_a_memory_said_and_equal_ones_once(database: Database) -> None:
    one = add(database, "User drinks oolong.")
    apply(database, Updated(one, text="User drinks coffee."))
    undo(database, apply(database, SoftDeleted(one, "person", LATER)))
    versions = history.list_versions(on(database.read()), one)
    actual = [version.text for version in versions[:2]]
    assert actual == ["User drinks oolong.", "User drinks coffee."]
    entries = list(reversed(history.list_entries(on(database.read()), subject_id=one)))
    assert [entry.after for entry in entries[:-1]] == [entry.before for entry in entries[1:]], (
        "each begins where the last one ended"
    )


def test_the_history_cannot_be_rewritten(database: Database) -> None:
    add(database, "User drinks oolong.")
    for attempt in (
        "UPDATE history SET actor = 'rules'",
        "DELETE FROM history",
        "REPLACE INTO history SELECT * FROM history",
    ):
        with pytest.raises((sqlite3.IntegrityError, StoreError)), database.write() as conn:
            conn.execute(attempt)


Step = Callable[[list[str]], Change | list[Change]]
"""Makes a change, or several that are one step, of the memories and lessons there are."""


def pick(ids: list[str], at: int, *marks: str) -> str:
    among = [
        memory_id.rpartition(":")[2]
        for memory_id in ids
        if memory_id.partition(":")[0] in (marks or ("memory", "insight"))
    ]
    return among[at % len(among)] if among else "nobody"


def lesson(ids: list[str], at: int) -> str:
    return pick(ids, at, "lesson")


def supersede(newer: str, older: str) -> list[Change]:
    return [
        Linked(newer, ((older, 0.8),)),
        Updated(newer, importance=5),
        SoftDeleted(older, "superseded", LATER),
    ]


def recreate(ids: list[str], at: int, to: int) -> list[Change]:
    both = fact(f"User has both {len(ids)}.", NOW)
    merged: list[Change] = [Merged(pick(ids, place), both.id, LATER) for place in (at, to)]
    return [Created(both), *merged]


def reflected(number: int, kind: Kind, *evidence: str) -> Created:
    return Created(
        fact(f"User talked about it {number}.", NOW, kind=kind, origin="reflected"), evidence
    )


def renew(ids: list[str], at: int, to: int) -> list[Change]:
    """Replace an insight by one whose numbers are counted anew."""
    evidence = pick(ids, at), pick(ids, to)
    return [
        SoftDeleted(pick(ids, -1), "superseded", LATER),
        reflected(len(ids), Kind.INSIGHT, *evidence),
    ]


def learned(word: str, number: int) -> LessonAdded:
    times: dict[str, Any] = {"created_at": NOW, "updated_at": NOW, "evidence_at": NOW}
    wrong, right = f"kiln {word} {number}", f"kiln fire {word}"
    where: dict[str, Any] = {
        "level": "task",
        "tool": "kiln",
        "scope": "studio",
        "origin": "executed",
    }
    return LessonAdded(
        Lesson(
            id=new_id(NOW),
            rule_text=rule(wrong, right),
            wrong=wrong,
            correct=right,
            **where,
            **times,
        )
    )


def _changes() -> st.SearchStrategy[Step]:
    """Return a strategy for changes of any memories and lessons, sensible or not."""
    place = st.integers(0, 11)
    words = st.sampled_from(
        ["tea", "coffee", "cello", "Oslo", "Bergen", "a dog", "two cats", "chess"]
    )
    statuses = st.sampled_from(get_args(LessonStatus))

    kinds: list[tuple[Callable[..., Step], tuple[st.SearchStrategy[Any], ...]]] = [
        (lambda word: lambda ids: Created(fact(f"User likes {word} {len(ids)}.", NOW)), (words,)),
        (
            lambda word, at: lambda ids: Updated(pick(ids, at), text=f"User has {word}."),
            (words, place),
        ),
        (lambda at: lambda ids: Updated(pick(ids, at), tags=("other",), importance=5), (place,)),
        (lambda at, on: lambda ids: Pinned(pick(ids, at), on), (place, st.booleans())),
        (lambda at, to: lambda ids: Linked(pick(ids, at), ((pick(ids, to), 0.5),)), (place, place)),
        (lambda at, to: lambda ids: Merged(pick(ids, at), pick(ids, to), LATER), (place, place)),
        (
            lambda at, why: lambda ids: SoftDeleted(pick(ids, at), why, LATER),
            (place, st.sampled_from(["person", "unused"])),
        ),
        (lambda at: lambda ids: Restored(pick(ids, at, "memory")), (place,)),
        (lambda at, to: lambda ids: supersede(pick(ids, at), pick(ids, to)), (place, place)),
        (lambda at, to: lambda ids: recreate(ids, at, to), (place, place)),
        (lambda: lambda ids: reflected(len(ids), Kind.EPISODIC), ()),
        (
            lambda at, to: (
                lambda ids: reflected(len(ids), Kind.INSIGHT, pick(ids, at), pick(ids, to))
            ),
            (place, place),
        ),
        (lambda at, to: lambda ids: renew(ids, at, to), (place, place)),
        (
            lambda word: (
                lambda ids: Created(
                    fact(f"Pack {word} {len(ids)}", NOW, kind=Kind.PROCEDURAL, steps=(word,))
                )
            ),
            (words,),
        ),
        (lambda word, at: lambda ids: Updated(pick(ids, at), steps=(word, "rest")), (words, place)),
        (lambda word: lambda ids: learned(word, len(ids)), (words,)),
        (
            lambda word, at: lambda ids: LessonEdited(lesson(ids, at), correct=f"kiln warm {word}"),
            (words, place),
        ),
        (
            lambda at, to: lambda ids: LessonMoved(lesson(ids, at), to, "measured"),
            (place, statuses),
        ),
        (lambda at: lambda ids: LessonDeleted(lesson(ids, at), LATER), (place,)),
        (lambda at: lambda ids: LessonRestored(lesson(ids, at)), (place,)),
    ]
    return st.one_of(*(st.builds(made, *drawn) for made, drawn in kinds))


def marked(made: Created | LessonAdded) -> str:
    """Return the id of a created row, after its kind."""
    if isinstance(made, LessonAdded):
        return f"lesson:{made.lesson.id}"
    return f"{'insight' if made.evidence else 'memory'}:{made.memory.id}"


@pytest.mark.slow
@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(st.lists(_changes(), min_size=120, max_size=120))
def test_any_fifty_changes_undone_step_by_step_lead_back_the_same_way(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Step]
) -> None:
    database = open_database(tmp_path_factory.mktemp("undo") / "data" / "memapp.db", WORDING)
    try:
        ids: list[str] = []
        done: list[tuple[Revision, object]] = []
        now = dump_with_vectors(database)
        for step in steps:
            made = step(ids)
            together = made if isinstance(made, list) else [made]
            try:
                with database.write() as conn:
                    named = replace(PERSON, step=new_id(NOW))
                    revision, *_ = [changes.apply(on(conn), change, named) for change in together]
            except (UsageError, NotFound, sqlite3.IntegrityError):
                assert dump(database.read()) | {"vectors": now["vectors"]} == now, (
                    "a refused change leaves nothing"
                )
                continue
            done.append((revision, now))
            now = dump_with_vectors(database)
            ids += [
                marked(change) for change in together if isinstance(change, Created | LessonAdded)
            ]
            if len(done) == 50:
                break
        assume(len(done) == 50)
        for revision, before in reversed(done):
            undo(database, revision)
            assert dump_with_vectors(database) == before
    finally:
        database.close()


def test_no_other_sql_in_the_tree_writes_to_memories() -> None:
    writing = re.compile(
        r"\b(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|REPLACE\s+INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+(memories\b(?!_)|$)",
        re.IGNORECASE,
    )
    anything_written = re.compile(
        r"INSERT|REPLACE|UPDATE|DELETE|\.(insert|insert_new|put|alter)\(", re.IGNORECASE
    )
    writers, named_in_a_variable, putting_back = set(), set(), set()
    for file in paths.bundled("memapp").rglob("*.py"):
        source = file.read_text("utf-8")
        putting_back |= {file.name} if "snapshots.put_back(" in source else set()
        if "memories" not in source or not anything_written.search(source):
            continue
        nodes = list(ast.walk(ast.parse(source)))
        texts = [
            node.value
            for node in nodes
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        tables = {found[1] for text in texts for found in writing.finditer(text)}
        tables |= {_table_of(node) for node in nodes if isinstance(node, ast.Call)}
        if "memories" in tables:
            writers.add(file.name)
        if "" in tables and "memories" in texts:
            named_in_a_variable.add(file.name)
    assert writers == {"changes.py", "snapshots.py"}, (
        "snapshots.put_back is called by changes.apply only"
    )
    assert putting_back == {"changes.py"}
    assert named_in_a_variable == {"portable.py", "received.py", "snapshots.py"}, (
        "what stands in `_ROWS`; other kinds than memories; and versions of memories and lessons"
    )
    assert {table for table, _ in portable._ROWS.values()}.isdisjoint(
        {"memories", "consent_requests", "profile"}
    )
    assert frozenset(portable._ROWS) == frozenset(get_args(Row))


def _table_of(call: ast.Call) -> object:
    """Return the table of a write by `Session`: empty for a variable, None for other calls."""
    if not (
        isinstance(call.func, ast.Attribute)
        and call.func.attr in ("insert", "insert_new", "put", "alter")
        and call.args
    ):
        return None
    return call.args[0].value if isinstance(call.args[0], ast.Constant) else ""


def test_the_profile_cannot_be_changed_without_an_approved_request(database: Database) -> None:
    with database.write() as conn:
        conn.execute(
            """INSERT INTO consent_requests
               (id, user_id, field, old_value, new_value, proposer, created_at, expires_at)
               VALUES ('p', 'me', 'city', '', 'Oslo', 'rules', '2026-01-01', '2026-01-08')"""
        )
    with pytest.raises(UsageError):
        apply(database, ProfileChanged("p"))
    with database.decide() as conn:
        conn.execute(
            "UPDATE consent_requests SET state = 'approved', decided_at = '2026-01-02', "
            "decided_by = 'person' WHERE id = 'p'"
        )
        revision = changes.apply(on(conn), ProfileChanged("p"), PERSON)
    assert dump(database.read())["profile"] == [(USER, "city", "Oslo")]
    (entry,) = history.entries_of_step(on(database.read()), revision.step)
    assert entry.event == Event.PROFILE
    assert entry.subject_id == "profile:city"
    assert dict(entry.meta) == {"request_id": "p", "before": ""}
    with pytest.raises(UsageError):
        apply(database, ProfileChanged("p"))
