"""The history of memories: its entries, versions and steps."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memapp.domain.changes import Event
from memapp.domain.consent import label
from memapp.domain.lessons.lesson import LESSON

IMPORT = "import:"
"""What the history names a file that was brought in by; its step follows."""

AGENT, RUBRIC, ROUND = "agent:", "rubric:", "round:"
"""What the history names an agent, a criterion of the rubric and the round of a council by."""

MESSAGE = "message:"
"""What the history names a message that is brought up no more; its id follows."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the history."""

    number: int
    """Orders all entries, whatever the clock did."""
    step: str
    """Entries of one step are taken back together."""
    undoes: str
    """The step that this one took back, else empty."""
    memory_id: str
    """`profile:city` for a field of the profile, `import:...` for a file that was brought in,
    `message:...` for a message, `lesson:...` for a lesson.
    """
    event: Event
    before: int | None
    """Number of the version before; None if there was none, or if it was erased."""
    after: int | None
    actor: str
    """Who did it: see `ActorKind`."""
    thread_id: str
    meta: Mapping[str, Any]
    at: datetime

    @property
    def is_of_memory(self) -> bool:
        return ":" not in self.memory_id

    @property
    def is_of_lesson(self) -> bool:
        return self.memory_id.startswith(LESSON)

    @property
    def is_of_agent(self) -> bool:
        """Return True for what is about an agent, the rubric or a council."""
        return self.memory_id.startswith((AGENT, RUBRIC, ROUND))


@dataclass(frozen=True, slots=True)
class Version:
    """What a memory said at one time."""

    id: int
    memory_id: str
    text: str
    tags: tuple[str, ...]
    category: str
    importance: int
    pinned: bool
    state: str
    sources: tuple[str, ...]
    """Ids of the messages it came from."""
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """A memory as it was from one change to the next."""

    version: Version
    event: Event
    actor: str
    at: datetime
    replaced: tuple[str, ...] = ()
    """What gave way to it then, in its own words."""


@dataclass(frozen=True, slots=True)
class Step:
    """Something that was done and can be taken back as a whole."""

    id: str
    event: Event
    """Of its first entry."""
    memory_id: str
    """Of its first entry."""
    text: str
    """What that memory says now; empty if it was erased, or for the profile."""
    memories: int
    """To how many the same was done; of an import how many entries it has."""
    actor: str
    at: datetime
    reason: str = ""
    """Of a memory that went to the trash."""
    kind: str = ""
    """Of that memory, while it is there, where memapp made it of others."""
    pinned: bool = False
    """Whether that memory was pinned by it."""
    facts: int = 0
    """That an import put before the person."""
    chats: int = 0
    """That an import brought."""
    kept: int = 0
    """Of these, the chats that the person went on with; they stay when it is taken back."""


def label_of(memory_id: str) -> str:
    """Return what `profile:city` is called."""
    return label(memory_id.partition(":")[2])
