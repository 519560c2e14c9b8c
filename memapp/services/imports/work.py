"""The state of one running import, and its result."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from memapp.domain.changes import Actor
from memapp.domain.text import counted
from memapp.runtime import Runtime
from memapp.store.session import Session

LEFT_OUT = "without words, added to a chat that is here already, decided elsewhere, asked about already, or erased here"


@dataclass
class Work:
    """One import under way, in one transaction."""

    runtime: Runtime
    session: Session
    actor: Actor
    now: datetime
    added: Counter[str] = field(default_factory=Counter)
    known: int = 0
    reworded: int = 0
    left_out: int = 0
    came: set[str] = field(default_factory=set)
    """Chats, messages and memories that came in."""
    absent: set[str] = field(default_factory=set)
    """Memories, messages and predictions of the file that did not come in."""
    threads: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    support: dict[str, list[str]] = field(default_factory=dict)
    """The messages behind each approved consent request of the file on which no field of the profile rests so far."""

    @property
    def user_id(self) -> str:
        return self.actor.user_id


@dataclass(frozen=True, slots=True)
class Imported:
    """What came in, or would."""

    added: dict[str, int]
    """How many new things, by the type of their line."""
    requests: int
    """Values for the profile, and memories that say them, that wait for a yes."""
    known: int
    """What was here already."""
    reworded: int
    """Memories that are here in other words, which stay."""
    left_out: int
    """Conversations without words, what belongs to chats that were here before, decisions of another store, what was erased
    for good, and memories that would hide behind a question of another."""
    step: str
    """What to name to take it back; empty when nothing came in."""

    def __str__(self) -> str:
        others = sum(count for kind, count in self.added.items() if kind not in ("memory", "thread", "message"))
        memories, chats, messages = (self.added.get(kind, 0) for kind in ("memory", "thread", "message"))
        parts = [
            counted(memories, "memory", "memories") if memories else "",
            counted(chats, "chat") + (f" with {counted(messages, 'message')}" if messages else "") if chats else "",
            counted(messages, "message") if messages and not chats else "",
            counted(others, "other entry", "other entries") if others else "",
            f"{counted(self.requests, 'request')} for your profile, to be answered" if self.requests else "",
        ]
        said = ", ".join(part for part in parts if part) or "nothing new"
        said += f"; {counted(self.known, 'entry', 'entries')} here already" if self.known else ""
        said += f"; {counted(self.reworded, 'memory', 'memories')} here in other words, left unchanged" if self.reworded else ""
        left_out = f"{counted(self.left_out, 'entry', 'entries')} left out: {LEFT_OUT}"
        return said + (f"; {left_out}" if self.left_out else "")
