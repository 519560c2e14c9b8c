"""Relations are read from the facts asked for, however many others there are."""

from memapp.domain.changes import Actor, Created, Linked
from memapp.store import changes, relations
from memapp.store.database import Database
from memapp.store.scope import Scope
from tests.builders import fact
from tests.store.conftest import NOW, USER


def test_the_work_of_a_look_at_relations_does_not_grow_with_the_store(database: Database) -> None:
    actor, scope = Actor(USER, "worker"), Scope(USER, frozenset({"notes", "tasks"}))
    ids: list[str] = []
    steps: list[int] = []
    for more in (5, 60):
        with database.write() as conn:
            for _ in range(more):
                memory = fact(f"User has plan {len(ids)}.", NOW, category="notes")
                ids.append(changes.apply(conn, Created(memory), actor, NOW).memory_id)
        if len(ids) == 5:
            with database.write() as conn:
                changes.apply(conn, Linked(ids[0], ((ids[1], 0.5),)), actor, NOW)
        taken: list[int] = []
        conn = database.read()
        conn.set_progress_handler(lambda: taken.append(1), 1)  # noqa: B023
        found = relations.edges_of(conn, scope, ids[:5])
        conn.set_progress_handler(None, 1)
        assert [(one.memory_id, one.to_id) for one in found] == [(ids[0], ids[1]), (ids[1], ids[0])]
        steps.append(len(taken))
    assert steps[1] < 1.5 * steps[0]
