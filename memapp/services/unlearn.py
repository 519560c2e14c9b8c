"""Takes back what was learned from messages that the person rewrote, or calls a joke or a lie."""

from collections.abc import Sequence

from memapp.domain.changes import SoftDeleted
from memapp.domain.chat import Message, Role
from memapp.domain.memory import Memory
from memapp.domain.turn import Unlearned
from memapp.domain.writing import check_fact
from memapp.runtime import Runtime
from memapp.services.consent import pending
from memapp.store import changes, chat, consents, expectations, history, memories


def said_before(earlier: Sequence[Message]) -> list[str]:
    """Return the message that "that was a joke" refers to."""
    return [one.id for one in earlier if one.role is Role.USER][-1:]


def unlearn(runtime: Runtime, thread_id: str, message_ids: Sequence[str], text: str) -> Unlearned | None:
    """Move to the trash what came from these messages only and what `text` does not say; withdraw what they proposed.

    What the person pinned or changed stays: that is their own by now. It is one step, and can be taken back.
    """
    if not message_ids:
        return None
    conn = runtime.database.read()
    waiting = [one for one in pending.waiting(runtime) if one.proposer == "worker"]
    unsaid = [
        one.id for one in waiting if set(message_ids) & set(one.evidence) and not _is_said(runtime, one.evidence, message_ids)
    ]
    learned = memories.list_learned_from(conn, runtime.user_id, message_ids)
    gone = [one for one in learned if _is_left_alone(runtime, one, message_ids) and check_fact(one.text, text)]
    actor = runtime.actor(thread_id)
    with runtime.database.write() as writing:
        expectations.learn_nothing(writing, runtime.user_id, message_ids)
        for memory in gone:
            changes.apply(writing, SoftDeleted(memory.id, "person", runtime.purge_at()), actor, runtime.clock())
        pending.withdraw(runtime, unsaid, actor, "signals")
    return Unlearned(tuple(one.text for one in gone), actor.step) if gone else None


def _is_said(runtime: Runtime, sources: Sequence[str], message_ids: Sequence[str]) -> bool:
    """Say whether any other message that still stands says it."""
    conn, user = runtime.database.read(), runtime.user_id
    others = consents.still_there(conn, user, [source for source in sources if source not in message_ids])
    return any(chat.get_message(conn, user, source).active for source in others)


def _is_left_alone(runtime: Runtime, memory: Memory, message_ids: Sequence[str]) -> bool:
    """Say whether nothing but these messages speaks for a memory, neither other words nor what the person did with it."""
    if memory.pinned or _is_said(runtime, memory.sources, message_ids):
        return False
    entries = history.list_entries(runtime.database.read(), runtime.user_id, memory_id=memory.id)
    return all(entry.actor == "worker" for entry in entries)
