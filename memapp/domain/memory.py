"""Memories, and the hits of recall: facts and earlier messages."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Literal

from memapp.domain.chat import Message, Origin, Role
from memapp.domain.named_time import until
from memapp.domain.text import one_line, shorten

MAX_MEMORY_CHARS = 280
MAX_TAGS = 5
MAX_TAG_CHARS = 40
LEAST_BEFORE = 16
"""The fewest characters for showing an agent the earlier statement."""
MAX_SAID_CHARS = MAX_MEMORY_CHARS - len('User said (2026-11-03): "" (until 4 Dec 2026)')
"""The longest memory in the person's own words, so that the third person fits too."""
MemoryOrigin = Literal["distilled", "said", "person", "import", "reflected", "agent"]
"""`said` is in the person's own words, `distilled` was reworded, `reflected` was derived by memapp
in idle time (an insight, an episode), `agent` was proposed by another program.
"""
OwnerKind = Literal["memory", "message", "lesson"]
"""The owners of a vector (but lessons), which may stand in a prompt."""
TrashReason = Literal["", "person", "overflow", "unused", "superseded", "merged", "undone"]


class Kind(StrEnum):
    SEMANTIC = "semantic"
    """A lasting fact about the person; the screen says Fact."""
    EPISODIC = "episodic"
    INSIGHT = "insight"
    """A pattern over several memories and messages."""
    PROCEDURAL = "procedural"
    """Written steps; the screen says How-to."""


class State(StrEnum):
    LIVE = "live"
    SOFT_DELETED = "soft_deleted"
    MERGED = "merged"
    """Merged into another memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """A memory about the person."""

    id: str
    text: str
    tags: tuple[str, ...]
    kind: Kind
    category: str
    importance: int
    """1 to 5."""
    pinned: bool = False
    state: State = State.LIVE
    reason: str = ""
    """Why the memory is not live, else empty."""
    origin: MemoryOrigin
    sources: tuple[str, ...] = ()
    """Ids of the source messages."""
    created_at: datetime
    updated_at: datetime
    purge_at: datetime | None = None
    """When the memory is purged from the trash; None while it is live."""
    merged_into: str = ""
    """Id of the memory that it was merged into."""
    agent_id: str = ""
    """The persona of the chat in which the memory was learned."""
    run_id: str = ""
    """The thread in which the memory was learned."""
    steps: tuple[str, ...] = ()
    """Of a how-to, whose text is its title."""
    instead_of: str = ""
    """The earlier statement that the memory replaces."""
    valid_until: date | None = None
    """The last day on which a dated memory is news; None for others."""

    @property
    def is_reflected(self) -> bool:
        """Return True if memapp derived the memory from others or from a whole chat."""
        return self.origin == "reflected" or self.kind is Kind.INSIGHT

    @property
    def held_until(self) -> datetime | None:
        """Return when the memory was superseded; None if it was not."""
        return (
            self.updated_at
            if self.state is State.SOFT_DELETED and self.reason == "superseded"
            else None
        )

    @property
    def until(self) -> str:
        """Return the end of a dated memory as shown behind the text: ` (until 4 Dec)`."""
        return until(self.valid_until, self.created_at) if self.valid_until else ""

    @property
    def with_before(self) -> str:
        """Return the text with the earlier statement, without which a correction says little."""
        return f"{self.text}{f' (before: {self.instead_of})' if self.instead_of else ''}"

    @property
    def in_third_person(self) -> str:
        """Return the text for agents and exports: `User said (2026-11-03): "my dog is Pip"`."""
        if self.origin != "said":
            return f"{self.text}{self.until}"
        quoted = f'User said ({self.created_at.astimezone():%Y-%m-%d}): "{self.text}"{self.until}'
        room = MAX_MEMORY_CHARS - len(quoted) - len(' (before: "")')
        return (
            f'{quoted} (before: "{shorten(self.instead_of, room)}")'
            if self.instead_of and room >= LEAST_BEFORE
            else quoted
        )

    @property
    def is_compared(self) -> bool:
        """Return True if facts are compared with the memory: for no how-to and nothing derived."""
        return not self.is_reflected and self.kind is not Kind.PROCEDURAL


@dataclass(frozen=True, slots=True)
class Recalled:
    """A hit of recall: a fact, an earlier message, or a lesson."""

    kind: OwnerKind
    id: str
    text: str
    """The fact, an excerpt of the message, or the lesson's correct action."""
    said_by: Literal["", "user", "assistant"]
    """The author of a message; empty for a fact."""
    thread_id: str
    """The thread of a message; empty for a fact."""
    at: datetime
    score: float
    """0 to about 1; comparable within one query only."""
    why: str
    """Which signals matched, in words and numbers: `words 0.71 + meaning 0.40`."""
    pinned: bool = False
    category: str = ""
    """The category of a fact."""
    boosts: float = 0.0
    """The part of the score due to the memory (pinned, important, recent), whatever the query."""
    cosine: float = 0.0
    """Likeness in meaning to the query; 0 where that was not compared."""
    is_imported: bool = False
    """True for a fact of an imported file, and for a message of an imported chat."""

    @classmethod
    def of(cls, memory: Memory, score: float, why: str, at: datetime) -> "Recalled":
        """Return a fact as a hit."""
        before = f" (before: {memory.instead_of})" if memory.instead_of else ""
        text = f"{memory.text}{memory.until}{before}"
        return cls(
            "memory",
            memory.id,
            text,
            "",
            "",
            at,
            score,
            why,
            memory.pinned,
            memory.category,
            is_imported=memory.origin == "import",
        )

    @classmethod
    def of_message(cls, message: Message, why: str) -> "Recalled":
        """Return a message as a hit."""
        said_by: Literal["user", "assistant"] = "user" if message.role is Role.USER else "assistant"
        return cls(
            "message",
            message.id,
            one_line(message.text),
            said_by,
            message.thread_id,
            message.created_at,
            1.0,
            why,
            is_imported=message.origin is Origin.IMPORT,
        )


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """An answer by memapp itself, without a model, with its sources."""

    text: str
    hits: tuple[Recalled, ...] = ()
    is_own_word: bool = False
    """True for the outcome of a memory request, which is no part of the conversation."""
