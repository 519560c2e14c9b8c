import numpy as np
import pytest
from numpy.typing import NDArray

from memapp.domain.prompt import Sampling
from memapp.inference.sampling import GrammarDeadEnd, TokenSampler, _likeliest

END = 9


class Only:
    """A grammar that allows some tokens."""

    def __init__(self, *tokens: int) -> None:
        self.tokens = tokens
        self.accepted: list[int] = []

    def allowed(self, tokens: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.isin(tokens, self.tokens)

    def accept(self, token: int) -> None:
        self.accepted.append(token)


def scores(*values: float) -> NDArray[np.float32]:
    return np.array(values, dtype=np.float32)


def sampler(grammar: Only | None = None, **options: float) -> TokenSampler:
    return TokenSampler(Sampling(max_tokens=1, **options), grammar, lambda token: token == END)  # type: ignore[arg-type]


def test_temperature_zero_takes_the_likeliest() -> None:
    assert sampler().pick(scores(0, 3, 1)) == 1


def picks(said: list[list[int]], favourite: list[int], **options: float) -> list[int]:
    """Return a sampler's picks for favourites in order, as earlier replies allow."""
    options = {"dry_multiplier": 2.0, **options}
    picker = TokenSampler(Sampling(max_tokens=9, **options), None, lambda token: token == END, said)  # type: ignore[arg-type]
    return [
        picker.pick(
            scores(*(2.0 if token == wanted else 1.0 if token == 0 else 0.0 for token in range(10)))
        )
        for wanted in favourite
    ]


def test_a_run_that_was_said_before_is_not_gone_on_with() -> None:
    assert picks([[1, 2, 3, 4, 5]], [7, 2, 3, 4, 5]) == [7, 2, 3, 0, 5]


def test_replies_do_not_all_begin_alike() -> None:
    assert picks([[1, 2, 3]], [1, 2, 3]) == [1, 0, 3]


def test_no_run_goes_on_from_one_reply_into_the_next() -> None:
    assert picks([[8, 1, 2], [3, 8]], [7, 1, 2, 3]) == [7, 1, 2, 3]


def test_a_reply_does_not_say_its_own_words_again_either() -> None:
    assert picks([], [1, 2, 3, 1, 2, 3]) == [1, 2, 3, 1, 2, 0]


def test_without_the_penalty_anything_may_be_said_again() -> None:
    assert picks([[1, 2, 3, 4]], [1, 2, 3, 4], dry_multiplier=0.0) == [1, 2, 3, 4]


def test_min_p_cuts_off_what_is_far_less_likely_than_the_likeliest() -> None:
    even = scores(5, 2.5, 2.5, 2.5)
    assert {
        sampler(temperature=5.0, top_p=1.0, min_p=0.1, seed=seed).pick(even.copy())
        for seed in range(20)
    } == {0}
    assert (
        len(
            {sampler(temperature=5.0, top_p=1.0, seed=seed).pick(even.copy()) for seed in range(20)}
        )
        > 1
    )


@pytest.mark.parametrize("size", [10, 3000, 49152])
@pytest.mark.parametrize("count", [1, 40, 64, 10**6])
def test_the_likeliest_tokens_are_found_in_order(size: int, count: int) -> None:
    values = np.random.default_rng(size).normal(size=size).astype(np.float32)
    assert (
        values[_likeliest(values, count)].tolist() == sorted(values.tolist(), reverse=True)[:count]
    )


def test_top_p_cuts_unlikely_tokens_off() -> None:
    picker = sampler(temperature=5.0, top_p=0.5)
    assert {picker.pick(scores(0, 2, 1, 0)) for _ in range(50)} == {1}


def test_temperature_spreads_over_likely_tokens() -> None:
    picker = sampler(temperature=1.0, top_p=1.0)
    assert {picker.pick(scores(1, 1, -90)) for _ in range(60)} == {0, 1}


def test_a_grammar_overrules_the_likeliest_token() -> None:
    grammar = Only(2, 3)
    assert sampler(grammar).pick(scores(9, 8, 1, 2)) == 3
    assert grammar.accepted == [3]


def test_a_grammar_is_asked_about_the_whole_vocabulary_if_need_be() -> None:
    values = np.linspace(10, 0, 500, dtype=np.float32)
    assert sampler(Only(499)).pick(values) == 499


def test_the_end_of_turn_is_not_shown_to_the_grammar() -> None:
    grammar = Only(END)
    assert sampler(grammar).pick(scores(*range(9, -1, -1))) == END
    assert grammar.accepted == []


def test_a_grammar_that_nothing_can_follow_is_a_dead_end() -> None:
    with pytest.raises(GrammarDeadEnd):
        sampler(Only()).pick(scores(1, 2))
