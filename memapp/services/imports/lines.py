"""What a line says of a memory, as a `Memory`."""

from memapp.domain.memory import Kind, Memory
from memapp.domain.portable import MemoryLine, RequestMemory
from memapp.store.encoding import to_time


def live_memory(line: MemoryLine | RequestMemory) -> Memory:
    """Return the memory of a line as one that nothing has happened to yet."""
    created_at = to_time(line.created_at)
    return Memory(
        id=line.id,
        text=line.text,
        tags=tuple(line.tags),
        kind=Kind(line.kind),
        category=line.category,
        importance=line.importance,
        pinned=line.pinned,
        origin=line.origin,
        sources=tuple(line.sources),
        created_at=created_at,
        updated_at=created_at,
        agent_id=line.agent_id,
        run_id=line.run_id,
    )
