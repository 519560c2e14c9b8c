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
from memapp.prompts import distil, insights, predict, referee, rewording, same_fact
from tests.prompts.contexts import context

MESSAGE = 'What was the name of the "café" in Ghent,\nthe one with the blue door?'


@pytest.fixture(scope="module")
def model() -> Iterator[LlamaModel]:
    opened = LlamaModel(bundled_model_path(), context_tokens=1024, threads=1)
    yield opened
    opened.close()


def write(model: LlamaModel, request: tuple[Prompt, Sampling]) -> str:
    return "".join(part.text for part in model.generate(*request, Cancel()) if isinstance(part, Piece))


@pytest.mark.slow
def test_call_1_writes_keywords_and_then_a_prediction(model: LlamaModel) -> None:
    for form in predict.GRAMMAR:
        text = write(model, predict.request(replace(context(MESSAGE), form=form)))
        assert predict.parse(text, form) or predict.needs_nothing(text, form)
        if text.endswith("}"):
            assert json.loads(predict.HEAD[form] + text)["prediction_next"]


@pytest.mark.slow
def test_a_list_that_was_read_is_continued_with_the_prediction(model: LlamaModel) -> None:
    assert predict.parse_prediction(write(model, predict.finish_request(context(MESSAGE), ["café", "Ghent"])))


@pytest.mark.slow
def test_proposing_writes_facts_with_category_and_importance(model: LlamaModel) -> None:
    found = distil.parse(write(model, distil.request("Tell me a joke.", "My sister plays the cello in Ghent.")))
    assert all(one.text.startswith("User") and one.category in distil.CATEGORIES for one in found.drafts)
    assert found.drafts or not found.refused


@pytest.mark.slow
def test_concluding_writes_insights_with_their_evidence(model: LlamaModel) -> None:
    text = write(model, insights.request(["User glues spines.", "I am so proud of the binding.", "What glue do restorers take?"]))
    assert text.startswith('{"insights": [')
    if text.endswith("]}"):
        assert all(one.keys() == {"summary", "tags", "evidence", "importance"} for one in json.loads(text)["insights"])


@pytest.mark.slow
def test_each_pair_gets_an_answer_that_can_be_read(model: LlamaModel) -> None:
    pairs = [("User has a dog.", "User has a dog named Rex.")] * same_fact.MOST_PAIRS
    assert None not in same_fact.parse(write(model, same_fact.request(pairs)), len(pairs))


@pytest.mark.slow
def test_call_1_adds_few_tokens_to_the_trunk(model: LlamaModel) -> None:
    prompt, _ = predict.request(replace(context(MESSAGE), form="simple"))
    trunk = model.prompt_tokens(Prompt(prompt.system, prompt.turns))
    assert model.prompt_tokens(prompt) - trunk <= 12


@pytest.mark.slow
def test_steps_are_judged_and_lessons_worded_in_a_form_that_can_be_read(model: LlamaModel) -> None:
    step = RunStep("1", "r", 1, "git push", 0, 1.0, None, datetime(2026, 1, 31, tzinfo=UTC))
    assert referee.parse(write(model, referee.request("", [replace(step, action="git psuh"), step]))) is not None
    said = write(model, rewording.request('tar -xf "a b.tgs"', 'tar -xf "a b.tgz"', 2))
    assert rewording.parse(said, 2) or not said.endswith("}")
