"""The state of one running import, and its result."""

from collections import Counter
from dataclasses import dataclass, field, fields

from memapp.domain.changes import Actor
from memapp.domain.text import counted
from memapp.runtime import Runtime
from memapp.store.session import Session

LEFT_OUT = "without words, added to a chat that is here already, decided elsewhere, asked about already, or erased here"


@dataclass
class Imported:
    """What came in, or would."""

    added: Counter[str] = field(default_factory=Counter)
    """How many new things, by the type of their line."""
    requests: int = 0
    """Values for the profile, and memories that say them, that wait for a yes."""
    known: int = 0
    """What was here already."""
    reworded: int = 0
    """Memories that are here in other words, which stay."""
    left_out: int = 0
    """Conversations without words, what belongs to chats that were here before, decisions of another store, what was erased
    for good, and memories that would hide behind a question of another."""
    step: str = ""
    """What to name to take it back; empty when nothing came in."""

    def __str__(self) -> str:
        memories, chats, messages = (self.added[kind] for kind in ("memory", "thread", "message"))
        others = self.added.total() - memories - chats - messages
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


@dataclass(kw_only=True)
class Work(Imported):
    """One import under way, in one transaction."""

    runtime: Runtime
    session: Session
    actor: Actor
    came: set[str] = field(default_factory=set)
    """Chats, messages and memories that came in."""
    absent: set[str] = field(default_factory=set)
    """Memories, messages and predictions of the file that did not come in."""
    thread_ids: list[str] = field(default_factory=list)
    request_ids: list[str] = field(default_factory=list)
    support: dict[str, list[str]] = field(default_factory=dict)
    """The messages behind each approved consent request of the file on which no field of the profile rests so far."""

    def result(self) -> Imported:
        return Imported(**{one.name: getattr(self, one.name) for one in fields(Imported)})
