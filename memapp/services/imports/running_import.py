"""The state of one running import, and its result."""

from collections import Counter
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path

from memapp.domain.changes import Actor
from memapp.domain.consent import FACT, FORGOTTEN, REQUEST_DAYS
from memapp.domain.foreign.items import Unread
from memapp.domain.profile import normal_value
from memapp.domain.text import clean, counted, one_line
from memapp.language.normal_form import gist, normalise
from memapp.runtime import Runtime
from memapp.store import consents
from memapp.store.encoding import new_id
from memapp.store.profile import read_profile
from memapp.store.session import Session

NAME_CHARS = 200
OF_CHATS = (
    "Imported chats are conversation only: memapp learns no facts from them,"
    " and quotes them elsewhere only after your yes."
)


def named(path: Path) -> str:
    """Return the name of a file in the inbox."""
    name = (
        one_line(clean(path.absolute().name))[:NAME_CHARS]
        if path.is_file() or path.is_dir()
        else ""
    )
    return name or "standard input"


@dataclass
class Imported:
    """The result of an import, or of its rehearsal."""

    added: Counter[str] = field(default_factory=Counter)
    """New entries, by the type of their line."""
    facts: int = 0
    """Pending statements about the person."""
    chats: int = 0
    """Chats that are not quoted elsewhere before a yes."""
    known: int = 0
    """Entries that were here already."""
    reworded: int = 0
    """Memories that are here in other words, left unchanged."""
    edited: int = 0
    """Memories changed by a note of the file."""
    estimated: int = 0
    """Messages without a time, dated by a neighbour."""
    hidden: int = 0
    """Chats and messages imported without the password or key in them."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Entries that are not imported, by kind."""
    step: str = ""
    """The step to undo; empty if nothing was imported."""
    file_id: str = ""
    """Stands for all pending requests of the file; empty if there are none."""

    def __str__(self) -> str:
        memories, chats, messages = (self.added[kind] for kind in ("memory", "thread", "message"))
        other_entries = self.added.total() - memories - chats - messages
        parts = [
            counted(memories, "memory", "memories") if memories else "",
            counted(chats, "chat") + (f" with {counted(messages, 'message')}" if messages else "")
            if chats
            else "",
            counted(messages, "message") if messages and not chats else "",
            counted(other_entries, "other entry", "other entries") if other_entries else "",
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
    """An import in progress, in one transaction."""

    runtime: Runtime
    session: Session
    actor: Actor
    came: set[str] = field(default_factory=set)
    """Chats, messages and memories that were imported."""
    absent: set[str] = field(default_factory=set)
    """Memories, messages and predictions of the file that were not imported."""
    thread_ids: list[str] = field(default_factory=list)
    name: str
    """Of the file."""
    beside: datetime
    """Time of a neighbour, for conversations without a time."""
    asked_here: set[tuple[str, str]] = field(default_factory=set)
    """Requests this file added, as returned by `same`."""
    support: dict[str, list[str]] = field(default_factory=dict)
    """Messages behind each approved request of the file that no profile field uses so far."""

    @cached_property
    def profile(self) -> dict[str, tuple[str, ...]]:
        """The profile, which no import changes."""
        return read_profile(self.session)

    @cached_property
    def asked(self) -> dict[tuple[str, str], str | None]:
        """Pending requests with the normal text of their memory, and denied ones with None."""
        requests = consents.asked_or_denied(
            self.session, self.session.now - timedelta(days=REQUEST_DAYS)
        )
        return {
            self.same(field, value): memory_text and normalise(memory_text)
            for field, value, memory_text in requests
        }

    def same(self, field: str, value: str) -> tuple[str, str]:
        """Return the key of a request, which equal requests share."""
        if field == FORGOTTEN:
            return field, gist(value)
        return field, normalise(value) if field == FACT else normal_value(field, value)

    def file(self) -> str:
        """Return the id of the file, stored with its first request."""
        if not self.file_id:
            self.file_id = new_id(self.session.now)
            consents.add_file(self.session, self.file_id, self.name)
        return self.file_id

    def result(self) -> Imported:
        return Imported(**{field.name: getattr(self, field.name) for field in fields(Imported)})
