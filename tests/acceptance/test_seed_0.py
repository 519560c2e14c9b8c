"""The memory loop: the order of a turn, expectation check, learning, retrieval and settings."""

from pathlib import Path

from memapp.domain.turn_events import Accepted, Compared, Completed, Found, Predicted
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats, curate, upkeep
from memapp.services.turn import resend_turn, take_turn
from memapp.store import expectations
from tests.builders import ask_the_model, chat_of, erase, make_runtime, new_chat, only, say

SAID = "I am vegetarian."


def learn(runtime: Runtime, thread_id: str | None = None) -> list[str]:
    return [written.memory.text for written in upkeep.work(runtime, thread_id, Cancel())]


def test_per_turn_control_flow_two_llm_calls(runtime: Runtime, model: ScriptedModel) -> None:
    ask_the_model(runtime)
    thread = new_chat(runtime)
    model.enqueue("Oolong it is.", prediction="How do I brew it?", needed_info=["tea"])
    happened = say(runtime, thread, "Which tea did I like?")
    assert len(model.seen) == 2
    kinds = [type(event).__name__ for event in happened if type(event).__name__ != "Streamed"]
    assert kinds == ["Accepted", "Compared", "Predicted", "Found", "Completed"]
    assert only(Predicted, happened).needed_info == ("tea",)
    assert only(Completed, happened).reply.text == "Oolong it is."
    learn(runtime, thread)
    assert chats.trace(runtime, only(Completed, happened).reply).expects == "How do I brew it?"


def test_each_call_goes_on_from_a_trunk_of_its_own(runtime: Runtime, model: ScriptedModel) -> None:
    thread = new_chat(runtime)
    for text in ("Explain tea in a sentence.", "And explain cake."):
        model.enqueue(f"About {text}")
        say(runtime, thread, text)
    predictor, responder, predictor_again, responder_again = model.seen
    assert (predictor.slot, responder.slot) == ("look-up", "chat")
    assert predictor_again.turns[:-1] == predictor.turns[:-1]
    assert responder_again.turns[: len(responder.turns) - 1] == responder.turns[:-1]


def test_the_message_is_saved_before_any_model_runs(runtime: Runtime, model: ScriptedModel) -> None:
    thread = new_chat(runtime)

    def look(*_: object) -> None:
        assert [message.text for message in chats.page(runtime, thread).messages] == [
            "Hello there",
            "",
        ]

    model.script = look  # type: ignore[assignment]
    say(runtime, thread, "Hello there")
    assert len(model.seen) == 2


def test_voe_check_is_local_and_compares_with_what_the_model_predicted(
    runtime: Runtime, model: ScriptedModel
) -> None:
    thread = new_chat(runtime)
    model.enqueue("Hello.", prediction="I would like to talk about tea.")
    say(runtime, thread, "Hi!")
    learn(runtime, thread)
    calls = len(model.seen)
    model.enqueue("Gladly: which tea?", prediction="Green tea, I think.")
    checked = only(Compared, say(runtime, thread, "I would like to talk about tea."))
    assert checked.expected is not None and checked.expected.surprised is False
    assert len(model.seen) == calls + 2 - 1, "call 1 was made for what was expected"
    learn(runtime, thread)
    calls = len(model.seen)
    checked = only(Compared, say(runtime, thread, "My car broke down on the motorway yesterday."))
    assert checked.expected is not None and checked.expected.surprised is True
    assert len(model.seen) == calls + 2


def test_what_a_surprise_says_is_kept_in_its_own_words_after_the_reply(
    runtime: Runtime, model: ScriptedModel
) -> None:
    thread = new_chat(runtime)
    model.enqueue("Hello.", prediction="Tell me a joke.")
    say(runtime, thread, "Hi!")
    say(runtime, thread, f"{SAID} How are you?")
    assert curate.list_memories(runtime) == []
    assert learn(runtime) == [SAID]
    (fact,) = curate.list_memories(runtime)
    (source,) = [chats.get_message(runtime, id).text for id in fact.sources]
    assert source == f"{SAID} How are you?"
    assert learn(runtime) == []


