"""The messages of the background threads and of several widgets: what happened, and where the
person wants to go.

Handlers own the state of the screen.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textual.message import Message as Announcement

from memapp.errors import MemappError
from memapp.ui.pasted import Writing

if TYPE_CHECKING:  # the first paint waits for none of it
    from memapp.domain.chat import Message, Thread
    from memapp.domain.turn import Remembered, Retracted, TurnEvent
    from memapp.runtime import Runtime


@dataclass
class FileOpened(Announcement):
    runtime: "Runtime"


@dataclass
class ThreadStarted(Announcement):
    """The first message of a new chat made its thread."""

    thread: "Thread"
    turn: int = 0
    """The turn that began it; 0 for none."""


@dataclass
class TurnMoved(Announcement):
    """Something happened in the running turn."""

    thread_id: str
    event: "TurnEvent"


@dataclass
class TurnRefused(Announcement):
    """The turn ended with an error that no event tells; `unsent` is a message that was not even
    saved.
    """

    thread_id: str
    error: MemappError
    unsent: Writing | None


@dataclass
class TurnEnded(Announcement):
    """The turn's thread is done, however it went; the next turn may have begun already."""

    turn: int
    """Its number, as `Talk.turns` had it."""
    thread_id: str


@dataclass
class Learned(Announcement):
    """A fact was learned from what the person typed, one that was known says something else now, or
    it holds no more.
    """

    thread_id: str
    news: "Remembered | Retracted"


@dataclass
class LearningFailed(Announcement):
    """The work between two turns met a bug, or found no embedding model; it is tried again after
    the next turn.
    """

    why: str
    lasts: bool = False
    """Nothing is learned until memapp is started again."""


@dataclass
class MemoriesChanged(Announcement):
    """Something waits for the person's word, or the work between two turns merged memories, used
    them, or let some go.
    """


@dataclass
class FileChanged(Announcement):
    """Another process changed the memory file."""

    erased: bool
    """Something was erased for good."""


@dataclass
class FileWanted(Announcement):
    """Another process waits for this one to close the memory file."""


@dataclass
class ModelChanged(Announcement):
    """A model was loaded, failed to load, or is being loaded."""


@dataclass
class DownloadEnded(Announcement):
    """A model was downloaded, or that failed or was stopped."""

    name: str
    outcome: Literal["here", "stopped"] | MemappError


# Wishes, for the app: it knows where things are shown ---------------------------------------------


@dataclass
class ModeWanted(Announcement):
    """The person wants another part of memapp, perhaps one tab or one lesson there."""

    mode: str
    at: str = ""


@dataclass
class ThreadWanted(Announcement):
    """The person wants another chat, perhaps at one of its messages; or a new one, in which a
    persona answers.
    """

    thread: "Thread | None"
    at: "Message | None" = None
    persona: str = ""
    stay: bool = False
    """The person goes on in the list of chats."""


@dataclass
class MemoryWanted(Announcement):
    """The person wants to see a memory, wherever they are."""

    memory_id: str
    why: str = ""
    """Why it was used where they saw it."""


@dataclass
class MessageWanted(Announcement):
    """The person wants to see a message in its chat."""

    message_id: str
