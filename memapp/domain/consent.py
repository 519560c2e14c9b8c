"""Consent requests: proposed changes of the profile that are pending until the person decides.

Nothing here applies a request; the schema of the store guards its transitions.
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
"""`agent` withdraws its own proposal."""
DenyReason = Literal["wrong", "outdated", "private", "other"]
"""Never free text: the history, which is never rewritten, keeps the reason."""

FORGOTTEN = "forgotten"
"""The field of a request to keep an erased fact that was stated again."""
FACT, CHAT = "fact", "chat"
"""The fields of requests for a sensitive sentence of no profile field or a fact of an imported
file, and for using an imported chat elsewhere.
"""
CONFLICT = "conflict"
"""The field of two contradicting memories: yes replaces the old value, no keeps both."""
HOWTO = "howto"
"""The field of a how-to that a message tells step by step."""
RUBRIC = "rubric"
"""The field of a new weight for a criterion of the rubric."""
BESIDE_PROFILE = {
    FORGOTTEN: "Something you erased",
    FACT: "Fact",
    CHAT: "Chat",
    HOWTO: "How-to",
    CONFLICT: "Only one holds",
    RUBRIC: "Rubric",
}
"""The labels of the fields outside the profile."""
REQUEST_DAYS = 7
SIGNALS_NEEDED = 2
SHOWN_CHARS = 60
"""The longest excerpt of a value in a sentence."""
CAME_FROM = {"import": "imported", "undo": "undone", "person": "by you"}


def label(field: str) -> str:
    """Return the label of a field."""
    return FIELDS[field].label if field in FIELDS else BESIDE_PROFILE.get(field, field)


@dataclass(frozen=True, slots=True)
class ConsentRequest:
    """A proposed change of one value of the profile; its field and values never change."""

    id: str
    user_id: str
    field: str
    old_value: str
    """The value to remove; empty for a new value, which is added or, in a single-value field,
    replaces the old one.
    """
    new_value: str
    """Empty for a removal, or for a change without a value, which the person still has to name."""
    evidence: tuple[str, ...]
    """Ids of the messages that support the request."""
    proposer: str
    state: RequestState
    created_at: datetime
    expires_at: datetime
    file_id: str = ""
    """Id of the imported file that the request came with."""
    snoozed_until: datetime | None = None
    decided_at: datetime | None = None
    decided_by: str = ""
    quote: str = ""
    """The person's words as another program quotes them, unchecked."""


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """An imported file with pending requests, asked about as one group that can be opened."""

    id: str
    name: str
    facts: int
    """How many facts and values are pending."""
    chats: int
    created_at: datetime
    expires_at: datetime

    def __str__(self) -> str:
        return f"{waiting_of(self.facts, self.chats)} from {self.name}"


def waiting_of(facts: int, chats: int) -> str:
    """Return how much of a file is pending: `214 facts and 1 chat`."""
    parts = (counted(facts, "fact") if facts else "", counted(chats, "chat") if chats else "")
    return " and ".join(filter(None, parts))


def replaced(request: ConsentRequest, says: Sequence[str]) -> str:
    """Return the value that approving a request removes, given the field's values; else nothing."""
    return request.old_value or ("" if has_many(request.field) else "".join(says))


def came_from(request: ConsentRequest) -> str:
    """Return the origin of a request, in plain words."""
    if request.field == CONFLICT:
        return "your memory"
    if request.proposer.startswith(CLIENT):
        return request.proposer.removeprefix(CLIENT)
    return CAME_FROM.get(request.proposer, "from a chat")


def change(request: ConsentRequest) -> str:
    """Return the change of a request in a few words: `Home “Bergen”`."""
    return f"{label(request.field)}{_quoted(request.new_value)}"


def decided(decision: str, request: ConsentRequest, more: int = 0) -> str:
    """Return a decision on a request and `more` others, in words: `Approved Home “Bergen”`."""
    others = f" and {more} more" if more else ""
    if request.field == CONFLICT and decision in ("approved", "denied"):
        kept = (
            _quoted(request.new_value)
            if decision == "approved"
            else " both of two facts that disagree"
        )
        return f"Kept{kept}{others}"
    if decision == "changed" and request.proposer == "person":
        value = _quoted(request.new_value or request.old_value)
        name = label(request.field)
        done = f"Set {name} to" if request.new_value else f"Took away {name}"
        return f"{done}{value}{others}"
    return in_words_of(decision, f"{change(request)}{others}")


def in_words_of(decision: str, what: str) -> str:
    """Return a decision in words, with its object."""
    wordings = {
        "changed": "Approved {}",
        "approved": "Approved {}",
        "denied": "Denied {}",
        "withdrawn": "Withdrew {}",
        "snoozed": "Put off {} until tomorrow",
        "expired": "Closed {} unanswered",
    }
    return wordings.get(decision, "Changed {}").format(what)


def _quoted(value: str) -> str:
    return f" “{shorten(one_line(value), SHOWN_CHARS)}”" if value else ""


def like(field: str, value: str) -> str:
    """Return a GLOB pattern for the lower-case new value of every request of a value, if ASCII."""
    words = re.findall("[a-z0-9]+", normal_value(field, value)) if field != FORGOTTEN else []
    return f"*{max(words, key=len)}*" if words else "*"  # the words may stand in another order


def expiry(created_at: datetime) -> datetime:
    """Return the time at which an undecided request expires."""
    return created_at + timedelta(days=REQUEST_DAYS)


def corroborated(signals: Collection[tuple[str, bool]]) -> bool:
    """Return True if enough messages say the same; each signal is a message id and if it was typed.

    A message that also contains the statement in untyped text does not count: all of it may be one
    pasted text.
    """
    other = {message_id for message_id, typed in signals if not typed}
    return len({message_id for message_id, typed in signals if typed} - other) >= SIGNALS_NEEDED
