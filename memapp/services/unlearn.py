"""Taking back what came of words that the person replaced by others."""

from collections.abc import Sequence

from memapp.domain.changes import Actor, SoftDeleted
from memapp.domain.memory import Memory
from memapp.domain.turn import Unlearned
from memapp.domain.writing import check_fact
from memapp.runtime import Runtime
from memapp.services.consent import pending
from memapp.store import changes, chat, consents, history, memories
from memapp.store.rows import new_id


def unlearn(runtime: Runtime, thread_id: str, message_ids: Sequence[str], text: str) -> Unlearned | None:
    """Move to the trash what came from replaced messages only and what `text` does not say; withdraw what they proposed.

    What the person pinned or changed stays: that is their own by now. It is one step, and can be taken back.
    """
    conn = runtime.database.read()
    waiting = [one.id for one in pending.waiting(runtime, limit=pending.ALL) if one.proposer == "worker"]
    unsaid = [patch_id for patch_id in waiting if not consents.signals(conn, runtime.user_id, patch_id)]
    if unsaid:
        pending.withdraw(runtime, unsaid)
    learned = memories.list_learned_from(conn, runtime.user_id, message_ids)
    gone = [one for one in learned if _is_unsaid(runtime, one) and check_fact(one.text, text)]
    if not gone:
        return None
    now = runtime.clock()
    actor = Actor(runtime.user_id, "person", thread_id, step=new_id(now))
    with runtime.database.write() as writing:
        for memory in gone:
            changes.apply(writing, SoftDeleted(memory.id, "person", runtime.purge_at()), actor, now)
    return Unlearned(tuple(one.text for one in gone), actor.step)


def _is_unsaid(runtime: Runtime, memory: Memory) -> bool:
    conn, user = runtime.database.read(), runtime.user_id
    if memory.pinned or any(chat.get_message(conn, user, source).active for source in memory.sources):
        return False
    return all(entry.actor == "worker" for entry in history.list_entries(conn, user, memory_id=memory.id))
