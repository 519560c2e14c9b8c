"""Open turns: a message that is saved, what was read before it, and its reply that is to be written."""

import time
from dataclasses import dataclass, field

from memapp.domain.chat import Message, Role, Thread
from memapp.domain.memory import FromMemory
from memapp.domain.prediction import Prefetched
from memapp.errors import UsageError
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services.prompt_form import shown_exchanges
from memapp.store import chat, leases
from memapp.store.session import Session

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
    began_at: float = field(default_factory=time.monotonic)
    """When the person had sent it, as `time.monotonic` has it."""


def open_thread(runtime: Runtime, thread_id: str, *, before: int | None = None) -> tuple[Thread, list[Message]]:
    """Return a thread and as many of its last messages (before sequence number `before`) as a prompt can hold."""
    session = runtime.read()
    thread = chat.get_thread(session, thread_id)
    limit = 2 * shown_exchanges(runtime, runtime.persona_in(thread)) + 8
    return thread, chat.list_messages(session, thread.id, before=before, limit=limit)


def said_in(session: Session, thread_id: str) -> list[str]:
    """Return what was last said to the person in a chat, oldest first: no remark comes twice while another fits."""
    said = chat.list_messages(session, thread_id, limit=REMEMBERED)
    return [one.text for one in said if one.role is Role.ASSISTANT and one.text]


def refuse_beside_another(runtime: Runtime, session: Session, thread_id: str) -> None:
    """Raise `UsageError` while another process answers in a chat: its reply would not know of what is said meanwhile."""
    if leases.owner_of(session, chat.answering(thread_id)) not in ("", runtime.database.owner):
        raise UsageError("Another memapp is answering in this chat.", "Wait until it is done, or go on in a new chat.")
