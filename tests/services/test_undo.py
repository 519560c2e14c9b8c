"""Undo of learned memories and of decisions, with all consequences."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memapp.domain.memory import State
from memapp.domain.turn_events import Remembered
from memapp.errors import UsageError
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats, curate, forget, undo, upkeep
from memapp.services.consent import decisions, pending, requests
from memapp.services.embed import embed
from memapp.services.recall import RecallRequest, recall
from tests.builders import make_runtime, new_chat, say
from tests.store.test_changes import dump

ALIKE = {"link_min": 0.3}
pytestmark = pytest.mark.made_with(**ALIKE)
CORRECTIONS = ("No wait, I keep three hens.", "Actually I keep four hens now.")


def state(runtime: Runtime) -> dict[str, object]:
    """Return memories, profile and requests; a renewed request is a copy with its own id."""
    waiting = sorted(
        (request.field, request.new_value, request.evidence)
        for request in pending.list_pending(runtime)
    )
    return {**dump(runtime.database.read()), "waiting": waiting}


def ready(runtime: Runtime) -> tuple[object, object]:
    """Return the results of idle time: the vectors and the relations."""
    embed(runtime, Cancel())
    conn = runtime.database.read()
    vectors = conn.execute(
        """SELECT m.id, e.vector FROM embeddings e
           JOIN memories m ON e.owner_kind = 'memory' AND e.owner_key = m.key
           WHERE m.state = 'live' ORDER BY m.id"""
    )
    related = conn.execute(
        """SELECT min(r.from_id, r.to_id), max(r.from_id, r.to_id), r.strength FROM relations r
           JOIN memories f ON f.id = r.from_id AND f.state = 'live'
           JOIN memories t ON t.id = r.to_id AND t.state = 'live'
           ORDER BY 1, 2"""
    )
    return [tuple(row) for row in vectors], [tuple(row) for row in related]


def learn(runtime: Runtime, text: str) -> Remembered:
    """Let memapp learn one sentence of the one chat, and relate it."""
    thread = next((thread.id for thread in chats.list_threads(runtime)), "") or new_chat(runtime)
    say(runtime, thread, text)
    (remembered,) = upkeep.work(runtime, thread, Cancel())
    return remembered


def known(runtime: Runtime) -> set[str]:
    return {memory.text for memory in curate.list_memories(runtime)}


def found(runtime: Runtime, words: str) -> set[str]:
    return {hit.text for hit in recall(runtime, RecallRequest(words, kinds=("memory",)))}


def test_a_fact_that_replaced_another_gives_way_to_it_again(runtime: Runtime) -> None:
    for text in ("I feed two hens and a goose in the garden.", "I play the cello."):
        curate.add(runtime, text)
    old = learn(runtime, "I keep two hens in the garden.").memory
    before, idle_before = state(runtime), ready(runtime)
    assert idle_before[1], "the old fact is related to another"
    new = learn(runtime, "No wait, I keep three hens.")
    assert (new.before, curate.get(runtime, old.id).state) == (old, State.SOFT_DELETED)
    assert old.text not in found(runtime, old.text)
    undo.undo_last(runtime)
    assert state(runtime) == before
    assert ready(runtime) == idle_before
    assert new.memory.text not in found(runtime, new.memory.text)
    assert old.text in found(runtime, old.text)
    assert curate.get(runtime, old.id) == old


def test_what_only_confirms_a_fact_is_no_step_of_its_own(runtime: Runtime) -> None:
    before = state(runtime)
    hens = learn(runtime, "I keep two hens in the garden.").memory
    (thread,) = chats.list_threads(runtime)
    say(runtime, thread.id, "i keep two hens in the garden")
    assert list(upkeep.work(runtime, thread.id, Cancel())) == []
    assert len(curate.get(runtime, hens.id).sources) == 2
    undo.undo_last(runtime)
    assert state(runtime) == before


def test_a_chain_of_facts_is_taken_back_across_restarts(runtime: Runtime, tmp_path: Path) -> None:
    states = []
    for text in ("I play the accordion.", "I keep two hens in the garden.", *CORRECTIONS):
        states.append((state(runtime), ready(runtime)))
        learn(runtime, text)
    assert known(runtime) == {"I play the accordion.", CORRECTIONS[-1]}
    for before in reversed(states):
        runtime.close()
        runtime = make_runtime(tmp_path, ScriptedModel(), **ALIKE)
        undo.undo_last(runtime)
        assert (state(runtime), ready(runtime)) == before
    assert undo.undoable(runtime) == []
    runtime.close()


def test_what_was_related_in_the_meantime_stays_related(runtime: Runtime) -> None:
    dog = curate.add(runtime, "I walk the dog in the park.").memory_id
    embed(runtime, Cancel())
    pinned = curate.pin(runtime, dog)
    park = curate.add(runtime, "I jog in the park with the dog.").memory_id
    _, related = ready(runtime)
    assert [pair[:2] for pair in related] == [(dog, park)]  # type: ignore[attr-defined]
    undo.undo(runtime, pinned.step)
    assert not curate.get(runtime, dog).pinned
    assert ready(runtime)[1] == related


def test_a_step_is_taken_back_only_after_what_was_built_on_it(runtime: Runtime) -> None:
    added = curate.add(runtime, "I keep two hens.")
    edited = curate.edit(runtime, added.memory_id, importance=5)
    new = curate.edit(runtime, added.memory_id, "I keep three hens.")
    for step in (added, edited):
        with pytest.raises(UsageError, match="changed again"):
            undo.undo(runtime, step.step)
    assert known(runtime) == {"I keep three hens."}
    for later in (new.step, edited.step, added.step):
        undo.undo(runtime, later)
        with pytest.raises(UsageError, match="already"):
            undo.undo(runtime, later)
    assert known(runtime) == set()


def test_ten_steps_of_every_kind_with_decisions_lead_back_to_the_start(runtime: Runtime) -> None:
    # what is related is chosen anew when a fact comes back
    closest = runtime.settings.model_copy(update={"link_min": 0.9})
    runtime.loaded = replace(runtime.loaded, settings=closest)
    oslo = curate.get(runtime, curate.add(runtime, "I live in Oslo near the harbour.").memory_id)
    undo.undo_last(runtime)
    learn(runtime, "I play the accordion.")
    cello = curate.add(runtime, "I play the cello.").memory_id
    city = requests.propose(runtime, "city", "Oslo", memory=replace(oslo, origin="said"))
    name = requests.propose(runtime, "preferred_name", "Ana")
    tongue = requests.propose(runtime, "language", "Dutch")
    assert city and name and tongue
    ready(runtime)
    steps: list[Callable[[], object]] = [
        lambda: learn(runtime, "My sister Ilse is a potter."),
        lambda: decisions.approve(runtime, city.id),
        lambda: curate.edit(runtime, cello, "I play the viola.", tags=["music"]),
        lambda: decisions.deny(runtime, name.id),
        lambda: curate.discard(runtime, cello),
        lambda: learn(runtime, "I keep two hens in the garden."),
        lambda: decisions.set_field(runtime, "city", "Bergen"),
        lambda: curate.restore(runtime, cello),
        lambda: decisions.edit_then_approve(runtime, tongue.id, "Norwegian"),
        lambda: learn(runtime, CORRECTIONS[0]),
        lambda: curate.pin(runtime, *(memory.id for memory in curate.list_memories(runtime))),
        lambda: decisions.clear_field(runtime, "language"),
    ]
    states = []
    for step in steps:
        states.append(state(runtime))
        step()
        ready(runtime)
    assert decisions.profile(runtime) == {"city": ("Bergen",)}
    assert known(runtime) == {
        "I play the accordion.",
        "My sister Ilse is a potter.",
        "I play the viola.",
        CORRECTIONS[0],
    }
    for before in reversed(states):
        undo.undo_last(runtime)
        assert state(runtime) == before
    assert known(runtime) == {"I play the accordion.", "I play the cello."}
    assert decisions.profile(runtime) == {}


def test_what_was_erased_since_blocks_no_rest_of_a_step_nor_older_ones(runtime: Runtime) -> None:
    ids = [
        curate.add(runtime, f"I {does}.").memory_id
        for does in ("live in Rome", "keep bees", "play the cello")
    ]
    decisions.set_field(runtime, "city", "Rome")
    curate.discard(runtime, *ids[1:])
    decisions.set_field(runtime, "city", "Bergen")
    trashed = known(runtime)
    forget.purge(runtime, ids[:2])
    undo.undo_last(runtime)
    assert (decisions.profile(runtime), known(runtime)) == ({"city": ("Rome",)}, trashed)
    undo.undo_last(runtime)
    assert known(runtime) == {"I play the cello."}
    for _ in range(2):
        undo.undo_last(runtime)
    assert (undo.undoable(runtime), decisions.profile(runtime), known(runtime)) == ([], {}, set())
    trip = curate.add(runtime, "I plan a trip with Kari.").memory_id
    curate.edit(runtime, trip, "I plan a trip.")
    curate.pin(runtime, trip)
    forget.forget_everywhere(runtime, "Kari")
    assert [undo.undo_last(runtime).event for _ in range(2)] == ["PIN", "ADD"]
    assert (undo.undoable(runtime), known(runtime)) == ([], set())
