"""Typed words propose a value for the profile; what waits with it, and the question in the chat."""

import json
from pathlib import Path
from typing import Any

import pytest

from memapp.domain.chat import OWN_WORDS, Role
from memapp.domain.consent import FORGOTTEN
from memapp.domain.turn import Accepted, Asked, TurnEvent
from memapp.errors import ModelError, NeedsYes
from memapp.inference.scripted import ScriptedEmbedder, ScriptedModel, call_kind
from memapp.runtime import Runtime
from memapp.services import activity, chats, curate, forget, lifecycle, remember, undo
from memapp.services.consent import decisions, pending
from memapp.services.turn import resend_turn, take_turn
from memapp.store import expectations
from tests.builders import chat_of, erase, learn, make_runtime, new_chat, only, say


def waiting(runtime: Runtime) -> list[tuple[str, str]]:
    return sorted((one.field, one.new_value) for one in pending.list_pending(runtime))


def live(runtime: Runtime) -> list[str]:
    return [memory.text for memory in curate.list_memories(runtime)]


def asked(happened: list[TurnEvent]) -> list[str]:
    return [event.question.text for event in happened if isinstance(event, Asked)]


def test_what_a_typed_message_states_waits_with_the_message_as_evidence(runtime: Runtime) -> None:
    happened = say(runtime, new_chat(runtime), "My name is Ana and I live in Oslo.")
    message = only(Accepted, happened).message
    assert waiting(runtime) == [("city", "Oslo"), ("preferred_name", "Ana")]
    assert {one.evidence for one in pending.list_pending(runtime)} == {(message.id,)}
    assert decisions.profile(runtime) == {}


def test_pasted_words_and_those_of_the_model_propose_nothing(runtime: Runtime, model: ScriptedModel) -> None:
    text = "My name is Ana and I live in Oslo."
    thread = new_chat(runtime)
    model.enqueue("You live in Oslo. Your name is Ana. I live in Oslo. My name is Ana.")
    list(take_turn(runtime, thread, text, pasted=[(0, len(text))]))
    learn(runtime)
    assert (waiting(runtime), live(runtime)) == ([], [])


def test_a_benign_value_that_was_also_pasted_is_no_signal(runtime: Runtime) -> None:
    pasted = "Please keep your answers short."
    for _ in range(3):
        text = f"Please keep your answers short. {pasted}"
        list(take_turn(runtime, new_chat(runtime), text, pasted=[(len(text) - len(pasted), len(text))]))
    assert decisions.profile(runtime) == {}
    for _ in range(2):
        say(runtime, new_chat(runtime), "Please keep your answers short.")
    assert list(decisions.profile(runtime)) == ["tone"]


def test_each_of_three_facts_in_one_message_is_learned(runtime: Runtime) -> None:
    say(runtime, new_chat(runtime), "I have two dogs, I play the cello and I love hiking.")
    learn(runtime)
    assert set(live(runtime)) == {"User has two dogs.", "User plays the cello.", "User loves hiking."}


def test_a_fact_that_states_a_sensitive_field_waits_with_its_request(runtime: Runtime) -> None:
    say(runtime, new_chat(runtime), "I live in Oslo. I have a dog called Rex.")
    learn(runtime)
    assert [text for text in live(runtime) if "Oslo" in text] == []
    assert live(runtime) != []
    (request,) = pending.list_pending(runtime)
    assert "Oslo" in pending.memory_text(runtime, request.id)
    decisions.approve(runtime, request.id)
    assert [text for text in live(runtime) if "Oslo" in text] != []


