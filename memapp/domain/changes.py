"""The `Change` union: every way in which a memory or a lesson can change, each with the event by
which the history knows it.

`store.changes.apply` is the only code that carries one out. The inverse of a change is `Reverted`
with the step it was part of; only a purge has none, since nothing is left to go back to.
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
"""What the change log calls a change."""
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
]
"""Who acts or proposes. Of a model, a persona and another program the name follows:
`model:smollm2`.
"""


class Event(StrEnum):
    """What was done to a memory, by its name in the history, with its names elsewhere."""

    op: str
    """In the log of operations."""
    logged: ChangeEvent
    """In the change log."""
    told: str
    """What people read."""

    def __new__(cls, name: str, op: str, logged: ChangeEvent, told: str) -> "Event":
        event = str.__new__(cls, name)
        event._value_ = name
        event.op, event.logged, event.told = op, logged, told
        return event

    ADD = "ADD", "create", "created", "remembered"
    UPDATE = "UPDATE", "update", "updated", "changed"
    PIN = "PIN", "pin", "pinned", "pinned"
    DELETE = "DELETE", "delete", "soft_deleted", "trashed"
    TTL = "TTL", "ttl", "soft_deleted", "trashed, unused"
    RESTORE = "RESTORE", "restore", "restored", "restored"
    MERGE = "MERGE", "merge", "merged", "merged"
    LINK = "LINK", "link", "linked", "linked"
    PURGE = "PURGE", "purge", "deleted", "erased for good"
    PROFILE = "PROFILE", "update", "profile", "changed your profile"
    UNSAY = "UNSAY", "update", "updated", "stopped bringing up"
    UNDO = "UNDO", "undo", "updated", "took back"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who makes a change, from which chat, and as part of which step."""

    name: str
    """`person`, `rules`, `model:smollm2`: see `ActorKind`."""
    thread_id: str = ""
    step: str = ""
    """Changes of one step are taken back together; empty for a step of its own."""


@dataclass(frozen=True, slots=True)
class Created:
    event: ClassVar = Event.ADD
    memory: Memory
    evidence: tuple[str, ...] = ()
    """Ids of the memories that an insight rests on."""


@dataclass(frozen=True, slots=True)
class Updated:
    """Other words for the same fact, or another tag, importance, category, step or origin; None
    leaves a part as it is.
    """

    memory_id: str
    text: str | None = None
    tags: tuple[str, ...] | None = None
    importance: int | None = None
    category: str | None = None
    steps: tuple[str, ...] | None = None
    instead_of: str | None = None
    origin: MemoryOrigin | None = None
    sources: tuple[str, ...] = ()
    """Messages to be added to those it came from."""

    @property
    def event(self) -> Event:
        """An update that adds sources alone follows from the texts, as a link does."""
        return (
            Event.LINK
            if self.sources and self == Updated(self.memory_id, sources=self.sources)
            else Event.UPDATE
        )


@dataclass(frozen=True, slots=True)
class Merged:
    """A memory taken in by another, which says the same; the other gets its sources too."""

    event: ClassVar = Event.MERGE
    memory_id: str
    into: str
    purge_at: datetime


@dataclass(frozen=True, slots=True)
class Linked:
    """A memory found to be about things that others are about too."""

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
    """A memory removed for good, with every copy of its text inside the database. It has no
    inverse.
    """

    event: ClassVar = Event.PURGE
    memory_id: str


@dataclass(frozen=True, slots=True)
class ProfileChanged:
    """An approved request carried out. It is taken back by the opposite request, so that nothing
    goes around consent.
    """

    event: ClassVar = Event.PROFILE
    request_id: str
    undoes: str = ""
    """The step that this takes back, for an opposite consent request."""


@dataclass(frozen=True, slots=True)
class Reverted:
    """Everything put back as it was before a step."""

    event: ClassVar = Event.UNDO
    step: str
    purge_at: datetime
    """For a memory that the step created: it goes to the trash."""
    held_back: tuple[str, ...] = ()
    """Memories that stay as they are: what they said before needs a yes by now."""

    @property
    def undoes(self) -> str:
        return self.step


@dataclass(frozen=True, slots=True)
class AgentChanged:
    """An agent blocked or let act again, or its file brought in, with what that says of it; None
    leaves a part as it is.
    """

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
    """Another weight of a criterion; None is the one that comes with memapp."""

    event: ClassVar = Event.UPDATE
    criterion: str
    weight: float | None


@dataclass(frozen=True, slots=True)
class CouncilDecided:
    """What the person takes after a council: it stands in the chat from then on."""

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
    """Other words for a lesson, another place where it counts, more failures that it is for; None
    leaves a part as it is.
    """

    event: ClassVar = Event.UPDATE
    lesson_id: str
    wrong: str | None = None
    correct: str | None = None
    level: LessonLevel | None = None
    triggers: tuple[str, ...] = ()
    """Fingerprints to be added."""
    origin: LessonOrigin = "person"
    """Whose words they are, if they are other ones."""


@dataclass(frozen=True, slots=True)
class LessonMoved:
    """Another status: promoted, suppressed, archived, or a candidate again."""

    event: ClassVar = Event.UPDATE
    lesson_id: str
    to: LessonStatus
    reason: str


@dataclass(frozen=True, slots=True)
class FailuresMerged:
    """The failures that a lesson is for taken for the same as those of another."""

    event: ClassVar = Event.MERGE
    lesson_id: str
    into_id: str


@dataclass(frozen=True, slots=True)
class FailuresParted:
    """The failures that a lesson is for taken for different ones again."""

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
    """A lesson removed for good, with every version of it. It has no inverse."""

    event: ClassVar = Event.PURGE
    lesson_id: str


CLIENT = "client:"
"""What the name of another program begins with, as an actor."""


def is_memapp(actor: str) -> bool:
    """Say whether an actor is a part of memapp, and neither the person, nor a file or a program of
    theirs.
    """
    return actor.partition(":")[0] not in ("person", "import", "undo", "client")


def is_foreign(actor: str) -> bool:
    """Say whether an actor brings what the person may never have said: an imported file, or another
    program.
    """
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
MemoryChange = Created | Updated | Merged | Linked | Pinned | SoftDeleted | Restored | Purged
Change = MemoryChange | ProfileChanged | Reverted | LessonChange | AgentChange


@dataclass(frozen=True, slots=True)
class Revision:
    step: str
    """What to name to take it back."""
    number: int
    """The person's revision after it."""
    memory_id: str
    """The memory it touched; the first one, if it was several."""
    change: Change
