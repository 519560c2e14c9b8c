"""The memories that a reply may go by: hits, a second search where a question finds nothing, and
what changed.
"""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Literal

import pytest

from memapp.domain.categories import Categories, Category
from memapp.domain.changes import Actor, SoftDeleted
from memapp.domain.chat import Message
from memapp.domain.filters import Sort
from memapp.domain.turn_events import Found
from memapp.inference.scripted import ScriptedEmbedder, ScriptedModel
from memapp.runtime import Runtime
from memapp.services import activity, chats, curate, forget, undo
from memapp.services.recall import RecallRequest, recall, retrieve
from memapp.store import change_log, changes, chat, withdrawn
from tests.builders import Clock, learn, make_runtime, new_chat, only, say


def in_prompt(runtime: Runtime, thread: str) -> list[Message]:
    return chat.list_messages(runtime.read(), thread)


def lines(runtime: Runtime, thread: str, text: str = "What is new in my life?") -> tuple[str, ...]:
    return retrieve(runtime, thread, text, (), []).delta.lines


def test_what_changed_elsewhere_is_told_to_a_chat_once(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    curate.add(runtime, "User ships version one by September.", category="goals")
    assert lines(runtime, thread) == (
        "Memory updates since rev 0:",
        "- +created: [Goals] User ships version one by September. (imp=3)",
    )
    say(runtime, thread, "What should I do next week?")
    assert lines(runtime, thread) == ()
    assert change_log.revision(runtime.read(), thread) == 1


def test_a_stopped_reply_has_been_told_and_a_failed_one_has_not(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    curate.add(runtime, "User ships version one by September.")
    runtime.chat.fail("gone")
    say(runtime, thread, "What should I do next week?")
    assert len(lines(runtime, thread)) == 2


def test_small_talk_is_given_nothing(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    curate.add(runtime, "User likes oolong.")
    assert retrieve(runtime, thread, "Thank you!", (), []).delta.lines == ()
    assert retrieve(runtime, thread, "Thank you!", (), []).hits == ()


@pytest.fixture
def asked_model(runtime: Runtime) -> None:
    """Let the model answer questions about the person, too."""
    runtime.loaded = replace(
        runtime.loaded, settings=runtime.settings.model_copy(update={"answer_from_memory": False})
    )


@pytest.mark.usefixtures("asked_model")
def test_the_header_stands_first_in_what_the_model_is_given(runtime: Runtime) -> None:
    model = runtime.chat.ready()
    assert isinstance(model, ScriptedModel)
    thread = new_chat(runtime)
    curate.add(runtime, "User drinks oolong tea.")
    curate.add(runtime, "User moved the desk.", category="event")
    say(runtime, thread, "Which tea do I drink?")
    assert model.seen[-1].turns[-1].content.splitlines()[:4] == [
        "[notes]",
        "Memory updates since rev 0:",
        "- +created: [Event] User moved the desk. (imp=3)",
        '- 31 Jan: "User drinks oolong tea."',
    ]


def test_what_a_chat_said_itself_is_no_news_to_it(runtime: Runtime) -> None:
    thread, other = new_chat(runtime), new_chat(runtime)
    say(runtime, thread, "I am learning Danish in the evenings.")
    learn(runtime, thread)
    said = in_prompt(runtime, thread)
    assert retrieve(runtime, thread, "Which language do I learn?", (), said).delta.lines == ()
    found = retrieve(runtime, other, "Which language do I learn?", (), []).hits
    assert [hit.text for hit in found] == ["I am learning Danish in the evenings."]


def test_any_other_message_comes_with_the_news_in_call_2_alone(runtime: Runtime) -> None:
    model = runtime.chat.ready()
    assert isinstance(model, ScriptedModel)
    thread = new_chat(runtime)
    curate.add(runtime, "User moved the desk.")
    say(runtime, thread, "Write a poem about rain.")
    call_1, call_2 = model.seen[-2:]
    assert call_2.turns[-1].content == (
        "[notes]\nMemory updates since rev 0:\n- +created: [Notes] User moved the desk. (imp=3)\n"
        "\nWrite a poem about rain."
    )
    assert "desk" not in str(call_1)
    assert [
        (hit.text, hit.why) for hit in chats.trace(runtime, in_prompt(runtime, thread)[-1]).hits
    ] == [("User moved the desk.", "news")]
    curate.add(runtime, "User has a new chair.")
    say(runtime, thread, "Tell me about volcanoes.")
    assert "new chair" in model.seen[-1].turns[-1].content
    assert "desk" not in model.seen[-1].turns[-1].content


def test_an_inner_voice_is_told_no_news(runtime: Runtime) -> None:
    model = runtime.chat.ready()
    assert isinstance(model, ScriptedModel)
    thread = chats.new_thread(
        runtime,
        persona=next(name for name, item in runtime.personas.items() if item.mode == "inner_voice"),
    ).id
    curate.add(runtime, "User moved the desk.")
    for text in ("Who stood at the gate?", "What did I overlook at the gate?"):
        say(runtime, thread, text)
    assert "desk" not in repr(model.seen)


def test_what_is_quoted_is_told_with_it(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    curate.add(runtime, "User drinks oolong tea.")
    say(runtime, thread, "Which tea do I drink?")
    assert lines(runtime, thread, "What shall I wear?") == ()


def found(runtime: Runtime, text: str, *needed: str) -> list[str]:
    return [hit.text for hit in retrieve(runtime, new_chat(runtime), text, needed, []).hits]


def test_who_asks_what_was_advised_seeks_no_advice(runtime: Runtime, model: ScriptedModel) -> None:
    model.enqueue("The film Metropolis is a classic.")
    say(runtime, new_chat(runtime), "Which film is worth a rainy evening?")
    learn(runtime)
    assert found(runtime, "Which film did you recommend to me?") == [
        "The film Metropolis is a classic."
    ]


def test_a_bad_guess_of_call_1_costs_nothing_that_the_message_finds(runtime: Runtime) -> None:
    runtime.embedding.fill(ScriptedEmbedder())
    for text in (
        "User's dog is called Rex.",
        "User saw the weather plan.",
        "User works as a nurse.",
        "User has a plan for May.",
    ):
        curate.add(runtime, text)
    learn(runtime)
    alone, guessed = (
        retrieve(runtime, new_chat(runtime), "What is my dog called?", needed, []).hits
        for needed in ((), ("weather plan", "nurse"))
    )
    assert [hit.text for hit in alone] == ["User's dog is called Rex."]
    assert (guessed[0], len(guessed)) == (alone[0], 3)


def test_what_call_1_asks_for_precedes_all_but_a_requests_best(runtime: Runtime) -> None:
    for text in (
        "I paint red roses.",
        "I paint red walls.",
        "I paint old walls.",
        "I work as a nurse.",
    ):
        curate.add(runtime, text)
    actual = found(runtime, "Describe how one paints red roses on walls.", "nurse")[:2]
    assert actual == ["I paint red roses.", "I work as a nurse."]


def test_where_nothing_is_needed_only_what_surely_fits_is_told(runtime: Runtime) -> None:
    for text in ("I have been a baker for nine years.", "I sold my red car on Friday."):
        curate.add(runtime, text)
    learn(runtime)
    assert found(runtime, "My day was long, and the red light took ages.") == []
    assert found(runtime, "My day was long, I am such a tired baker.") == [
        "I have been a baker for nine years."
    ]
    assert found(runtime, "What did I sell on Friday?") == ["I sold my red car on Friday."]


@pytest.mark.parametrize("most", [0, 1, 2])
def test_no_more_facts_stand_in_a_prompt_than_the_setting_allows(tmp_path: Path, most: int) -> None:
    runtime = make_runtime(
        tmp_path, model := ScriptedModel(), prompt_memories=most, answer_from_memory=False
    )
    for day in ("Mondays", "Fridays", "Sundays"):
        curate.add(runtime, f"User plays the cello on {day}.")
    found = only(Found, say(runtime, new_chat(runtime), "When do I play the cello?"))
    assert len(found.hits) == model.seen[-1].turns[-1].content.count("cello on") == most
    runtime.close()


def test_a_question_about_the_person_is_looked_up_with_more_words(runtime: Runtime) -> None:
    curate.add(runtime, "User keeps bees in the garden.")
    thread = new_chat(runtime)
    earlier = in_prompt(runtime, thread)
    assert not retrieve(runtime, thread, "Do I keep bees?", (), earlier).on_demand
    retrieved = retrieve(runtime, thread, "Which hobby have I got?", ("bees", "garden"), earlier)
    assert retrieved.on_demand
    assert [hit.text for hit in retrieved.hits] == ["User keeps bees in the garden."]
    assert not retrieve(
        runtime, thread, "What is the capital of France?", ("bees",), earlier
    ).on_demand


def test_a_question_about_the_person_comes_with_all_recalled(runtime: Runtime) -> None:
    runtime.loaded = replace(
        runtime.loaded, settings=runtime.settings.model_copy(update={"prompt_memories": 3})
    )
    thread = new_chat(runtime)
    curate.add(runtime, "User plays the cello.", category="preferences")
    for number in range(5):
        curate.add(runtime, f"User worked in bakery number {number}.", category="profile")
    texts = [
        hit.text
        for hit in retrieve(
            runtime, thread, "What instrument do I play on the cello evening?", (), []
        ).hits
    ]
    assert texts == [
        "User plays the cello.",
        "User worked in bakery number 4.",
        "User worked in bakery number 3.",
    ]
    assert retrieve(runtime, thread, "What is the capital of France?", (), []).hits == ()
    runtime.categories = narrowed(runtime, "profile", Category(context="rag", rag_length=1))
    assert len(retrieve(runtime, thread, "Which bakery did I work in?", (), []).hits) == 1, (
        "the length of its category"
    )


def narrowed(runtime: Runtime, name: str, category: Category) -> Categories:
    return runtime.categories.model_copy(
        update={"categories": {**runtime.categories.categories, name: category}}
    )


@pytest.mark.usefixtures("asked_model")
def test_how_often_a_search_on_demand_was_made_is_counted(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    assert not only(Found, say(runtime, thread, "Which hobby have I got?")).hits
    say(runtime, thread, "Tell me a joke.")
    assert activity.rates(runtime).recalled_on_demand.held == 1
    assert activity.rates(runtime).recalled_on_demand.of == 2


def test_words_that_no_longer_hold_are_not_evidence_but_can_be_found(runtime: Runtime) -> None:
    for said in ("I play the accordion.", "I have a dog called Rex."):
        say(runtime, new_chat(runtime), said)
        learn(runtime)
    curate.discard(
        runtime, *[memory.id for memory in curate.list_memories(runtime) if "Rex" in memory.text]
    )
    assert "Rex" not in str(
        retrieve(runtime, new_chat(runtime), "What is my dog called?", (), []).hits
    )
    assert "I have a dog called Rex." in {hit.text for hit in recall(runtime, RecallRequest("Rex"))}
    (plays,) = curate.list_memories(runtime)
    edited = curate.edit(runtime, plays.id, "I play the violin.")
    assert found(runtime, "Which instrument do I play?") == ["I play the violin."]
    undo.undo(runtime, edited.step)
    assert withdrawn.withdrawn(runtime.read(), plays.sources) == set()


@pytest.mark.parametrize("by", ["person", "lifecycle"])
def test_what_was_taken_back_is_no_evidence_after_its_fact_is_erased(
    runtime: Runtime, by: Literal["person", "lifecycle"]
) -> None:
    for said in ("I have a dog called Rex.", "I have a cat called Mia."):
        say(runtime, new_chat(runtime), said)
        learn(runtime)
    taken_back, unused = curate.list_memories(runtime, sort=Sort.OLDEST)
    curate.discard(runtime, taken_back.id)
    with runtime.write() as session:
        soft_deleted = SoftDeleted(unused.id, "unused", runtime.clock())
        changes.apply(session, soft_deleted, Actor("rules"))
    assert isinstance(runtime.clock, Clock)
    runtime.clock.now += timedelta(days=40)
    forget.purge(runtime, [taken_back.id, unused.id], by=by)
    found = [
        hit.text
        for hit in retrieve(
            runtime, new_chat(runtime), "What are my dog and my cat called?", (), []
        ).hits
    ]
    assert "I have a dog called Rex." not in found
    assert ("I have a cat called Mia." in found) is (by == "lifecycle"), (
        "nobody took that back, but the person erased it"
    )
