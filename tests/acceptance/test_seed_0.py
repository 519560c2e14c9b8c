"""The memory loop: the order of a turn, the expectation check, learning, retrieval and the knobs."""

from pathlib import Path

import pytest

from memapp.domain.turn import Accepted, Checked, Completed, Found, Predicted
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats, curate, upkeep
from memapp.services.turn import resend_turn, take_turn
from memapp.store import expectations
from tests.builders import chat_of, erase, make_runtime, new_chat, only, say, use_simple_form


def learn(runtime: Runtime, thread_id: str | None = None) -> list[str]:
    return [written.memory.text for written in upkeep.work(runtime, thread_id, Cancel())]


def test_per_turn_control_flow_two_llm_calls(runtime: Runtime, model: ScriptedModel) -> None:
    use_simple_form(runtime)
    thread = new_chat(runtime)
    model.enqueue("Oolong it is.", prediction="How do I brew it?", needed_info=["tea"])
    happened = say(runtime, thread, "Which tea did I like?")
    assert len(model.seen) == 2
    kinds = [type(event).__name__ for event in happened if type(event).__name__ != "Streamed"]
    assert kinds == ["Accepted", "Checked", "Predicted", "Found", "Completed"]
    assert only(Predicted, happened).needed_info == ("tea",)
    assert only(Completed, happened).reply.text == "Oolong it is."
    assert only(Completed, happened).expects == "How do I brew it?"


def test_both_calls_share_one_trunk(runtime: Runtime, model: ScriptedModel) -> None:
    say(runtime, new_chat(runtime), "Which tea did I like?")
    predictor, responder = model.seen
    assert (predictor.system, predictor.turns) == (responder.system, responder.turns)
    assert predictor.suffix != responder.suffix


def test_the_message_is_saved_before_any_model_runs(runtime: Runtime, model: ScriptedModel) -> None:
    thread = new_chat(runtime)

    def look(*_: object) -> None:
        assert [one.text for one in chats.page(runtime, thread).messages] == ["Hello there", ""]

    model.script = look  # type: ignore[assignment]
    say(runtime, thread, "Hello there")
    assert len(model.seen) == 2


def test_voe_check_is_local_and_compares_with_the_responders_prediction(runtime: Runtime, model: ScriptedModel) -> None:
    use_simple_form(runtime)
    thread = new_chat(runtime)
    model.enqueue("Hello.", prediction="I would like to talk about tea.")
    say(runtime, thread, "Hi!")
    calls = len(model.seen)
    model.enqueue("Gladly: which tea?", prediction="Green tea, I think.")
    checked = only(Checked, say(runtime, thread, "I would like to talk about tea."))
    assert checked.expected is not None
    assert (checked.expected.source, checked.expected.surprised) == ("responder", False)
    checked = only(Checked, say(runtime, thread, "My car broke down on the motorway yesterday."))
    assert checked.expected is not None
    assert checked.expected.surprised is True
    assert len(model.seen) == calls + 4


def test_what_no_person_would_write_is_not_expected(runtime: Runtime, model: ScriptedModel) -> None:
    thread = new_chat(runtime)
    model.enqueue("It is brewed at 80 degrees.", prediction="green tea, taste")
    assert only(Completed, say(runtime, thread, "How do I make tea?")).expects == ""
    assert only(Checked, say(runtime, thread, "And how long does it steep?")).expected is None


def test_every_surprise_is_distilled_into_a_short_fact_after_the_reply(runtime: Runtime, model: ScriptedModel) -> None:
    thread = new_chat(runtime)
    model.enqueue("Hello.", prediction="Tell me a joke.")
    say(runtime, thread, "Hi!")
    say(runtime, thread, "I'm vegetarian.")
    assert curate.list_memories(runtime) == []
    assert learn(runtime) == ["User is vegetarian."]
    (fact,) = curate.list_memories(runtime)
    assert 1 <= len(fact.tags) <= 5
    (source,) = [chats.get_message(runtime, id).text for id in fact.sources]
    assert source == "I'm vegetarian."
    assert learn(runtime) == []


def test_nothing_is_learned_from_what_was_expected(runtime: Runtime, model: ScriptedModel) -> None:
    use_simple_form(runtime)
    thread = new_chat(runtime)
    model.enqueue("Do you eat meat?", prediction="I'm vegetarian.")
    say(runtime, thread, "Hi!")
    say(runtime, thread, "I'm vegetarian.")
    assert learn(runtime) == []


