"""Taking back what memapp learned and what the person decided, with all that followed from it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memapp.domain.memory import State
from memapp.errors import UsageError
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.language.english.merge import MergeVerdict
from memapp.runtime import Runtime
from memapp.services import curate, forget, undo, upkeep
from memapp.services.consent import decisions, pending, requests
from memapp.services.embed import embed
from memapp.services.merge import Written
from memapp.services.recall import RecallRequest, recall
from tests.builders import chat_of, make_runtime, new_chat, say
from tests.store.test_changes import dump

ALIKE = {"link_min": 0.3}


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    opened = make_runtime(tmp_path, ScriptedModel(), **ALIKE)
    yield opened
    opened.close()


def state(runtime: Runtime) -> dict[str, object]:
    """Everything that is remembered, agreed on and waiting; a request that waits again is a copy with an id of its own."""
    waiting = sorted((one.field, one.new_value, one.evidence) for one in pending.list_pending(runtime))
    return {**dump(runtime.database.read()), "waiting": waiting}


def ready(runtime: Runtime) -> tuple[object, object]:
    """What idle time makes of it: which facts have which vector, and which are related."""
    embed(runtime, Cancel())
    conn = runtime.database.read()
    vectors = conn.execute(
        """SELECT m.id, e.vector FROM embeddings e JOIN memories m ON e.owner_kind = 'memory' AND e.owner_key = m.key
           WHERE m.state = 'live' ORDER BY m.id"""
    )
    related = conn.execute(
        """SELECT min(r.from_id, r.to_id), max(r.from_id, r.to_id), r.strength FROM relations r
           JOIN memories f ON f.id = r.from_id AND f.state = 'live' JOIN memories t ON t.id = r.to_id AND t.state = 'live'
           ORDER BY 1, 2"""
    )
    return [tuple(row) for row in vectors], [tuple(row) for row in related]


def learn(runtime: Runtime, text: str) -> Written:
    """Let memapp learn one fact from a turn, and relate it."""
    thread = chat_of(runtime, text)
    (written,) = upkeep.work(runtime, thread, Cancel())
    return written


def known(runtime: Runtime) -> set[str]:
    return {memory.text for memory in curate.list_memories(runtime)}


def found(runtime: Runtime, words: str) -> set[str]:
    return {hit.text for hit in recall(runtime, RecallRequest(words, kinds=("memory",)))}


LEARNED = [
    ("I have two cats.", "I have three cats.", MergeVerdict.CONTRADICTS, State.SOFT_DELETED),
    ("I have a dog.", "I have a dog named Rex.", MergeVerdict.UPDATES, State.MERGED),
]


@pytest.mark.parametrize(("first", "then", "verdict", "became"), LEARNED)
def test_a_fact_that_replaced_another_gives_way_to_it_again(
    runtime: Runtime, first: str, then: str, verdict: MergeVerdict, became: State
) -> None:
    for text in ("User feeds two cats and a dog.", "User plays the cello."):
        curate.add(runtime, text)
    old = learn(runtime, first).memory
    before, idle_before = state(runtime), ready(runtime)
    assert idle_before[1], "the old fact is related to another"
    new = learn(runtime, then)
    assert (new.verdict, curate.get(runtime, old.id).state) == (verdict, became)
    assert old.text not in found(runtime, old.text)
    undo.undo_last(runtime)
    assert state(runtime) == before
    assert ready(runtime) == idle_before
    assert new.memory.text not in found(runtime, new.memory.text)
    assert old.text in found(runtime, old.text)
    assert curate.get(runtime, old.id) == old


def test_what_only_confirms_a_fact_is_no_step_of_its_own(runtime: Runtime) -> None:
    before = state(runtime)
    rex = learn(runtime, "I have a dog named Rex.").memory
    thread = new_chat(runtime)
    for again in ("I have a dog.", "I have a dog named Rex."):
        say(runtime, thread, again)
        assert list(upkeep.work(runtime, thread, Cancel())) == []
    assert len(curate.get(runtime, rex.id).sources) == 3
    undo.undo_last(runtime)
    assert state(runtime) == before


def test_a_chain_of_facts_is_taken_back_link_by_link_across_restarts(runtime: Runtime, tmp_path: Path) -> None:
    states = []
    for text in ("I have a dog.", "I have a dog named Rex.", "I have two cats.", "I have three cats.", "I have four cats."):
        states.append((state(runtime), ready(runtime)))
        learn(runtime, text)
    assert known(runtime) == {"User has a dog named Rex.", "User has four cats."}
    for before in reversed(states):
        runtime.close()
        runtime = make_runtime(tmp_path, ScriptedModel(), **ALIKE)
        undo.undo_last(runtime)
        assert (state(runtime), ready(runtime)) == before
    assert undo.undoable(runtime) == []
    runtime.close()


def test_what_was_related_in_the_meantime_stays_related(runtime: Runtime) -> None:
    dog = curate.add(runtime, "User walks the dog in the park.").memory_id
    embed(runtime, Cancel())
    pinned = curate.pin(runtime, dog)
    park = curate.add(runtime, "User jogs in the park with the dog.").memory_id
    _, related = ready(runtime)
    assert [pair[:2] for pair in related] == [(dog, park)]  # type: ignore[attr-defined]
    undo.undo(runtime, pinned.step)
    assert not curate.get(runtime, dog).pinned
    assert ready(runtime)[1] == related


def test_a_step_is_taken_back_only_after_what_was_built_on_it(runtime: Runtime) -> None:
    added = curate.add(runtime, "User has two cats.")
    edited = curate.edit(runtime, added.memory_id, importance=5)
    new = learn(runtime, "I have three cats.")
    for step in (added, edited):
        with pytest.raises(UsageError, match="changed again"):
            undo.undo(runtime, step.step)
    assert known(runtime) == {"User has three cats."}
    for later in (new.step, edited.step, added.step):
        undo.undo(runtime, later)
        with pytest.raises(UsageError, match="already"):
            undo.undo(runtime, later)
    assert known(runtime) == set()


def test_ten_steps_of_every_kind_with_decisions_lead_back_to_the_first_state(runtime: Runtime) -> None:
    closest = runtime.settings.model_copy(update={"link_min": 0.9})  # what is related is chosen anew when a fact comes back
    runtime.loaded = replace(runtime.loaded, settings=closest)
    oslo = curate.get(runtime, curate.add(runtime, "User lives in Oslo near the harbour.").memory_id)
    undo.undo_last(runtime)
    learn(runtime, "I have a dog.")
    cello = curate.add(runtime, "User plays the cello.").memory_id
    city = requests.propose(runtime, "city", "Oslo", memory=replace(oslo, origin="distilled"))
    name, tongue = requests.propose(runtime, "preferred_name", "Ana"), requests.propose(runtime, "language", "Dutch")
    assert city and name and tongue
    ready(runtime)
    steps: list[Callable[[], object]] = [
        lambda: learn(runtime, "I have a dog named Rex."),
        lambda: decisions.approve(runtime, city.id),
        lambda: curate.edit(runtime, cello, "User plays the viola.", tags=["music"]),
        lambda: decisions.deny(runtime, name.id),
        lambda: curate.discard(runtime, cello),
        lambda: learn(runtime, "I have two cats."),
        lambda: decisions.set_field(runtime, "city", "Bergen"),
        lambda: curate.restore(runtime, cello),
        lambda: decisions.edit_then_approve(runtime, tongue.id, "Norwegian"),
        lambda: learn(runtime, "I have three cats."),
        lambda: curate.pin(runtime, *(one.id for one in curate.list_memories(runtime))),
        lambda: decisions.take_away(runtime, "language"),
    ]
    states = []
    for step in steps:
        states.append(state(runtime))
        step()
        ready(runtime)
    assert decisions.profile(runtime) == {"city": ("Bergen",)}
    assert known(runtime) == {"User has a dog named Rex.", "User plays the viola.", "User has three cats."}
    for before in reversed(states):
        undo.undo_last(runtime)
        assert state(runtime) == before
    assert known(runtime) == {"User has a dog.", "User plays the cello."}
    assert decisions.profile(runtime) == {}


def test_what_was_erased_since_blocks_neither_the_rest_of_its_step_nor_older_ones(runtime: Runtime) -> None:
    ids = [curate.add(runtime, f"User {does}.").memory_id for does in ("lives in Rome", "keeps bees", "plays the cello")]
    decisions.set_field(runtime, "city", "Rome")
    curate.discard(runtime, *ids[1:])
    decisions.set_field(runtime, "city", "Bergen")
    trashed = known(runtime)
    forget.purge(runtime, ids[:2])
    undo.undo_last(runtime)
    assert (decisions.profile(runtime), known(runtime)) == ({"city": ("Rome",)}, trashed)
    undo.undo_last(runtime)
    assert known(runtime) == {"User plays the cello."}
    for _ in range(2):
        undo.undo_last(runtime)
    assert (undo.undoable(runtime), decisions.profile(runtime), known(runtime)) == ([], {}, set())
    trip = curate.add(runtime, "User plans a trip with Kari.").memory_id
    curate.edit(runtime, trip, "User plans a trip.")
    curate.pin(runtime, trip)
    forget.forget_everywhere(runtime, "Kari")
    assert [undo.undo_last(runtime).event for _ in range(2)] == ["PIN", "ADD"]
    assert (undo.undoable(runtime), known(runtime)) == ([], set())


def test_something_that_happened_is_remembered_and_not_summed_up(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    say(runtime, thread, "I've decided to stay in nursing after all.")
    list(upkeep.work(runtime, thread, Cancel()))
    assert [undo.describe(runtime, one) for one in undo.undoable(runtime)] == [
        "Remembered “You have decided to stay in nursing after all.”"
    ]