def test_nothing_is_learned_from_what_was_expected(runtime: Runtime, model: ScriptedModel) -> None:
    ask_the_model(runtime)
    thread = new_chat(runtime)
    model.enqueue("Do you eat meat?", prediction=SAID)
    say(runtime, thread, "Hi!")
    learn(runtime, thread)
    say(runtime, thread, SAID)
    assert learn(runtime) == []


def test_a_fact_that_was_not_expected_is_a_surprise_however_alike_the_messages_are(
    tmp_path: Path, model: ScriptedModel
) -> None:
    runtime = make_runtime(
        tmp_path, model, mismatch_rule="fuzzy", fuzzy_threshold=0, answer_from_memory=False
    )
    thread = new_chat(runtime)
    model.enqueue("What do you collect?", prediction="I collect old coins.")
    say(runtime, thread, "Hi!")
    learn(runtime, thread)
    checked = only(Compared, say(runtime, thread, "I collect old maps."))
    assert checked.expected is not None and checked.expected.surprised is False
    assert learn(runtime) == ["I collect old maps."]
    runtime.close()


def test_nothing_is_learned_from_the_assistant_or_from_pasted_text(
    runtime: Runtime, model: ScriptedModel
) -> None:
    thread = new_chat(runtime)
    model.enqueue(SAID, prediction="Nice.")
    pasted = "I have a dog called Rex."
    spans = [(0, len(pasted))]
    accepted = only(Accepted, list(take_turn(runtime, thread, pasted, pasted=spans)))
    assert learn(runtime) == []
    list(resend_turn(runtime, accepted.message.id, pasted, pasted=spans))
    assert learn(runtime) == []


def test_a_fact_that_exists_is_not_stored_twice(runtime: Runtime) -> None:
    thread = chat_of(runtime, SAID)
    learn(runtime)
    say(runtime, thread, "i am vegetarian!")
    learn(runtime)
    (fact,) = curate.list_memories(runtime)
    assert (fact.text, len(fact.sources)) == (SAID, 2)


def test_what_the_model_made_up_does_not_come_back_as_known(
    runtime: Runtime, model: ScriptedModel
) -> None:
    ask_the_model(runtime)
    model.enqueue("Your dog is called Elena and runs a bakery.")
    say(runtime, new_chat(runtime), "I have a dog called Rex.")
    say(runtime, new_chat(runtime), "What is my dog called?")
    assert "Rex" in model.seen[-1].turns[-1].content
    assert "Elena" not in model.seen[-1].turns[-1].content
    say(runtime, new_chat(runtime), "What did you tell me about my dog?")
    assert "Elena" in model.seen[-1].turns[-1].content


def test_facts_are_injected_into_later_turns(runtime: Runtime, model: ScriptedModel) -> None:
    say(runtime, new_chat(runtime), SAID)
    learn(runtime)
    found = only(Found, say(runtime, new_chat(runtime), "What should a vegetarian cook tonight?"))
    assert SAID in [hit.text for hit in found.hits]
    assert model.seen[-1].suffix == '[mind: "I am vegetarian."]'


def test_max_facts_trims_the_oldest_into_the_trash_but_keeps_pinned_ones(
    tmp_path: Path, model: ScriptedModel
) -> None:
    runtime = make_runtime(tmp_path, model, max_facts=2)
    first = curate.add(runtime, "User keeps bees.", pinned=True).memory_id
    thread = new_chat(runtime)
    for text in (SAID, "I play the cello.", "I have a dog."):
        say(runtime, thread, text)
        learn(runtime)
    live = curate.list_memories(runtime)
    assert [memory.text for memory in live if memory.id != first] == [
        "I have a dog.",
        "I play the cello.",
    ]
    assert first in [memory.id for memory in live]
    trash = (
        runtime.database.read()
        .execute("SELECT reason FROM memories WHERE state = 'soft_deleted'")
        .fetchall()
    )
    assert [row["reason"] for row in trash] == ["overflow"]
    runtime.close()


