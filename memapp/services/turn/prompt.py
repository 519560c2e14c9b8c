"""The prompts of a turn: their parts, cut to the budget."""

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
from memapp.services.open_turn import shown_exchanges
from memapp.services.recall import Retrieved, latest_episodes, without_reminder
from memapp.store import chat, withdrawn


def prompt_context(
    runtime: Runtime,
    model: ChatModel,
    thread: Thread,
    earlier: list[Message],
    text: str | None,
) -> PromptContext:
    """Return the parts of a turn's prompts, cut to the budget."""
    persona = runtime.persona_in(thread)
    cards = chat.list_context_cards(runtime.read(), thread.id)
    pairs = [
        replace(exchange, reply=without_reminder(exchange.reply))
        for exchange in exchanges(_without_withdrawn(runtime, earlier))
    ]
    pairs = [exchange for exchange in pairs if not repetition.is_degenerate(exchange.reply)]
    # `earlier` is only the end of a long chat.
    total = max(len(pairs), earlier[-1].seq // 2) if earlier else 0
    kept = recent(pairs, shown_exchanges(runtime, persona), total)
    profile = decisions.profile(runtime)
    whole = PromptContext(
        persona,
        (*persona.evidence, *cards),
        kept,
        text,
        profile_line(profile if persona.is_inner_voice else needed_of_profile(profile, text)),
        episodes=_earlier_episodes(runtime, thread, earlier, kept),
        said=tuple(exchange.reply for exchange in pairs[-respond.SAID :]),
    )
    request = partial(reply_request, runtime, retrieved=Retrieved())
    try:
        return budget.fit(whole, request, _limit(runtime, model, whole), model.prompt_tokens)
    except ConfigError as error:
        raise ConfigError(error.message, _advice_on_limits(runtime, model)) from None


def _without_withdrawn(runtime: Runtime, earlier: Sequence[Message]) -> list[Message]:
    """Return messages without withdrawn ones and the replies to these.

    A model would speak of them again.
    """
    withdrawn_ids = (
        withdrawn.withdrawn(runtime.read(), [message.id for message in earlier])
        if earlier
        else set()
    )
    return [
        message
        for message in earlier
        if message.id not in withdrawn_ids and message.reply_to not in withdrawn_ids
    ]


def _earlier_episodes(
    runtime: Runtime, thread: Thread, earlier: list[Message], kept: Sequence[Exchange]
) -> tuple[str, ...]:
    """Return the episodes before the exchanges in a prompt."""
    begun = kept[0].user or kept[0].reply if kept else ""
    first = next((message.seq for message in reversed(earlier) if message.text == begun), 0)
    return latest_episodes(runtime, thread.id, first) if first > 1 else ()


def _limit(runtime: Runtime, model: ChatModel, context: PromptContext) -> int:
    """Return the token limit of a reply's request, beside call 1 in the model's window.

    A window too small for both serves one call after the other.
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
    """Return advice on the limit that a request exceeds."""
    if runtime.settings.budget_tokens <= model.context_tokens:
        return "Raise `budget_tokens` or lower `reply_tokens`."
    if runtime.settings.context_tokens <= model.context_tokens:
        return "Raise `context_tokens` or lower `reply_tokens`."
    return (
        f"This model has a window of {model.context_tokens:,} tokens:"
        " lower `reply_tokens`, or choose another model."
    )


def reply_request(
    runtime: Runtime, context: PromptContext, retrieved: Retrieved, attempt: Attempt = FIRST
) -> tuple[Prompt, Sampling]:
    """Return the request for a reply, or for an unprompted remark."""
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
    runtime: Runtime, model: ChatModel, context: PromptContext, retrieved: Retrieved
) -> Retrieved:
    """Drop news, lessons, limits and the weakest hits until a request fits the budget."""
    limit, tokens = _limit(runtime, model, context), model.prompt_tokens
    if retrieved.delta.news and not budget.fits(
        reply_request(runtime, context, retrieved), limit, tokens
    ):
        retrieved = replace(retrieved, delta=NO_NEWS)
    if retrieved.lessons and not budget.fits(
        reply_request(runtime, context, replace(retrieved, hits=())), limit, tokens
    ):
        retrieved = replace(retrieved, lessons=())
    if retrieved.limits and not budget.fits(
        reply_request(runtime, context, replace(retrieved, hits=())), limit, tokens
    ):
        retrieved = replace(retrieved, limits=())
    hits = budget.fit_hits(
        retrieved.hits,
        lambda hits: reply_request(runtime, context, replace(retrieved, hits=tuple(hits))),
        limit,
        tokens,
    )
    return replace(retrieved, hits=hits)
