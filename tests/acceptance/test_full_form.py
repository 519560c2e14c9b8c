"""The full form of prompt, for a model that can follow instructions: each of its rules is reached, through whole turns."""

import logging
from pathlib import Path

import pytest

from memapp.domain.prompt import Prompt, Sampling
from memapp.domain.turn import Checked, Completed, Found, Predicted
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats, curate, upkeep
from memapp.services.prompt_form import form_of
from tests.builders import learn, make_runtime, new_chat, only, say

TOPICS = ["diet", "allergies", "home town", "budget", "children"]


def rest(runtime: Runtime, thread: str) -> None:
    """Do what memapp does while nobody waits."""
    learn(runtime, thread)


def test_call_1_may_say_that_nothing_is_needed(runtime: Runtime, model: ScriptedModel) -> None:
    model.enqueue("Light is scattered.", needed_info=[])
    happened = say(runtime, new_chat(runtime), "Why is the sky blue?")
    assert (only(Predicted, happened).needed_info, only(Predicted, happened).source) == ((), "model")
    assert only(Found, happened).hits == ()
    assert model.seen[-1].suffix == "", "no notes where there are none"


def test_that_nothing_is_needed_can_be_known_beforehand(runtime: Runtime, model: ScriptedModel) -> None:
    thread = new_chat(runtime)
    model.enqueue("Light is scattered.", prediction="And why is it red in the evening?", needed_info=[])
    say(runtime, thread, "Why is the sky blue?")
    model.enqueue("It travels further then.", needed_info=[])
    rest(runtime, thread)
    calls = len(model.seen)
    happened = say(runtime, thread, "And why is it red in the evening?")
    assert only(Predicted, happened).source == "prefetched"
    assert len(model.seen) == calls + 1


def test_all_five_topics_are_looked_up(runtime: Runtime, model: ScriptedModel) -> None:
    model.enqueue("Try the market hall.", needed_info=TOPICS)
    assert list(only(Predicted, say(runtime, new_chat(runtime), "Where shall we eat?")).needed_info) == TOPICS


def test_ten_facts_stand_in_the_notes_of_call_2_with_their_days(runtime: Runtime, model: ScriptedModel) -> None:
    for number in range(14):
        curate.add(runtime, f"User keeps bees in hive number {number}.")
    found = only(Found, say(runtime, new_chat(runtime), "Which hives do I keep bees in?"))
    notes = [line for line in model.seen[-1].suffix.splitlines() if line.startswith("- ")]
    assert len(found.hits) == len(notes) == 10
    assert all(one.startswith("- You keep bees in hive number ") and one.endswith("(learned 31 January 2026)") for one in notes)


def test_what_call_1_predicts_is_compared_with_the_next_message(runtime: Runtime, model: ScriptedModel) -> None:
    thread = new_chat(runtime)
    model.enqueue("Oolong it is.", prediction="How long does it steep?", needed_info=["tea"])
    reply = only(Completed, say(runtime, thread, "Suggest a tea.")).reply
    assert model.samplings[-1].tail == "", "no second guess after the reply"
    rest(runtime, thread)
    assert chats.trace(runtime, reply).expects == "How long does it steep?"
    expected = only(Checked, say(runtime, thread, "How long does it steep?")).expected
    assert (expected.source, expected.surprised) == ("predictor", False)


@pytest.mark.parametrize("prediction", ["green tea, taste", ""])
def test_where_call_1_predicts_nothing_that_a_person_would_write_the_model_is_asked(
    runtime: Runtime, model: ScriptedModel, prediction: str
) -> None:
    thread = new_chat(runtime)
    model.script = lambda prompt, sampling: (
        "How long does it steep?"
        if "send next" in prompt.suffix
        else prediction
        if '"prediction_next": "' in prompt.head
        else None
    )
    model.enqueue("Oolong it is.", needed_info=["tea"])
    say(runtime, thread, "Suggest a tea.")
    rest(runtime, thread)
    (asked,) = [one for one in model.seen if "send next" in one.suffix]
    assert [turn.content for turn in asked.turns] == ["Suggest a tea.", "Oolong it is."]
    expected = only(Checked, say(runtime, thread, "How long does it steep?")).expected
    assert (expected.source, expected.text) == ("responder", "How long does it steep?")


def test_both_calls_share_the_trunk_and_eight_exchanges_stand_in_it_as_turns(runtime: Runtime, model: ScriptedModel) -> None:
    thread = new_chat(runtime)
    for number in range(12):
        model.enqueue("".join(f"{number}x{place}" for place in range(200)), needed_info=[])
        say(runtime, thread, f"Question number {number}?")
    predictor, responder = model.seen[-2:]
    assert (predictor.system, predictor.turns) == (responder.system, responder.turns)
    asked = [turn.content for turn in responder.turns if turn.role == "user"]
    assert len(asked) == 1 + 7 and asked[0] == "Question number 4?", "the beginning moves in steps, so that it stays in the cache"
    assert {len(turn.content) for turn in responder.turns if turn.role == "assistant"} == {600}


def test_an_inner_voice_reads_its_three_exchanges_from_any_model(runtime: Runtime, model: ScriptedModel) -> None:
    thread = new_chat(runtime, "tom")
    for number in range(5):
        model.enqueue(f"Reply {'abcde'[number] * 9} stands alone.")
        say(runtime, thread, f"Question number {number}?")
    (situation,) = model.seen[-1].turns
    assert "RECENT CONVERSATION (last 3 exchanges):\nPlayer: Question number 1?\nTom: Reply bbbbbbbbb" in situation.content


