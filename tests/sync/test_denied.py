"""What was denied on one machine stays unknown on all, whatever is undone or restored."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

import pytest

from memapp.domain.memory import Kind, Memory
from memapp.errors import MemappError
from memapp.runtime import Runtime
from memapp.services import curate, forget, undo
from memapp.services.consent import decisions, pending
from memapp.services.jobs import retention
from memapp.services.sync import exchange
from memapp.store import consents, memories
from memapp.store.encoding import new_id
from tests.builders import Clock, erase, fact

Machine = Callable[..., Runtime]


def ask(runtime: Runtime) -> str:
    with runtime.write() as session:
        now = session.now
        memory = Memory(
            id=new_id(now), text="I have lupus", tags=(), kind=Kind.SEMANTIC, category="",
            importance=2, origin="distilled", created_at=now, updated_at=now,
        )  # fmt: skip
        pending.add(session, "health", "", "I have lupus", "rules", memory)
    (request,) = pending.list_pending(runtime)
    return request.id


@pytest.mark.parametrize("is_edited", [False, True])
def test_undoing_what_came_brings_back_nothing_that_was_denied(
    machine: Machine, is_edited: bool
) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    request = ask(laptop)
    for runtime in (laptop, desktop):
        exchange.exchange(runtime)
    decisions.deny(laptop, request)
    assert isinstance(desktop.clock, Clock)
    desktop.clock.now += timedelta(minutes=1)
    decisions.approve(desktop, request)
    (known,) = memories.list_memories(desktop.read())
    if is_edited:
        curate.pin(desktop, known.id)
    for runtime in (laptop, desktop, laptop, desktop):
        exchange.exchange(runtime)
    assert memories.list_memories(desktop.read()) == []
    for runtime in (desktop, laptop):
        for step in undo.undoable(runtime, 8):
            with suppress(MemappError):  # what another change stands on
                undo.undo(runtime, step.id)
        assert memories.list_memories(runtime.read()) == []


def test_a_denied_statement_of_a_file_stays_as_long_as_one_denied_on_one_machine(
    machine: Machine,
) -> None:
    """That is as long as the trash; to restore it asks first, and then it is erased."""
    laptop, desktop = machine("laptop"), machine("desktop")
    with laptop.write() as session:
        consents.add_file(session, file_id := new_id(session.now), "diary.md")
        memory = fact("I have lupus", session.now, origin="import")
        asked = pending.add(session, "fact", "", memory.text, "import", memory, file_id).id
        alone = pending.add(session, "fact", "", "I have asthma", "import", None, file_id).id
    for runtime in (laptop, desktop):
        exchange.exchange(runtime)
    decisions.deny(laptop, asked)
    decisions.deny(laptop, alone)
    assert isinstance(laptop.clock, Clock) and isinstance(desktop.clock, Clock)
    desktop.clock.now += timedelta(minutes=1)
    decisions.approve(desktop, asked)
    for runtime in (desktop, laptop, desktop, laptop):
        exchange.exchange(runtime)
    for runtime in (laptop, desktop):
        (trashed,) = retention.trash(runtime)
        assert trashed.purge_at is not None
        request = consents.get_request(runtime.read(), alone)
        assert request.decided_at is not None
        assert trashed.purge_at - runtime.purge_at(request.decided_at) < timedelta(hours=1)
        assert curate.restore(runtime, trashed.id).revisions == ()
        assert memories.list_memories(runtime.read()) == []


def test_what_was_erased_and_denied_when_it_was_said_again_is_not_learned_again(
    machine: Machine,
) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    erase(laptop, curate.add(laptop, "I drink oolong").memory_id)
    with laptop.write() as session:
        memory = fact("I drink oolong", session.now)
        asked = pending.add(session, "forgotten", "", memory.text, "rules", memory).id
    for runtime in (laptop, desktop):
        exchange.exchange(runtime)
    decisions.deny(laptop, asked)
    assert isinstance(desktop.clock, Clock)
    desktop.clock.now += timedelta(minutes=1)
    decisions.approve(desktop, asked)
    for runtime in (desktop, laptop):
        exchange.exchange(runtime)
    assert forget.is_forgotten(laptop, "I drink oolong")
    for runtime in (desktop, laptop):
        exchange.exchange(runtime)
    for runtime in (laptop, desktop):
        assert memories.list_memories(runtime.read()) == []
        assert forget.is_forgotten(runtime, "I drink oolong")