def test_a_fact_that_was_not_expected_is_a_surprise_however_alike_the_messages_are(tmp_path: Path, model: ScriptedModel) -> None:
    runtime = make_runtime(tmp_path, model, mismatch_rule="fuzzy", fuzzy_threshold=0, prompt_form="simple")
    thread = new_chat(runtime)
    model.enqueue("What do you collect?", prediction="I collect old coins.")
    say(runtime, thread, "Hi!")
    checked = only(Checked, say(runtime, thread, "I collect old maps."))
    assert checked.expected is not None and checked.expected.surprised is False
    assert learn(runtime) == ["User collects old maps."]
    runtime.close()


def test_nothing_is_learned_from_the_assistant_or_from_pasted_text(runtime: Runtime, model: ScriptedModel) -> None:
    thread = new_chat(runtime)
    model.enqueue("I'm vegetarian.", prediction="Nice.")
    pasted = "I have a dog called Rex."
    spans = [(0, len(pasted))]
    accepted = only(Accepted, list(take_turn(runtime, thread, pasted, pasted=spans)))
    assert learn(runtime) == []
    list(resend_turn(runtime, accepted.message.id, pasted, pasted=spans))
    assert learn(runtime) == []


def test_a_fact_that_exists_is_not_stored_twice(runtime: Runtime) -> None:
    thread = chat_of(runtime, "I'm vegetarian.")
    learn(runtime)
    say(runtime, thread, "I am vegetarian!")
    learn(runtime)
    assert [fact.text for fact in curate.list_memories(runtime)] == ["User is vegetarian."]


def test_what_the_model_made_up_does_not_come_back_as_known(runtime: Runtime, model: ScriptedModel) -> None:
    model.enqueue("Your dog is called Elena and runs a bakery.")
    say(runtime, new_chat(runtime), "I have a dog called Rex.")
    say(runtime, new_chat(runtime), "What is my dog called?")
    assert "Rex" in model.seen[-1].suffix
    assert "Elena" not in model.seen[-1].suffix
    say(runtime, new_chat(runtime), "What did you tell me about my dog?")
    assert "Elena" in model.seen[-1].suffix


def test_facts_are_injected_into_later_turns(runtime: Runtime, model: ScriptedModel) -> None:
    say(runtime, new_chat(runtime), "I'm vegetarian.")
    learn(runtime)
    found = only(Found, say(runtime, new_chat(runtime), "What should a vegetarian cook tonight?"))
    assert "User is vegetarian." in [hit.text for hit in found.hits]
    assert "You are vegetarian." in model.seen[-1].suffix


def test_max_facts_trims_the_oldest_into_the_trash_but_keeps_pinned_ones(tmp_path: Path, model: ScriptedModel) -> None:
    runtime = make_runtime(tmp_path, model, max_facts=2)
    first = curate.add(runtime, "User keeps bees.", pinned=True).memory_id
    thread = new_chat(runtime)
    for text in ("I'm vegetarian.", "I play the cello.", "I have a dog."):
        say(runtime, thread, text)
        learn(runtime)
    live = curate.list_memories(runtime)
    assert [memory.text for memory in live if memory.id != first] == ["User has a dog.", "User plays the cello."]
    assert first in [memory.id for memory in live]
    trash = runtime.database.read().execute("SELECT reason FROM memories WHERE state = 'soft_deleted'").fetchall()
    assert [row["reason"] for row in trash] == ["overflow"]
    runtime.close()


def test_top_k_limits_the_facts_of_a_prompt(tmp_path: Path, model: ScriptedModel) -> None:
    runtime = make_runtime(tmp_path, model, top_k=3, prompt_memories=50)
    for animal in ("bees", "cats", "dogs", "hens", "goats"):
        curate.add(runtime, f"User keeps {animal} on the farm.")
    found = only(Found, say(runtime, new_chat(runtime), "Which animals do I keep on the farm?"))
    assert len(found.hits) == 3
    runtime.close()


@pytest.mark.parametrize(("needed", "fact"), [("dog", "User's dog is called Rex."), ("cat", "User's cat is called Tom.")])
def test_the_needed_info_of_call_1_decides_which_facts_are_injected(
    runtime: Runtime, model: ScriptedModel, needed: str, fact: str
) -> None:
    for text in ("User's dog is called Rex.", "User's cat is called Tom."):
        curate.add(runtime, text)
    model.enqueue("I see.", needed_info=[needed])
    found = only(Found, say(runtime, new_chat(runtime), "How much should he eat?"))
    assert [hit.text for hit in found.hits] == [fact]


def test_top_k_limits_what_the_needed_info_brings(tmp_path: Path, model: ScriptedModel) -> None:
    runtime = make_runtime(tmp_path, model, top_k=3, prompt_memories=50)
    animals = ["bees", "cats", "dogs", "hens", "goats"]
    for animal in animals:
        curate.add(runtime, f"User keeps {animal} on the farm.")
    model.enqueue("I see.", needed_info=animals)
    found = only(Found, say(runtime, new_chat(runtime), "How much should they weigh?"))
    assert len(found.hits) == 3
    runtime.close()


