"""A new fact against those that are known: nothing is lost, nothing is known twice, and the newer of two that clash holds."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memapp.domain.changes import Actor
from memapp.domain.memory import State
from memapp.inference import Cancel
from memapp.language.english.merge import MergeVerdict
from memapp.runtime import Runtime
from memapp.services import activity, curate, forget, undo
from memapp.services.embed import embed
from memapp.services.merge import Written, near, write
from memapp.store.vectors import Vectors
from tests.builders import fact, make_runtime, recorded


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    opened = make_runtime(tmp_path)
    yield opened
    opened.database.close()


def learn(runtime: Runtime, text: str) -> Written:
    now = runtime.clock()
    (known,) = near(runtime, [text])
    with runtime.write() as session:
        return write(runtime, session, fact(text, now, category="profile"), known, Actor("rules"))


def live(runtime: Runtime) -> set[str]:
    return {one.text for one in curate.list_memories(runtime)}


@pytest.mark.parametrize(
    ("old", "new", "verdict", "kept"),
    [
        ("User lives in Oslo.", "User lives in Bergen.", MergeVerdict.CONTRADICTS, {"User lives in Bergen."}),
        ("User has two cats.", "User has three cats.", MergeVerdict.CONTRADICTS, {"User has three cats."}),
        ("User has a dog.", "User has a dog named Rex.", MergeVerdict.UPDATES, {"User has a dog named Rex."}),
        ("User has a dog named Rex.", "User has a dog.", MergeVerdict.SAME, {"User has a dog named Rex."}),
        ("User likes tea.", "User likes coffee.", MergeVerdict.SEPARATE, {"User likes tea.", "User likes coffee."}),
        ("I have two cats.", "User has three cats.", MergeVerdict.CONTRADICTS, {"User has three cats."}),
        ("I prefer oolong tea.", "User prefers oolong tea.", MergeVerdict.SAME, {"I prefer oolong tea."}),
    ],
)
def test_each_verdict_leaves_what_is_true(runtime: Runtime, old: str, new: str, verdict: MergeVerdict, kept: set[str]) -> None:
    curate.add(runtime, old)
    embed(runtime, Cancel())
    written = learn(runtime, new)
    assert (written.verdict, live(runtime)) == (verdict, kept)


def test_what_is_replaced_or_taken_in_lies_in_the_trash_with_its_reason(runtime: Runtime) -> None:
    oslo = curate.add(runtime, "User lives in Oslo.").memory_id
    dog = curate.add(runtime, "User has a dog.").memory_id
    learn(runtime, "User lives in Bergen.")
    rex = learn(runtime, "User has a dog named Rex.").memory.id
    assert (curate.get(runtime, oslo).state, curate.get(runtime, oslo).reason) == (State.SOFT_DELETED, "superseded")
    assert (curate.get(runtime, dog).state, curate.get(runtime, dog).merged_into) == (State.MERGED, rex)


def test_the_history_of_what_is_newer_says_what_it_replaced(runtime: Runtime) -> None:
    oslo = curate.add(runtime, "User lives in Oslo.").memory_id
    curate.add(runtime, "User has a dog.")
    bergen = learn(runtime, "User lives in Bergen.").memory.id
    rex = learn(runtime, "User has a dog named Rex.").memory.id
    replaced = {one: [moment.replaced for moment in activity.timeline(runtime, one)] for one in (oslo, bergen, rex)}
    assert replaced[bergen] == [("User lives in Oslo.",)]
    assert replaced[rex][0] == ("User has a dog.",) and not any(replaced[oslo])
    forget.purge(runtime, [oslo])
    assert activity.timeline(runtime, bergen)[0].replaced == (), "nor what was erased since"


def test_the_whole_step_is_taken_back_at_once(runtime: Runtime) -> None:
    curate.add(runtime, "User lives in Oslo.")
    learn(runtime, "User lives in Bergen.")
    step = undo.undoable(runtime)[0]
    assert undo.describe(runtime, step) == "Replaced “You live in Oslo.” by something newer"
    revision = replace(curate.add(runtime, "User plays chess."), step=step.id)
    undo.undo(runtime, revision.step)
    assert live(runtime) == {"User lives in Oslo.", "User plays chess."}


def test_the_events_say_of_what_category_a_fact_is_and_how_alike_its_nearest_neighbour(runtime: Runtime) -> None:
    learn(runtime, "User has a dog.")
    learn(runtime, "User has a dog named Rex.")
    (created, first), (merged,) = recorded(runtime, "create"), recorded(runtime, "merge")
    assert first["sim"] is None, "it had no neighbour"
    assert 0.5 < created["sim"] < 1 and merged["sim"] == created["sim"]
    assert created["category"] == merged["category"] == "profile"


def test_what_is_pinned_is_never_retired(runtime: Runtime) -> None:
    curate.add(runtime, "User lives in Oslo.", pinned=True)
    learn(runtime, "User lives in Bergen.")
    assert live(runtime) == {"User lives in Oslo.", "User lives in Bergen."}


def test_the_importance_of_what_is_replaced_is_kept(runtime: Runtime) -> None:
    old = curate.add(runtime, "User lives in Oslo.").memory_id
    curate.edit(runtime, old, importance=5)
    assert learn(runtime, "User lives in Bergen.").memory.importance == 5


def test_without_an_embedder_words_alone_decide(runtime: Runtime) -> None:
    curate.add(runtime, "User lives in Oslo.")
    runtime.embedding.fail("off")
    assert learn(runtime, "User lives in Bergen.").verdict is MergeVerdict.CONTRADICTS


def test_only_what_has_no_vector_yet_is_embedded(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    embedder = runtime.embedding.ready()
    assert embedder is not None
    real = embedder.embed

    def embed_and_tell(texts: Sequence[str], *, wait: bool = True) -> Vectors:
        asked.extend(texts)
        return real(texts, wait=wait)

    for text in ("User keeps bees.", "User lives in Oslo.", "User plays chess."):
        curate.add(runtime, text)
    embed(runtime, Cancel())
    every = {one.text: likeness for one, likeness in near(runtime, ["User has a hive."])[0]}
    curate.add(runtime, "User bakes bread.")
    monkeypatch.setattr(embedder, "embed", embed_and_tell)
    hive, bread = near(runtime, ["User has a hive.", "User bakes."])
    assert asked == ["User bakes.", "User bakes bread."]
    assert {one.text for one, _ in hive} == {one.text for one, _ in bread} == {*every, "User bakes bread."}
    assert {one.text: pytest.approx(likeness, abs=1e-6) for one, likeness in hive if one.text in every} == every
    assert max(bread, key=lambda pair: pair[1])[0].text == "User bakes bread."