def capable(runtime: Runtime, **knobs: object) -> ScriptedModel:
    """Load a model that is known by something, so that what is found out about it is kept."""
    model = ScriptedModel(key="capable", **knobs)  # type: ignore[arg-type]
    runtime.chat.fill(model)
    return model


def broken_turns(runtime: Runtime, model: ScriptedModel, count: int) -> None:
    for number in range(count):
        model.misbehave("broken_json", "predict")
        model.enqueue(f"Answer {'abcdefghij'[number % 10] * 9} {number} stands alone.")
        say(runtime, new_chat(runtime), f"Question number {number}?")


def sound_turns(runtime: Runtime, model: ScriptedModel, count: int) -> None:
    for number in range(count):
        model.enqueue("Fine.", needed_info=[])
        say(runtime, new_chat(runtime), f"Is it {number}?")


def test_three_broken_answers_in_ten_turns_bring_the_simple_form_back_with_a_line_in_the_log(
    runtime: Runtime, caplog: pytest.LogCaptureFixture
) -> None:
    model = capable(runtime)
    broken_turns(runtime, model, 2)
    sound_turns(runtime, model, 7)
    assert form_of(runtime, model).form == "full"
    with caplog.at_level(logging.WARNING, "memapp"):
        logging.getLogger("memapp.services.prompt_form").addHandler(caplog.handler)
        broken_turns(runtime, model, 1)
        logging.getLogger("memapp.services.prompt_form").removeHandler(caplog.handler)
    assert str(form_of(runtime, model)) == "simple form (3 of 10 answers could not be read, 31 January 2026)"
    assert set(caplog.messages) == {"model capable gets the simple form: 3 of its last 10 answers could not be read"}
    say(runtime, new_chat(runtime), "And now?")
    assert [(one.suffix, one.head) for one in model.seen[-2:]] == [("", '{"keywords": ["'), ("", "")]


def test_broken_answers_further_apart_change_nothing(runtime: Runtime) -> None:
    model = capable(runtime)
    for _ in range(3):
        broken_turns(runtime, model, 1)
        sound_turns(runtime, model, 5)
    assert form_of(runtime, model).form == "full"


def test_what_the_person_set_is_not_overruled(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path, prompt_form="full")
    model = capable(runtime, parameters=135_000_000)
    broken_turns(runtime, model, 4)
    assert str(form_of(runtime, model)) == "full form (your setting)"
    runtime.close()


GOOD = {
    "shopping list": '"diet"], ',
    "holiday": '"afraid of flying"], ',
    "birthday present": '"sister Lotte"], ',
    "get fitter": '"bad knee"], ',
    "Australia": "], ",
    "minutes": "], ",
    "my sister do": "Your sister Lotte paints.",
    "my van": "Your van is green.",
    "my brother": "I don't know that yet.",
    "on the train": "A slim novel, or the newspaper.",
}


def with_self_test(runtime: Runtime, **otherwise: str) -> ScriptedModel:
    """Let a model with a script make its self-test in idle time."""
    answers = GOOD | {key.replace("_", " "): words for key, words in otherwise.items()}

    def answer(prompt: Prompt, _: Sampling) -> str | None:
        return next((words for key, words in answers.items() if key in prompt.turns[-1].content), None)

    model = capable(runtime, parameters=135_000_000)
    model.script = answer
    learn(runtime)
    return model


def test_a_self_test_in_idle_time_brings_the_full_form_and_is_kept(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path)
    model = with_self_test(runtime)
    assert len(model.seen) == 10 and {one.temperature for one in model.samplings} == {0.0}
    assert str(form_of(runtime, model)) == "full form (self-test, 10 of 10, 31 January 2026)"
    learn(runtime)
    assert len(model.seen) == 10, "once"
    runtime.close()
    again = make_runtime(tmp_path)
    assert form_of(again, capable(again, parameters=135_000_000)).form == "full"
    again.close()


@pytest.mark.parametrize(
    ("wrong", "form"),
    [
        ({"shopping_list": "], "}, "full"),
        ({"shopping_list": "], ", "holiday": "], "}, "simple"),
        ({"minutes": '"minutes"], '}, "simple"),
        ({"my_van": "Your van is blue."}, "simple"),
        ({"my_brother": "Your brother is called Leo."}, "simple"),
        ({"on_the_train": "Three hours go by quickly when you read."}, "simple"),
    ],
)
def test_one_lookup_may_fail_and_nothing_else(runtime: Runtime, wrong: dict[str, str], form: str) -> None:
    assert form_of(runtime, with_self_test(runtime, **wrong)).form == form


def test_a_self_test_that_is_stopped_goes_on_where_it_was(runtime: Runtime) -> None:
    model, cancel = capable(runtime, parameters=135_000_000), Cancel()

    def stop(prompt: Prompt, _: Sampling) -> str:
        if "birthday" in prompt.turns[-1].content:
            cancel.set()
        return "], "

    model.script = stop
    list(upkeep.work(runtime, None, cancel))
    assert len(model.seen) == 3
    learn(runtime)
    assert len(model.seen) == 3 + 8, "the one that was stopped is made again"
    assert form_of(runtime, model).form == "simple"


def test_until_it_has_run_the_size_decides_and_without_an_embedding_model_it_waits(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path, embedder=False)
    assert str(form_of(runtime, with_self_test(runtime))) == "simple form (by its size, not tested yet)"
    assert form_of(runtime, ScriptedModel(parameters=3_000_000_000)).form == "full"
    runtime.close()
