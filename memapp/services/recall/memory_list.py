"""Lists of what memory holds about the person or a named subject, without a model."""

from collections.abc import Sequence
from dataclasses import replace

from memapp.domain.chat import Message
from memapp.domain.consent import ConsentRequest, label
from memapp.domain.memory import Memory, OwnAnswer, Recalled
from memapp.domain.profile import Hint
from memapp.domain.text import counted, one_line, shorten
from memapp.language.normal_form import normalise
from memapp.prompts import own_remarks
from memapp.runtime import Runtime
from memapp.services.consent import decisions, pending
from memapp.services.recall.memory_query import conversation_scope
from memapp.services.recall.named_memories import match_subject
from memapp.store import chat, consents, memories

NOTHING = "I do not know anything about you yet. Tell me, and I remember it."
UNSURE = "This may be about it:"
TOLD_HERE = "You told me here: “{}”\nIt waits in the inbox for your yes or no."
QUOTE_CHARS = 200
LISTED = 8
"""Memories that are listed at once."""


def known_about(
    runtime: Runtime, content: str, message: Message, *, is_sure: bool
) -> OwnAnswer | None:
    """Return the memories of a subject, or of the person if none is named.

    None if the question may be about the world.
    """
    if not content:
        return _overview(runtime)
    subject = match_subject(runtime, content, conversation_scope(runtime))
    if subject.is_known or subject.corrected:
        return _listed(subject.values, (*subject.facts, *subject.corrected), "named")
    if subject.requests:
        return OwnAnswer(pending_sentence(runtime, subject.requests[-1], message.thread_id))
    if not is_sure:
        return None
    return (
        _listed((), subject.near, "named", UNSURE)
        if subject.near
        else OwnAnswer(own_remarks.UNKNOWN[0])
    )


def pending_sentence(
    runtime: Runtime, request: ConsentRequest, thread_id: str, *, is_sure: bool = True
) -> str:
    """Return a sentence on a pending request; its words only in the chat they are from.

    Elsewhere nobody can check it, so what may be about something else is only called possible.
    """
    said_in = {message.thread_id for message in chat.get_messages(runtime.read(), request.evidence)}
    text = pending.memory_text(runtime, request.id) or request.new_value
    if thread_id in said_in:
        return TOLD_HERE.format(shorten(one_line(text), QUOTE_CHARS))
    return (own_remarks.WAITS if is_sure else own_remarks.MAY_WAIT)[0]


def _overview(runtime: Runtime) -> OwnAnswer:
    """List the profile, the pinned, important or new memories, and the number of requests."""
    facts = memories.in_scope(
        runtime.read(), conversation_scope(runtime), runtime.settings.max_facts
    )
    values = [
        Hint(field, value)
        for field, values in decisions.profile(runtime).items()
        for value in values
    ]
    known, waiting = _listed(values, facts, "always"), consents.count_pending(runtime.read())
    if not waiting:
        return known
    wait = "waits" if waiting == 1 else "wait"
    line = f"{counted(waiting, 'request')} in the inbox {wait} for your yes or no."
    return replace(known, text=line if known.text == NOTHING else f"{known.text}\n{line}")


def _listed(values: Sequence[Hint], facts: Sequence[Memory], why: str, lead: str = "") -> OwnAnswer:
    """Return the values no fact says, the facts, and the number of further ones."""
    fact_words = " ".join(f" {normalise(memory.text)} " for memory in facts)
    lines = [
        f"{label(hint.field)}: {hint.value}"
        for hint in values
        if f" {normalise(hint.value)} " not in fact_words
    ]
    more = [f"And {len(facts) - LISTED} more, in Memories."] if len(facts) > LISTED else []
    lines_shown = [*filter(None, [lead]), *lines, *map(_fact_line, facts[:LISTED]), *more]
    hits = tuple(Recalled.of(memory, 0.0, why, memory.updated_at) for memory in facts[:LISTED])
    return OwnAnswer("\n".join(lines_shown) or NOTHING, hits)


def _fact_line(memory: Memory) -> str:
    if memory.origin != "said":
        return memory.text
    day = memory.created_at.astimezone()
    before = f" (before: “{memory.instead_of}”)" if memory.instead_of else ""
    return f"{day.day} {day:%b}: “{memory.text}”{before}"
