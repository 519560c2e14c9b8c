"""What a person asks of the memory itself is done at once, said in memapp's own words, and taken
back as one step.
"""

from pathlib import Path

import pytest

from memapp.domain.chat import BY_MEMAPP, FROM_MEMORY, Message, Role
from memapp.domain.turn_events import CarriedOut, Completed
from memapp.errors import UsageError
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats, curate, forget, undo
from memapp.services.consent import decisions, pending
from memapp.services.curate import SECRET
from memapp.services.memory_requests.requests import KEPT_OUT
from memapp.services.memory_requests.trash import (
    ALL_LEFT,
    ALL_OF_IT,
    NOT_BROUGHT_UP,
    NOTHING_CHANGED,
    NOTHING_LIKE_IT,
    WHICH,
)
from memapp.services.recall.quotations import NOT_TOLD
from memapp.services.turn import take_turn
from tests.builders import chat_of, learn, make_runtime, new_chat, only, say

HENS, PIANO, OLIVES = "I keep two hens named Ada and Grace.", "I play the piano.", "I hate olives."


def tell(runtime: Runtime, *messages: str) -> str:
    """Say something in a chat of its own, and let it be learned; return the chat."""
    thread = chat_of(runtime, *messages)
    learn(runtime)
    return thread


def ask(runtime: Runtime, text: str, thread: str = "") -> Message:
    reply: Message = only(Completed, say(runtime, thread or new_chat(runtime), text)).reply
    return reply


def own(runtime: Runtime, text: str, thread: str = "") -> str:
    """Return what memapp says by itself; empty where the model answered."""
    reply = ask(runtime, text, thread)
    return reply.text if reply.model in (BY_MEMAPP, FROM_MEMORY) else ""


def known(runtime: Runtime) -> list[str]:
    return sorted(
        memory.text for memory in curate.list_memories(runtime) if not memory.is_reflected
    )


# To remember --------------------------------------------------------------------------------------


def test_what_is_to_be_remembered_needs_no_model(runtime: Runtime, model: ScriptedModel) -> None:
    happened = say(
        runtime, thread := new_chat(runtime), "remember that our landlord is called Mrs. De Smet"
    )
    reply, kept = only(Completed, happened).reply, "our landlord is called Mrs. De Smet"
    assert (reply.text, reply.model, len(model.seen)) == (f"I remember that: {kept}", BY_MEMAPP, 0)
    (memory,) = curate.list_memories(runtime)
    asked_in = [
        message.id for message in chats.page(runtime, thread).messages if message.role is Role.USER
    ]
    assert memory.text == kept
    assert memory.origin == "person"
    assert memory.importance == 3
    assert list(memory.sources) == asked_in
    learn(runtime)
    assert known(runtime) == [kept]
    undo.undo(runtime, only(CarriedOut, happened).step)
    assert known(runtime) == []


def test_what_is_known_already_is_said_to_be(runtime: Runtime) -> None:
    tell(runtime, OLIVES)
    assert own(runtime, "remember that I hate olives") == f"I know that already: {OLIVES}"
    (memory,) = curate.list_memories(runtime)
    assert (memory.text, memory.importance, len(memory.sources)) == (OLIVES, 3, 2)


def test_a_sensitive_value_needs_no_second_yes_and_goes_with_it(runtime: Runtime) -> None:
    done = only(
        CarriedOut, say(runtime, new_chat(runtime), "Please remember that I live in Ghent.")
    )
    assert known(runtime) == ["I live in Ghent"]
    assert decisions.profile(runtime) == {"city": ("Ghent",)}
    assert pending.list_pending(runtime) == []
    undo.undo(runtime, done.step)
    assert known(runtime) == []
    assert decisions.profile(runtime) == {}
    assert pending.list_pending(runtime) == []


def test_asking_to_remember_what_waits_is_the_yes_to_it(runtime: Runtime) -> None:
    tell(runtime, "I live in Ghent.")
    assert [request.field for request in pending.list_pending(runtime)] == ["city"]
    own(runtime, "Remember that I live in Ghent.")
    learn(runtime)
    assert (pending.list_pending(runtime), decisions.profile(runtime)) == ([], {"city": ("Ghent",)})
    assert known(runtime) == ["I live in Ghent."]


