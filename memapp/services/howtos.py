"""How-tos, written as a title and steps, and their use as checklists.

A how-to is a memory of a kind of its own; `services.curate` changes, deletes and restores how-tos
like any other memory. No chat reads a how-to; an agent does if the allowlist has the category.
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
from memapp.language.normal_form import normalise
from memapp.language.sentence import tells_secret
from memapp.runtime import Runtime
from memapp.services import curate
from memapp.services.consent import requests
from memapp.store import howtos, memories
from memapp.store.session import Session


def add(runtime: Runtime, text: str) -> Revision:
    """Add a how-to written as a title and steps. Raises `UsageError` for any other text."""
    howto = in_imperative(read_howto(text))
    return curate.add(runtime, howto.title, steps=howto.steps)


def edit(runtime: Runtime, memory_id: str, text: str) -> Revision:
    """Replace the title and steps of a how-to. Raises `UsageError` for any other memory."""
    howto = in_imperative(read_howto(text))
    return curate.edit(
        runtime, checklist(runtime, memory_id).howto.id, howto.title, steps=howto.steps
    )


def propose(runtime: Runtime, message: Message) -> None:
    """Create a consent request for a how-to that the person tells in a message, step by step."""
    howto = None if message.pasted else told_way(message.typed_text)
    if howto is None or any(map(tells_secret, (howto.title, *howto.steps))):
        return
    if memories.find_same(runtime.read(), normalise(howto.title)) is not None:
        return
    now = runtime.clock()
    memory = Memory(
        id="",
        text=howto.title,
        tags=(),
        kind=Kind.PROCEDURAL,
        category=PROCEDURAL,
        importance=curate.BY_HAND_IMPORTANCE,
        origin="person",
        sources=(message.id,),
        run_id=message.thread_id,
        created_at=now,
        updated_at=now,
        steps=howto.steps,
    )
    requests.propose(runtime, HOWTO, howto.title, message_id=message.id, typed=True, memory=memory)


def checklists(runtime: Runtime, limit: int | None = None) -> list[Checklist]:
    """Return the how-tos, newest first."""
    session = runtime.read()
    return _checklists(
        session, memories.list_memories(session, MemoryFilter(kind=Kind.PROCEDURAL), limit=limit)
    )


def checklist(runtime: Runtime, memory_id: str) -> Checklist:
    """Return a how-to with its progress. Raises `UsageError` for any other memory."""
    session = runtime.read()
    memory = memories.get_memory(session, memory_id)
    if memory.kind is not Kind.PROCEDURAL:
        raise UsageError("This memory is not a how-to.", "`memapp howto` lists the how-tos.")
    return _checklists(session, [memory])[0]


def tick(runtime: Runtime, memory_id: str, *steps: int) -> Checklist:
    """Tick steps off by number; a step ticked off before is open again."""
    before = checklist(runtime, memory_id)
    if before.howto.state is not State.LIVE:
        raise UsageError("This how-to is in the trash.", "Restore it first.")
    if beyond := [step for step in steps if not 1 <= step <= len(before.done_at)]:
        raise UsageError(f"There is no step {beyond[0]}: this how-to has {len(before.done_at)}.")
    with runtime.write() as session:
        for step in steps:
            change = howtos.tick if before.done_at[step - 1] is None else howtos.untick
            change(session, memory_id, step)
    return checklist(runtime, memory_id)


def begin_again(runtime: Runtime, memory_id: str) -> Checklist:
    """Open all steps again."""
    with runtime.write() as session:
        howtos.untick(session, memory_id)
    return checklist(runtime, memory_id)


def _checklists(session: Session, how_tos: Sequence[Memory]) -> list[Checklist]:
    ticks = howtos.ticks(session, [memory.id for memory in how_tos])
    return [
        Checklist(
            memory,
            tuple(ticks.get((memory.id, number)) for number, _ in enumerate(memory.steps, start=1)),
        )
        for memory in how_tos
    ]
