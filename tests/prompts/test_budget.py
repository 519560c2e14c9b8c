"""Requests stay within their tokens, and lose what matters least first."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memapp.domain.chat import Exchange
from memapp.domain.prompt import Prompt, Sampling
from memapp.errors import ConfigError
from memapp.inference.scripted import ScriptedModel
from memapp.prompts import budget, respond
from memapp.prompts.context import PromptContext
from memapp.prompts.few_shot import reply_system, reply_turns
from memapp.prompts.history import drop_step
from tests.prompts.contexts import companion, context, hit, tom

MODEL = ScriptedModel()
EXAMPLES = MODEL.prompt_tokens(Prompt(reply_system(), reply_turns()))
"""The tokens of what stands before every chat of a plain persona."""
LIMIT = 1000


class Counter:
    """The scripted tokenizer, counting how often it is asked."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, prompt: Prompt) -> int:
        self.calls += 1
        return MODEL.prompt_tokens(prompt)


def ask(one: PromptContext) -> tuple[Prompt, Sampling]:
    return respond.request(one, (), reply_tokens=100, temperature=0)


def limit_of(one: PromptContext) -> int:
    return LIMIT if one.persona.is_inner_voice else EXAMPLES + LIMIT


def fit(
    one: PromptContext, limit: int = 0, count: Callable[[Prompt], int] | None = None
) -> PromptContext:
    return budget.fit(one, ask, limit or limit_of(one), count or MODEL.prompt_tokens)


def cost(one: PromptContext) -> int:
    prompt, sampling = ask(one)
    return MODEL.prompt_tokens(prompt) + sampling.max_tokens


def chat(count: int, words: int = 20) -> tuple[Exchange, ...]:
    return tuple(
        Exchange(f"question {number} " + "word " * words, f"answer {number}")
        for number in range(count)
    )


def test_a_context_that_fits_is_left_alone_and_counted_once_at_most() -> None:
    count = Counter()
    one = context(history=chat(3))
    assert fit(one, 20_000, count) == one and count.calls == 0
    assert fit(one, cost(one) + budget.MEMORY_TOKENS + 10, count) == one and count.calls == 1


def test_the_oldest_exchanges_go_first() -> None:
    one = context(history=chat(30), persona=tom())
    fitted = fit(one)
    assert cost(fitted) <= LIMIT - LIMIT // 4
    assert 0 < len(fitted.history) < 30
    assert fitted.history == one.history[-len(fitted.history) :]
    assert (fitted.cards, fitted.message) == (one.cards, one.message)


def test_finding_the_exchanges_that_fit_takes_few_counts() -> None:
    count = Counter()
    fit(context(history=chat(100)), count=count)
    assert count.calls <= 2 + 7


def test_the_beginning_of_what_fits_moves_in_steps() -> None:
    whole = chat(60)
    kept = [fit(context(history=whole[:length])).history for length in range(32, 60)]
    step = drop_step(len(kept[0]))
    assert step > 1
    assert len({some[0].user for some in kept}) <= 1 + (60 - 32) // step


@pytest.mark.parametrize("words", [20, 60, 250])
def test_a_longer_history_is_never_kept_shorter_than_a_step_below_what_fits(words: int) -> None:
    whole = chat(100, words)
    most = max(len(fit(context(history=whole[-length:])).history) for length in range(1, 30))
    for length in range(most, 101, 9):
        assert len(fit(context(history=whole[-length:])).history) > most - drop_step(most)


def test_of_a_last_exchange_that_is_too_long_the_beginning_is_kept() -> None:
    long = Exchange("Please sum this up. " + "word " * 800, "In short: " + "word " * 800)
    fitted = fit(context(history=[*chat(5), long], persona=tom()))
    assert cost(fitted) <= LIMIT
    (kept,) = fitted.history
    assert kept.user
    assert kept.user.startswith("Please sum this up.")
    assert kept.reply.startswith("In short:")


def test_cards_go_when_no_exchange_is_left_to_drop() -> None:
    cards = tuple(f"card {number} " + "word " * 20 for number in range(40))
    one = replace(context(history=chat(3), persona=tom()), cards=cards)
    fitted = fit(one)
    assert cost(fitted) <= LIMIT
    assert (fitted.history, fitted.message) == ((), one.message)
    assert fitted.cards == cards[-len(fitted.cards) :] != ()


def test_the_middle_of_a_monstrous_message_goes_last() -> None:
    count = Counter()
    message = "Please sum this up. " + "word " * 40_000 + "What is it about?"
    fitted = fit(context(message, chat(3)), count=count)
    assert cost(fitted) <= limit_of(fitted)
    assert fitted.message is not None
    assert fitted.message.startswith("Please sum this up. ")
    assert fitted.message.endswith("What is it about?")
    assert "characters left out" in fitted.message
    assert len(fitted.message) > 1000
    assert count.calls <= 8


def test_nothing_helps_a_budget_smaller_than_the_reply() -> None:
    with pytest.raises(ConfigError, match="budget_tokens"):
        fit(context(), 150)


def test_a_remark_has_no_message_to_cut() -> None:
    assert fit(context(None, chat(60))).message is None


@settings(max_examples=40)
@given(
    st.text(max_size=200).map(lambda text: text * 40),
    st.lists(st.text(max_size=80).map(lambda text: text * 5), max_size=12),
    st.lists(st.text(min_size=1, max_size=80), max_size=12),
    st.integers(EXAMPLES + 500, EXAMPLES + 3000),
)
def test_no_request_is_larger_than_its_budget(
    message: str, replies: list[str], cards: list[str], limit: int
) -> None:
    history = tuple(Exchange(None if len(reply) % 3 == 0 else "and?", reply) for reply in replies)
    fitted = fit(PromptContext(companion(), tuple(cards), history, message), limit)
    assert cost(fitted) <= limit


def test_the_weakest_hits_are_dropped_when_all_do_not_fit() -> None:
    hits = [hit(f"fact {number} " + "word " * 40) for number in range(5)]
    one = context()

    def with_hits(some: object) -> tuple[Prompt, Sampling]:
        return respond.request(one, some, reply_tokens=100, temperature=0)  # type: ignore[arg-type]

    assert budget.fit_hits(hits, with_hits, EXAMPLES + 4000, MODEL.prompt_tokens) == tuple(hits)
    kept = budget.fit_hits(hits, with_hits, EXAMPLES + 300, MODEL.prompt_tokens)
    assert kept == tuple(hits[: len(kept)]) and 0 < len(kept) < 5
    assert budget.fit_hits(hits, with_hits, 10, MODEL.prompt_tokens) == ()
