"""Tells which messages a memory came from and which replies used it."""

from collections.abc import Sequence

from memapp.domain.memory import Memory
from memapp.domain.provenance import Provenance
from memapp.runtime import Runtime
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


def learned_from(runtime: Runtime, message_ids: Sequence[str]) -> list[Memory]:
    """Return what is remembered from any of these messages, oldest first."""
    return memories.list_learned_from(runtime.database.read(), runtime.user_id, message_ids)
