"""What looks at a few rows takes as many steps of SQLite in a large store as in a small one, in a
fresh file too.

A fresh file has no statistics yet: a query may then take the index on the person, and read all that
they have.
"""

from collections.abc import Callable
from sqlite3 import Connection

import pytest

from memapp.domain.changes import (
    Actor,
    Change,
    Created,
    Linked,
    Pinned,
    Restored,
    Reverted,
    SoftDeleted,
    Updated,
)
from memapp.store import (
    access_counts,
    change_log,
    changes,
    chat,
    expectations,
    history,
    memories,
    recalls,
    relations,
    search,
    withdrawn,
)
from memapp.store.database import Database
from memapp.store.scope import Scope
from tests.builders import fact, on, typed_message
from tests.store.conftest import NOW, USER

FEW, MANY = 8, 120
PERSON = Actor("person")
MESSAGES = ["0", "1"]
Look = Callable[[Connection, list[str]], object]


class Undone(Exception):
    """Rolls a transaction back."""


def change(make: Callable[[list[str]], Change]) -> Look:
    return lambda conn, ids: changes.apply(on(conn), make(ids), Actor("person"))


def there_and_back(conn: Connection, ids: list[str]) -> None:
    for memory_id in (SoftDeleted(ids[4], "person", NOW), Restored(ids[4]), Pinned(ids[4], True)):
        step = changes.apply(on(conn), memory_id, Actor("person")).step
    changes.apply(on(conn), Reverted(step, NOW), Actor("person"))


LOOKS: dict[str, Look] = {
    "get_memories": lambda conn, ids: memories.get_memories(on(conn), ids[:3]),
    "learned_from": lambda conn, ids: memories.list_learned_from(on(conn), MESSAGES),
    "taken_in": lambda conn, ids: memories.list_taken_in(on(conn), ids[0]),
    "find_same": lambda conn, ids: memories.find_same(on(conn), "user has plan 3"),
    "related": lambda conn, ids: relations.related(on(conn), ids[0]),
    "edges_of": lambda conn, ids: relations.edges_of(
        on(conn), Scope(USER, frozenset({"notes", "tasks"})), ids[:5]
    ),
    "pairs_of": lambda conn, ids: relations.pairs_of(on(conn), ids[0]),
    "sources_of": lambda conn, ids: search.sources_of(on(conn), ids[:3]),
    "taken_back": lambda conn, ids: withdrawn.withdrawn(on(conn), MESSAGES),
    "unconfirmed": lambda conn, ids: withdrawn.unconfirmed(on(conn), MESSAGES),
    "keep_taken_back": lambda conn, ids: withdrawn.keep_withdrawn(
        on(conn), ids[:3], all_of_them=True
    ),
    "count_uses": lambda conn, ids: access_counts.count_access(on(conn), ids[:3]),
    "used_in": lambda conn, ids: recalls.used_in(on(conn), ids[0], 5),
    "list_recalls": lambda conn, ids: recalls.list_recalls(on(conn), "0"),
    "compared_with": lambda conn, ids: expectations.compared_with(on(conn), "0"),
    "still_there": lambda conn, ids: chat.still_there(on(conn), MESSAGES),
    "versions": lambda conn, ids: history.list_versions(on(conn), ids[0]),
    "entries": lambda conn, ids: history.list_entries(on(conn), subject_id=ids[0]),
    "created": change(lambda ids: Created(fact("User has one plan more.", NOW, category="notes"))),
    "updated": change(lambda ids: Updated(ids[3], text="User has no plan.")),
    "linked": change(lambda ids: Linked(ids[2], ((ids[3], 0.5),))),
    "trashed, restored, pinned, undone": there_and_back,
}


def steps(database: Database, ids: list[str], look: Look) -> int:
    """Return how many steps of SQLite a look takes; nothing of it stays."""
    taken: list[int] = []
    with pytest.raises(Undone), database.write() as conn:
        conn.set_progress_handler(lambda: taken.append(1), 1)
        try:
            look(conn, ids)
        finally:
            conn.set_progress_handler(None, 1)
        raise Undone
    return len(taken)


def test_the_work_on_a_few_rows_does_not_grow_with_the_store(database: Database) -> None:
    ids: list[str] = []
    taken: list[dict[str, int]] = []
    with database.write() as conn:
        thread = chat.create_thread(on(conn), "Tea", "companion", NOW)
        MESSAGES[:] = [typed_message(on(conn), thread.id, text).id for text in ("Tea?", "Yes.")]
    for more in (FEW, MANY):
        with database.write() as conn:
            for _ in range(more):
                memory = fact(
                    f"User has plan {len(ids)}.",
                    NOW,
                    category="notes",
                    sources=MESSAGES[:1] if len(ids) < FEW else (),
                )
                ids.append(changes.apply(on(conn), Created(memory), Actor("rules")).memory_id)
            if len(ids) == FEW:
                changes.apply(on(conn), Linked(ids[0], ((ids[1], 0.5),)), Actor("rules"))
        taken.append({name: steps(database, ids, look) for name, look in LOOKS.items()})
    few, many = taken
    assert {name: (few[name], many[name]) for name in LOOKS if many[name] > 1.5 * few[name]} == {}


def test_the_rows_of_a_large_import_are_not_read_again_for_each_of_them(database: Database) -> None:
    with database.write() as conn:
        thread = chat.create_thread(on(conn), "Tea", "companion", NOW).id
        change_log.begin(on(conn), thread)
    taken: list[list[int]] = []
    for rows in (20, 80):
        actor = Actor("import", step=f"a step of {rows}")
        with database.write() as conn:
            for number in range(rows):
                changes.apply(
                    on(conn),
                    Created(fact(f"User has plan {number} of {rows}.", NOW, category="notes")),
                    actor,
                )
        looks: tuple[Look, ...] = (
            lambda conn, _: history.undoable_steps(on(conn), 1),
            lambda conn, _: change_log.untold(on(conn), Scope(USER), thread),
        )
        taken.append([steps(database, [], look) for look in looks])
    few, many = taken
    assert [after < 6 * before for before, after in zip(few, many, strict=True)] == [True, True]


def test_the_list_of_steps_is_read_in_time_with_a_step_of_many_memories(database: Database) -> None:
    taken = []
    for number in (40, 160):
        with database.write() as conn:
            new = [fact(f"User saw {n} of {number}.", NOW, category="notes") for n in range(number)]
            ids = [changes.apply(on(conn), Created(memory), PERSON).memory_id for memory in new]
            actor = Actor("person", step=on(conn).new_id())
            for memory_id in ids:
                changes.apply(on(conn), SoftDeleted(memory_id, "person", NOW), actor)
        taken.append(steps(database, ids, lambda conn, _: history.undoable_steps(on(conn), 1)))
    assert taken[1] < 6 * taken[0], "in proportion to its memories"
