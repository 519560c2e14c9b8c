"""The hand-written grammars compile, and the bundled model keeps to them."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memapp.domain.lessons.run import RunStep
from memapp.domain.prompt import Piece, Prompt, Sampling
from memapp.inference import Cancel
from memapp.inference.bundled import bundled_model_path
from memapp.inference.llama import LlamaModel
from memapp.prompts import insights, predict, referee, rewording, same_fact, third_person
from tests.prompts.contexts import context

MESSAGE = 'What was the name of the "café" in Ghent,\nthe one with the blue door?'


@pytest.fixture(scope="module")
def model() -> Iterator[LlamaModel]:
    opened = LlamaModel(bundled_model_path(), context_tokens=2048, threads=1)
    yield opened
    opened.close()


def write(model: LlamaModel, request: tuple[Prompt, Sampling]) -> str:
    return "".join(
        part.text for part in model.generate(*request, Cancel()) if isinstance(part, Piece)
    )


@pytest.mark.slow
def test_call_1_writes_what_is_needed_and_then_a_prediction(model: LlamaModel) -> None:
    needed = json.loads(predict.HEAD + write(model, predict.request(context(MESSAGE))) + "}")[
        "needed_info"
    ]
    assert predict.parse_prediction(write(model, predict.finish_request(context(MESSAGE), needed)))


@pytest.mark.slow
def test_a_list_that_was_read_is_continued_with_the_prediction(model: LlamaModel) -> None:
    assert predict.parse_prediction(
        write(model, predict.finish_request(context(MESSAGE), ["café", "Ghent"]))
    )


@pytest.mark.slow
def test_a_memory_is_said_again_in_one_sentence_about_user(model: LlamaModel) -> None:
    assert third_person.parse(
        write(model, third_person.request("My sister plays the cello in Ghent.", ["Hello."]))
    ).startswith("User")


@pytest.mark.slow
def test_concluding_writes_insights_with_their_evidence(model: LlamaModel) -> None:
    text = write(
        model,
        insights.request(
            ["I glue spines.", "I am so proud of the binding.", "What glue do restorers take?"]
        ),
    )
    assert text.startswith('{"insights": [')
    if text.endswith("]}"):
        assert all(
            insight.keys() == {"summary", "evidence"} for insight in json.loads(text)["insights"]
        )


@pytest.mark.slow
def test_each_pair_gets_an_answer_that_can_be_read(model: LlamaModel) -> None:
    pairs = [("I have a dog.", "I have a dog named Rex.")] * same_fact.MOST_PAIRS
    assert None not in same_fact.parse(write(model, same_fact.request(pairs)), len(pairs))


@pytest.mark.slow
def test_call_1_adds_few_tokens_to_the_trunk(model: LlamaModel) -> None:
    prompt, _ = predict.request(context(MESSAGE))
    trunk = model.prompt_tokens(Prompt(prompt.system, prompt.turns))
    assert model.prompt_tokens(prompt) - trunk <= 12


@pytest.mark.slow
def test_steps_are_judged_and_lessons_worded_in_a_form_that_can_be_read(model: LlamaModel) -> None:
    step = RunStep("1", "r", 1, "git push", 0, 1.0, None, datetime(2026, 1, 31, tzinfo=UTC))
    assert (
        referee.parse(write(model, referee.request("", [replace(step, action="git psuh"), step])))
        is not None
    )
    said = write(model, rewording.request('tar -xf "a b.tgs"', 'tar -xf "a b.tgz"', 2))
    assert rewording.parse(said, 2) or not said.endswith("}")
