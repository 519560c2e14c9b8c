"""The `Change` union: every way in which a memory, a lesson or an agent can change.

Each change has an `Event`, its name in the history. `store.changes.apply` is the only code that
carries a change out. The inverse of a change is `Reverted` with its step; a purge has none.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import ClassVar, Literal

from memapp.domain.lessons.lesson import Lesson, LessonLevel, LessonOrigin, LessonStatus
from memapp.domain.memory import Memory, MemoryOrigin
from memapp.domain.trust import Choice

ChangeEvent = Literal[
    "created",
    "updated",
    "merged",
    "deleted",
    "soft_deleted",
    "restored",
    "pinned",
    "linked",
    "profile",
]
"""The name of a change in the change log."""
ActorKind = Literal[
    "person",
    "import",
    "rules",
    "model",
    "profile",
    "merge",
    "lifecycle",
    "undo",
    "persona",
    "client",
    "lessons",
    "reviewer",
    "council",
    "sync",
]
"""Who acts or proposes. A model, a persona and a client add their name: `model:smollm2`."""


class Event(StrEnum):
    """The name of a change in the history, with its names elsewhere."""

    op: str
    """In the log of operations."""
    logged: ChangeEvent
    """In the change log."""
    verb: str
    """In the past tense, as people read it."""

    def __new__(cls, name: str, op: str, logged: ChangeEvent, verb: str) -> "Event":
        event = str.__new__(cls, name)
        event._value_ = name
        event.op, event.logged, event.verb = op, logged, verb
        return event

    ADD = "ADD", "create", "created", "remembered"
    UPDATE = "UPDATE", "update", "updated", "changed"
    PIN = "PIN", "pin", "pinned", "pinned"
    DELETE = "DELETE", "delete", "soft_deleted", "trashed"
    TTL = "TTL", "ttl", "soft_deleted", "trashed, unused"
    RESTORE = "RESTORE", "restore", "restored", "restored"
    MERGE = "MERGE", "merge", "merged", "merged"
    LINK = "LINK", "link", "linked", "linked"
    """To related memories, or to a further source message: text and state stay as they are, so a
    link is no step to undo.
    """
    PURGE = "PURGE", "purge", "deleted", "erased for good"
    PROFILE = "PROFILE", "update", "profile", "changed your profile"
    UNSAY = "UNSAY", "update", "updated", "stopped bringing up"
    UNDO = "UNDO", "undo", "updated", "undid"
    SYNC = "SYNC", "sync", "updated", "overruled"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who makes a change, from which chat, and as part of which step."""

    name: str
    """`person`, `rules`, `model:smollm2`: see `ActorKind`."""
    thread_id: str = ""
    step: str = ""
    """Changes of one step are undone together; empty for a step of its own."""


@dataclass(frozen=True, slots=True)
class Created:
    event: ClassVar = Event.ADD
    memory: Memory
    evidence: tuple[str, ...] = ()
    """Ids of the memories that an insight rests on."""


@dataclass(frozen=True, slots=True)
class Updated:
    """New text, tags, importance, category, steps or origin; None leaves a part unchanged."""

    memory_id: str
    text: str | None = None
    tags: tuple[str, ...] | None = None
    importance: int | None = None
    category: str | None = None
    steps: tuple[str, ...] | None = None
    instead_of: str | None = None
    origin: MemoryOrigin | None = None
    sources: tuple[str, ...] = ()
    """Messages to be added to the memory's sources."""

    @property
    def only_adds_sources(self) -> bool:
        return bool(self.sources) and self == Updated(self.memory_id, sources=self.sources)

    @property
    def event(self) -> Event:
        return Event.LINK if self.only_adds_sources else Event.UPDATE


@dataclass(frozen=True, slots=True)
class Merged:
    """A memory merged into another with the same content, which gets its sources too."""

    event: ClassVar = Event.MERGE
    memory_id: str
    into: str
    purge_at: datetime