def test_what_is_said_in_a_play_is_asked_about(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    for text in (
        "pretend you're a grumpy pirate and greet me",
        "I have a parrot called Polly",
        "ok stop it. I have a cat called Tom",
    ):
        say(runtime, thread, text)
    learn(runtime)
    assert [one.text for one in curate.list_memories(runtime)] == ["User has a cat called Tom."]
    assert [one.new_value for one in pending.list_pending(runtime)] == ["User has a parrot called Polly."]


def test_what_is_approved_is_learned_without_another_question(runtime: Runtime) -> None:
    decisions.set_field(runtime, "city", "Oslo")
    say(runtime, new_chat(runtime), "I live in Oslo.")
    learn(runtime)
    assert (waiting(runtime), live(runtime)) == ([], ["User lives in Oslo."])


def test_what_more_was_said_of_a_value_while_it_waited_is_learned_after_the_yes_and_nothing_else_again(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    for words in ("I live in Trondheim and I love jazz.", "I moved to Trondheim in 2019 with my dog Rex."):
        say(runtime, thread, words)
        learn(runtime)
    curate.discard(runtime, *(memory.id for memory in curate.list_memories(runtime)))
    (request,) = pending.list_pending(runtime)
    before = undo.undoable(runtime)
    yes = decisions.approve(runtime, request.id)
    learn(runtime)
    assert sorted(live(runtime)) == ["User lives in Trondheim.", "User moved to Trondheim in 2019 with User's dog Rex."]
    undo.undo(runtime, yes)
    assert (live(runtime), decisions.profile(runtime)) == ([], {}), "without the yes none of it is known"
    assert undo.undoable(runtime) == before


@pytest.mark.parametrize("restored", [False, True])
def test_a_yes_taken_back_lets_nothing_be_known_but_what_the_person_brought_back(runtime: Runtime, restored: bool) -> None:
    thread, first = new_chat(runtime), "User moved to Trondheim in 2019."
    for words in ("I live in Trondheim.", "I moved to Trondheim in 2019.", "I moved to Trondheim in 2019 with my dog Rex."):
        say(runtime, thread, words)
        learn(runtime)
    yes = decisions.approve(runtime, pending.list_pending(runtime)[0].id)
    learn(runtime)
    (taken_in,) = (one for one in lifecycle.trash(runtime) if one.text == first)
    if restored:
        curate.restore(runtime, taken_in.id)
    undo.undo(runtime, yes)
    assert (live(runtime), decisions.profile(runtime)) == ([first] if restored else [], {})
    if restored:
        with pytest.raises(NeedsYes, match="with your dog Rex"):
            undo.undo_last(runtime)
        assert live(runtime) == [first]


def test_each_value_of_a_field_waits_for_its_own_yes(runtime: Runtime) -> None:
    decisions.set_field(runtime, "health", "diabetes")
    say(runtime, new_chat(runtime), "I have asthma. I have diabetes.")
    learn(runtime)
    assert live(runtime) == ["User has diabetes."]
    (request,) = pending.list_pending(runtime)
    assert pending.memory_text(runtime, request.id) == "User has asthma."


def test_every_request_holds_the_fact_that_says_its_value(runtime: Runtime) -> None:
    say(runtime, new_chat(runtime), "I have asthma. I have diabetes.")
    learn(runtime)
    memory = {one.new_value: pending.memory_text(runtime, one.id) for one in pending.list_pending(runtime)}
    assert (memory, live(runtime)) == ({"asthma": "User has asthma.", "diabetes": "User has diabetes."}, [])


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ("I tested positive for HIV last week.", "health"),
        ("I went to rehab in March.", "health"),
        ("I use a wheelchair.", "health"),
        ("I have a dog called Rex and depression.", "health"),
        ("I work for the Labour party.", "politics"),
        ("I love going to church on Sundays.", "religion"),
        ("I went to jail in 2010.", "law"),
        ("My dentist told me that I bite on nails at night.", "health"),
    ],
)
def test_a_fact_that_touches_something_sensitive_waits_for_a_yes(runtime: Runtime, typed: str, field: str) -> None:
    say(runtime, new_chat(runtime), typed)
    learn(runtime)
    assert live(runtime) == []
    (request,) = pending.list_pending(runtime)
    fact = pending.memory_text(runtime, request.id)
    assert (request.field, f"User {request.new_value}.") == (field, fact)
    decisions.approve(runtime, request.id)
    assert live(runtime) == [fact]
    say(runtime, new_chat(runtime), typed)
    learn(runtime)
    assert (waiting(runtime), live(runtime)) == ([], [fact])


