"""Token budgets: fitting a request into its limit, counted with the model's tokenizer."""

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
"""Reserved for hits of recall, since a context is fitted before."""
CONTROL_TOKENS = 64
"""More than a template adds to each content of a prompt."""
CHARS_PER_TOKEN = 8
"""More letters than any tokenizer puts into a token on average; longer text is cut before counting.
"""
KEPT_IN_FRONT = 2 / 3
"""The share kept of the beginning of a cut message, which says what it is; the end asks."""

T = TypeVar("T")
Request = tuple[Prompt, Sampling]


def fit(
    context: PromptContext,
    request: Callable[[PromptContext], Request],
    limit: int,
    prompt_tokens: Callable[[Prompt], int],
) -> PromptContext:
    """Return a context cut until its request, reply and reserve included, is within `limit` tokens.

    The oldest exchanges go first, in steps, so that the beginning stays the same for a while and in
    the model's cache; then the last one is shortened; then the oldest cards go; at last the middle
    of the message. One count at most if the context fits as it is. Raises `ConfigError` when even
    an empty message would not fit.
    """
    room = room_of(limit)

    def cost_of(candidate: PromptContext) -> int:
        return cost(request(candidate), prompt_tokens)

    def is_within(candidate: PromptContext) -> bool:
        return fits(request(candidate), room + 1, prompt_tokens)

    context = _with_message(context, room * CHARS_PER_TOKEN)
    if is_within(context):
        return context
    if is_within(without := replace(context, history=())):
        return _with_late_history(context, is_within) or without
    if is_within(replace(without, cards=())):
        with_fewer_cards = [
            replace(without, cards=context.cards[start:])
            for start in range(1, len(context.cards) + 1)
        ]
        return _first(with_fewer_cards, is_within) or without
    return _cut_message(replace(without, cards=(), profile_line=""), cost_of, room)


def room_of(limit: int) -> int:
    """Return the tokens for a request, reply included, that a limit leaves before recall."""
    return limit - min(MEMORY_TOKENS, limit // 4)


def fits(request: Request, limit: int, prompt_tokens: Callable[[Prompt], int]) -> bool:
    """Return True if a request with its reply is below `limit` tokens."""
    return cost(request, _most_tokens) < limit or cost(request, prompt_tokens) < limit


def fit_hits(
    hits: Sequence[Recalled],
    request: Callable[[Sequence[Recalled]], Request],
    limit: int,
    prompt_tokens: Callable[[Prompt], int],
) -> tuple[Recalled, ...]:
    """Return the best hits with which the request, reply included, is below `limit` tokens."""
    candidates = [tuple(hits[:count]) for count in range(len(hits), 0, -1)]
    return _first(candidates, lambda fewer: fits(request(fewer), limit, prompt_tokens)) or ()


def least(
    context: PromptContext,
    request: Callable[[PromptContext], Request],
    prompt_tokens: Callable[[Prompt], int],
) -> int:
    """Return the tokens of a request without everything that `fit` can remove, reply included."""
    bare = replace(context, history=(), cards=(), profile_line="")
    return cost(request(bare if bare.message is None else replace(bare, message="")), prompt_tokens)


def cost(request: Request, prompt_tokens: Callable[[Prompt], int]) -> int:
    """Return the tokens of a request, reply included."""
    prompt, sampling = request
    return prompt_tokens(prompt) + sampling.max_tokens


def _most_tokens(prompt: Prompt) -> int:
    """Return an upper bound of a prompt's tokens: each has a byte at least."""
    contents = [prompt.system, prompt.suffix, prompt.head, *(turn.content for turn in prompt.turns)]
    return sum(len(content.encode("utf-8", "replace")) + CONTROL_TOKENS for content in contents)


def _with_late_history(
    context: PromptContext, fits: Callable[[PromptContext], bool]
) -> PromptContext | None:
    """Return the context with as many recent exchanges as fit, or part of the last one."""
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
    """Return the context with the middle of its message cut, sized by letters per token."""
    bare = cost(replace(context, message=""))
    if bare >= room:
        raise ConfigError(
            f"The persona {context.persona.id!r} and its answer need {bare:,} tokens, "
            f"and a request may have {room:,}.",
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
    """Return the context with at most `length` characters of its message, and a note on the cut."""
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
    """Return the first candidate that fits, by bisection, as all after it fit too."""
    at = bisect_left(candidates, True, key=fits)
    return candidates[at] if at < len(candidates) else None
