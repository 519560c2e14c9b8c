"""Asking before the profile changes: the request that waits for a yes.

Nothing here applies a request; what may become of one is guarded by the schema of the store.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from memapp.domain.changes import CLIENT
from memapp.domain.profile import FIELDS, has_many, normal_value
from memapp.domain.text import counted, one_line, shorten

RequestState = Literal["pending", "approved", "denied", "expired", "applied", "withdrawn"]
Decider = Literal["person", "chat", "signals", "clock", "agent"]
"""`agent` takes back what it proposed itself."""
DenyReason = Literal["wrong", "outdated", "private", "other"]
"""Not in the person's own words: the history, which is never rewritten, keeps it."""

FORGOTTEN = "forgotten"
"""The field of a request that is not about the profile: a fact that was erased and is stated again.
"""
FACT, CHAT = "fact", "chat"
"""Those of requests that came with an imported file: for a fact of it, and for the use of a chat of
it elsewhere.
"""
CONFLICT = "conflict"
"""That of two memories of which only one can hold: the old value gives way to the new one, and with
a no both stay.
"""
HOWTO = "howto"
"""That of a way of doing something which a message tells step by step."""
RUBRIC = "rubric"
"""That of another weight for a criterion of the rubric."""
BESIDE_PROFILE = {
    FORGOTTEN: "Something you erased",
    FACT: "Fact",
    CHAT: "Chat",
    HOWTO: "How-to",
    CONFLICT: "Only one holds",
    RUBRIC: "Rubric",
}
"""The labels of the fields that are not of the profile: a yes to one changes nothing there."""
REQUEST_DAYS = 7
SIGNALS_NEEDED = 2
SHOWN_CHARS = 60
"""As much of a value is said where it is named in passing."""
CAME_FROM = {"import": "imported", "undo": "taken back", "person": "by you"}


def label(field: str) -> str:
    """Return what the person calls a field."""
    return FIELDS[field].label if field in FIELDS else BESIDE_PROFILE.get(field, field)


@dataclass(frozen=True, slots=True)
class ConsentRequest:
    """A proposed change of one value of the profile; its field and values never change."""

    id: str
    user_id: str
    field: str
    old_value: str
    """What goes; empty for a new value, which stands beside the others or, in a field with one
    value, takes its place.
    """
    new_value: str
    """Empty where the person takes the value away, or where a change was asked for without saying
    to what; that needs a value.
    """
    evidence: tuple[str, ...]
    """Ids of the messages that it was read from."""
    proposer: str
    state: RequestState
    created_at: datetime
    expires_at: datetime
    file_id: str = ""
    """Of the imported file that it came with."""
    snoozed_until: datetime | None = None
    decided_at: datetime | None = None
    decided_by: str = ""
    quote: str = ""
    """What another program gives as the person's words; nobody checked that they are."""


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A file whose requests wait: one question, that can be opened."""

    id: str
    name: str
    facts: int
    """How many facts and values of it wait."""
    chats: int
    created_at: datetime
    expires_at: datetime

    def __str__(self) -> str:
        return f"{waiting_of(self.facts, self.chats)} from {self.name}"


def waiting_of(facts: int, chats: int) -> str:
    """Return how much of a file waits: `214 facts and 1 chat`."""
    parts = (counted(facts, "fact") if facts else "", counted(chats, "chat") if chats else "")
    return " and ".join(filter(None, parts))


def replaced(request: ConsentRequest, says: Sequence[str]) -> str:
    """Return the value that goes with a yes to a request, given what its field says; empty if none
    does.
    """
    return request.old_value or ("" if has_many(request.field) else "".join(says))


def came_from(request: ConsentRequest) -> str:
    """Return where a request comes from, in plain words."""
    if request.field == CONFLICT:
        return "your memory"
    if request.proposer.startswith(CLIENT):
        return request.proposer.removeprefix(CLIENT)
    return CAME_FROM.get(request.proposer, "from a chat")


def change(request: ConsentRequest) -> str:
    """Return a request in a few words: `Home “Bergen”`."""
    return f"{label(request.field)}{_quoted(request.new_value)}"


def decided(decision: str, request: ConsentRequest, more: int = 0) -> str:
    """Return what was decided, by its name in the history, on a request and so many more: `Approved
    Home “Bergen”`.
    """
    others = f" and {more} more" if more else ""
    if request.field == CONFLICT and decision in ("approved", "denied"):
        kept = (
            _quoted(request.new_value)
            if decision == "approved"
            else " both of two facts that disagree"
        )
        return f"Kept{kept}{others}"
    if decision == "changed" and request.proposer == "person":
        is_set, said = bool(request.new_value), _quoted(request.new_value or request.old_value)
        return f"{f'Set {label(request.field)} to' if is_set else f'Took away {label(request.field)}'}{said}{others}"
    return in_words_of(decision, f"{change(request)}{others}")


def in_words_of(decision: str, what: str) -> str:
    """Return what was decided, by its name in the history, on something that is named."""
    said = {
        "changed": "Approved {}",
        "approved": "Approved {}",
        "denied": "Denied {}",
        "withdrawn": "Withdrew {}",
    }
    said |= {"snoozed": "Put off {} until tomorrow", "expired": "Closed {} unanswered"}
    return said.get(decision, "Changed {}").format(what)


def _quoted(value: str) -> str:
    return f" “{shorten(one_line(value), SHOWN_CHARS)}”" if value else ""


def like(field: str, value: str) -> str:
    """Return a GLOB pattern that the new value, in small letters, of each request of this value
    fits, if it is all ASCII.
    """
    words = re.findall("[a-z0-9]+", normal_value(field, value)) if field != FORGOTTEN else []
    return f"*{max(words, key=len)}*" if words else "*"  # the words may stand in another order


def expiry(created_at: datetime) -> datetime:
    """Return when an undecided request expires."""
    return created_at + timedelta(days=REQUEST_DAYS)


def corroborated(signals: Collection[tuple[str, bool]]) -> bool:
    """Say whether enough distinct messages say it; each signal is a message id and whether the
    person typed it there.

    A message in which the same was also found in other text does not count: it may be one pasted
    text.
    """
    other = {message_id for message_id, typed in signals if not typed}
    return len({message_id for message_id, typed in signals if typed} - other) >= SIGNALS_NEEDED
