"""Open turns: a saved message with its context, and the reply to be written."""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from memapp.domain.chat import Message, Role, Thread
from memapp.domain.memory import OwnAnswer
from memapp.domain.persona import Persona
from memapp.domain.prediction import Prefetched
from memapp.errors import StoreError, UsageError
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services.recall import QuotedAnswer
from memapp.store import chat, events, leases
from memapp.store.session import Session

log = logging.getLogger(__name__)
T = TypeVar("T")

ANSWERED_ELSEWHERE = (
    "Another memapp is answering in this chat.",
    "Wait until it is done, or go on in a new chat.",
)
INNER_VOICE_EXCHANGES = 3
"""Exchanges in the prompt of an inner voice."""
REMEMBERED = 100
"""Messages that are searched for earlier remarks."""


@dataclass(frozen=True)
class OpenTurn:
    """A turn whose message is saved and whose reply is to be written."""

    thread: Thread
    earlier: list[Message]
    """The last messages before `message`, oldest first."""
    message: Message | None
    """None for an unprompted remark."""
    reply: Message
    cancel: Cancel
    erasures: int
    """Count of the database, before any of this was read."""
    prefetch: Prefetched | None = None
    """Call 1 made before the message came, when it was expected or being typed."""
    needed_info: tuple[str, ...] = ()
    """Left by call 1 of an interrupted turn."""
    earlier_replies: tuple[str, ...] = ()
    """To the same message; a retry must not repeat them."""
    own_answer: OwnAnswer | None = None
    """An answer of memapp itself, in place of the model's."""
    quoted: QuotedAnswer | None = None
    """Quotations the model answers from; shown in place of a reply they do not support."""
    began_at: float = field(default_factory=time.monotonic)
    """When the person sent the message, by `time.monotonic`."""


def open_thread(
    runtime: Runtime, thread_id: str, *, before: int | None = None
) -> tuple[Thread, list[Message]]:
    """Return a thread and its last messages, as many as a prompt can hold.

    With `before`, those before that sequence number.
    """
    session = runtime.read()
    thread = chat.get_thread(session, thread_id)
    limit = 2 * shown_exchanges(runtime, runtime.persona_in(thread)) + 8
    return thread, chat.list_messages(session, thread.id, before=before, limit=limit)


def shown_exchanges(runtime: Runtime, persona: Persona) -> int:
    """Return how many exchanges a prompt shows."""
    most = runtime.settings.history_exchanges
    return min(most, INNER_VOICE_EXCHANGES) if persona.is_inner_voice else most


def said_in(session: Session, thread_id: str) -> list[str]:
    """Return the latest replies in a chat, oldest first, so that remarks vary."""
    messages = chat.list_messages(session, thread_id, limit=REMEMBERED)
    return [message.text for message in messages if message.role is Role.ASSISTANT and message.text]


def raise_if_answered_elsewhere(runtime: Runtime, session: Session, thread_id: str) -> None:
    """Raise `UsageError` while another process answers in a chat.

    Its reply would not know of this message.
    """
    if is_answered_elsewhere(runtime, session, thread_id):
        raise UsageError(*ANSWERED_ELSEWHERE)


def is_answered_elsewhere(runtime: Runtime, session: Session, thread_id: str) -> bool:
    """Return True while another process answers in a chat."""
    return leases.owner_of(session, chat.answering(thread_id)) not in ("", runtime.database.owner)


def best_effort(
    runtime: Runtime, thread_id: str | None, op: str, step: Callable[[], T]
) -> T | None:
    """Return the result of a step that no answer may fail for; count an error and return None."""
    try:
        return step()
    except Exception as error:
        log.warning("a step of the memory was skipped, %s: %s", op, type(error).__name__)
        meta = {"error": type(error).__name__}
        with suppress(StoreError), runtime.write() as session:
            events.add_event(
                session, events.WHILE_CHATTING, op, "skipped", thread_id=thread_id, meta=meta
            )
        return None
