"""Open turns: a message that is saved, what was read before it, and its reply that is to be
written.
"""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from memapp.domain.chat import Message, Role, Thread
from memapp.domain.memory import FromMemory
from memapp.domain.persona import Persona
from memapp.domain.prediction import Prefetched
from memapp.errors import StoreError, UsageError
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services.quotations import Quoted
from memapp.store import chat, events, leases
from memapp.store.session import Session

log = logging.getLogger(__name__)
T = TypeVar("T")

ANSWERED_ELSEWHERE = (
    "Another memapp is answering in this chat.",
    "Wait until it is done, or go on in a new chat.",
)
INNER_VOICE_EXCHANGES = 3
"""So many exchanges an inner voice is shown."""
REMEMBERED = 100
"""So many messages back it is looked which remarks were made."""


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
    """Of the database, before any of this was read."""
    prefetch: Prefetched | None = None
    """What was done before the message came, when it was expected, or while it was typed."""
    kept: tuple[str, ...] = ()
    """The needed information from call 1, if memapp was killed later in this turn."""
    others: tuple[str, ...] = ()
    """Earlier replies to the same message: a retry must not be one of them."""
    known: FromMemory | None = None
    """What memapp answers by itself; else the model does."""
    quoted: Quoted | None = None
    """What the model answers from, and what is shown in place of a reply that this does not hold.
    """
    began_at: float = field(default_factory=time.monotonic)
    """When the person had sent it, as `time.monotonic` has it."""


def open_thread(
    runtime: Runtime, thread_id: str, *, before: int | None = None
) -> tuple[Thread, list[Message]]:
    """Return a thread and as many of its last messages (before sequence number `before`) as a
    prompt can hold.
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
    """Return what was last said to the person in a chat, oldest first: no remark comes twice while
    another fits.
    """
    said = chat.list_messages(session, thread_id, limit=REMEMBERED)
    return [message.text for message in said if message.role is Role.ASSISTANT and message.text]


def refuse_beside_another(runtime: Runtime, session: Session, thread_id: str) -> None:
    """Raise `UsageError` while another process answers in a chat: its reply would not know of what
    is said meanwhile.
    """
    if is_answered_elsewhere(runtime, session, thread_id):
        raise UsageError(*ANSWERED_ELSEWHERE)


def is_answered_elsewhere(runtime: Runtime, session: Session, thread_id: str) -> bool:
    """Return True while another process answers in a chat."""
    return leases.owner_of(session, chat.answering(thread_id)) not in ("", runtime.database.owner)


def best_effort(
    runtime: Runtime, thread_id: str | None, op: str, step: Callable[[], T]
) -> T | None:
    """Return what a step of reading or of the memory makes; None where it fails, which is counted
    and costs no answer.
    """
    try:
        return step()
    except Exception as error:
        log.warning("a step of the memory was skipped, %s: %s", op, type(error).__name__)
        meta = {"error": type(error).__name__}
        with suppress(StoreError), runtime.write() as session:
            events.add_event(session, "hotpath", op, "skipped", thread_id=thread_id, meta=meta)
        return None
