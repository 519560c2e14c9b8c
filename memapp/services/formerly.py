"""Answers what was so before, from what was replaced: `where did I live before?`, with since when something else is so.

Only what held once is told: what the person called a mistake never did.
"""

from memapp.domain.changes import Event
from memapp.domain.filters import MemoryFilter, Sort
from memapp.domain.history import Entry
from memapp.domain.memory import FromMemory, Memory, Recalled, State
from memapp.language.english.answering_sentence import certain
from memapp.language.english.correction import correction_of
from memapp.language.english.memory_question import asked_formerly, read
from memapp.language.english.second_person import addressed
from memapp.language.english.when import told_day
from memapp.runtime import Runtime
from memapp.services.query import conversation_scope
from memapp.store import chat, history, memories
from memapp.store.session import Session

AMONG = 500
"""Memories in the trash that are looked through, those that changed last first."""


def known_before(runtime: Runtime, message: str) -> FromMemory | None:
    """Return what was so before, if a message asks for that and something was replaced that answers it for sure."""
    asked = asked_formerly(message)
    question = read(asked) if asked else None
    if question is None or question.is_told:
        return None
    session, visible = runtime.read(), conversation_scope(runtime).categories
    trash = memories.list_memories(session, MemoryFilter(state=State.SOFT_DELETED), Sort.CHANGED, limit=AMONG)
    replaced = [one for one in trash if one.reason == "superseded" and (visible is None or one.category in visible)]
    for memory in (one for one in replaced if certain(question, one.text, is_fact=True)):
        entry = history.list_entries(session, memory_id=memory.id, limit=1)[0]
        came = _came_instead(session, entry)
        if not any(_was_mistake(session, one) for one in came):
            return _told(runtime, memory, entry, [one for one in came if one.state is State.LIVE])
    return None


def _came_instead(session: Session, entry: Entry) -> list[Memory]:
    """Return what took the place of a memory, in the step that retired it."""
    step = history.entries_of_step(session, entry.step)
    return memories.get_memories(session, [one.memory_id for one in step if one.event is Event.ADD])


def _was_mistake(session: Session, newer: Memory) -> bool:
    """Say whether the person said of what a fact replaced that it never was so."""
    said = [chat.get_message(session, one) for one in chat.still_there(session, newer.sources)]
    return any(not one.is_over for one in map(correction_of, said) if one is not None)


def _told(runtime: Runtime, memory: Memory, entry: Entry, newer: list[Memory]) -> FromMemory:
    day = told_day(entry.at.astimezone().date(), runtime.clock().astimezone().date()).removeprefix("on ")
    since = f" Since then: {addressed(newer[0].text)}" if newer else ""
    hits = tuple(Recalled.of(one, 0.0, "always", one.updated_at) for one in newer)
    return FromMemory(f"Until {day}: {addressed(memory.text)}{since}", hits)
