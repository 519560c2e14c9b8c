"""The prompt of one model call: its words, and how the reply is to be sampled.

A prompt is a trunk (system text, turns, the person's message), a short suffix and the beginning of
the reply. Calls whose prompts begin alike reuse the key/value cache of their slot. This module owns
that shape; `prompts` fills it, `inference` renders it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

CacheSlot = Literal["chat", "look-up", "scratch"]
"""The sequence of the key/value cache that holds a prompt: two are kept between calls, `scratch` is
cleared after its call.
"""


@dataclass(frozen=True)
class PromptTurn:
    """One earlier message of a conversation. Its content is data: control tokens inside it never
    become control tokens.
    """

    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True)
class Prompt:
    """The words of one model call."""

    system: str
    turns: tuple[PromptTurn, ...]
    """Alternating, oldest first, ending with the person's message. `system` and `turns` are the
    trunk that calls share.
    """
    suffix: str = ""
    """What this call asks, put inside the last user turn after the person's words. Short: it is
    never cached.
    """
    head: str = ""
    """The beginning of the reply, fed to the model and not sampled. It is not part of the text that
    comes back.
    """
    slot: CacheSlot = "chat"


@dataclass(frozen=True)
class Sampling:
    """How a reply is sampled, and where it ends."""

    max_tokens: int
    temperature: float = 0.0
    """0 takes the likeliest token each time."""
    top_p: float = 0.95
    min_p: float = 0.0
    """Tokens less likely than this share of the likeliest one are left out."""
    dry_multiplier: float = 0.0
    """Above 0, tokens that go on with what was said before are less likely, the more so the longer
    the run.
    """
    dry_allowed: int = 2
    """So many tokens may be said again."""
    said: tuple[str, ...] = ()
    """The earlier replies that must not be said again, oldest first, for `dry_multiplier`."""
    seed: int = 0
    grammar: str | None = None
    """GBNF that the reply (after `Prompt.head`) must follow, starting at `root`."""
    schema: Mapping[str, Any] | None = None
    """The same as a JSON schema, for servers that take no grammar, where it is more than strings
    and lists of them.
    """
    stop: tuple[str, ...] = ()
    """The reply ends before the first of these strings; a part of one is held back while streaming.
    """


@dataclass(frozen=True)
class Piece:
    """A streamed part of the reply."""

    text: str
    """Empty while the model thinks before it speaks."""
    thought: str = ""
    """What it thinks: no part of the reply, and kept nowhere."""
    retracts: bool = False
    """All text before this was thought too, as `thought` says once more: the reply begins here."""

    def joined_to(self, text: str) -> str:
        """Return the text of a reply with this piece."""
        return ("" if self.retracts else text) + self.text


@dataclass(frozen=True)
class Usage:
    """What one call cost. Token counts do not depend on how busy the machine is; seconds do."""

    prefill_tokens: int = 0
    """Prompt tokens that had to be computed."""
    reused_tokens: int = 0
    """Prompt tokens found in the cache."""
    decode_tokens: int = 0
    first_token_seconds: float = 0.0
    """From the call to its first token."""
    seconds: float = 0.0
    waited_seconds: float = 0.0
    """Of a reply: from the message to its first word, with all that a turn does before."""
    at_limit: bool = False
    """The reply took all the tokens it was allowed, so it may end in the middle of a sentence."""


Reason = Literal["end", "stop", "length", "cancelled"]
"""How a reply ended."""


@dataclass(frozen=True)
class Finished:
    """The last item of every reply."""

    reason: Reason
    usage: Usage
