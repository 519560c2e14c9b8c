"""The prompt of one model call: its words, and how the reply is to be sampled.

Every call of a turn shares one trunk (system text, earlier turns, the person's message) and differs only in a short suffix,
so the second call reuses the key/value cache of the first. This module owns that shape; `prompts` fills it, `inference`
renders it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

PromptForm = Literal["simple", "full"]
"""What a prompt is made of: little and plain for a small model, turns and instructions for one that can follow them."""


class FormRule(StrEnum):
    """How the form of a prompt is chosen."""

    AUTO = "auto"
    SIMPLE = "simple"
    FULL = "full"


@dataclass(frozen=True)
class PromptTurn:
    """One earlier message of a conversation. Its content is data: control tokens inside it never become control tokens."""

    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True)
class Prompt:
    """The words of one model call."""

    system: str
    turns: tuple[PromptTurn, ...]
    """Alternating, oldest first, ending with the person's message. `system` and `turns` are the trunk that calls share."""
    suffix: str = ""
    """What this call asks, put inside the last user turn after the person's words. Short: it is never cached."""
    head: str = ""
    """The beginning of the reply, fed to the model and not sampled. It is not part of the text that comes back."""
    aside: bool = False
    """It is of no conversation: computed beside the trunk that is kept for one, and not kept itself."""
    neutral: "Prompt | None" = None
    """The same without the message, for `Sampling.contrast`; kept in the cache beside the trunk."""


@dataclass(frozen=True)
class Sampling:
    """How a reply is sampled, and where it ends."""

    max_tokens: int
    temperature: float = 0.0
    """0 takes the likeliest token each time."""
    top_p: float = 0.95
    min_p: float = 0.0
    """Tokens less likely than this share of the likeliest one are left out."""
    repeat_penalty: float = 1.0
    """Above 1 makes tokens of the last 64 less likely; 1 leaves them alone."""
    contrast: float = 0.0
    """Above 0, tokens gain that are likelier in a reply to the prompt than in one to its `neutral` prompt."""
    dry_multiplier: float = 0.0
    """Above 0, tokens that go on with what was said before are less likely, the more so the longer the run."""
    dry_allowed: int = 2
    """So many tokens may be said again."""
    said: tuple[str, ...] = ()
    """The earlier replies that must not be said again, oldest first, for `dry_multiplier`."""
    sentences: int = 0
    """The reply ends with so many; 0 lets the model say when it is done."""
    seed: int = 0
    grammar: str | None = None
    """GBNF that the reply (after `Prompt.head`) must follow, starting at `root`."""
    schema: Mapping[str, Any] | None = None
    """The same as a JSON schema, for servers that take no grammar, where it is more than strings and lists of them."""
    stop: tuple[str, ...] = ()
    """The reply ends before the first of these strings; a part of one is held back while streaming."""
    tail: str = ""
    """Fed when the reply ends by itself, so that the model goes on with one more line (`NEXT_PREDICTION:`)."""
    tail_tokens: int = 24


@dataclass(frozen=True)
class Piece:
    """A streamed part of the reply; `tail` parts come after `Sampling.tail` and are not for the reader."""

    text: str
    """Empty while the model thinks before it speaks: what it thinks is for nobody."""
    tail: bool = False


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
    neutral_tokens: int = 0
    """Tokens computed of the neutral prompt and, behind it, of the reply."""


Reason = Literal["end", "stop", "length", "cancelled"]
"""How a reply ended."""


@dataclass(frozen=True)
class Finished:
    """The last item of every reply."""

    reason: Reason
    usage: Usage
