"""Memories by hand, and taking each change back."""

from collections.abc import Callable

import pytest

from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services import curate, undo
from memapp.services.recall import RecallRequest, recall

pytestmark = pytest.mark.made_with(model=None, embedder=False)


def found(runtime: Runtime, words: str) -> list[str]:
    return [hit.text for hit in recall(runtime, RecallRequest(words))]


def test_an_edit_moves_the_index_and_leaves_the_tags(runtime: Runtime) -> None:
    memory_id = curate.add(runtime, "User drinks oolong.", ["morning"]).memory_id
    revision = curate.edit(runtime, memory_id, "User drinks coffee.")
    assert (found(runtime, "oolong"), found(runtime, "coffee")) == ([], ["User drinks coffee."])
    assert curate.get(runtime, memory_id).tags == ("morning",)
    undo.undo(runtime, revision.step)
    assert found(runtime, "oolong") == ["User drinks oolong."]


def test_tags_stand_between_commas_once_in_any_case_and_five_at_most(runtime: Runtime) -> None:
    bees = curate.add(runtime, "I keep bees, hens, ducks and a parrot.", ["Bees, garden"]).memory_id
    curate.tag(runtime, "honey,, BEES, Rain, rain, summer", bees)
    assert curate.get(runtime, bees).tags == ("Bees", "garden", "honey", "Rain", "summer")
    with pytest.raises(UsageError, match="At most 5 tags"):
        curate.tag(runtime, "f", bees)
    with pytest.raises(UsageError, match="At most 5 tags"):
        curate.add(runtime, "I drink oolong.", ["a, b, c, d, e, f"])
    untagged = curate.add(runtime, "I like tea, coffee and milk.").memory_id
    assert curate.get(runtime, untagged).tags == ()


def test_what_is_so_already_makes_no_step(runtime: Runtime) -> None:
    sencha, assam = (
        curate.add(runtime, f"User drinks {tea}.").memory_id for tea in ("sencha", "assam")
    )
    curate.pin(runtime, sencha)
    curate.tag(runtime, "sencha", sencha)
    steps = undo.undoable(runtime)
    nothing_new: list[Callable[[], object]] = [
        lambda: curate.pin(runtime, sencha),
        lambda: curate.pin(runtime, assam, pinned=False),
        lambda: curate.edit(runtime, sencha, "User drinks sencha."),
        lambda: curate.tag(runtime, "Sencha", sencha),
        lambda: curate.rate(runtime, sencha, assam, importance=curate.BY_HAND_IMPORTANCE),
    ]
    for step in nothing_new:
        with pytest.raises(UsageError, match="so already"):
            step()
    assert undo.undoable(runtime) == steps
    undo.undo(runtime, curate.pin(runtime, sencha, assam).step)
    assert [curate.get(runtime, text).pinned for text in (sencha, assam)] == [True, False]


def test_the_same_fact_is_refused(runtime: Runtime) -> None:
    curate.add(runtime, "User drinks oolong.")
    with pytest.raises(UsageError, match="knows that already"):
        curate.add(runtime, "user drinks  Oolong")


def test_many_come_back_in_one_step_that_is_undone_as_one(runtime: Runtime) -> None:
    some = [curate.add(runtime, f"Fact number {number}.").memory_id for number in range(3)]
    curate.discard(runtime, *some)
    again = curate.add(runtime, "Fact number 1.").memory_id
    back = curate.restore(runtime, *some)
    assert [revision.memory_id for revision in back.revisions] == [some[0], some[2]]
    assert back.known == (some[1],)
    undo.undo(runtime, back.revisions[0].step)
    assert {memory.id for memory in curate.list_memories(runtime)} == {again}


def test_of_many_those_in_the_trash_already_stop_nothing(runtime: Runtime) -> None:
    some = [
        curate.add(runtime, f"User drinks {tea}.").memory_id
        for tea in ("oolong", "sencha", "assam")
    ]
    curate.discard(runtime, some[0])
    curate.discard(runtime, *some)
    assert curate.list_memories(runtime) == []
    for gone in (some[:1], some):
        with pytest.raises(UsageError, match="in the trash already"):
            curate.discard(runtime, *gone)
    with pytest.raises(UsageError, match="in the trash"):
        curate.pin(runtime, some[0])
    curate.restore(runtime, some[0])
    assert len(curate.restore(runtime, *some).revisions) == 2
    for back in (some[:1], some):
        with pytest.raises(UsageError, match="not in the trash"):
            curate.restore(runtime, *back)
