"""The prompts of a turn: what they are made of, and what of it the budget allows."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from memapp.domain import repetition
from memapp.domain.chat import Exchange, Message, Thread, exchanges
from memapp.domain.delta import NO_NEWS
from memapp.domain.prompt import Prompt, Sampling
from memapp.errors import ConfigError
from memapp.inference import ChatModel
from memapp.prompts import budget, predict, respond
from memapp.prompts import remark as remarks
from memapp.prompts.attempt import FIRST, Attempt
from memapp.prompts.context import PromptContext, needed_of_profile, profile_line
from memapp.prompts.history import recent
from memapp.runtime import Runtime
from memapp.services.consent import decisions
from memapp.services.episodes import in_prompt
from memapp.services.limits import without_reminder
from memapp.services.open_turn import shown_exchanges
from memapp.services.retrieved import Retrieved
from memapp.store import chat, search


def prompt_context(
    runtime: Runtime,
    model: ChatModel,
    thread: Thread,
    earlier: list[Message],
    text: str | None,
) -> PromptContext:
    """Return what the prompts of a turn are made of, cut to the budget."""
    persona = runtime.persona_in(thread)
    cards = chat.list_context_cards(runtime.read(), thread.id)
    pairs = [
        replace(exchange, reply=without_reminder(exchange.reply))
        for exchange in exchanges(_held(runtime, earlier))
    ]
    pairs = [exchange for exchange in pairs if not repetition.is_degenerate(exchange.reply)]
    total = (
        max(len(pairs), earlier[-1].seq // 2) if earlier else 0
    )  # `earlier` is only the end of a long chat
    kept = recent(pairs, shown_exchanges(runtime, persona), total)
    profile = decisions.profile(runtime)
    whole = PromptContext(
        persona,
        (*persona.evidence, *cards),
        kept,
        text,
        profile_line(profile if persona.is_inner_voice else needed_of_profile(profile, text)),
        episodes=_fallen_out(runtime, thread, earlier, kept),
        said=tuple(pair.reply for pair in pairs[-respond.SAID :]),
    )
    request = partial(reply_request, runtime, retrieved=Retrieved())
    try:
        return budget.fit(whole, request, _limit(runtime, model, whole), model.prompt_tokens)
    except ConfigError as error:
        raise ConfigError(error.message, _advice_on_limits(runtime, model)) from None


def _held(runtime: Runtime, earlier: Sequence[Message]) -> list[Message]:
    """Return the messages of a chat but for what was taken back, and what was said to that: a model
    would speak of it again.
    """
    gone = (
        search.taken_back(runtime.read(), [message.id for message in earlier]) if earlier else set()
    )
    return [
        message for message in earlier if message.id not in gone and message.reply_to not in gone
    ]


def _fallen_out(
    runtime: Runtime, thread: Thread, earlier: list[Message], kept: Sequence[Exchange]
) -> tuple[str, ...]:
    """Return the episodes of what stands before the exchanges that a prompt shows."""
    begun = kept[0].user or kept[0].reply if kept else ""
    first = next((message.seq for message in reversed(earlier) if message.text == begun), 0)
    return in_prompt(runtime, thread.id, first) if first > 1 else ()


def _limit(runtime: Runtime, model: ChatModel, context: PromptContext) -> int:
    """Return the most tokens of a reply's request: the prompts of both calls stay in the model's
    window, side by side.

    A window that is too small for that serves one call after the other.
    """
    whole = min(runtime.settings.budget_tokens, model.context_tokens)
    beside = min(
        whole, model.context_tokens - budget.cost(predict.request(context), model.prompt_tokens)
    )
    least = budget.least(
        context, partial(reply_request, runtime, retrieved=Retrieved()), model.prompt_tokens
    )
    return beside if least + budget.MEMORY_TOKENS <= beside else whole


def _advice_on_limits(runtime: Runtime, model: ChatModel) -> str:
    """Name the limit that a request is too large for."""
    if runtime.settings.budget_tokens <= model.context_tokens:
        return "Raise `budget_tokens` or lower `reply_tokens`."
    if runtime.settings.context_tokens <= model.context_tokens:
        return "Raise `context_tokens` or lower `reply_tokens`."
    return f"This model has a window of {model.context_tokens:,} tokens: lower `reply_tokens`, or choose another model."


def reply_request(
    runtime: Runtime, context: PromptContext, retrieved: Retrieved, attempt: Attempt = FIRST
) -> tuple[Prompt, Sampling]:
    """Return what the model is asked for the reply, or for a remark of its own."""
    if context.message is None:
        return remarks.request(context, attempt)
    return respond.request(
        context,
        retrieved.hits,
        limits=retrieved.limits,
        updates=retrieved.delta.lines,
        lessons=[hit.text for hit in retrieved.lessons],
        attempt=attempt,
        reply_tokens=context.persona.reply_tokens or runtime.settings.reply_tokens,
        temperature=runtime.settings.temperature,
    )


def affordable(
    runtime: Runtime, model: ChatModel, context: PromptContext, found: Retrieved
) -> Retrieved:
    """Drop the news, which can wait, the lessons, the limits and the weakest hits, until a request
    is within its budget.
    """
    limit, tokens = _limit(runtime, model, context), model.prompt_tokens
    if found.delta.news and not budget.fits(reply_request(runtime, context, found), limit, tokens):
        found = replace(found, delta=NO_NEWS)
    if found.lessons and not budget.fits(
        reply_request(runtime, context, replace(found, hits=())), limit, tokens
    ):
        found = replace(found, lessons=())
    if found.limits and not budget.fits(
        reply_request(runtime, context, replace(found, hits=())), limit, tokens
    ):
        found = replace(found, limits=())
    hits = budget.fit_hits(
        found.hits,
        lambda some: reply_request(runtime, context, replace(found, hits=tuple(some))),
        limit,
        tokens,
    )
    return replace(found, hits=hits)
