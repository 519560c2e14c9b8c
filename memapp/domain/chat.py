"""Conversations: threads, messages and exchanges."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from memapp.domain.prompt import Usage

MAX_MESSAGE_CHARS = 200_000


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


class MessageStatus(StrEnum):
    COMPLETE = "complete"
    GENERATING = "generating"
    STOPPED = "stopped"
    """The person stopped it; the partial text is kept."""
    INTERRUPTED = "interrupted"
    """The app ended in the middle of it."""
    FAILED = "failed"


class Origin(StrEnum):
    """Where the words of a message come from. Only typed words teach memapp anything."""

    TYPED = "typed"
    MODEL = "model"
    IMPORT = "import"
    COMMAND = "command"
    """A command that the person ran in the chat, and what it wrote: no part of what is talked
    about.
    """


@dataclass(frozen=True, slots=True)
class Thread:
    id: str
    title: str
    persona: str
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None = None
    trust_level: float | None = None
    """How frankly an inner voice speaks here, where that came with an old save; else it is the
    persona's.
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
    """A remark nobody asked for; it has no user message before it."""
    reply_to: str | None = None
    active: bool = True
    """False for an older variant of a reply, and for what an edited message left behind."""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    time_estimated: bool = False
    """It was imported without a time, and has that of a neighbour."""

    @property
    def typed_text(self) -> str:
        """The words that the person typed, with pasted spans cut out."""
        if self.role is not Role.USER or self.origin is not Origin.TYPED:
            return ""
        kept, position = [], 0
        for start, end in self.pasted:
            kept.append(self.text[position:start])
            position = max(position, end)
        return " ".join([*kept, self.text[position:]]).strip()


OWN_WORDS = "/memapp"
"""Stands for the model of a message that the app itself wrote: its question about a consent
request, and its word on the answer.

No model can have this name: a file's name holds no slash, and a server's is kept without one at its
beginning.
"""

FROM_MEMORY = "/memory"
"""Stands for the model of a reply that memapp gave from its memory, in its own words; the
conversation goes on from it.
"""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A user message with its reply, or an unprompted remark (`user` is None)."""

    user: str | None
    reply: str


def exchanges(messages: list[Message]) -> list[Exchange]:
    """Pair active messages into exchanges, oldest first.

    A reply that failed or is still being written is left out, and so is what the app itself asked
    and was told: a model would go on in those words.
    """
    pairs: list[Exchange] = []
    asked: str | None = None
    for message in messages:
        if not message.active:
            continue
        if message.role is Role.USER:
            asked = message.text
        elif (
            message.status in (MessageStatus.GENERATING, MessageStatus.FAILED)
            or message.model == OWN_WORDS
        ):
            asked = None
        elif message.unprompted:
            pairs.append(Exchange(None, message.text))
        elif asked is not None and message.text:
            pairs.append(Exchange(asked, message.text))
            asked = None
    return pairs