def test_what_the_model_writes_of_something_sensitive_waits_too(runtime: Runtime, model: ScriptedModel) -> None:
    fact = "User stopped taking insulin yesterday."
    written = json.dumps({"fact": fact, "tags": ["insulin"]})
    runtime.embedding.fill(ScriptedEmbedder())  # no judge
    model.script = lambda prompt, sampling: written if call_kind(prompt, sampling) == "other" else None
    say(runtime, new_chat(runtime), "Yesterday I stopped taking insulin, it hurts.")
    learn(runtime)
    assert (waiting(runtime), live(runtime)) == ([("health", "stopped taking insulin on Friday 30 January 2026")], [])
    assert pending.list_pending(runtime)[0].proposer == "model:scripted"


def test_the_history_names_who_learned_merged_and_tidied(runtime: Runtime, model: ScriptedModel) -> None:
    written = json.dumps({"fact": "User rides to work.", "tags": ["work"]})
    model.script = lambda prompt, sampling: written if call_kind(prompt, sampling) == "other" else None
    for typed in ("I have two cats.", "I have three cats.", "My bike is what I ride to work on."):
        say(runtime, new_chat(runtime), typed)
        learn(runtime)
    done = {(one.actor, one.event) for one in activity.entries(runtime)}
    assert done >= {("rules", "ADD"), ("merge", "DELETE"), ("model:scripted", "ADD")}


@pytest.mark.parametrize(
    ("typed", "again", "fact"),
    [
        ("I have a dog called Rex.", "I have a dog called Rex.", "User has a dog called Rex."),
        ("I love sailing.", "I like sailing!", "User likes sailing."),
        ("I studied chemistry in Lyon.", "In Lyon I study chemistry.", "User studies chemistry in Lyon."),
    ],
)
def test_a_fact_that_was_erased_waits_when_it_is_stated_again(runtime: Runtime, typed: str, again: str, fact: str) -> None:
    say(runtime, new_chat(runtime), typed)
    learn(runtime)
    (memory,) = curate.list_memories(runtime)
    erase(runtime, memory.id)
    say(runtime, new_chat(runtime), again)
    learn(runtime)
    assert (live(runtime), waiting(runtime)) == ([], [(FORGOTTEN, fact)])
    decisions.approve(runtime, pending.list_pending(runtime)[0].id)
    assert live(runtime) == [fact]


# The question in the chat


def test_memapp_asks_below_the_reply_and_a_typed_yes_approves(runtime: Runtime, model: ScriptedModel) -> None:
    thread = new_chat(runtime)
    assert asked(say(runtime, thread, "My name is Ana.")) == ["Shall I remember that your name is Ana? (yes / no)"]
    question = chats.page(runtime, thread).messages[-1]
    assert (question.role, question.unprompted, question.model) == (Role.ASSISTANT, True, OWN_WORDS)
    say(runtime, thread, "Yes, please.")
    assert decisions.profile(runtime) == {"preferred_name": ("Ana",)}
    row = runtime.database.read().execute("SELECT decided_by FROM consent_requests").fetchone()
    assert row["decided_by"] == "chat"
    say(runtime, thread, "What should I cook tonight?")
    assert "known of you: name Ana." in model.seen[-1].suffix
    undo.undo_last(runtime)
    assert decisions.profile(runtime) == {}


def test_a_typed_no_denies_and_anything_else_leaves_it_waiting(runtime: Runtime) -> None:
    chat_of(runtime, "My name is Ana.", "What is the weather like?")
    assert waiting(runtime) == [("preferred_name", "Ana")]
    chat_of(runtime, "I live in Oslo.", "no")
    assert waiting(runtime) == [("preferred_name", "Ana")]
    assert decisions.profile(runtime) == {}


def test_only_the_next_message_can_answer(runtime: Runtime) -> None:
    chat_of(runtime, "My name is Ana.", "I like tea.", "Yes")
    assert (decisions.profile(runtime), waiting(runtime)) == ({}, [("preferred_name", "Ana")])