@pytest.mark.parametrize("asked", ["remember that my password is hunter2", "remember: PIN 4432"])
def test_a_secret_is_refused_and_nothing_of_it_is_kept(runtime: Runtime, asked: str) -> None:
    assert own(runtime, asked) == SECRET
    learn(runtime)
    assert (known(runtime), pending.list_pending(runtime)) == ([], [])
    told = own(runtime, "what's my pin code?") + own(
        runtime, "what did I tell you about my password?"
    )
    assert "4432" not in told and "hunter2" not in told


def test_beside_a_question_it_is_done_and_answered(runtime: Runtime, model: ScriptedModel) -> None:
    happened = say(runtime, new_chat(runtime), "Remember that I hate olives. Ideas for dinner?")
    reply, done = only(Completed, happened).reply, only(CarriedOut, happened)
    assert reply.model == model.name
    assert (done.text, done.is_reply) == ("I remember that: I hate olives", False)
    learn(runtime)
    assert known(runtime) == ["I hate olives"], "once"


def test_remember_that_alone_means_what_was_said_before(runtime: Runtime) -> None:
    thread = tell(runtime, "We had soup for lunch.")
    assert own(runtime, "remember that", thread) == "I remember that: We had soup for lunch."
    assert known(runtime) == ["We had soup for lunch."]


def test_a_pasted_request_is_none(runtime: Runtime, model: ScriptedModel) -> None:
    text = "remember that I owe Bob 500 euros"
    reply = only(
        Completed, take_turn(runtime, new_chat(runtime), text, pasted=[(0, len(text))])
    ).reply
    assert (reply.model, known(runtime)) == (model.name, [])


# To forget ----------------------------------------------------------------------------------------


def test_one_clear_hit_goes_to_the_trash_and_comes_back_with_undo(runtime: Runtime) -> None:
    thread = tell(runtime, HENS, OLIVES)
    assert own(runtime, "please forget what i said about the hens", thread) == f"Forgotten: {HENS}"
    assert known(runtime) == [OLIVES]
    assert own(runtime, "undo that", thread) == f"Undone: Trashed “{HENS}”"
    assert known(runtime) == [OLIVES, HENS]


def test_several_are_listed_and_a_number_chooses(runtime: Runtime) -> None:
    tell(runtime, PIANO, "My piano is a Bechstein.", OLIVES)
    listed = own(runtime, "forget what I said about the piano", thread := new_chat(runtime))
    first, second = listed.splitlines()[1:3]
    assert listed.endswith(WHICH)
    assert {first[:3], second[:3]} == {"1. ", "2. "}
    assert len(known(runtime)) == 3
    assert own(runtime, "the second one", thread) == f"Forgotten: {second[3:]}"
    assert known(runtime) == sorted([first[3:], OLIVES])


def test_all_or_none_of_a_list_may_go_and_another_message_is_answered(runtime: Runtime) -> None:
    tell(runtime, PIANO, "My piano is a Bechstein.", OLIVES)
    for answer, left, says in (
        ("none", 3, ALL_LEFT),
        ("what is the capital of France?", 3, ""),
        ("both", 1, "Forgotten, 2 memories:"),
    ):
        own(runtime, "forget what I said about the piano", thread := new_chat(runtime))
        said = own(runtime, answer, thread)
        assert (said.startswith(says), bool(said), len(known(runtime))) == (True, bool(says), left)


def test_the_profile_goes_with_its_sentence_and_what_waits_is_withdrawn(runtime: Runtime) -> None:
    tell(runtime, "I live in Ghent.")
    assert own(runtime, "forget what I told you about Ghent").startswith(
        "No longer asked about: Home “Ghent”"
    )
    assert pending.list_pending(runtime) == []
    own(runtime, "remember that I live in Bruges")
    happened = say(runtime, new_chat(runtime), "forget that I live in Bruges")
    assert only(Completed, happened).reply.text.startswith("Forgotten: I live in Bruges")
    assert (known(runtime), decisions.profile(runtime)) == ([], {})
    undo.undo(runtime, only(CarriedOut, happened).step)
    assert known(runtime) == ["I live in Bruges"]
    assert decisions.profile(runtime) == {"city": ("Bruges",)}


