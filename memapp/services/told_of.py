"""Tells what memory knows of the person or of what they name; without a model."""

from collections.abc import Sequence

from memapp.domain.chat import Message
from memapp.domain.memory import FromMemory
from memapp.domain.memory_request import MemoryRequest
from memapp.language.english.memory_request import is_of_person, is_whole_question
from memapp.runtime import Runtime
from memapp.services import from_memory, from_profile
from memapp.services.likest import UNSURE
from memapp.services.named import named
from memapp.services.query import conversation_scope
from memapp.services.waiting_answer import that_it_waits


def known_of(runtime: Runtime, request: MemoryRequest, message: Message, earlier: Sequence[Message]) -> FromMemory | None:
    """Return what is known of what is named, or of the person where nothing is. None for what may be of the world."""
    content = request.content
    if not content:
        return from_profile.everything(runtime)
    if (is_whole_question(message.text) or not request.is_sure) and (told := from_memory.known(runtime, message, earlier)):
        return told
    found = named(runtime, content, conversation_scope(runtime))
    if found.is_known:
        return from_profile.listed(*from_profile.beside(found.values, found.facts), "named")
    if found.requests:
        return FromMemory(that_it_waits(runtime, found.requests, message.thread_id))
    if told := from_memory.known(runtime, message, earlier):
        return told
    if found.near:
        return from_profile.listed([UNSURE], found.near, "named")
    return FromMemory(from_memory.UNKNOWN) if request.is_command or is_of_person(content) else None
