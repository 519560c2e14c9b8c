"""Memories that the person asks for: stored at once in the person's words, sensitive or not.

The request is the consent, so a profile value in the text is approved, too. Passwords and numbers
that open something are refused.
"""

from dataclasses import replace

from memapp.domain.changes import Actor, Created, Updated
from memapp.domain.chat import Message
from memapp.domain.consent import FORGOTTEN
from memapp.domain.memory import MAX_MEMORY_CHARS
from memapp.domain.text import one_line
from memapp.errors import UsageError
from memapp.language.profile import stated
from memapp.language.sentence import category, names_secret
from memapp.language.word_file import words_of
from memapp.runtime import Runtime
from memapp.services.consent import decisions
from memapp.services.curate import BY_HAND_IMPORTANCE, DOUBTED, SECRET, is_doubted
from memapp.services.forget import is_forgotten
from memapp.services.learning import memory_from_message
from memapp.services.recall import nearest_memories, same_memory_id
from memapp.store import changes, learning_queue, memories, withdrawn


def remember(runtime: Runtime, content: str, message: Message, actor: Actor) -> str:
    """Remember the content of a request; return the answer for the person.

    Raises `UsageError` for content that cannot be kept.
    """
    if names_secret(content):
        with runtime.write() as session:
            withdrawn.withdraw(session, [message.id])
            learning_queue.learn_nothing(session, [message.id])
        return SECRET
    text = one_line(content)
    if is_doubted(runtime, text):
        return DOUBTED
    if not text or len(text) > MAX_MEMORY_CHARS:
        raise UsageError(
            f"A memory is one or two sentences, of at most {MAX_MEMORY_CHARS} characters.",
            "Say it in fewer words.",
        )
    (alike,) = nearest_memories(runtime, [text])
    with runtime.write() as session:
        if is_forgotten(runtime, text):
            decisions.approve_as_asked(runtime, FORGOTTEN, text, message.id, actor)
        for hint in stated(text, words_of(text)):
            decisions.approve_as_asked(runtime, hint.field, hint.value, message.id, actor)
        if same := same_memory_id(session, text, alike):  # known before, or approved just now
            importance = max(BY_HAND_IMPORTANCE, memories.get_memory(session, same).importance)
            changes.apply(
                session, Updated(same, importance=importance, sources=(message.id,)), actor
            )
            return f"I know that already: {memories.get_memory(session, same).text}"
        memory = memory_from_message(session, message, text, category(text, words_of(text)))
        changes.apply(
            session, Created(replace(memory, importance=BY_HAND_IMPORTANCE, origin="person")), actor
        )
    return f"I remember that: {text}"