@dataclass(frozen=True, slots=True)
class Linked:
    """A memory linked to others about the same things."""

    event: ClassVar = Event.LINK
    memory_id: str
    to: tuple[tuple[str, float], ...]
    """The others with the strength of the relation, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Pinned:
    event: ClassVar = Event.PIN
    memory_id: str
    pinned: bool


@dataclass(frozen=True, slots=True)
class SoftDeleted:
    memory_id: str
    reason: Literal["person", "overflow", "unused", "superseded"]
    purge_at: datetime

    @property
    def event(self) -> Event:
        return Event.TTL if self.reason == "unused" else Event.DELETE


@dataclass(frozen=True, slots=True)
class Restored:
    event: ClassVar = Event.RESTORE
    memory_id: str


@dataclass(frozen=True, slots=True)
class Purged:
    """A memory erased for good, with every copy of its text in the database. It has no inverse."""

    event: ClassVar = Event.PURGE
    memory_id: str


@dataclass(frozen=True, slots=True)
class Received:
    """A memory as another machine of the person's has it, with its history there.

    Where both machines changed it without knowing of each other, one version holds; the other is
    kept in the history, and undoing this change restores it.
    """

    event: ClassVar = Event.SYNC
    memory_id: str
    memory: Memory | None
    """None where it is gone."""
    overruled_on: str = ""
    """The machine whose change is the one that holds; empty where only one changed it."""
    stands: bool = False
    """What is here holds, and `memory` is what it overruled."""


@dataclass(frozen=True, slots=True)
class ProfileChanged:
    """An approved consent request applied; only the opposite request undoes the change."""

    event: ClassVar = Event.PROFILE
    request_id: str
    undoes: str = ""
    """The step that an opposite consent request undoes."""


@dataclass(frozen=True, slots=True)
class Reverted:
    """Everything restored to the state before a step."""

    event: ClassVar = Event.UNDO
    step: str
    purge_at: datetime
    """When a memory that the step created, now in the trash, is purged."""
    held_back: tuple[str, ...] = ()
    """Memories left unchanged, as their earlier text needs approval by now."""

    @property
    def undoes(self) -> str:
        return self.step


@dataclass(frozen=True, slots=True)
class AgentChanged:
    """An agent blocked or unblocked, or its record imported; None leaves a part unchanged."""

    event: ClassVar = Event.UPDATE
    agent: str
    blocked: bool | None = None
    imported: str | None = None
    model: str | None = None
    primary_role: str | None = None
    rounds: int | None = None
    probation_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class RubricChanged:
    """A new weight for a criterion; None restores the default."""

    event: ClassVar = Event.UPDATE
    criterion: str
    weight: float | None


@dataclass(frozen=True, slots=True)
class CouncilDecided:
    """The answer the person chose after a council; the chat shows it from then on."""

    event: ClassVar = Event.UPDATE
    round_id: str
    choice: Choice
    final: str


@dataclass(frozen=True, slots=True)
class LessonAdded:
    event: ClassVar = Event.ADD
    lesson: Lesson


@dataclass(frozen=True, slots=True)
class LessonEdited:
    """New text, level or triggers for a lesson; None leaves a part unchanged."""

    event: ClassVar = Event.UPDATE
    lesson_id: str
    wrong: str | None = None
    correct: str | None = None
    level: LessonLevel | None = None
    triggers: tuple[str, ...] = ()
    """Fingerprints to be added."""
    origin: LessonOrigin = "person"
    """Who wrote the new text, if it changed."""


@dataclass(frozen=True, slots=True)
class LessonMoved:
    """Another status: promoted, suppressed, archived, or a candidate again."""

    event: ClassVar = Event.UPDATE
    lesson_id: str
    to: LessonStatus
    reason: str


@dataclass(frozen=True, slots=True)
class FailuresMerged:
    """The failures of a lesson treated as the same as those of another lesson."""

    event: ClassVar = Event.MERGE
    lesson_id: str
    into_id: str


@dataclass(frozen=True, slots=True)
class FailuresParted:
    """The failures of a lesson treated as different ones again."""

    event: ClassVar = Event.UPDATE
    lesson_id: str


@dataclass(frozen=True, slots=True)
class LessonDeleted:
    event: ClassVar = Event.DELETE
    lesson_id: str
    purge_at: datetime


@dataclass(frozen=True, slots=True)
class LessonRestored:
    event: ClassVar = Event.RESTORE
    lesson_id: str


@dataclass(frozen=True, slots=True)
class LessonPurged:
    """A lesson erased for good, with every version of it. It has no inverse."""

    event: ClassVar = Event.PURGE
    lesson_id: str


CLIENT = "client:"
"""The prefix of the actor names of other programs."""


def is_memapp(actor: str) -> bool:
    """Return True for an actor inside memapp: not the person, their files or their programs."""
    return actor.partition(":")[0] not in ("person", "import", "undo", "client")


def is_foreign(actor: str) -> bool:
    """Return True for an actor that brings foreign text: an imported file or another program."""
    return actor == "import" or actor.startswith(CLIENT)


LessonChange = (
    LessonAdded
    | LessonEdited
    | LessonMoved
    | FailuresMerged
    | FailuresParted
    | LessonDeleted
    | LessonRestored
    | LessonPurged
)
AgentChange = AgentChanged | RubricChanged | CouncilDecided
MemoryChange = (
    Created | Updated | Merged | Linked | Pinned | SoftDeleted | Restored | Purged | Received
)
Change = MemoryChange | ProfileChanged | Reverted | LessonChange | AgentChange


@dataclass(frozen=True, slots=True)
class Revision:
    step: str
    """Names the change for undo."""
    number: int
    """The person's revision after the change."""
    memory_id: str
    """The memory that changed, the first of several; a lesson is prefixed by `lesson:`."""
    change: Change
