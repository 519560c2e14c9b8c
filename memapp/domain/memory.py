"""Memories, and what recall finds: facts and earlier messages."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Literal

from memapp.domain.chat import Message, Role
from memapp.domain.text import one_line, shorten
from memapp.domain.when import until

MAX_MEMORY_CHARS = 280
MAX_TAGS = 5
MAX_TAG_CHARS = 40
LEAST_BEFORE = 16
"""With less room for what a memory is in place of, an agent is not told that."""
MAX_SAID_CHARS = MAX_MEMORY_CHARS - len('User said (2026-11-03): "" (until 4 Dec 2026)')
"""Of a memory in the person's own words: so it is no longer than any other where it is told in the
third person.
"""
MemoryOrigin = Literal["distilled", "said", "person", "import", "reflected", "agent"]
"""`said` is in the person's own words, as they typed them; `distilled` was put into others.
`reflected` is what memapp makes in idle time of what it has: an insight, or the episode of a chat.
`agent` was proposed by another program.
"""
OwnerKind = Literal["memory", "message", "lesson"]
"""What has a vector, as a lesson has not, and what may stand in a prompt."""
TrashReason = Literal["", "person", "overflow", "unused", "superseded", "merged", "undone"]


class Kind(StrEnum):
    SEMANTIC = "semantic"
    """What lasts about the person; the screen says Fact."""
    EPISODIC = "episodic"
    INSIGHT = "insight"
    """What several memories and messages show together."""
    PROCEDURAL = "procedural"
    """How something is done, step by step; the screen says How-to."""


class State(StrEnum):
    LIVE = "live"
    SOFT_DELETED = "soft_deleted"
    MERGED = "merged"
    """Another memory says the same and took it in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One thing memapp knows."""

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
    """Why it is not live, else empty."""
    origin: MemoryOrigin
    sources: tuple[str, ...] = ()
    """Ids of the messages it came from."""
    created_at: datetime
    updated_at: datetime
    purge_at: datetime | None = None
    """When it leaves the trash for good; None while it is live."""
    merged_into: str = ""
    """Id of the memory that took it in."""
    agent_id: str = ""
    """The persona that was talked to when it was learned."""
    run_id: str = ""
    """The thread it was learned in."""
    steps: tuple[str, ...] = ()
    """Of a how-to, whose text is its title."""
    instead_of: str = ""
    """What the person had said before, in place of which this holds."""
    valid_until: date | None = None
    """The last day on which it is news; None for what may hold for good."""

    @property
    def is_reflected(self) -> bool:
        """Say whether memapp made it of other memories or of a whole chat."""
        return self.origin == "reflected" or self.kind is Kind.INSIGHT

    @property
    def held_until(self) -> datetime | None:
        """Return when something else took its place; None for what holds still, or left memory for
        another reason.
        """
        return (
            self.updated_at
            if self.state is State.SOFT_DELETED and self.reason == "superseded"
            else None
        )

    @property
    def until(self) -> str:
        """Return until when it is news, as it stands beside the text: ` (until 4 Dec)`; empty for
        what may hold for good.
        """
        return until(self.valid_until, self.created_at) if self.valid_until else ""

    @property
    def with_before(self) -> str:
        """Return what it says, and in place of what, without which a correction may say little: `no
        wait, its Moss`.
        """
        return f"{self.text}{f' (before: {self.instead_of})' if self.instead_of else ''}"

    @property
    def in_third_person(self) -> str:
        """Return what it says to an agent, or in an export: `User said (2026-11-03): "my dog is
        called Pip"`.
        """
        if self.origin != "said":
            return f"{self.text}{self.until}"
        said = f'User said ({self.created_at.astimezone():%Y-%m-%d}): "{self.text}"{self.until}'
        room = MAX_MEMORY_CHARS - len(said) - len(' (before: "")')
        return (
            f'{said} (before: "{shorten(self.instead_of, room)}")'
            if self.instead_of and room >= LEAST_BEFORE
            else said
        )

    @property
    def is_compared(self) -> bool:
        """Say whether a fact may say the same or the contrary: neither of a how-to, nor of what
        memapp made of others.
        """
        return not self.is_reflected and self.kind is not Kind.PROCEDURAL


@dataclass(frozen=True, slots=True)
class Recalled:
    """One hit of recall: a fact, an earlier message, or a lesson."""

    kind: OwnerKind
    id: str
    text: str
    """The fact, an excerpt of the message, or what works by the lesson."""
    said_by: Literal["", "user", "assistant"]
    """Who wrote the message; empty for a fact."""
    thread_id: str
    """The thread of a message; empty for a fact."""
    at: datetime
    score: float
    """0 to about 1; comparable within one query only."""
    why: str
    """Which signals matched, in words and numbers: `words 0.71 + meaning 0.40`."""
    pinned: bool = False
    category: str = ""
    """Of a fact."""
    boosts: float = 0.0
    """How much of the score comes from what it is (pinned, important, recent), and not from what
    was asked.
    """
    cosine: float = 0.0
    """Likeness in meaning to what was asked; 0 where that was not compared."""

    @classmethod
    def of(cls, memory: Memory, score: float, why: str, at: datetime) -> "Recalled":
        """Return a fact as a hit."""
        before = f" (before: {memory.instead_of})" if memory.instead_of else ""
        text = f"{memory.text}{memory.until}{before}"
        return cls(
            "memory", memory.id, text, "", "", at, score, why, memory.pinned, memory.category
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
        )


@dataclass(frozen=True, slots=True)
class FromMemory:
    """What memapp says itself, and where it has that from."""

    text: str
    hits: tuple[Recalled, ...] = ()
    is_own_word: bool = False
    """Its word on what it was asked to do, which is no part of the conversation."""
