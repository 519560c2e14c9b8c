"""Vectors in the file, and the matrix built from them."""

import numpy as np
import pytest

from memapp.domain.changes import Actor, Created, SoftDeleted, Updated
from memapp.store import changes, chat, vectors
from memapp.store.database import Database
from memapp.store.vectors import Matrix, Vectors
from tests.builders import fact, on, typed_message
from tests.store.conftest import NOW, USER

MODEL = "test-model"


def add_fact(database: Database, text: str, user: str = USER) -> str:
    memory = fact(text, NOW)
    with database.write() as conn:
        changes.apply(on(conn, user), Created(memory), Actor("person"))
    return memory.id


def unit(*numbers: float) -> Vectors:
    vector = np.array(numbers, dtype=np.float32)
    return vector / np.linalg.norm(vector)


def embed(
    database: Database, made: dict[str, Vectors], user: str = USER, model: str = MODEL
) -> int:
    """Store vectors by text."""
    waiting = vectors.waiting(on(database.read(), user), "memory", model, 100)
    with database.write() as conn:
        return len(
            vectors.save(
                on(conn, user),
                "memory",
                model,
                waiting,
                np.stack([made[text] for _, text in waiting]),
            )
        )


def nearest(database: Database, matrix: Matrix, vector: Vectors, least: float = -1.0) -> list[str]:
    conn = database.read()
    texts = {row["key"]: row["text"] for row in conn.execute("SELECT key, text FROM memories")}
    return [texts[key] for key in matrix.likeness(on(conn), vector).nearest(10, least)]


@pytest.fixture
def matrix(database: Database) -> Matrix:
    for text in ("tea", "milk", "rain"):
        add_fact(database, text)
    embed(database, {"tea": unit(1, 0, 0), "milk": unit(1, 1, 0), "rain": unit(0, 0, 1)})
    return vectors.matrix(database, USER, "memory", MODEL)


def test_the_likest_come_first_and_only_what_is_like_enough(
    database: Database, matrix: Matrix
) -> None:
    assert nearest(database, matrix, unit(1, 0.1, 0)) == ["tea", "milk", "rain"]
    assert nearest(database, matrix, unit(1, 0.1, 0), least=0.5) == ["tea", "milk"]
    likeness = matrix.likeness(on(database.read()), unit(0, 0, 1))
    assert len(likeness.nearest(1)) == 1
    assert likeness.of(likeness.nearest(1)[0]) == pytest.approx(1.0)
    assert likeness.of(99) == 0.0, "what has no vector is like nothing"


def test_only_what_lacks_a_vector_waits_newest_first(database: Database, matrix: Matrix) -> None:
    add_fact(database, "snow")
    add_fact(database, "hail")
    waiting = vectors.waiting(on(database.read()), "memory", MODEL, 10)
    assert [text for _, text in waiting] == ["hail", "snow"]


def test_a_new_vector_is_found_at_once(database: Database, matrix: Matrix) -> None:
    matrix.likeness(on(database.read()), unit(1, 0, 0))
    add_fact(database, "snow")
    embed(database, {"snow": unit(0, 0.1, 1)})
    assert nearest(database, matrix, unit(0, 0.1, 1))[0] == "snow"
    assert len(matrix) == 4


def test_a_deleted_memory_leaves_the_matrix(database: Database, matrix: Matrix) -> None:
    matrix.likeness(on(database.read()), unit(1, 0, 0))
    doomed = add_fact(database, "snow")
    embed(database, {"snow": unit(1, 0, 0)})
    assert "snow" in nearest(database, matrix, unit(1, 0, 0))
    with database.write() as conn:
        changes.apply(on(conn), SoftDeleted(doomed, "person", NOW), Actor("person"))
    assert nearest(database, matrix, unit(1, 0, 0)) == ["tea", "milk", "rain"]
    assert len(matrix) == 3


def test_an_edited_newest_memory_gets_its_new_vector(database: Database, matrix: Matrix) -> None:
    edited = add_fact(database, "snow")
    embed(database, {"snow": unit(0, 0, 1)})
    nearest(database, matrix, unit(0, 0, 1))
    with database.write() as conn:
        changes.apply(on(conn), Updated(edited, text="coffee"), Actor("person"))
    embed(database, {"coffee": unit(0, 1, 0)})
    assert nearest(database, matrix, unit(0, 1, 0))[0] == "coffee"


def test_deleting_from_the_middle_keeps_every_other_vector_in_its_place(database: Database) -> None:
    ids = {text: add_fact(database, text) for text in ("a", "b", "c", "d")}
    made = {text: unit(*np.eye(4)[place]) for place, text in enumerate(ids)}
    embed(database, made)
    matrix = vectors.matrix(database, USER, "memory", MODEL)
    nearest(database, matrix, made["a"])
    with database.write() as conn:
        for text in ("a", "c"):
            changes.apply(on(conn), SoftDeleted(ids[text], "person", NOW), Actor("person"))
    assert nearest(database, matrix, made["b"], least=0.9) == ["b"]
    assert nearest(database, matrix, made["d"], least=0.9) == ["d"]


def test_a_running_search_keeps_what_it_began_with(database: Database, matrix: Matrix) -> None:
    running = matrix.likeness(on(database.read()), unit(1, 0, 0))
    before = {int(key): running.of(int(key)) for key in running.keys}
    for number in range(20):
        add_fact(database, f"more {number}")
    embed(database, {f"more {number}": unit(0, 1, 0) for number in range(20)})
    matrix.likeness(on(database.read()), unit(0, 1, 0))
    assert {key: running.of(key) for key in before} == before


def test_vectors_of_another_model_or_person_never_mix(database: Database, matrix: Matrix) -> None:
    add_fact(database, "secret", user="somebody else")
    embed(database, {"secret": unit(1, 0, 0)}, user="somebody else")
    embed(database, dict.fromkeys(["tea", "milk", "rain"], unit(0, 1, 0)), model="another")
    assert nearest(database, matrix, unit(1, 0, 0)) == ["tea", "milk", "rain"]
    others = vectors.matrix(database, "somebody else", "memory", MODEL)
    assert nearest(database, others, unit(1, 0, 0)) == ["secret"]


def test_a_vector_of_another_dimension_is_like_nothing(database: Database, matrix: Matrix) -> None:
    assert matrix.likeness(on(database.read()), unit(1, 0)).nearest(5) == []


def test_what_was_edited_while_the_model_was_busy_gets_no_vector(database: Database) -> None:
    edited = add_fact(database, "tea")
    waiting = vectors.waiting(on(database.read()), "memory", MODEL, 10)
    with database.write() as conn:
        changes.apply(on(conn), Updated(edited, text="coffee"), Actor("person"))
        assert vectors.save(on(conn), "memory", MODEL, waiting, np.stack([unit(1, 0)])) == []
    assert [text for _, text in vectors.waiting(on(database.read()), "memory", MODEL, 10)] == [
        "coffee"
    ]


def test_messages_wait_too_but_not_those_that_left_the_chat(database: Database) -> None:
    with database.write() as conn:
        thread = chat.create_thread(on(conn), "Tea", "companion", NOW)
        ids = [typed_message(on(conn), thread.id, text).id for text in ("kept", "gone")]
        chat.set_active(on(conn), ids[1:], active=False)
    assert [text for _, text in vectors.waiting(on(database.read()), "message", MODEL, 10)] == [
        "kept"
    ]
