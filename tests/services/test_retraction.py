"""Edit and resend: what the replaced words taught goes with them, and comes back with one undo."""

import pytest

from memapp.domain.changes import Actor, Event, Updated
from memapp.domain.turn_events import Accepted, Retracted, TurnEvent
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import curate, undo
from memapp.services.consent import decisions, pending
from memapp.services.turn import resend_turn, take_turn
from memapp.store import changes, history
from tests.builders import chat_of, learn, new_chat, only, say


def told(runtime: Runtime, text: str, thread: str = "") -> str:
    return _accepted(runtime, say(runtime, thread or new_chat(runtime), text))


def resent(runtime: Runtime, message_id: str, text: str) -> str:
    return _accepted(runtime, list(resend_turn(runtime, message_id, text)))


def _accepted(runtime: Runtime, happened: list[TurnEvent]) -> str:
    learn(runtime)
    message_id: str = only(Accepted, happened).message.id
    return message_id


def known(runtime: Runtime) -> tuple[set[str], set[str]]:
    waiting = {request.new_value for request in pending.list_pending(runtime)}
    return {memory.text for memory in curate.list_memories(runtime)}, waiting


def test_facts_and_requests_of_replaced_words_make_way_for_new_ones(runtime: Runtime) -> None:
    first = told(runtime, "I love cats. I live in Oslo.")
    assert known(runtime) == ({"I love cats."}, {"Oslo"})
    resent(runtime, first, "I love dogs. I live in Bergen.")
    assert known(runtime) == ({"I love dogs."}, {"Bergen"})
    undo.undo_last(runtime)
    undo.undo_last(runtime)
    assert known(runtime)[0] == {"I love cats."}


@pytest.mark.parametrize("taken_back", ["That was a lie.", "haha I was joking", "Just kidding!"])
def test_what_was_a_joke_goes_with_what_it_proposed(runtime: Runtime, taken_back: str) -> None:
    thread = new_chat(runtime)
    told(runtime, "I love cats.", thread)
    told(runtime, "I own a helicopter. I live in Oslo.", thread)
    assert known(runtime) == ({"I love cats.", "I own a helicopter."}, {"Oslo"})
    retracted = only(Retracted, say(runtime, thread, taken_back))
    learn(runtime)
    assert retracted.texts == ("I own a helicopter.",)
    assert known(runtime) == ({"I love cats."}, set())
    entries = history.entries_of_step(runtime.read(), retracted.step)
    assert [(entry.event, entry.actor, entry.meta.get("decision")) for entry in entries] == [
        (Event.UNSAY, "person", None),
        (Event.DELETE, "person", None),
        (Event.PROFILE, "person", "withdrawn"),
    ]
    undo.undo(runtime, retracted.step)
    assert known(runtime) == ({"I love cats.", "I own a helicopter."}, {"Oslo"})


@pytest.mark.parametrize("is_edited", [True, False])
def test_it_is_taken_back_even_if_memapp_is_killed(runtime: Runtime, is_edited: bool) -> None:
    thread = new_chat(runtime)
    first = told(runtime, "I own a helicopter. I live in Oslo.", thread)
    turn = (
        resend_turn(runtime, first, "I have a dog.")
        if is_edited
        else take_turn(runtime, thread, "That was a lie.")
    )
    assert isinstance(next(turn), Accepted)
    turn.close()
    learn(runtime)
    assert known(runtime) == ({"I have a dog."} if is_edited else set(), set())


def test_a_joke_that_was_not_learned_yet_is_not_learned_any_more(runtime: Runtime) -> None:
    thread = chat_of(runtime, "I own a helicopter.")
    told(runtime, "I was joking.", thread)
    assert known(runtime) == (set(), set())


