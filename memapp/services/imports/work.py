"""The state of one running import, and its result."""

from collections import Counter
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path

from memapp.domain.changes import Actor
from memapp.domain.consent import FACT, FORGOTTEN, REQUEST_DAYS
from memapp.domain.foreign.found import Unread
from memapp.domain.profile import normal_value
from memapp.domain.text import clean, counted, one_line
from memapp.language.wording import gist, normalise
from memapp.runtime import Runtime
from memapp.store import consents
from memapp.store.encoding import new_id
from memapp.store.profile import read_profile
from memapp.store.session import Session

NAME_CHARS = 200
OF_CHATS = "Imported chats are conversation only: memapp learns no facts from them, and quotes them elsewhere only after your yes."


def named(path: Path) -> str:
    """Return what a file is called in the inbox."""
    name = (
        one_line(clean(path.absolute().name))[:NAME_CHARS]
        if path.is_file() or path.is_dir()
        else ""
    )
    return name or "standard input"


@dataclass
class Imported:
    """What came in, or would."""

    added: Counter[str] = field(default_factory=Counter)
    """How many new things, by the type of their line."""
    facts: int = 0
    """What the file says of the person, which waits for their yes."""
    chats: int = 0
    """Chats that are quoted nowhere else before a yes."""
    known: int = 0
    """What was here already."""
    reworded: int = 0
    """Memories that are here in other words, which stay."""
    edited: int = 0
    """Memories that a note of the file changes."""
    estimated: int = 0
    """Messages without a time, which have that of a neighbour."""
    hidden: int = 0
    """Chats and messages that come in without a password or key that stands in them."""
    left_out: Counter[str] = field(default_factory=Counter)
    """How much of each kind does not come in."""
    step: str = ""
    """What to name to take it back; empty when nothing came in."""
    file_id: str = ""
    """What to name to decide on all that waits; empty when nothing does."""

    def __str__(self) -> str:
        memories, chats, messages = (self.added[kind] for kind in ("memory", "thread", "message"))
        others = self.added.total() - memories - chats - messages
        parts = [
            counted(memories, "memory", "memories") if memories else "",
            counted(chats, "chat") + (f" with {counted(messages, 'message')}" if messages else "")
            if chats
            else "",
            counted(messages, "message") if messages and not chats else "",
            counted(others, "other entry", "other entries") if others else "",
            f"{counted(self.edited, 'edited memory', 'edited memories')}" if self.edited else "",
            f"{counted(self.facts, 'fact')} to wait for your yes" if self.facts else "",
        ]
        left_out = ", ".join(
            str(Unread(kind, count)) for kind, count in self.left_out.most_common() if count
        )
        more = [
            f"{counted(self.known, 'entry', 'entries')} here already" if self.known else "",
            f"{counted(self.reworded, 'memory', 'memories')} here in other words, left unchanged"
            if self.reworded
            else "",
            f"{counted(self.estimated, 'message')} without a time, dated by a neighbour"
            if self.estimated
            else "",
            f"{counted(self.hidden, 'entry', 'entries')} without the password or key in it"
            if self.hidden
            else "",
            f"left out: {left_out}" if left_out else "",
        ]
        return "; ".join([", ".join(filter(None, parts)) or "nothing new", *filter(None, more)])


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
    name: str
    """Of the file."""
    beside: datetime
    """When what stands beside was said, for what does not say when."""
    asked_here: set[tuple[str, str]] = field(default_factory=set)
    """What this file put before the person, as `same` has it."""
    support: dict[str, list[str]] = field(default_factory=dict)
    """The messages behind each approved consent request of the file on which no field of the
    profile rests so far.
    """

    @cached_property
    def profile(self) -> dict[str, tuple[str, ...]]:
        """What the profile says, which no import changes."""
        return read_profile(self.session)

    @cached_property
    def asked(self) -> dict[tuple[str, str], str | None]:
        """What waits, with the normal text of the memory that waits with it, and what was denied
        lately, with None.
        """
        found = consents.asked_or_denied(
            self.session, self.session.now - timedelta(days=REQUEST_DAYS)
        )
        return {self.same(field, value): text and normalise(text) for field, value, text in found}

    def same(self, field: str, value: str) -> tuple[str, str]:
        """Return what two requests of the same have in common."""
        if field == FORGOTTEN:
            return field, gist(value)
        return field, normalise(value) if field == FACT else normal_value(field, value)

    def file(self) -> str:
        """Return the id of the file, which is kept when the first thing of it waits."""
        if not self.file_id:
            self.file_id = new_id(self.session.now)
            consents.add_file(self.session, self.file_id, self.name)
        return self.file_id

    def result(self) -> Imported:
        return Imported(**{field.name: getattr(self, field.name) for field in fields(Imported)})