def test_the_seeds_plain_retrieval_can_be_chosen(tmp_path: Path, model: ScriptedModel) -> None:
    runtime = make_runtime(tmp_path, model, retrieval_rule="fuzzy", top_k=2)
    for text in ("User likes oolong tea.", "User has a dog.", "User likes green tea."):
        curate.add(runtime, text)
    model.enqueue("I see.", needed_info=["tea"])
    found = only(Found, say(runtime, new_chat(runtime), "What is my dog like?"))
    assert [hit.text for hit in found.hits] == ["User likes green tea.", "User likes oolong tea."]
    runtime.close()


def test_the_seeds_plain_fuzzy_rule_can_be_chosen(tmp_path: Path, model: ScriptedModel) -> None:
    runtime = make_runtime(tmp_path, model, mismatch_rule="fuzzy", fuzzy_threshold=100, prompt_form="simple")
    thread = new_chat(runtime)
    model.enqueue("Hello.", prediction="Tell me a joke!")
    say(runtime, thread, "Hi!")
    checked = only(Checked, say(runtime, thread, "Tell me a joke?"))
    assert checked.expected is not None
    assert checked.expected.surprised is True
    runtime.close()


def test_both_predictions_are_kept_with_their_source(runtime: Runtime, model: ScriptedModel) -> None:
    use_simple_form(runtime)
    thread = new_chat(runtime)
    model.enqueue("Hello.", prediction="Tell me a joke.", needed_info=["joke"])
    reply = only(Completed, say(runtime, thread, "Hi!")).reply
    list(upkeep.work(runtime, thread, Cancel()))
    session = runtime.read()
    responder = expectations.prediction_for(session, reply.id, "responder")
    predictor = expectations.prediction_for(session, reply.id, "predictor")
    assert responder is not None and responder.text == "Tell me a joke."
    assert predictor is not None and predictor.needed_info == ("joke",) and predictor.text


def test_call_1_is_made_while_a_message_is_typed_that_may_be_all(runtime: Runtime, model: ScriptedModel) -> None:
    use_simple_form(runtime)
    curate.add(runtime, "User likes jokes about goats.")
    thread, question = new_chat(runtime), "Can you tell me a joke about goats?"
    say(runtime, thread, "Hi!")
    for typed in (question[:-9], question):
        upkeep.warm(runtime, thread, typed, Cancel())
    calls = len(model.seen)
    found = say(runtime, thread, question)
    assert only(Predicted, found).source == "prefetched"
    assert model.seen[calls] == model.warmed[-1] and model.seen[calls].suffix == "I like jokes about goats."
    predicted = expectations.prediction_for(runtime.read(), only(Completed, found).reply.id, "predictor")
    assert predicted is not None and predicted.needed_info == only(Predicted, found).needed_info


def test_what_call_1_said_of_other_words_or_before_an_erasure_is_not_used(runtime: Runtime, model: ScriptedModel) -> None:
    use_simple_form(runtime)
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


def test_a_right_guess_has_its_facts_in_the_cache_while_it_is_typed(runtime: Runtime, model: ScriptedModel) -> None:
    model.parameters = 135_000_000  # such a model reads facts as if they were said with the message; a larger one as notes
    curate.add(runtime, "User likes jokes about goats.")
    thread = new_chat(runtime)
    model.enqueue("Hello.", prediction="Tell me a joke about goats.", needed_info=["joke"])
    say(runtime, thread, "Hi!")
    list(upkeep.work(runtime, thread, Cancel()))
    curate.add(runtime, "User moved the desk.")
    upkeep.warm(runtime, thread, "Tell me a joke ab", Cancel())
    warmed = model.warmed[-1]
    found = only(Found, say(runtime, thread, "Tell me a joke about goats."))
    asked = model.seen[-1]
    assert "User likes jokes about goats." in [hit.text for hit in found.hits]
    assert "moved the desk" not in str(asked), "a small model would say what is news to the chat, whatever was asked"
    assert asked.suffix == warmed.suffix == "I like jokes about goats."
    assert asked.system == warmed.system and asked.turns[-1].content.startswith(warmed.turns[-1].content)


def test_a_right_guess_saves_the_first_call(runtime: Runtime, model: ScriptedModel) -> None:
    thread = new_chat(runtime)
    model.enqueue("Hello.", prediction="Tell me a joke.", needed_info=["joke"])
    say(runtime, thread, "Hi!")
    list(upkeep.work(runtime, thread, Cancel()))
    calls = len(model.seen)
    happened = say(runtime, thread, "Tell me a joke.")
    assert only(Predicted, happened).source == "prefetched"
    assert len(model.seen) == calls + 1
