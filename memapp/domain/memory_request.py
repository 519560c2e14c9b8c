"""Requests to the memory itself: to remember, to forget, to keep out of it, to mend, and to tell
what it knows.
"""

from dataclasses import dataclass
from typing import Literal

RequestKind = Literal["remember", "forget", "off", "wrong", "know", "undo"]
EVERYTHING = "everything"
"""What a request is about that names all there is."""
SLASHED: tuple[RequestKind, ...] = ("forget", "know")
"""Requests that can be written as a command, in any language; `/remember` keeps its words without a
message in the chat.
"""


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """One request to the memory, as it stands in a message."""

    kind: RequestKind
    content: str = ""
    """What it is about, in the person's words; empty for what was said or shown last, or for all
    that is known.
    """
    start: int = 0
    end: int = 0
    """Where its own words stand in the message, without the content: they must be the person's own.
    """
    is_all: bool = True
    """Nothing else is said, so that nothing is left for a model to answer."""
    is_sure: bool = True
    """Its wording says so. One that is only like a request takes nothing away unasked."""
    is_command: bool = False
    """Written as a command, in whatever language."""


def read_command(text: str) -> MemoryRequest | None:
    """Return the request that a message writes as a command: `/forget piano`."""
    name, _, content = text.removeprefix("/").partition(" ")
    kind = next((item for item in SLASHED if text.startswith("/") and name == item), None)
    return MemoryRequest(kind, content.strip(), 0, len(name) + 1, is_command=True) if kind else None
