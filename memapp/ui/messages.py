"""The messages of background threads and of several widgets: events, and wishes of the person.

Their handlers own the state of the screen.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textual.message import Message as Announcement

from memapp.errors import MemappError
from memapp.ui.pasted_spans import Writing

if TYPE_CHECKING:  # Not imported for the first paint.
    from memapp.domain.chat import Message, Thread
    from memapp.domain.turn_events import Remembered, Retracted, TurnEvent
    from memapp.runtime import Runtime


@dataclass
class FileOpened(Announcement):
    runtime: "Runtime"


@dataclass
class ThreadStarted(Announcement):
    """The first message of a new chat created its thread."""

    thread: "Thread"
    turn: int = 0
    """The turn that created the thread; 0 for none."""


@dataclass
class TurnMoved(Announcement):
    """An event of the running turn."""

    thread_id: str
    event: "TurnEvent"


@dataclass
class TurnRefused(Announcement):
    """A turn ended with an error outside its events; `unsent` is a message that was not saved."""

    thread_id: str
    error: MemappError
    unsent: Writing | None


@dataclass
class TurnEnded(Announcement):
    """A turn has ended; the next one may have begun already."""

    turn: int
    """The number of the turn in `Talk.turns`."""
    thread_id: str


@dataclass
class Learned(Announcement):
    """A fact was learned from a message, changed, or ended."""

    thread_id: str
    news: "Remembered | Retracted"


@dataclass
class LearningFailed(Announcement):
    """Learning failed, or no embedding model was found; the next turn tries again."""

    why: str
    lasts: bool = False
    """True if nothing is learned until memapp is started again."""


@dataclass
class MemoriesChanged(Announcement):
    """Consent requests or memories changed in the background."""


@dataclass
class FileChanged(Announcement):
    """Another process changed the memory file."""

    erased: bool
    """True if something was erased for good."""


@dataclass
class CameFromElsewhere(Announcement):
    """Another machine of the person's changed something."""

    entries: int


@dataclass
class FileWanted(Announcement):
    """Another process waits for this one to close the memory file."""


@dataclass
class ModelChanged(Announcement):
    """A model was loaded, failed to load, or is being loaded."""


@dataclass
class DownloadEnded(Announcement):
    """A download ended, failed, or was stopped."""

    name: str
    outcome: Literal["here", "stopped"] | MemappError


# Wishes, for the app: it knows where things are shown ---------------------------------------------


@dataclass
class ModeWanted(Announcement):
    """The person wants another mode, perhaps a tab or a lesson there."""

    mode: str
    at: str = ""


@dataclass
class ThreadWanted(Announcement):
    """The person wants a thread, perhaps at a message, or a new one with a persona."""

    thread: "Thread | None"
    at: "Message | None" = None
    persona: str = ""
    stay: bool = False
    """True if the focus stays in the list of chats."""


@dataclass
class MemoryWanted(Announcement):
    """The person wants to see a memory."""

    memory_id: str
    why: str = ""
    """Why an answer used the memory."""


@dataclass
class MessageWanted(Announcement):
    """The person wants to see a message in its chat."""

    message_id: str
