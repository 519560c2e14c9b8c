"""The prompts of a turn: what they are made of, and what of it the budget allows."""

from collections.abc import Sequence
from dataclasses import replace

from memapp.domain import repetition
from memapp.domain.chat import Exchange, Message, Thread, exchanges
from memapp.domain.delta import NO_NEWS
from memapp.domain.prompt import Prompt, Sampling
from memapp.inference import ChatModel
from memapp.prompts import budget, respond
from memapp.prompts import remark as remarks
from memapp.prompts.context import PromptContext, needed_of_profile, profile_line
from memapp.prompts.history import recent
from memapp.prompts.respond import FIRST, Attempt
from memapp.runtime import Runtime
from memapp.services.consent import decisions
from memapp.services.episodes import in_prompt
from memapp.services.prompt_form import prompt_form, shown_exchanges
from memapp.services.retrieved import Retrieved
from memapp.store import chat, search


def prompt_context(
    runtime: Runtime,
    model: ChatModel,
    thread: Thread,
    earlier: list[Message],
    text: str | None,
    injected_updates: tuple[str, ...] = (),
) -> PromptContext:
    """Return what the prompts of a turn are made of, cut to the budget."""
    persona = runtime.persona_in(thread)
    cards = chat.list_context_cards(runtime.read(), thread.id)
    pairs = [one for one in exchanges(_held(runtime, earlier)) if not repetition.is_degenerate(one.reply)]
    total = max(len(pairs), earlier[-1].seq // 2) if earlier else 0  # `earlier` is only the end of a long chat
    kept = recent(pairs, shown_exchanges(runtime, persona), total)
    form = prompt_form(runtime, model)
    is_small_talker = form == "simple" and not persona.is_inner_voice  # it would say the lines of a log
    profile = decisions.profile(runtime)
    return budget.fit(
        PromptContext(
            persona,
            (*persona.evidence, *cards),
            kept,
            text,
            profile_line(needed_of_profile(profile, text) if is_small_talker else profile),
            () if is_small_talker else injected_updates,
            form=form,
            episodes=_fallen_out(runtime, thread, earlier, kept) if form == "full" else (),
            said=tuple(one.reply for one in pairs[-respond.SAID :]),
        ),
        lambda one: reply_request(runtime, one, Retrieved()),
        _limit(runtime, model),
        model.prompt_tokens,
    )


def _held(runtime: Runtime, earlier: Sequence[Message]) -> list[Message]:
    """Return the messages of a chat but for what was taken back, and what was said to that: a model would speak of it again."""
    gone = search.taken_back(runtime.read(), [one.id for one in earlier]) if earlier else set()
    return [one for one in earlier if one.id not in gone and one.reply_to not in gone]


def _fallen_out(runtime: Runtime, thread: Thread, earlier: list[Message], kept: Sequence[Exchange]) -> tuple[str, ...]:
    """Return the episodes of what stands before the exchanges that a prompt shows."""
    begun = kept[0].user or kept[0].reply if kept else ""
    first = next((one.seq for one in reversed(earlier) if one.text == begun), 0)
    return in_prompt(runtime, thread.id, first) if first > 1 else ()


def _limit(runtime: Runtime, model: ChatModel) -> int:
    return min(runtime.settings.budget_tokens, model.context_tokens)


def reply_request(
    runtime: Runtime, context: PromptContext, retrieved: Retrieved, attempt: Attempt = FIRST
) -> tuple[Prompt, Sampling]:
    """Return what the model is asked for the reply, or for a remark of its own."""
    if context.message is None:
        return remarks.request(context, attempt)
    return respond.request(
        context,
        retrieved.hits,
        updates=retrieved.delta.lines,
        lessons=[hit.text for hit in retrieved.lessons],
        attempt=attempt,
        reply_tokens=context.persona.reply_tokens or runtime.settings.reply_tokens,
        temperature=runtime.loaded.number("temperature", context.form),
    )


def affordable(runtime: Runtime, model: ChatModel, context: PromptContext, found: Retrieved) -> Retrieved:
    """Drop the news, which can wait, and then the weakest hits, until the request stays within its budget."""
    limit, tokens = _limit(runtime, model), model.prompt_tokens
    if context.form == "simple" or (found.delta.news and not budget.fits(reply_request(runtime, context, found), limit, tokens)):
        found = replace(found, delta=NO_NEWS)
    if found.lessons and not budget.fits(reply_request(runtime, context, replace(found, hits=())), limit, tokens):
        found = replace(found, lessons=())
    hits = budget.fit_hits(
        found.hits, lambda some: reply_request(runtime, context, replace(found, hits=tuple(some))), limit, tokens
    )
    return replace(found, hits=hits)
