"""How-tos: what a person writes down as a title and steps, and running it down as a checklist.

A how-to is a memory of a kind of its own, and changes, goes and comes back like any other
(`services.curate`). No chat reads it; an agent does whose allowlist has its category.
"""

from collections.abc import Sequence

from memapp.domain.categories import PROCEDURAL
from memapp.domain.changes import Revision
from memapp.domain.chat import Message
from memapp.domain.consent import HOWTO
from memapp.domain.filters import MemoryFilter
from memapp.domain.howto import Checklist, read_howto
from memapp.domain.memory import Kind, Memory, State
from memapp.errors import UsageError
from memapp.language.howto import in_imperative, told_way
from memapp.language.sentence import tells_secret
from memapp.language.wording import normalise
from memapp.runtime import Runtime
from memapp.services import curate
from memapp.services.consent import requests
from memapp.store import howtos, memories
from memapp.store.session import Session


def add(runtime: Runtime, text: str) -> Revision:
    """Keep a how-to that is written as a title and its steps. Raises `UsageError` for what is not."""
    howto = in_imperative(read_howto(text))
    return curate.add(runtime, howto.title, steps=howto.steps)


def edit(runtime: Runtime, memory_id: str, text: str) -> Revision:
    """Put another title and other steps in place, written like a new how-to. Raises `UsageError`
    for a memory that is none.
    """
    howto = in_imperative(read_howto(text))
    return curate.edit(
        runtime, checklist(runtime, memory_id).howto.id, howto.title, steps=howto.steps
    )


def propose(runtime: Runtime, message: Message) -> None:
    """Put a way of doing something before the person that they told in a message as their own, step
    by step.
    """
    told = None if message.pasted else told_way(message.typed_text)
    if told is None or any(map(tells_secret, (told.title, *told.steps))):
        return
    if memories.find_same(runtime.read(), normalise(told.title)) is not None:
        return
    now = runtime.clock()
    memory = Memory(
        id="",
        text=told.title,
        tags=(),
        kind=Kind.PROCEDURAL,
        category=PROCEDURAL,
        importance=curate.BY_HAND_IMPORTANCE,
        origin="person",
        sources=(message.id,),
        run_id=message.thread_id,
        created_at=now,
        updated_at=now,
        steps=told.steps,
    )
    requests.propose(runtime, HOWTO, told.title, message_id=message.id, typed=True, memory=memory)


def checklists(runtime: Runtime, limit: int | None = None) -> list[Checklist]:
    """Return the how-tos, newest first."""
    session = runtime.read()
    return _checked(
        session, memories.list_memories(session, MemoryFilter(kind=Kind.PROCEDURAL), limit=limit)
    )


def checklist(runtime: Runtime, memory_id: str) -> Checklist:
    """Return a how-to with how far it was run down. Raises `UsageError` for a memory that is none."""
    session = runtime.read()
    memory = memories.get_memory(session, memory_id)
    if memory.kind is not Kind.PROCEDURAL:
        raise UsageError("This memory is no how-to.", "memapp howto lists them.")
    return _checked(session, [memory])[0]


def tick(runtime: Runtime, memory_id: str, *steps: int) -> Checklist:
    """Tick steps off, each by its number; one that is ticked off is open again."""
    before = checklist(runtime, memory_id)
    if before.howto.state is not State.LIVE:
        raise UsageError("This how-to is in the trash.", "Bring it back first.")
    if beyond := [step for step in steps if not 1 <= step <= len(before.done_at)]:
        raise UsageError(f"There is no step {beyond[0]}: it has {len(before.done_at)}.")
    with runtime.write() as session:
        for step in steps:
            change = howtos.tick if before.done_at[step - 1] is None else howtos.untick
            change(session, memory_id, step)
    return checklist(runtime, memory_id)


def begin_again(runtime: Runtime, memory_id: str) -> Checklist:
    """Let all steps be open again."""
    with runtime.write() as session:
        howtos.untick(session, memory_id)
    return checklist(runtime, memory_id)


def _checked(session: Session, found: Sequence[Memory]) -> list[Checklist]:
    ticks = howtos.ticks(session, [memory.id for memory in found])
    return [
        Checklist(
            memory,
            tuple(ticks.get((memory.id, number)) for number, _ in enumerate(memory.steps, start=1)),
        )
        for memory in found
    ]
