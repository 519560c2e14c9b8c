"""Requests and answers for the tests of consent."""

from dataclasses import replace
from datetime import timedelta

from memapp.domain.chat import Message, Origin, Role
from memapp.domain.consent import ConsentRequest
from memapp.domain.memory import Memory
from memapp.runtime import Runtime
from memapp.services import curate, undo
from memapp.services.consent import decisions, requests
from memapp.store import chat
from tests.builders import Clock


def typed(runtime: Runtime, thread: str, text: str = "words") -> Message:
    with runtime.write() as session:
        return chat.add_message(
            session, thread, Role.USER, text, runtime.clock(), origin=Origin.TYPED
        )


def proposed(
    runtime: Runtime, field: str = "city", value: str = "Oslo", **more: object
) -> ConsentRequest:
    request = requests.propose(runtime, field, value, **more)  # type: ignore[arg-type]
    assert request is not None
    return request


def later(runtime: Runtime, **time: int) -> None:
    assert isinstance(runtime.clock, Clock)
    runtime.clock.now += timedelta(**time)


def requested_fact(runtime: Runtime, text: str = "I live in Oslo near the harbour.") -> Memory:
    """Return an unstored memory, as read from a message."""
    memory = curate.get(runtime, curate.add(runtime, text).memory_id)
    undo.undo_last(runtime)
    return replace(memory, id="", origin="said")


def live(runtime: Runtime) -> list[str]:
    return [memory.text for memory in curate.list_memories(runtime)]


def approved(runtime: Runtime, field: str, value: str, text: str = "") -> str:
    """Let a value be proposed, with a memory that states it, and approve that; return the step."""
    memory = requested_fact(runtime, text) if text else None
    return decisions.approve(runtime, proposed(runtime, field, value, memory=memory).id)
