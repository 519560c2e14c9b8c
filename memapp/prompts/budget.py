"""Keeping a request within the tokens it may cost, counted with the model's own tokenizer."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from memapp.domain.memory import Recalled
from memapp.domain.prompt import Prompt, Sampling
from memapp.errors import ConfigError
from memapp.prompts.context import PromptContext
from memapp.prompts.history import SHOWN_CHARS, begun, drop_step

MEMORY_TOKENS = 400
"""Left free for what recall will find, since a scene is fitted before recall has run."""
CONTROL_TOKENS = 64
"""More than a template puts around one of the contents of a prompt."""
CHARS_PER_TOKEN = 8
"""More letters than any tokenizer packs into a token on average; what is longer is cut before it is
counted at all.
"""
KEPT_IN_FRONT = 2 / 3
"""Of a message that is cut in the middle: the beginning says what it is, the end what is asked."""

T = TypeVar("T")
Request = tuple[Prompt, Sampling]


def fit(
    context: PromptContext,
    request: Callable[[PromptContext], Request],
    limit: int,
    prompt_tokens: Callable[[Prompt], int],
) -> PromptContext:
    """Cut a scene down until its request, reply and reserve included, stays within `limit` tokens.

    The oldest exchanges go first, in steps, so that what is left begins at the same place for a
    while and stays in the model's cache; of the last one its end; the oldest cards; at last the
    middle of the message. Costs one count at most when the scene fits as it is. Raises
    `ConfigError` when even an empty message would not fit.
    """
    room = room_of(limit)

    def cost_of(one: PromptContext) -> int:
        return cost(request(one), prompt_tokens)

    def is_within(one: PromptContext) -> bool:
        return fits(request(one), room + 1, prompt_tokens)

    context = _with_message(context, room * CHARS_PER_TOKEN)
    if is_within(context):
        return context
    if is_within(without := replace(context, history=())):
        return _with_late_history(context, is_within) or without
    if is_within(replace(without, cards=())):
        kept = [
            replace(without, cards=context.cards[start:])
            for start in range(1, len(context.cards) + 1)
        ]
        return _first(kept, is_within) or without
    return _cut_message(replace(without, cards=(), profile_line=""), cost_of, room)


def room_of(limit: int) -> int:
    """Return how many tokens a request may have within a limit, reply included, before recall has
    run.
    """
    return limit - min(MEMORY_TOKENS, limit // 4)


def fits(request: Request, limit: int, prompt_tokens: Callable[[Prompt], int]) -> bool:
    """Say whether a request, reply included, stays below `limit` tokens; what is short enough is
    not counted.
    """
    return cost(request, _most_tokens) < limit or cost(request, prompt_tokens) < limit


def fit_hits(
    hits: Sequence[Recalled],
    request: Callable[[Sequence[Recalled]], Request],
    limit: int,
    prompt_tokens: Callable[[Prompt], int],
) -> tuple[Recalled, ...]:
    """Drop the weakest hits until the request, reply included, stays below `limit` tokens."""
    kept = [tuple(hits[:count]) for count in range(len(hits), 0, -1)]
    return _first(kept, lambda some: fits(request(some), limit, prompt_tokens)) or ()


def least(
    context: PromptContext,
    request: Callable[[PromptContext], Request],
    prompt_tokens: Callable[[Prompt], int],
) -> int:
    """Return the tokens of a context's request without all that `fit` can leave out, reply
    included.
    """
    bare = replace(context, history=(), cards=(), profile_line="")
    return cost(request(bare if bare.message is None else replace(bare, message="")), prompt_tokens)


def cost(request: Request, prompt_tokens: Callable[[Prompt], int]) -> int:
    """Return the tokens of a request, reply included."""
    prompt, sampling = request
    return prompt_tokens(prompt) + sampling.max_tokens


def _most_tokens(prompt: Prompt) -> int:
    """Return more tokens than a prompt can have: no token is shorter than a byte, whatever the
    model's vocabulary.
    """
    contents = [prompt.system, prompt.suffix, prompt.head, *(turn.content for turn in prompt.turns)]
    return sum(len(content.encode("utf-8", "replace")) + CONTROL_TOKENS for content in contents)


def _with_late_history(
    context: PromptContext, fits: Callable[[PromptContext], bool]
) -> PromptContext | None:
    """Keep as many of the last exchanges as fit, rounded down to steps, or else the beginning of
    the last one.
    """
    history = context.history
    if late := _first(
        [replace(context, history=history[start:]) for start in range(1, len(history))], fits
    ):
        step = drop_step(len(late.history))
        start = -(-(len(history) - len(late.history)) // step) * step
        return replace(context, history=history[start:])
    shorter = [
        replace(context, history=(begun(history[-1], SHOWN_CHARS >> halvings),))
        for halvings in range(1, 5)
    ]
    return _first(shorter, fits)


def _cut_message(
    context: PromptContext, cost: Callable[[PromptContext], int], room: int
) -> PromptContext:
    """Cut the middle of the message out, guessing its size from what its letters cost on average."""
    bare = cost(replace(context, message=""))
    if bare >= room:
        raise ConfigError(
            f"The persona {context.persona.id!r} and its reply need {bare:,} tokens, and a request may have {room:,}.",
            "Raise `budget_tokens` or lower `reply_tokens`.",
        )
    length = len(context.message or "")
    letters_per_token = length / max(1, cost(context) - bare)
    while True:
        length = int(min(length * 0.9, (room - bare) * letters_per_token))
        cut = _with_message(context, length)
        if length <= 0 or cost(cut) <= room:
            return cut


def _with_message(context: PromptContext, length: int) -> PromptContext:
    """Return the scene with at most `length` characters of its message, and a note where some were
    left out.
    """
    message = context.message
    if message is None or len(message) <= length:
        return context
    front = int(length * KEPT_IN_FRONT)
    left_out = len(message) - length
    note = f"\n[... {left_out:,} characters left out ...]\n"
    return replace(
        context, message=message[:front] + note + message[len(message) - (length - front) :]
    )


def _first(candidates: Sequence[T], fits: Callable[[T], bool]) -> T | None:
    """Return the first candidate that fits, given that all after it fit too; counting only as often
    as a bisection must.
    """
    at = bisect_left(candidates, True, key=fits)
    return candidates[at] if at < len(candidates) else None
