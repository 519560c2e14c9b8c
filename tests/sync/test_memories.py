"""Memories on several machines: what one changes the others have; of two changes one holds, and the
other can be had back.
"""

from collections.abc import Callable

from memapp.domain.changes import Event
from memapp.runtime import Runtime
from memapp.services import curate, exports, howtos, undo
from memapp.services.sync.exchange import exchange
from memapp.store import history, memories

Machine = Callable[..., Runtime]


def exported(runtime: Runtime) -> list[str]:
    """Return all lines of an export but the first, which says when it was made."""
    return list(exports.as_lines(runtime))[1:]


def settle(*runtimes: Runtime) -> None:
    """Let machines exchange what they have until none has anything that another lacks; then all
    have the same.
    """
    for _ in range(6):
        done = [exchange(runtime) for runtime in runtimes]
        if not any(exchanged.came or exchanged.sent for exchanged in done):
            break
    first, *others = map(exported, runtimes)
    for other in others:
        assert other == first


def texts(runtime: Runtime) -> set[str]:
    return {memory.text for memory in memories.list_memories(runtime.read())}


def test_what_each_machine_had_and_what_it_does_comes_to_the_others(machine: Machine) -> None:
    laptop = machine("laptop", first=lambda it: curate.add(it, "My dog is called Pip"))
    desktop = machine("desktop", first=lambda it: curate.add(it, "I drink oolong"))
    settle(laptop, desktop)
    assert texts(laptop) == {"My dog is called Pip", "I drink oolong"}

    (oolong,) = memories.list_memories(laptop.read(), curate.read_filter(laptop, "oolong"))
    edited = curate.edit(laptop, oolong.id, "I drink sencha", tags=["tea"])
    curate.pin(laptop, oolong.id)
    pasta = howtos.add(desktop, "Cook pasta\n1. Boil water\n2. Add salt").memory_id
    howtos.tick(desktop, pasta, 1)
    settle(laptop, desktop)
    assert curate.get(desktop, oolong.id).pinned
    assert [entry.event for entry in history.list_entries(desktop.read(), oolong.id)] == [
        Event.PIN,
        Event.UPDATE,
        Event.ADD,
    ]
    assert curate.list_memories(desktop, curate.read_filter(desktop, "sencha"))

    undo.undo(desktop, curate.pin(desktop, oolong.id, pinned=False).step)
    pinned = history.list_entries(desktop.read(), oolong.id)[2]
    curate.discard(desktop, pasta)
    settle(laptop, desktop)
    assert pinned.step == history.list_entries(laptop.read(), oolong.id)[2].step
    assert curate.get(laptop, pasta).state == "soft_deleted"
    curate.restore(laptop, pasta)
    settle(laptop, desktop)
    assert edited.step in {entry.step for entry in history.list_entries(desktop.read(), oolong.id)}


def test_of_two_edits_the_later_holds_and_the_other_is_one_undo_away(machine: Machine) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    tea = curate.add(laptop, "I drink oolong").memory_id
    settle(laptop, desktop)
    curate.edit(laptop, tea, "I drink sencha")
    curate.edit(desktop, tea, "I drink coffee")
    settle(laptop, desktop)
    assert texts(laptop) == {"I drink coffee"}
    (step,) = (step for step in undo.undoable(laptop) if step.event is Event.SYNC)
    assert undo.describe(laptop, step) == "Overruled by a change on desktop: “I drink coffee”"
    undo.undo(laptop, step.id)
    settle(desktop, laptop)
    assert texts(desktop) == {"I drink sencha"}


def test_an_edit_holds_against_a_deletion_whichever_came_last(machine: Machine) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    first, last = (curate.add(laptop, text).memory_id for text in ("I drink oolong", "I keep bees"))
    settle(laptop, desktop)
    curate.discard(laptop, first)
    curate.edit(desktop, first, "I drink sencha")
    curate.edit(laptop, last, "I keep hens")
    curate.discard(desktop, last)
    settle(desktop, laptop)
    assert texts(laptop) == {"I drink sencha", "I keep hens"}


def test_the_same_fact_from_two_machines_is_one(machine: Machine) -> None:
    laptop, desktop, phone = machine("laptop"), machine("desktop"), machine("phone")
    for runtime in (laptop, desktop, phone):
        curate.add(runtime, "I drink oolong")
    settle(phone, desktop, laptop)
    assert texts(laptop) == {"I drink oolong"}


def test_two_memories_may_change_places(machine: Machine) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    one, other = (curate.add(laptop, text).memory_id for text in ("I drink oolong", "I keep bees"))
    settle(laptop, desktop)
    curate.edit(laptop, one, "I keep hens")
    curate.edit(laptop, other, "I drink oolong")
    curate.edit(laptop, one, "I keep bees")
    settle(laptop, desktop)
    assert curate.get(desktop, one).text == "I keep bees"
