"""Tells what memory knows of the person or of what they name, and since when, from which words; without a model."""

from collections.abc import Sequence
from itertools import chain

from memapp.domain.chat import Message, Origin, Role
from memapp.domain.consent import ConsentRequest
from memapp.domain.memory import FromMemory, Memory, Recalled
from memapp.domain.memory_request import MemoryRequest
from memapp.domain.text import one_line, shorten
from memapp.language.english.grammar import sentences
from memapp.language.english.memory_request import asks_own_words, is_of_person
from memapp.language.english.named_subject import Subject, is_about, shares, subject_of
from memapp.language.english.second_person import addressed
from memapp.language.english.when import told_day
from memapp.runtime import Runtime
from memapp.services import from_memory, from_profile
from memapp.services.asked_to_forget import last_meant
from memapp.services.consent import decisions
from memapp.services.named import KnownValue, named, said_of
from memapp.services.near_answer import that_it_waits
from memapp.services.query import conversation_scope
from memapp.services.tellable import tellable
from memapp.store import chat

UNTOLD = "I find nothing that you told me of that."
LINES = 3
QUOTE_CHARS = 200


def known_of(runtime: Runtime, request: MemoryRequest, message: Message, earlier: Sequence[Message]) -> FromMemory | None:
    """Return what is known of what is named, or of the person where nothing is. None for what may be of the world."""
    content = request.content
    if not content:
        return from_profile.everything(runtime)
    if asks_own_words(message.text) and (told := from_memory.known(runtime, message, earlier)):
        return told
    found = named(runtime, content, conversation_scope(runtime))
    if found.is_known:
        return from_profile.listed([from_profile.told(one.field, one.value) for one in found.values], found.facts, "named")
    if found.requests:
        return FromMemory(that_it_waits(runtime, found.requests[0], message.thread_id))
    if told := from_memory.known(runtime, message, earlier):
        return told
    if found.near:
        return from_profile.listed([from_memory.UNSURE], found.near, "named")
    return FromMemory(from_memory.UNKNOWN) if request.is_command or is_of_person(content) else None


def known_since(runtime: Runtime, content: str, message: Message, earlier: Sequence[Message]) -> FromMemory | None:
    """Return when what is named was told, and in which words; of what was shown or taught last where nothing is named."""
    subject = subject_of(content)
    if not content:
        facts = last_meant(runtime, earlier)
        return _told_when(runtime, facts[:LINES], subject) if facts else None
    found = named(runtime, content, conversation_scope(runtime))
    if found.facts:
        return _told_when(runtime, found.facts[:LINES], subject)
    if found.values:
        return FromMemory("\n".join(_of_value(runtime, one) for one in found.values[:LINES]))
    if found.requests:
        return FromMemory(that_it_waits(runtime, found.requests[0], message.thread_id))
    said = [one for one in _messages(runtime, said_of(runtime, content)) if one.id != message.id]
    if said:
        return FromMemory(_quote(runtime, said[0], subject), (Recalled.of_message(said[0], "named"),))
    return FromMemory(UNTOLD)


def _told_when(runtime: Runtime, facts: Sequence[Memory], subject: Subject) -> FromMemory:
    hits = tuple(Recalled.of(one, 0.0, "named", one.updated_at) for one in facts)
    return FromMemory("\n".join(f"{addressed(one.text)} {_since(runtime, one, subject)}" for one in facts), hits)


def _since(runtime: Runtime, fact: Memory, subject: Subject) -> str:
    said = _messages(runtime, fact.sources)
    day = told_day(fact.created_at.astimezone().date(), runtime.clock().astimezone().date())
    if said:
        return _quote(runtime, said[0], subject or subject_of(fact.text))
    if fact.origin == "import":
        return f"That came with a file {day}."
    return f"You wrote that yourself {day}." if fact.origin == "person" else f"I have that from a message {day}, which is gone."


def _of_value(runtime: Runtime, one: KnownValue) -> str:
    standing = next(each for each in decisions.standing(runtime) if (each.field, each.new_value) == (one.field, one.value))
    said = _messages(runtime, standing.evidence)
    return f"{from_profile.told(one.field, one.value)} {_quote(runtime, said[0], ()) if said else _decided(runtime, standing)}"


def _decided(runtime: Runtime, request: ConsentRequest) -> str:
    at = request.decided_at or request.created_at
    return f"That stands in your profile since {told_day(at.astimezone().date(), runtime.clock().astimezone().date())}."


def _messages(runtime: Runtime, ids: Sequence[str]) -> list[Message]:
    """Return those of some messages that the person wrote and that may be told, oldest first."""
    session = runtime.read()
    said = [chat.get_message(session, one) for one in chat.still_there(session, ids)]
    own = [one for one in said if one.role is Role.USER and one.origin is Origin.TYPED]
    return sorted(tellable(session, own), key=lambda one: one.created_at)


def _quote(runtime: Runtime, message: Message, subject: Subject) -> str:
    """Quote the sentences of a message that say what is meant."""
    said = sentences(message.typed_text)
    ways = ([one for one in said if test(one, subject)] for test in (is_about, shares))
    chosen = next(chain((found for found in ways if found), [said]))
    day = told_day(message.created_at.astimezone().date(), runtime.clock().astimezone().date())
    return f'You told me {day}: "{shorten(one_line(" ".join(chosen)), QUOTE_CHARS)}"'