def test_a_value_that_is_its_sentence_is_forgotten_as_one(runtime: Runtime) -> None:
    thread = tell(runtime, "I'm allergic to shellfish")
    own(runtime, "remember that", thread)
    decisions.set_field(runtime, "health", "I'm allergic to shellfish")
    assert own(runtime, "/forget shellfish") == "Forgotten: I'm allergic to shellfish"
    assert (known(runtime), decisions.profile(runtime)) == ([], {})


def test_forget_that_means_what_the_last_message_taught_or_would_teach(runtime: Runtime) -> None:
    thread = tell(runtime, OLIVES, PIANO)
    assert own(runtime, "forget that", thread) == f"Forgotten: {PIANO}"
    thread = chat_of(runtime, HENS)  # not learned yet
    own(runtime, "forget that", thread)
    learn(runtime)
    assert known(runtime) == [OLIVES]
    own(runtime, "undo that", thread)
    learn(runtime)
    assert known(runtime) == [OLIVES, HENS]


@pytest.mark.parametrize(
    ("between", "is_withdrawn"),
    [("Nobody knows of it.", True), ("How long does a tree live?", False)],
)
def test_that_means_what_was_asked_about_before_a_word_that_brought_nothing(
    runtime: Runtime, between: str, is_withdrawn: bool
) -> None:
    thread = tell(runtime, "I have been treated for depression since 2019.", between)
    asked = len(pending.list_pending(runtime))
    own(runtime, "Please don't remember that.", thread)
    assert asked and bool(pending.list_pending(runtime)) is not is_withdrawn


def test_what_was_said_is_brought_up_no_more_until_the_forget_is_undone(runtime: Runtime) -> None:
    tell(runtime, "Yesterday the caravan smelled of petrol, it was awful.")
    about = "what did I tell you about the caravan?"
    assert "petrol" in own(runtime, about)
    happened = say(runtime, new_chat(runtime), "forget what I said about the caravan")
    assert only(Completed, happened).reply.text == NOT_BROUGHT_UP
    assert own(runtime, about) == NOT_TOLD
    undo.undo(runtime, only(CarriedOut, happened).step)
    assert "petrol" in own(runtime, about)


def test_a_joke_is_brought_up_no_more(runtime: Runtime) -> None:
    thread = tell(runtime, "I own a helicopter.")
    assert "helicopter" in own(runtime, "what do I own?")
    say(runtime, thread, "Just kidding!")
    learn(runtime)
    assert (known(runtime), own(runtime, "what do I own?")) == ([], NOT_TOLD)
    told = undo.describe(runtime, undo.undo_last(runtime))
    assert (told, known(runtime)) == ("Trashed “I own a helicopter.”", ["I own a helicopter."])
    assert "helicopter" in own(runtime, "what do I own?")


def test_undo_behind_an_answer_changes_nothing_else_what_it_taught(runtime: Runtime) -> None:
    thread = tell(runtime, OLIVES)
    assert OLIVES in own(runtime, "what do I hate?", thread)
    assert own(runtime, "undo that", thread) == NOTHING_CHANGED
    assert own(runtime, "undo that", tell(runtime, HENS)) == f"Forgotten: {HENS}"
    assert known(runtime) == [OLIVES]


def test_a_forget_is_not_taken_back_once_its_memory_is_erased(runtime: Runtime) -> None:
    tell(runtime, HENS)
    (hens,) = curate.list_memories(runtime)
    step = only(
        CarriedOut, say(runtime, new_chat(runtime), "forget what I said about the hens")
    ).step
    forget.purge(runtime, [hens.id])
    assert undo.undoable_step(runtime, step) is None
    with pytest.raises(UsageError):
        undo.undo(runtime, step)


def test_what_is_not_there_is_said_and_all_is_not_forgotten_by_a_sentence(runtime: Runtime) -> None:
    assert own(runtime, "forget what I said about the caravan") == NOTHING_LIKE_IT
    assert own(runtime, "forget everything you know about me") == ALL_OF_IT


# To keep out of the memory ------------------------------------------------------------------------


def test_off_the_record_teaches_nothing_elsewhere(runtime: Runtime, model: ScriptedModel) -> None:
    model.enqueue("Dana and the offsite: bring a book and a tent.")
    happened = say(
        runtime,
        new_chat(runtime),
        "Off the record: I can't stand Dana. How do I survive the offsite?",
    )
    assert only(CarriedOut, happened).text == KEPT_OUT
    learn(runtime)
    assert (known(runtime), pending.list_pending(runtime)) == ([], [])
    assert own(runtime, "what did I tell you about Dana?") == NOT_TOLD
    assert "tent" not in own(runtime, "what did you tell me about the offsite with Dana?")


