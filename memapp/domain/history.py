"""The history of memories: its entries, versions and steps."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memapp.domain.changes import Event
from memapp.domain.consent import label
from memapp.domain.lessons.lesson import LESSON

IMPORT = "import:"
"""The prefix for an imported file in the history; the id of its step follows."""

AGENT, RUBRIC, ROUND = "agent:", "rubric:", "round:"
"""The prefixes for an agent, a criterion of the rubric and a round of a council."""

MESSAGE = "message:"
"""The prefix for a message excluded from recall; its id follows."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the history."""

    number: int
    """The order of all entries, whatever the clock did."""
    step: str
    """Entries of one step are undone together."""
    undoes: str
    """The step that the entry undid, else empty."""
    subject_id: str
    """Of a memory, or prefixed: `profile:city`, `import:...`, `message:...`, `lesson:...`."""
    event: Event
    before: int | None
    """Number of the version before; None if there was none, or if it was erased."""
    after: int | None
    actor: str
    """Who made the change: see `ActorKind`."""
    thread_id: str
    meta: Mapping[str, Any]
    at: datetime

    @property
    def is_of_memory(self) -> bool:
        return ":" not in self.subject_id

    @property
    def is_of_lesson(self) -> bool:
        return self.subject_id.startswith(LESSON)

    @property
    def is_of_agent(self) -> bool:
        """Return True for an entry about an agent, the rubric or a council."""
        return self.subject_id.startswith((AGENT, RUBRIC, ROUND))


@dataclass(frozen=True, slots=True)
class Version:
    """The content of a memory at one time."""

    id: int
    memory_id: str
    text: str
    tags: tuple[str, ...]
    category: str
    importance: int
    pinned: bool
    state: str
    sources: tuple[str, ...]
    """Ids of the memory's source messages."""
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """A memory between two changes."""

    version: Version
    event: Event
    actor: str
    at: datetime
    replaced: tuple[str, ...] = ()
    """The texts of the memories that it superseded then."""


@dataclass(frozen=True, slots=True)
class Step:
    """Changes that were made together and can be undone as a whole."""

    id: str
    event: Event
    """Of its first entry."""
    subject_id: str
    """Of its first entry."""
    text: str
    """The current text of that memory; empty if erased, or for the profile."""
    memories: int
    """The number of memories changed; for an import, the number of entries."""
    actor: str
    at: datetime
    reason: str = ""
    """Why the memory is in the trash."""
    kind: str = ""
    """The kind of that memory, if memapp derived it from others."""
    pinned: bool = False
    """True if the step pinned that memory."""
    facts: int = 0
    """Facts of an import that the person was asked about."""
    chats: int = 0
    """Chats of an import."""
    kept: int = 0
    """Imported chats that the person continued, which undo leaves in place."""


def label_of(subject_id: str) -> str:
    """Return the label of a profile field's entry, such as `profile:city`."""
    return label(subject_id.partition(":")[2])
