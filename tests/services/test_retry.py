"""Another answer to the same message."""

from typing import Any
from unittest.mock import MagicMock

import pytest

from memapp.domain.turn_events import Completed, Restarted
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import curate
from memapp.services.turn import answering, retry_turn
from tests.builders import new_chat, only, say

FIRST = "Oolong goes well with cake."


def test_a_retry_samples_other_words(runtime: Runtime, model: ScriptedModel) -> None:
    curate.add(runtime, "Oolong is the tea of the house.")
    model.enqueue(FIRST)
    reply = only(Completed, say(runtime, new_chat(runtime), "Which tea goes with cake?")).reply
    for words in ("Oolong, every morning.", "It is oolong."):
        model.enqueue(words)
        reply = only(Completed, list(retry_turn(runtime, reply.id))).reply
    first, again, third = (
        pair
        for pair in zip(model.seen, model.samplings, strict=True)
        if pair[1].grammar is None and not pair[0].head
    )
    assert first[0] == again[0] == third[0]
    assert len({sampling.seed for _, sampling in (first, again, third)}) == 3
    assert first[1].temperature < again[1].temperature


def test_a_retry_that_comes_out_the_same_is_written_once_more(
    runtime: Runtime, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.enqueue(FIRST)
    reply = only(Completed, say(runtime, new_chat(runtime), "Which tea goes with cake?")).reply
    model.enqueue(FIRST)
    model.enqueue("It is oolong.")
    timers, generate, prompts = MagicMock(), model.generate, iter(range(3))
    monkeypatch.setattr(answering, "after", timers)

    def slowly(*args: Any) -> Any:
        if (
            next(prompts) == 2
        ):  # the first token of the first attempt was there in time: none is overdue now
            _, give_up = timers.call_args_list[0].args
            give_up()
        return generate(*args)

    monkeypatch.setattr(model, "generate", slowly)
    happened = list(retry_turn(runtime, reply.id))
    assert only(Restarted, happened).repeated == FIRST
    assert only(Completed, happened).reply.text == "It is oolong."
    assert FIRST not in model.seen[-1].suffix
    assert model.samplings[-1].said == (FIRST,)
    assert model.samplings[-1].seed != model.samplings[-2].seed