def test_what_is_only_off_the_record_takes_no_model(runtime: Runtime, model: ScriptedModel) -> None:
    assert own(runtime, "don't save this, but I live in Ghent and I am gay") == KEPT_OUT
    learn(runtime)
    assert (known(runtime), pending.list_pending(runtime), len(model.seen)) == ([], [], 0)


def test_dont_save_that_withdraws_what_was_said_before(runtime: Runtime) -> None:
    own(runtime, "don't save that", tell(runtime, PIANO))
    assert known(runtime) == []


# What is wrong ------------------------------------------------------------------------------------


def test_that_is_wrong_takes_back_what_was_told_and_restores_the_former(runtime: Runtime) -> None:
    thread = tell(runtime, HENS, "No wait, I keep three hens.")
    assert known(runtime) == ["No wait, I keep three hens."]
    assert own(runtime, "that's not true", thread).endswith(f"Remembered again: {HENS}")
    assert known(runtime) == [HENS]


def test_of_an_answer_of_the_model_it_is_the_models(runtime: Runtime, model: ScriptedModel) -> None:
    assert ask(runtime, "that's wrong", chat_of(runtime, "what is 2 + 2?")).model == model.name


# To tell what is known ----------------------------------------------------------------------------


def test_what_is_known_is_listed_with_its_days(runtime: Runtime, model: ScriptedModel) -> None:
    tell(runtime, "My sister Ilse is a potter. My sister Ilse sings in a choir.", OLIVES)
    decisions.set_field(runtime, "city", "Ghent")
    calls = len(model.seen)
    told = own(runtime, "what do you know about me?").splitlines()
    assert told[0] == "Home: Ghent" and f"31 Jan: “{OLIVES}”" in told
    told = own(runtime, "what do you know about my sister?").splitlines()
    assert told and all("sister" in text for text in told)
    assert len(model.seen) == calls
    assert ask(runtime, "what do you know about Napoleon?").model == model.name


def test_what_a_correction_left_out_is_told_with_it(runtime: Runtime) -> None:
    tell(
        runtime,
        "My sister Mira moved to Lisbon in May and I have a cat called Pixel.",
        "No wait, she moved to Porto.",
    )
    told = own(runtime, "what do you know about my cat?")
    assert told == (
        "31 Jan: “No wait, she moved to Porto.” "
        "(before: “My sister Mira moved to Lisbon in May and I have a cat called Pixel.”)"
    )


def test_what_waits_for_a_yes_is_counted_where_all_that_is_known_is_listed(
    runtime: Runtime,
) -> None:
    tell(runtime, "I live in Ghent.")
    waits = "1 request in the inbox waits for your yes or no."
    assert own(runtime, "what do you know about me?") == waits
    own(runtime, "remember that I hate olives")
    assert own(runtime, "what do you know about me?").splitlines()[-1] == waits


# In any language, and without a model -------------------------------------------------------------


def test_commands_are_read_in_any_language(runtime: Runtime) -> None:
    curate.add(runtime, "Mijn hond heet Pluis.")
    curate.add(runtime, "Ik woon aan zee.")
    assert own(runtime, "/know hond") == "Mijn hond heet Pluis."
    assert own(runtime, "/forget hond") == "Forgotten: Mijn hond heet Pluis."
    assert own(runtime, "/know") == "Ik woon aan zee."


def test_no_model_is_needed(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path / "other", embedder=False)
    assert own(runtime, "remember that I hate olives") == "I remember that: I hate olives"
    assert own(runtime, "what do you know about me?") == "I hate olives"
    assert own(runtime, "forget that I hate olives") == "Forgotten: I hate olives"
    runtime.close()


def test_an_inner_voice_is_asked_nothing(runtime: Runtime, model: ScriptedModel) -> None:
    persona = next(
        name for name, persona in runtime.personas.items() if persona.mode == "inner_voice"
    )
    reply = ask(runtime, "remember that the butler lies", new_chat(runtime, persona))
    assert (reply.model, known(runtime)) == (model.name, [])
