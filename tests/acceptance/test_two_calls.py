"""The two calls of a turn: what each is asked for and shown, through whole turns."""

import pytest

from memapp.domain.turn_events import Compared, Completed, Found, Predicted
from memapp.inference.scripted import ScriptedModel
from memapp.prompts.few_shot import reply_turns
from memapp.prompts.predict import PREDICTION_KEY
from memapp.runtime import Runtime
from memapp.services import chats, curate
from tests.builders import learn, new_chat, only, say

AFTER_THE_REPLY = "[before: Suggest a tea. / Oolong it is.]\n\n…"
TOPICS = ["diet", "allergies", "home town", "budget", "children"]


def rest(runtime: Runtime, thread: str) -> None:
    """Do what memapp does while nobody waits."""
    learn(runtime, thread)


def test_call_1_may_say_that_nothing_is_needed(runtime: Runtime, model: ScriptedModel) -> None:
    model.enqueue("Light is scattered.", needed_info=[])
    happened = say(runtime, new_chat(runtime), "Why is the sky blue?")
    assert (only(Predicted, happened).needed_info, only(Predicted, happened).source) == (
        (),
        "model",
    )
    assert only(Found, happened).hits == ()
    assert model.seen[-1].turns[-1].content == "[no notes]\n\nWhy is the sky blue?"


def test_that_nothing_is_needed_can_be_known_beforehand(
    runtime: Runtime, model: ScriptedModel
) -> None:
    thread = new_chat(runtime)
    model.enqueue(
        "Light is scattered.", prediction="And why is it red in the evening?", needed_info=[]
    )
    say(runtime, thread, "Why is the sky blue?")
    model.enqueue("It travels further then.", needed_info=[])
    rest(runtime, thread)
    calls = len(model.seen)
    happened = say(runtime, thread, "And why is it red in the evening?")
    assert only(Predicted, happened).source == "prefetched"
    assert len(model.seen) == calls + 1


def test_all_five_topics_are_looked_up(runtime: Runtime, model: ScriptedModel) -> None:
    model.enqueue("Try the market hall.", needed_info=TOPICS)
    assert (
        list(only(Predicted, say(runtime, new_chat(runtime), "Where shall we eat?")).needed_info)
        == TOPICS
    )


def test_ten_facts_stand_in_the_notes_of_call_2_with_their_days(
    runtime: Runtime, model: ScriptedModel
) -> None:
    for number in range(14):
        curate.add(runtime, f"I keep bees in hive number {number}.")
    found = only(Found, say(runtime, new_chat(runtime), "Describe a hive that bees like to keep."))
    notes = [
        line for line in model.seen[-1].turns[-1].content.splitlines() if line.startswith("- ")
    ]
    assert len(found.hits) == len(notes) == 10
    assert all(note.startswith('- 31 Jan: "I keep bees in hive number ') for note in notes)


def test_what_call_1_predicts_is_compared_with_the_next_message(
    runtime: Runtime, model: ScriptedModel
) -> None:
    thread = new_chat(runtime)
    model.enqueue("Oolong it is.", prediction="How long does it steep?", needed_info=["tea"])
    reply = only(Completed, say(runtime, thread, "Suggest a tea.")).reply
    rest(runtime, thread)
    assert chats.trace(runtime, reply).expects == "How long does it steep?"
    expected = only(Compared, say(runtime, thread, "How long does it steep?")).expected
    assert (expected.source, expected.surprised) == ("predictor", False)


@pytest.mark.parametrize("prediction", ["green tea, taste", ""])
def test_where_call_1_predicts_nothing_that_a_person_would_write_the_model_is_asked(
    runtime: Runtime, model: ScriptedModel, prediction: str
) -> None:
    thread = new_chat(runtime)
    model.script = lambda prompt, sampling: (
        "How long does it steep?"
        if prompt.turns[-1].content == AFTER_THE_REPLY
        else prediction
        if PREDICTION_KEY in prompt.head
        else None
    )
    model.enqueue("Oolong it is.", needed_info=["tea"])
    say(runtime, thread, "Suggest a tea.")
    rest(runtime, thread)
    assert AFTER_THE_REPLY in [prompt.turns[-1].content for prompt in model.seen]
    expected = only(Compared, say(runtime, thread, "How long does it steep?")).expected
    assert (expected.source, expected.text) == ("responder", "How long does it steep?")


def test_eight_exchanges_stand_in_the_prompt_of_the_reply_and_one_in_the_look_up(
    runtime: Runtime, model: ScriptedModel
) -> None:
    thread = new_chat(runtime)
    for number in range(12):
        model.enqueue("".join(f"{number}x{place}" for place in range(200)), needed_info=[])
        say(runtime, thread, f"Question number {number}?")
    predictor, responder = model.seen[-2:]
    turns = responder.turns[len(reply_turns()) :]
    asked = [turn.content for turn in turns if turn.role == "user"]
    assert len(asked) == 1 + 7 and asked[0] == "Question number 4?", (
        "the beginning moves in steps, so that it stays in the cache"
    )
    assert {len(turn.content) for turn in turns if turn.role == "assistant"} == {600}
    assert predictor.turns[-1].content.startswith("[before: Question number 10? / 10x0")


def test_an_inner_voice_reads_its_three_exchanges_from_any_model(
    runtime: Runtime, model: ScriptedModel
) -> None:
    thread = new_chat(runtime, "tom")
    for number in range(5):
        model.enqueue(f"Reply {'abcde'[number] * 9} stands alone.")
        say(runtime, thread, f"Question number {number}?")
    (situation,) = model.seen[-1].turns
    assert (
        "RECENT CONVERSATION (last 3 exchanges):\nPlayer: Question number 1?\nTom: Reply bbbbbbbbb"
        in situation.content
    )