def test_top_k_limits_the_facts_of_a_prompt(tmp_path: Path, model: ScriptedModel) -> None:
    runtime = make_runtime(tmp_path, model, top_k=3, prompt_memories=50)
    for animal in ("bees", "cats", "dogs", "hens", "goats"):
        curate.add(runtime, f"User keeps {animal} on the farm.")
    found = only(Found, say(runtime, new_chat(runtime), "Which animals live on a farm?"))
    assert len(found.hits) == 3
    runtime.close()


def test_call_1_is_made_while_a_message_is_typed_that_may_be_all(
    runtime: Runtime, model: ScriptedModel
) -> None:
    ask_the_model(runtime)
    curate.add(runtime, "I like jokes about goats.")
    thread, question = new_chat(runtime), "Can you tell me a joke about goats?"
    say(runtime, thread, "Hi!")
    for typed in (question[:-9], question):
        upkeep.warm(runtime, thread, typed, Cancel())
    calls = len(model.seen)
    found = say(runtime, thread, question)
    assert only(Predicted, found).source == "prefetched"
    assert (
        model.seen[calls] == model.warmed[-1]
        and "jokes about goats" in model.seen[calls].turns[-1].content
    )
    predicted = expectations.prediction_for(
        runtime.read(), only(Completed, found).reply.id, "predictor"
    )
    assert predicted is not None and predicted.needed_info == only(Predicted, found).needed_info


def test_what_call_1_said_of_other_words_or_before_an_erasure_is_not_used(
    runtime: Runtime, model: ScriptedModel
) -> None:
    ask_the_model(runtime)
    thread = new_chat(runtime)
    upkeep.warm(runtime, thread, "What do goats eat?", Cancel())
    assert only(Predicted, say(runtime, thread, "What do hens eat?")).source == "model"
    kept = curate.add(runtime, "User keeps hens.").memory_id
    upkeep.warm(runtime, thread, "What do goats eat?", Cancel())
    erase(runtime, kept)
    assert only(Predicted, say(runtime, thread, "What do goats eat?")).source == "model"
    assert only(Predicted, say(runtime, new_chat(runtime), "What do goats eat?")).source == "model"
    calls = len(model.seen)
    upkeep.warm(runtime, thread, "What do goats", Cancel())
    assert len(model.seen) == calls, "half a sentence is not all"


def test_a_right_guess_has_its_notes_in_the_cache_while_it_is_typed(
    runtime: Runtime, model: ScriptedModel
) -> None:
    curate.add(runtime, "I like jokes about goats.")
    thread = new_chat(runtime)
    model.enqueue("Hello.", prediction="Tell me a joke about goats.", needed_info=["joke"])
    say(runtime, thread, "Hi!")
    list(upkeep.work(runtime, thread, Cancel()))
    upkeep.warm(runtime, thread, "Tell me a joke ab", Cancel())
    warmed = model.warmed[-1]
    say(runtime, thread, "Tell me a joke about goats.")
    asked = model.seen[-1]
    assert (
        asked.turns[:-1] == warmed.turns[:-1]
        and 'I like jokes about goats."' in warmed.turns[-1].content
    )
    assert asked.turns[-1].content.startswith(warmed.turns[-1].content)


def test_a_right_guess_saves_the_first_call(runtime: Runtime, model: ScriptedModel) -> None:
    thread = new_chat(runtime)
    model.enqueue("Hello.", prediction="Tell me a joke.", needed_info=["joke"])
    say(runtime, thread, "Hi!")
    list(upkeep.work(runtime, thread, Cancel()))
    calls = len(model.seen)
    happened = say(runtime, thread, "Tell me a joke.")
    assert only(Predicted, happened).source == "prefetched"
    assert len(model.seen) == calls + 1
