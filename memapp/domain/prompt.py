"""The prompt of a model call, and the sampling of the reply.

A prompt is a trunk (system text, turns, the person's message), a short suffix and the beginning of
the reply. Calls whose prompts begin alike reuse the key/value cache of their slot. This module owns
that shape; `prompts` fills it, `inference` renders it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

CacheSlot = Literal["chat", "look-up", "scratch"]
"""The sequence of the key/value cache for a prompt: two are kept between calls, `scratch` is
cleared after its call.
"""


@dataclass(frozen=True)
class PromptTurn:
    """An earlier message of the conversation, whose content never becomes control tokens."""

    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True)
class Prompt:
    """The text of a model call."""

    system: str
    turns: tuple[PromptTurn, ...]
    """Alternating, oldest first, ending with the person's message; with `system` the shared trunk.
    """
    suffix: str = ""
    """The question of this call, inside the last user turn behind the message. Short: never cached.
    """
    head: str = ""
    """The beginning of the reply, given to the model; no part of the returned text."""
    slot: CacheSlot = "chat"


@dataclass(frozen=True)
class Sampling:
    """How a reply is sampled, and where it ends."""

    max_tokens: int
    temperature: float = 0.0
    """0 always takes the likeliest token."""
    top_p: float = 0.95
    min_p: float = 0.0
    """Tokens below this share of the likeliest one are excluded."""
    dry_multiplier: float = 0.0
    """Above 0, tokens that continue a repetition are penalised, more so in a longer one."""
    dry_allowed: int = 2
    """The longest repetition without a penalty."""
    said: tuple[str, ...] = ()
    """The earlier replies not to be repeated, oldest first, for `dry_multiplier`."""
    seed: int = 0
    grammar: str | None = None
    """GBNF for the reply (after `Prompt.head`), starting at `root`."""
    schema: Mapping[str, Any] | None = None
    """The same as a JSON schema, for servers without grammars, unless only strings and lists."""
    stop: tuple[str, ...] = ()
    """Strings that end the reply; a part of one is held back while streaming."""


@dataclass(frozen=True)
class Piece:
    """A streamed part of the reply."""

    text: str
    """Empty while the model thinks before it speaks."""
    thought: str = ""
    """A thought: no part of the reply, and never stored."""
    retracts: bool = False
    """True if all text before was a thought, repeated in `thought`: the reply begins here."""

    def joined_to(self, text: str) -> str:
        """Return the text of a reply with this piece added."""
        return ("" if self.retracts else text) + self.text


@dataclass(frozen=True)
class Usage:
    """The cost of a call. Token counts do not depend on how busy the machine is; seconds do."""

    prefill_tokens: int = 0
    """Prompt tokens that had to be computed."""
    reused_tokens: int = 0
    """Prompt tokens found in the cache."""
    decode_tokens: int = 0
    first_token_seconds: float = 0.0
    """Time from the call to the first token."""
    seconds: float = 0.0
    waited_seconds: float = 0.0
    """For a reply, the time from the message to the first word, with the whole turn."""
    at_limit: bool = False
    """True if the reply used all allowed tokens, and may end within a sentence."""


Reason = Literal["end", "stop", "length", "cancelled"]
"""Why a reply ended."""


@dataclass(frozen=True)
class Finished:
    """The last item of every reply."""

    reason: Reason
    usage: Usage
