"""Requests to the memory: remember, forget, keep out, correct, tell, undo."""

from dataclasses import dataclass
from typing import Literal

RequestKind = Literal["remember", "forget", "off", "wrong", "know", "undo"]
EVERYTHING = "everything"
"""The content of a request about all memories."""
SLASHED: tuple[RequestKind, ...] = ("forget", "know")
"""Requests with a command, in any language; `/remember` adds no message to the chat."""


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """A request to the memory in a message."""

    kind: RequestKind
    content: str = ""
    """The subject in the person's words; empty for the last statement or answer, or for all."""
    start: int = 0
    end: int = 0
    """The span of the request in the message, without the content; must be typed."""
    is_all: bool = True
    """True if the message holds nothing else, so that no model has to answer."""
    is_sure: bool = True
    """False for a message merely similar to a request, which deletes nothing unasked."""
    is_command: bool = False
    """True if written as a slash command."""


def read_command(text: str) -> MemoryRequest | None:
    """Return the request of a slash command: `/forget piano`."""
    name, _, content = text.removeprefix("/").partition(" ")
    kind = next((each for each in SLASHED if text.startswith("/") and name == each), None)
    return MemoryRequest(kind, content.strip(), 0, len(name) + 1, is_command=True) if kind else None