def test_a_yes_that_was_pasted_or_said_elsewhere_counts_for_nothing(runtime: Runtime) -> None:
    thread = chat_of(runtime, "My name is Ana.")
    say(runtime, new_chat(runtime), "Yes")
    list(take_turn(runtime, thread, "Yes", pasted=[(0, 3)]))
    assert decisions.profile(runtime) == {}


def test_the_model_can_neither_ask_nor_answer(runtime: Runtime, model: ScriptedModel) -> None:
    thread = chat_of(runtime, "My name is Ana.")
    model.enqueue("Shall I remember that you live in Oslo? (yes / no)")
    say(runtime, thread, "Tell me something.")
    say(runtime, thread, "yes")
    assert decisions.profile(runtime) == {}


def test_memapp_asks_at_most_once_in_ten_turns_and_never_when_told_not_to(runtime: Runtime, tmp_path: Path) -> None:
    thread = new_chat(runtime)
    questions = [asked(say(runtime, thread, f"My name is {name}.")) for name in ("Ana", "Bea", "Cleo")]
    assert [len(one) for one in questions] == [1, 0, 0]
    for number in range(8):
        say(runtime, thread, f"Let us talk about subject {number}.")
    assert len(asked(say(runtime, thread, "I live in Oslo."))) == 1
    quiet = make_runtime(tmp_path / "quiet", ScriptedModel(), ask_in_chat=False)
    assert asked(say(quiet, new_chat(quiet), "My name is Ana.")) == []
    assert pending.count_pending(quiet) == 1
    quiet.close()


def test_a_yes_to_what_is_only_shown_to_wait_gets_the_question_first(runtime: Runtime, model: ScriptedModel) -> None:
    thread = chat_of(runtime, "My name is Ana.")
    model.script = lambda prompt, sampling: "Good to know. What is it like?" if call_kind(prompt, sampling) == "reply" else None
    assert asked(say(runtime, thread, "I live in Oslo.")) == []
    assert asked(say(runtime, thread, "yes")) == ["Shall I remember that you live in Oslo? (yes / no)"]
    assert decisions.profile(runtime) == {}
    say(runtime, thread, "yes")
    assert decisions.profile(runtime) == {"city": ("Oslo",)}
    model.script = lambda prompt, sampling: "Is it far?" if call_kind(prompt, sampling) == "reply" else None
    say(runtime, thread, "I am 34 years old.")
    assert asked(say(runtime, thread, "no")) == []


def test_a_yes_to_a_question_that_was_passed_over_gets_it_once_more(runtime: Runtime) -> None:
    thread = chat_of(runtime, "My name is Ana.", "I like tea.")
    assert asked(say(runtime, thread, "Yes")) == ["Shall I remember that your name is Ana? (yes / no)"]
    assert decisions.profile(runtime) == {}
    say(runtime, thread, "yes")
    assert decisions.profile(runtime) == {"preferred_name": ("Ana",)}
    assert asked(say(runtime, thread, "yes")) == []


def test_a_reply_that_failed_is_followed_by_no_question(runtime: Runtime, model: ScriptedModel) -> None:
    def broken(*_: object) -> str:
        raise ModelError("no")

    model.script = broken
    assert asked(say(runtime, new_chat(runtime), "My name is Ana.")) == []
    assert waiting(runtime) == [("preferred_name", "Ana")]


def test_an_answer_to_a_question_is_no_surprise_to_learn_from(runtime: Runtime) -> None:
    thread = chat_of(runtime, "My name is Ana.")
    before = len(expectations.pending_surprises(runtime.read()))
    say(runtime, thread, "Yes")
    assert len(expectations.pending_surprises(runtime.read())) == before


def test_a_message_that_corrects_itself_is_learned_as_corrected(runtime: Runtime) -> None:
    say(runtime, new_chat(runtime), "I love cats. Just kidding, I hate cats!")
    learn(runtime)
    assert live(runtime) == ["User hates cats."]


