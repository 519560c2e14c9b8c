"""Vectors and relations made in idle time, and what recall does with relations."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from memapp.domain.relation import strongest
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services import curate, forget, undo
from memapp.services.embed import BATCH, embed, embedded, run
from memapp.services.recall import RecallRequest, recall
from memapp.store import history, relations
from memapp.store.vectors import Vectors
from tests.builders import make_runtime

pytestmark = pytest.mark.made_with(model=None)


def add(runtime: Runtime, text: str) -> str:
    return curate.add(runtime, text).memory_id


def related(runtime: Runtime, memory_id: str) -> list[str]:
    return [relation.text for relation in relations.related(runtime.read(), memory_id)]


def test_a_new_fact_is_related_to_those_most_like_it(runtime: Runtime) -> None:
    one = add(runtime, "User drinks oolong tea in the morning.")
    add(runtime, "User owns a blue bicycle.")
    embed(runtime, Cancel())
    two = add(runtime, "User drinks oolong tea in the evening.")
    embed(runtime, Cancel())
    assert related(runtime, two) == ["User drinks oolong tea in the morning."]
    assert related(runtime, one) == ["User drinks oolong tea in the evening."], (
        "a relation is seen from both ends"
    )


def test_facts_embedded_together_are_related_too_and_each_pair_once(runtime: Runtime) -> None:
    for time in ("morning", "evening", "afternoon"):
        add(runtime, f"User drinks oolong tea in the {time}.")
    embed(runtime, Cancel())
    conn = runtime.database.read()
    assert conn.execute("SELECT count(*) FROM relations").fetchone()[0] == 3
    embed(runtime, Cancel())
    assert conn.execute("SELECT count(*) FROM relations").fetchone()[0] == 3


def test_facts_are_related_the_same_way_together_and_one_by_one(tmp_path: Path) -> None:
    found = []
    for name in ("together", "one by one"):
        runtime = make_runtime(tmp_path / name, link_top_k=1)
        for time in ("morning", "evening", "afternoon", "late evening", "early morning"):
            add(runtime, f"User drinks oolong tea in the {time}.")
            if name == "one by one":
                embed(runtime, Cancel())
        embed(runtime, Cancel())
        sql = """SELECT f.text, t.text, strength FROM relations
                 JOIN memories f ON f.id = from_id JOIN memories t ON t.id = to_id
                 ORDER BY f.id, t.id"""
        found.append([tuple(row) for row in runtime.database.read().execute(sql)])
        runtime.close()
    assert found[0] == found[1]


def test_an_edited_fact_is_related_anew(runtime: Runtime) -> None:
    one = add(runtime, "User drinks oolong tea in the morning.")
    two = add(runtime, "User drinks oolong tea in the evening.")
    embed(runtime, Cancel())
    revision = curate.edit(runtime, two, "User owns a blue bicycle.")
    embed(runtime, Cancel())
    assert related(runtime, one) == []
    undo.undo(runtime, revision.step)
    assert related(runtime, one) == ["User drinks oolong tea in the evening."]


def test_a_fact_in_the_trash_is_related_to_nothing_until_it_is_back(runtime: Runtime) -> None:
    one = add(runtime, "User drinks oolong tea in the morning.")
    two = add(runtime, "User drinks oolong tea in the evening.")
    embed(runtime, Cancel())
    curate.discard(runtime, two)
    assert related(runtime, one) == []
    curate.restore(runtime, two)
    assert related(runtime, one) == ["User drinks oolong tea in the evening."]


def test_coming_back_again_and_again_makes_no_more_relations(runtime: Runtime) -> None:
    for number in range(3 * runtime.settings.link_top_k):
        one = add(runtime, f"User drinks oolong tea number {number} in the morning.")
        embed(runtime, Cancel())
    before = related(runtime, one)
    curate.discard(runtime, one)
    curate.restore(runtime, one)
    embed(runtime, Cancel())
    assert related(runtime, one) == before
    assert len(before) == runtime.settings.link_top_k


def test_relations_are_no_step_of_their_own_for_undo(runtime: Runtime) -> None:
    add(runtime, "User drinks oolong tea in the morning.")
    add(runtime, "User drinks oolong tea in the evening.")
    embed(runtime, Cancel())
    assert len(history.undoable_steps(runtime.read())) == 2


def test_recall_brings_what_is_related_to_a_hit_after_the_hits(runtime: Runtime) -> None:
    add(runtime, "User drinks oolong tea in the morning with honey.")
    embed(runtime, Cancel())
    for number in range(3):
        add(runtime, f"User drinks oolong tea in the morning with milk {number}.")
    embed(runtime, Cancel())
    hits = recall(runtime, RecallRequest("honey", top_k=1, kinds=("memory",)))
    assert hits[0].text == "User drinks oolong tea in the morning with honey."
    assert len(hits) == 3
    assert all(hit.why.startswith("related") and hit.score < hits[0].score for hit in hits[1:])


@pytest.fixture
def asked(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the embedding model is given from now on."""
    embedder = runtime.embedding.ready()
    assert embedder is not None
    real, asked = embedder.embed, list[str]()

    def embed_and_tell(texts: Sequence[str], *, wait: bool = True) -> Vectors:
        asked.extend(texts)
        return real(texts, wait=wait)

    monkeypatch.setattr(embedder, "embed", embed_and_tell)
    return asked


def test_the_vector_of_a_message_is_made_once_and_gone_when_something_is_erased(
    runtime: Runtime, asked: list[str]
) -> None:
    tea = add(runtime, "User likes tea.")
    first = embedded(runtime.embedding, ["tea", "milk"])
    again = embedded(runtime.embedding, ["sugar", "milk", "milk"])
    assert asked == ["tea", "milk", "sugar"]
    assert first is not None and again is not None
    assert (again[1] == first[1]).all() and (again[2] == first[1]).all()
    curate.discard(runtime, tea)
    forget.purge(runtime, [tea])
    embedded(runtime.embedding, ["tea"])
    assert asked == ["tea", "milk", "sugar", "tea"]


def test_only_the_likest_above_the_least_likeness_count() -> None:
    actual = strongest([("a", 0.49), ("b", 0.9), ("c", 0.6), ("d", 1.0000001)], 0.5, 2)
    assert actual == (("d", 1.0), ("b", 0.9))


def test_a_command_that_ends_leaves_the_rest_for_the_next_time(runtime: Runtime) -> None:
    for number in range(2 * BATCH + 1):
        add(runtime, f"User owns bicycle number {number}.")
    next(run(runtime, Cancel()))
    conn = runtime.database.read()
    assert conn.execute("SELECT count(*) FROM embeddings").fetchone()[0] == BATCH
    embed(runtime, Cancel())
    assert conn.execute("SELECT count(*) FROM embeddings").fetchone()[0] == 2 * BATCH + 1