def test_a_yes_also_said_in_earnest_teaches_nothing_of_the_joke(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    told(runtime, "I live in Oslo.", thread)
    say(runtime, thread, "I live in Oslo. I own a helicopter.")
    told(runtime, "That was a joke.", thread)
    decisions.approve(runtime, pending.list_pending(runtime)[0].id)
    learn(runtime)
    assert known(runtime) == ({"I live in Oslo."}, set())


@pytest.mark.parametrize("value", ["Oslo", "OSLO"])
def test_a_yes_brings_no_words_that_were_edited_away(runtime: Runtime, value: str) -> None:
    first = told(runtime, "I moved to Oslo with my dog Rex.")
    told(runtime, "I live in Oslo.")
    resent(runtime, first, "What is the time?")
    (request,) = pending.list_pending(runtime)
    assert pending.memory_text(runtime, request.id) == ""
    decisions.edit_then_approve(runtime, request.id, value)
    learn(runtime)
    assert known(runtime) == ({"I live in Oslo."}, set())


def test_what_the_new_words_say_too_stays(runtime: Runtime) -> None:
    first = told(runtime, "I love cats. Write me a poem!")
    (memory,) = curate.list_memories(runtime)
    resent(runtime, first, "I love cats. Write me a short poem!")
    assert [memory.id for memory in curate.list_memories(runtime)] == [memory.id]


def test_words_that_only_the_replaced_message_said_go_everywhere(runtime: Runtime) -> None:
    told(runtime, "I have a dog.")
    before, (dog,) = known(runtime), curate.list_memories(runtime)
    second = told(runtime, "Hello.")
    change = Updated(dog.id, text="I have a dog named Rex.", sources=(second,))
    worker = Actor("rules")
    with runtime.write() as session:
        changes.apply(session, change, worker)
    together = known(runtime)
    assert together == ({"I have a dog named Rex."}, set())
    resent(runtime, second, "What is the time?")
    assert known(runtime) == before
    undo.undo_last(runtime)
    assert known(runtime) == together


@pytest.mark.parametrize("older_first", [True, False])
def test_what_was_replaced_holds_while_it_is_said(runtime: Runtime, older_first: bool) -> None:
    thread = new_chat(runtime)
    two = told(runtime, "I have two dogs.", thread)
    three = told(runtime, "No wait, I have three dogs.", thread)
    assert known(runtime)[0] == {"No wait, I have three dogs."}
    resent(runtime, two if older_first else three, "What is the time?")
    assert known(runtime)[0] == (set() if older_first else {"I have two dogs."}), (
        "what comes behind an edited message goes with it"
    )
    undo.undo_last(runtime)
    assert known(runtime)[0] == {"No wait, I have three dogs."}


def test_what_was_replaced_first_holds_again_if_all_later_is_edited_away(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    said = ("I have two dogs.", "No wait, I have three dogs.", "No wait, I have four dogs.")
    _, three, _ = [told(runtime, text, thread) for text in said]
    assert known(runtime)[0] == {said[2]}
    resent(runtime, three, "What is the time?")
    assert known(runtime)[0] == {said[0]}
    undo.undo_last(runtime)
    assert known(runtime)[0] == {said[2]}


def test_what_was_put_off_is_withdrawn_too(runtime: Runtime) -> None:
    first = told(runtime, "I live in Oslo.")
    decisions.snooze(runtime, pending.list_pending(runtime)[0].id)
    resent(runtime, first, "What is the time?")
    assert pending.list_snoozed(runtime) == []


def test_what_was_also_said_elsewhere_or_is_the_person_s_own_by_now_stays(runtime: Runtime) -> None:
    first = told(runtime, "I love cats. I like chess. I play the viola.")
    steps = undo.undoable(runtime)
    second = told(runtime, "I love cats.")
    assert undo.undoable(runtime) == steps, "the same again is nothing new"
    by_text = {memory.text: memory.id for memory in curate.list_memories(runtime)}
    assert len(by_text) == 3
    curate.pin(runtime, by_text["I like chess."])
    curate.edit(runtime, by_text["I play the viola."], "I play the viola badly.")
    before = known(runtime)
    resent(runtime, first, "What is the time?")
    assert known(runtime) == before
    third = resent(runtime, second, "I love cats. What is the time?")
    assert known(runtime) == before
    resent(runtime, third, "What is the time?")
    assert known(runtime)[0] == before[0] - {"I love cats."}


def test_what_was_decided_stays_decided(runtime: Runtime) -> None:
    first = told(runtime, "I live in Oslo.")
    (request,) = pending.list_pending(runtime)
    decisions.approve(runtime, request.id)
    resent(runtime, first, "What is the time?")
    assert decisions.profile(runtime) == {"city": ("Oslo",)}


@pytest.mark.parametrize("by", ["undo", "forget that I play the harp"])
def test_what_is_taken_back_is_not_told(runtime: Runtime, model: ScriptedModel, by: str) -> None:
    thread = new_chat(runtime)
    model.enqueue("The harp, how lovely!")
    say(runtime, thread, "I play the harp.")
    learn(runtime)
    assert [memory.text for memory in curate.list_memories(runtime)] == ["I play the harp."]
    say(runtime, thread, "It is heavy.")
    assert "harp" in str(model.seen[-1])
    if by == "undo":
        undo.undo_last(runtime)
    else:
        say(runtime, thread, by)
    assert curate.list_memories(runtime) == []
    say(runtime, thread, "It was hard today.")
    assert "It is heavy." in str(model.seen[-1]) and "harp" not in str(model.seen[-1])
