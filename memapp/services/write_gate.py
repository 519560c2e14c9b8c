"""The gate in front of an agent's writes: apply the change, or ask the person first."""

from dataclasses import replace

from memapp.domain.changes import Actor, Created, Updated
from memapp.domain.consent import FACT
from memapp.domain.memory import Memory
from memapp.runtime import Runtime
from memapp.services.consent import requests
from memapp.services.trust import leave
from memapp.store import changes, consents, memories
from memapp.store.session import Session


def store_or_ask(
    runtime: Runtime, session: Session, change: Created | Updated, actor: Actor
) -> bool:
    """Apply an agent's change, or create a consent request; return True if applied."""
    if leave(session, actor.name) == "write":
        changes.apply(session, change, actor)
        return True
    if isinstance(change, Created):
        ask(runtime, session, change.memory, actor)
    else:
        before = memories.get_memory(session, change.memory_id)
        after = replace(
            before, text=change.text or before.text, origin=change.origin or before.origin
        )
        ask(runtime, session, after, actor, before.text)
    return False


def ask(
    runtime: Runtime, session: Session, memory: Memory, actor: Actor, instead_of: str = ""
) -> None:
    """Create a consent request for an agent's memory, unless there is one.

    An approved memory replaces the text `instead_of`.
    """
    request = requests.propose(
        runtime, FACT, memory.text, memory=memory, proposer=actor.name, old=instead_of
    )
    if request is not None:
        for message_id in memory.sources:
            consents.add_evidence(session, request.id, message_id, typed=False)
