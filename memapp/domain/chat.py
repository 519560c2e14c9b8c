"""Conversations: threads, messages and exchanges."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from memapp.domain.prompt import Usage
from memapp.domain.text import clean
from memapp.errors import UsageError

MAX_MESSAGE_CHARS = 200_000


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


class MessageStatus(StrEnum):
    COMPLETE = "complete"
    GENERATING = "generating"
    STOPPED = "stopped"
    """The person stopped the reply; the partial text is kept."""
    INTERRUPTED = "interrupted"
    """The app ended while the reply was written."""
    FAILED = "failed"


class Origin(StrEnum):
    """Where the words of a message come from. Only typed words teach memapp anything."""

    TYPED = "typed"
    MODEL = "model"
    IMPORT = "import"
    COMMAND = "command"
    """A command run in the chat, and its output: not part of the conversation."""


@dataclass(frozen=True, slots=True)
class Thread:
    id: str
    title: str
    persona: str
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None = None
    trust_level: float | None = None
    """How frankly an inner voice speaks, where imported from an old save; else the persona decides.
    """


@dataclass(frozen=True, slots=True)
class Message:
    id: str
    thread_id: str
    seq: int
    role: Role
    text: str
    status: MessageStatus
    origin: Origin
    created_at: datetime
    pasted: tuple[tuple[int, int], ...] = ()
    """Spans of `text` that were pasted: never a source of facts."""
    unprompted: bool = False
    """An unprompted remark, without a user message before it."""
    reply_to: str | None = None
    active: bool = True
    """False for an older variant of a reply, and for messages after an edited one."""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    time_estimated: bool = False
    """True for a message imported without a time, which has that of a neighbour."""

    @property
    def typed_text(self) -> str:
        """The text without its pasted spans; empty for a message that was not typed."""
        if self.role is not Role.USER or self.origin is not Origin.TYPED:
            return ""
        kept, position = [], 0
        for start, end in self.pasted:
            kept.append(self.text[position:start])
            position = max(position, end)
        return " ".join([*kept, self.text[position:]]).strip()


BY_MEMAPP = "/memapp"
"""Stands for the model of a message written by the app: a consent question, or its outcome.

No model can have this name: a file name holds no slash, and the name of a server's model is kept
without a leading one.
"""

FROM_MEMORY = "/memory"
"""Stands for the model of a reply from memory; the conversation goes on from such a reply."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A user message with its reply, or an unprompted remark (`user` is None)."""

    user: str | None
    reply: str


def exchanges(messages: list[Message]) -> list[Exchange]:
    """Pair active messages into exchanges, oldest first.

    Failed and unfinished replies are left out, as are the app's own questions with their answers: a
    model would imitate them.
    """
    pairs: list[Exchange] = []
    question: str | None = None
    for message in messages:
        if not message.active:
            continue
        if message.role is Role.USER:
            question = message.text
        elif (
            message.status in (MessageStatus.GENERATING, MessageStatus.FAILED)
            or message.model == BY_MEMAPP
        ):
            question = None
        elif message.unprompted:
            pairs.append(Exchange(None, message.text))
        elif question is not None and message.text:
            pairs.append(Exchange(question, message.text))
            question = None
    return pairs


def valid_message(
    text: str, pasted: Sequence[tuple[int, int]] = ()
) -> tuple[str, Sequence[tuple[int, int]]]:
    """Return a message as sent, with its pasted spans; raise `UsageError` for an invalid one."""
    cleaned = clean(text)
    if not cleaned.strip():
        raise UsageError("There is nothing to send.")
    if len(cleaned) > MAX_MESSAGE_CHARS:
        raise UsageError(
            f"This message is too long ({len(cleaned):,} characters).",
            f"The limit is {MAX_MESSAGE_CHARS:,}.",
        )
    if cleaned != text and pasted:
        pasted = [(0, len(cleaned))]  # the spans no longer fit: trust none of it
    return cleaned, pasted
