"""The sentences of a message that made no memory, with reasons; and keeping one anyway.

The judge reads the message again, without the chat model; later events come from the history.
"""

from collections.abc import Collection, Mapping
from contextlib import suppress

from memapp.domain.chat import Message, Origin
from memapp.domain.provenance import JudgedSentences, NotKept, WhyNot
from memapp.errors import ModelError
from memapp.runtime import Runtime
from memapp.services import learning
from memapp.services.consent import pending
from memapp.services.memory_requests import requests
from memapp.services.memory_requests.remember import remember
from memapp.services.open_turn import best_effort
from memapp.store import chat, consents, expectations, history, learning_queue, memories, withdrawn
from memapp.store.session import Session

_TRASH_REASONS: Mapping[str, WhyNot] = {
    "person": "undone",
    "undone": "undone",
    "overflow": "full",
}
"""Reasons for a memory in the trash, except a later statement."""


def judge_message(runtime: Runtime, message: Message) -> JudgedSentences | None:
    """Judge the sentences of a message; return None while the embedding model loads or fails."""
    if message.origin is Origin.COMMAND:
        return ()
    if runtime.judge_embedder.state == "loading":
        return None
    return best_effort(runtime, message.thread_id, "judge", lambda: _judge(runtime, message))


def _judge(runtime: Runtime, message: Message) -> JudgedSentences | None:
    request = requests.parse(runtime, message.text, message.pasted, ())
    if request is not None and request.is_all:
        return ()
    with suppress(ModelError):
        return learning.judged_sentences(runtime, message)
    return None


def not_kept(
    runtime: Runtime, message: Message, judged: JudgedSentences, taught: Collection[str]
) -> tuple[NotKept, ...]:
    """Return the sentences of a message that were not kept, as far as decided.

    Pending sentences, and those that taught something, are left out. `taught` are the ids of the
    memories from this message; others with the same text were known before.
    """
    session = runtime.read()
    to_learn = learning_queue.is_pending(session, message.id)
    if not judged or (to_learn and not learning.is_enough_for_today(runtime)):
        return ()
    became = _outcomes(session, message, taught)
    otherwise = "tomorrow" if to_learn else _reason_unread(session, message)
    refused: dict[str, NotKept] = {}
    for sentence, reason in judged:
        text = next((text for text in became if sentence in text or text in sentence), None)
        why = (
            (otherwise if reason is None or otherwise == "kept out" else reason)
            if text is None
            else became[text]
        )
        if why is not None:
            refused.setdefault(sentence, NotKept(sentence, why))
    return tuple(refused.values())


def keep_anyway(runtime: Runtime, message_id: str, refused: NotKept) -> tuple[str, str]:
    """Keep a sentence at the person's request; return the answer, and the step if kept.

    Raises `UsageError` for a sentence that cannot be kept.
    """
    message = chat.get_message(runtime.read(), message_id)
    actor = runtime.actor(message.thread_id)
    answer = remember(runtime, refused.said, message, actor)
    return answer, actor.step if history.entries_of_step(runtime.read(), actor.step) else ""


def _outcomes(
    session: Session, message: Message, taught: Collection[str]
) -> dict[str, WhyNot | None]:
    """Return the texts of a message with reasons why they were not kept.

    None stands for texts that are kept, pending or superseded.
    """
    live = memories.list_learned_from(session, [message.id])
    became: dict[str, WhyNot | None] = {
        memory.text: None if memory.id in taught else "known" for memory in live
    }
    for request in pending.of_message(session, message.id):
        memory = consents.memory_of(session, request.id)
        for memory_text in filter(None, (request.new_value, memory.text if memory else "")):
            became.setdefault(memory_text, "denied" if request.state == "denied" else None)
    for trashed in memories.list_trashed_from(session, message.id):
        became.setdefault(trashed.text, _TRASH_REASONS.get(trashed.reason))
    return became


def _reason_unread(session: Session, message: Message) -> WhyNot | None:
    """Return why nothing was learned from a message as a whole; None if it was read."""
    if message.id in withdrawn.withdrawn(session, [message.id]):
        return "kept out"
    expected = expectations.compared_with(session, message.id)
    return "expected" if expected is not None and expected.surprised is False else None
