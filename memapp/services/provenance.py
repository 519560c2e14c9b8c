"""The sources of a memory, and its use in replies."""

from collections.abc import Sequence

from memapp.domain.changes import Event, is_memapp
from memapp.domain.memory import Memory
from memapp.domain.provenance import Provenance, Taught
from memapp.runtime import Runtime
from memapp.services import activity, undo
from memapp.store import access_counts, chat, history, memories, recalls
from memapp.store.session import Session

REPLIES = 50


def provenance_of(runtime: Runtime, memory: Memory) -> Provenance:
    """Return the sources of a memory, the count of its uses, and the replies with it."""
    session = runtime.read()
    return Provenance(
        sources=tuple(chat.get_message(session, message_id) for message_id in memory.sources),
        access_count=access_counts.get_access_count(session, memory.id),
        replies=tuple(recalls.used_in(session, memory.id, REPLIES)),
    )


def learned_from(runtime: Runtime, message_ids: Sequence[str]) -> dict[str, list[Taught]]:
    """Return the memories taught by each of these messages, oldest first.

    A message that only repeated a memory taught nothing, and neither does a single message teach a
    reflection on a whole chat.
    """
    taught: dict[str, list[Taught]] = {}
    facts = [
        memory
        for memory in memories.list_learned_from(runtime.read(), message_ids)
        if not memory.is_reflected
    ]
    for memory in facts:
        for message_id in set(message_ids) & set(memory.sources):
            if (learned := _learned(runtime, memory, message_id)) is not None:
                taught.setdefault(message_id, []).append(learned)
    return taught


def _learned(runtime: Runtime, memory: Memory, message_id: str) -> Taught | None:
    """Return the memory a message taught, with the earlier text; None if no word changed."""
    versions = activity.versions(runtime, memory.id)
    at = next(
        (number for number, version in enumerate(versions) if message_id in version.sources), 0
    )
    entries = activity.entries(runtime, memory.id)
    if at and versions[at - 1].text == versions[at].text:
        return None
    before = (
        [versions[at - 1].text]
        if at
        else [text for entry in entries[-1:] for text in activity.replaced(runtime, entry)]
    )
    session, version_ids = runtime.read(), [version.id for version in versions[at : at + 1]]
    last = (
        entry
        for entry in entries
        if entry.after in version_ids and not history.changed_since(session, entry)
    )
    undoable = (
        entry
        for entry in last
        if is_memapp(entry.actor) or not _changed_profile(session, entry.step)
    )
    step = next((entry.step for entry in undoable if undo.undoable_step(runtime, entry.step)), "")
    return Taught(memory, next(iter(before), ""), step)


def _changed_profile(session: Session, step: str) -> bool:
    """Return True if a step also changed the profile, which the person approved."""
    return any(entry.event is Event.PROFILE for entry in history.entries_of_step(session, step))
