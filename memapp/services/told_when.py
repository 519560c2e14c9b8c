"""Tells since when memory knows what the person names, and from which words; without a model."""

from collections.abc import Sequence
from itertools import chain

from memapp.domain.chat import Message, Origin, Role
from memapp.domain.consent import ConsentRequest
from memapp.domain.memory import FromMemory, Memory, Recalled
from memapp.domain.profile import Hint
from memapp.domain.text import one_line, shorten
from memapp.language.english.grammar import sentences
from memapp.language.english.named_subject import Subject, is_about, shares, subject_of
from memapp.language.english.second_person import addressed
from memapp.language.english.when import told_day
from memapp.runtime import Runtime
from memapp.services import from_profile
from memapp.services.consent import decisions
from memapp.services.named import named
from memapp.services.query import conversation_scope
from memapp.services.tellable import tellable
from memapp.services.waiting_answer import that_it_waits
from memapp.store import chat

LINES = 3
QUOTE_CHARS = 200


def when_told(runtime: Runtime, content: str, thread_id: str) -> FromMemory | None:
    """Return the facts or values that say what is named, each with when it was told, or that it waits; None where none does."""
    found = named(runtime, content, conversation_scope(runtime))
    if found.facts:
        return told_with_day(runtime, found.facts[:LINES], subject_of(content))
    if found.values:
        return FromMemory("\n".join(_of_value(runtime, one) for one in found.values[:LINES]))
    return FromMemory(that_it_waits(runtime, found.requests, thread_id)) if found.requests else None


def told_with_day(runtime: Runtime, facts: Sequence[Memory], subject: Subject, *before: str) -> FromMemory:
    hits = tuple(Recalled.of(one, 0.0, "named", one.updated_at) for one in facts)
    return FromMemory("\n".join([*before, *(f"{addressed(one.text)} {_since(runtime, one, subject)}" for one in facts)]), hits)


def _since(runtime: Runtime, fact: Memory, subject: Subject) -> str:
    said = typed_messages(runtime, fact.sources)
    day = told_day(fact.created_at.astimezone().date(), runtime.clock().astimezone().date())
    if said:
        return quote(runtime, said[0], subject or subject_of(fact.text))
    if fact.origin == "import":
        return f"That came with a file {day}."
    return f"You wrote that yourself {day}." if fact.origin == "person" else f"I have that from a message {day}, which is gone."


def _of_value(runtime: Runtime, one: Hint) -> str:
    standing = next(each for each in decisions.standing(runtime) if (each.field, each.new_value) == (one.field, one.value))
    said = typed_messages(runtime, standing.evidence)
    return f"{from_profile.told(one.field, one.value)} {quote(runtime, said[0], ()) if said else _decided(runtime, standing)}"


def _decided(runtime: Runtime, request: ConsentRequest) -> str:
    at = request.decided_at or request.created_at
    return f"That stands in your profile since {told_day(at.astimezone().date(), runtime.clock().astimezone().date())}."


def typed_messages(runtime: Runtime, ids: Sequence[str]) -> list[Message]:
    """Return those of some messages that the person wrote and that may be told, oldest first."""
    session = runtime.read()
    said = chat.get_messages(session, ids)
    own = [one for one in said if one.role is Role.USER and one.origin is Origin.TYPED]
    return sorted(tellable(session, own), key=lambda one: one.created_at)


def quote(runtime: Runtime, message: Message, subject: Subject) -> str:
    """Quote the sentences of a message that say what is meant."""
    said = sentences(message.typed_text)
    ways = ([one for one in said if test(one, subject)] for test in (is_about, shares))
    chosen = next(chain((found for found in ways if found), [said]))
    day = told_day(message.created_at.astimezone().date(), runtime.clock().astimezone().date())
    return f'You told me {day}: "{shorten(one_line(" ".join(chosen)), QUOTE_CHARS)}"'
