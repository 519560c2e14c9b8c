"""What was denied on one machine stays unknown on all, whatever is undone or restored."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

import pytest

from memapp.domain.memory import Kind, Memory
from memapp.errors import MemappError
from memapp.runtime import Runtime
from memapp.services import curate, undo
from memapp.services.consent import decisions, pending
from memapp.services.sync import exchange
from memapp.store import memories
from memapp.store.encoding import new_id
from tests.builders import Clock

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
