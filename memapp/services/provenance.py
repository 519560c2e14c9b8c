"""Where a memory comes from and what it was used for."""

from memapp.domain.memory import Memory
from memapp.domain.provenance import Provenance
from memapp.runtime import Runtime
from memapp.store import chat, provenance

REPLIES = 50


def provenance_of(runtime: Runtime, memory: Memory) -> Provenance:
    """Return the messages a memory came from, how often it was used, and the replies that used it."""
    conn, user = runtime.database.read(), runtime.user_id
    return Provenance(
        sources=tuple(chat.get_message(conn, user, message_id) for message_id in memory.sources),
        uses=provenance.get_uses(conn, memory.id),
        replies=tuple(provenance.used_in(conn, user, memory.id, REPLIES)),
    )