@pytest.mark.parametrize("what", ["forget", "delete", "edit"])
def test_what_is_taken_back_while_it_is_learned_is_not_learned(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    thread = new_chat(runtime)
    message = only(Accepted, say(runtime, thread, "I love the concerts of Xylophonia.")).message
    assert message is not None

    def meanwhile(*args: Any) -> Any:
        match what:
            case "forget":
                forget.forget_everywhere(runtime, "Xylophonia")
            case "delete":
                chats.delete_thread(runtime, thread)
            case _:
                list(resend_turn(runtime, message.id, "I love trains."))
        return near(*args)

    near = remember.near
    monkeypatch.setattr(remember, "near", meanwhile)
    learn(runtime)
    monkeypatch.undo()
    assert "Xylophonia" not in " ".join(live(runtime))


def test_all_that_a_message_states_is_asked_about_and_none_of_it_is_lost(runtime: Runtime) -> None:
    happened = say(runtime, new_chat(runtime), "I'm Sara. I live in Oslo. I have diabetes. I'm married. I'm an atheist.")
    learn(runtime)
    known = {"preferred_name": "Sara", "city": "Oslo", "health": "diabetes", "relationship": "married", "religion": "Atheist"}
    assert (dict(waiting(runtime)), live(runtime), len(asked(happened))) == (known, [], 1)


def test_what_was_not_noticed_when_it_came_is_asked_about_when_it_is_learned(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("memapp.services.turn.propose_profile_changes", lambda *_: 1 / 0)
        say(runtime, new_chat(runtime), "I live in Oslo. My phone number is 555 1234567.")
    assert waiting(runtime) == []
    learn(runtime)
    assert (waiting(runtime), live(runtime)) == ([("city", "Oslo"), ("contact", "555 1234567")], [])


def test_a_message_that_is_learned_from_later_does_not_undo_what_was_decided(runtime: Runtime) -> None:
    say(runtime, new_chat(runtime), "I live in Oslo.")
    (request,) = pending.list_pending(runtime)
    decisions.edit_then_approve(runtime, request.id, "Bergen")
    learn(runtime)
    assert (waiting(runtime), live(runtime), decisions.profile(runtime)) == ([], [], {"city": ("Bergen",)})


@pytest.mark.parametrize(
    "again",
    [
        "I still live in Oslo",
        "My wife and I live in Oslo",
        "I've been living in Oslo since 2019",
        "I have lived in Oslo all my life",
        "I love living in Oslo",
        "I live in the Oslo area",
        "I like Oslo, where I live",
        "I love my flat in Oslo",
    ],
)
def test_what_was_refused_is_not_learned_in_other_words(runtime: Runtime, again: str) -> None:
    thread = chat_of(runtime, "I live in Oslo")
    (request,) = pending.list_pending(runtime)
    decisions.deny(runtime, request.id)
    say(runtime, thread, again)
    learn(runtime)
    assert (waiting(runtime), live(runtime), decisions.profile(runtime)) == ([], [], {})


def test_what_was_erased_does_not_come_back_as_a_goal(runtime: Runtime) -> None:
    thread = chat_of(runtime, "I want to move to Lisbon some day")
    learn(runtime)
    forget.forget_everywhere(runtime, "Lisbon")
    for _ in range(3):
        say(runtime, thread, "I want to move to Lisbon some day")
        learn(runtime)
    assert (decisions.profile(runtime), live(runtime)) == ({}, [])
    assert FORGOTTEN in dict(waiting(runtime))


def test_a_fact_with_two_sensitive_values_comes_with_the_last_yes(runtime: Runtime) -> None:
    say(runtime, new_chat(runtime), "I have lived in Oslo since I was diagnosed with asthma.")
    learn(runtime)
    assert live(runtime) == []
    for request in pending.list_pending(runtime):
        assert live(runtime) == []
        decisions.approve(runtime, request.id)
    assert live(runtime) == ["User has lived in Oslo since User was diagnosed with asthma."]
