"""Tells which messages a memory came from and which replies used it."""

from collections.abc import Sequence

from memapp.domain.memory import Memory
from memapp.domain.provenance import Learned, Provenance
from memapp.runtime import Runtime
from memapp.services import activity
from memapp.store import chat, memories, recalls, uses

REPLIES = 50


def provenance_of(runtime: Runtime, memory: Memory) -> Provenance:
    """Return the messages a memory came from, how often it was used, and the replies that used it."""
    conn, user = runtime.database.read(), runtime.user_id
    return Provenance(
        sources=tuple(chat.get_message(conn, user, message_id) for message_id in memory.sources),
        uses=uses.get_uses(conn, memory.id),
        replies=tuple(recalls.used_in(conn, user, memory.id, REPLIES)),
    )


def learned_from(runtime: Runtime, message_ids: Sequence[str]) -> dict[str, list[Learned]]:
    """Return what is remembered from each of these messages, oldest first; one that only said the same again taught nothing."""
    found: dict[str, list[Learned]] = {}
    for memory in memories.list_learned_from(runtime.database.read(), runtime.user_id, message_ids):
        for message_id in set(message_ids) & set(memory.sources):
            if (was := _before(runtime, memory, message_id)) is not None:
                found.setdefault(message_id, []).append(Learned(memory, was))
    return found


def _before(runtime: Runtime, memory: Memory, message_id: str) -> str | None:
    """Return what was known until a message taught it; empty for nothing, None where the message changed no word of it."""
    versions = activity.versions(runtime, memory.id)
    at = next((number for number, one in enumerate(versions) if message_id in one.sources), 0)
    if at:
        return versions[at - 1].text if versions[at - 1].text != versions[at].text else None
    first = activity.entries(runtime, memory.id)[-1:]
    return next((text for entry in first for text in activity.replaced(runtime, entry)), "")
