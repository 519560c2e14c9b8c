"""The memories that a reply may go by: hits, a second search where a question finds nothing, and what changed."""

from datetime import timedelta
from pathlib import Path
from typing import Literal

import pytest

from memapp.domain.categories import Categories, Category
from memapp.domain.changes import Actor, SoftDeleted
from memapp.domain.chat import Message
from memapp.domain.filters import Sort
from memapp.domain.turn import Found
from memapp.inference.scripted import ScriptedEmbedder, ScriptedModel
from memapp.prompts.quotes import asks_about_person, asks_advice
from memapp.runtime import Runtime
from memapp.services import activity, chats, curate, forget, undo
from memapp.services.life_domains import bearing_on
from memapp.services.query import conversation_scope
from memapp.services.recall import RecallRequest, recall
from memapp.services.retrieved import look_up
from memapp.store import changes, chat, delta, search
from tests.builders import Clock, learn, make_runtime, new_chat, only, say, use_simple_form


def in_prompt(runtime: Runtime, thread: str) -> list[Message]:
    return chat.list_messages(runtime.read(), thread)


def lines(runtime: Runtime, thread: str, text: str = "What is new in my life?") -> tuple[str, ...]:
    return look_up(runtime, thread, text, (), []).delta.lines


def test_what_changed_elsewhere_is_told_to_a_chat_once(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    curate.add(runtime, "User ships version one by September.", category="goals")
    assert lines(runtime, thread) == (
        "Memory updates since rev 0:",
        "- +created: [Goals] User ships version one by September. (imp=3)",
    )
    say(runtime, thread, "What should I do next week?")
    assert lines(runtime, thread) == ()
    assert delta.revision(runtime.read(), thread) == 1


def test_a_stopped_reply_has_been_told_and_a_failed_one_has_not(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    curate.add(runtime, "User ships version one by September.")
    runtime.chat.fail("gone")
    say(runtime, thread, "What should I do next week?")
    assert len(lines(runtime, thread)) == 2


def test_small_talk_is_given_nothing(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    curate.add(runtime, "User likes oolong.")
    assert look_up(runtime, thread, "Thank you!", (), []).delta.lines == ()
    assert look_up(runtime, thread, "Thank you!", (), []).hits == ()


def test_the_header_stands_first_in_what_the_model_is_given(runtime: Runtime) -> None:
    model = runtime.chat.ready()
    assert isinstance(model, ScriptedModel)
    thread = new_chat(runtime)
    curate.add(runtime, "User drinks oolong tea.")
    curate.add(runtime, "User moved the desk.", category="event")
    say(runtime, thread, "Which tea do I drink?")
    block = model.seen[-1].suffix
    assert block.splitlines()[:2] == ["Memory updates since rev 0:", "- +created: [Event] User moved the desk. (imp=3)"]
    assert [line for line in block.splitlines() if "oolong" in line] == ["- You drink oolong tea. (learned 31 January 2026)"]


def test_what_a_chat_said_itself_is_no_news_to_it(runtime: Runtime) -> None:
    thread, other = new_chat(runtime), new_chat(runtime)
    say(runtime, thread, "I am learning Danish in the evenings.")
    learn(runtime, thread)
    said = in_prompt(runtime, thread)
    assert look_up(runtime, thread, "Which language do I learn?", (), said).delta.lines == ()
    assert [hit.text for hit in look_up(runtime, other, "Which language do I learn?", (), []).hits] == [
        "User is learning Danish in the evenings."
    ]


def test_any_other_message_comes_with_the_news_in_call_2_alone(runtime: Runtime) -> None:
    model = runtime.chat.ready()
    assert isinstance(model, ScriptedModel)
    thread = new_chat(runtime)
    curate.add(runtime, "User moved the desk.")
    say(runtime, thread, "Write a poem about rain.")
    call_1, call_2 = model.seen[-2:]
    assert call_2.suffix == "Memory updates since rev 0:\n- +created: [Notes] User moved the desk. (imp=3)"
    assert "desk" not in call_1.suffix and call_1.turns == call_2.turns, "both calls share the trunk"
    assert [(hit.text, hit.why) for hit in chats.trace(runtime, in_prompt(runtime, thread)[-1]).hits] == [
        ("User moved the desk.", "news")
    ]
    curate.add(runtime, "User has a new chair.")
    say(runtime, thread, "Tell me about volcanoes.")
    assert "new chair" in model.seen[-1].suffix and "desk" not in model.seen[-1].suffix


def test_an_inner_voice_is_told_no_news(runtime: Runtime) -> None:
    model = runtime.chat.ready()
    assert isinstance(model, ScriptedModel)
    thread = chats.new_thread(
        runtime, persona=next(name for name, one in runtime.personas.items() if one.mode == "inner_voice")
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


def bearing(runtime: Runtime, text: str) -> list[str]:
    return [hit.text for hit in look_up(runtime, new_chat(runtime), text, (), []).hits]


@pytest.mark.parametrize(
    "request_",
    ["Recommend a restaurant for tonight.", "What could I cook?", "any idea for dinner", "We are having pizza with the team."],
)
def test_what_somebody_must_not_eat_comes_first_before_any_dish_however_much_it_is(runtime: Runtime, request_: str) -> None:
    use_simple_form(runtime)
    said = ["User is vegetarian.", "User is allergic to nuts.", "User does not eat eggs.", "User's son is lactose-intolerant."]
    for text in (*said, "User fasts during Ramadan."):
        curate.add(runtime, text)
    for number in range(4):
        curate.add(runtime, f"User likes the pizza restaurant number {number}.", importance=5)
    assert set(bearing(runtime, request_)) == {*said, "User fasts during Ramadan."}


def test_home_children_and_budget_come_with_a_trip(runtime: Runtime) -> None:
    told = ["User lives in Ghent.", "User has two children.", "User has 400 euros a month to spare."]
    for text in ("User's brother moved to Canada.", *told, "User works as a nurse."):
        curate.add(runtime, text)
    assert bearing(runtime, "Plan a trip for the holidays.") == told
    assert bearing(runtime, "Why is the sky blue?") == []
    assert bearing(runtime, "The trip was long.") == []


def test_a_fact_that_only_has_the_word_of_a_domain_is_not_for_every_request_of_it(runtime: Runtime) -> None:
    curate.add(runtime, "User keeps no candles in the home.")
    curate.add(runtime, "User loves good food.")
    curate.add(runtime, "User sleeps badly after curry.", ["food"])
    assert bearing(runtime, "Plan a trip for the holidays.") == []
    assert bearing(runtime, "Recommend a restaurant for tonight.") == ["User sleeps badly after curry."]


def test_a_fact_about_the_same_as_a_request_need_not_be_found_for_it(runtime: Runtime) -> None:
    curate.add(runtime, "User never wants jewellery and bags.")
    learn(runtime)
    request_ = "Any tips on clothes, jewellery and bags?"
    fitting = bearing_on(runtime, request_, (), conversation_scope(runtime)).fitting
    assert [hit.text for hit in fitting or ()] == ["User never wants jewellery and bags."]


def test_what_somebody_avoids_comes_with_a_request_of_the_same_domain(runtime: Runtime) -> None:
    curate.add(runtime, "User never wants jewellery and bags.")
    curate.add(runtime, "User never wants a phone or a computer.")
    learn(runtime)
    assert bearing(runtime, "Any tips on clothes, jewellery and bags?") == ["User never wants jewellery and bags."]


def test_a_request_is_told_of_what_was_said_only_what_keeps_the_person_from_something(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    for text in ("Those clothes, jewellery and bags were great too!", "I never wear jewellery and bags with my clothes."):
        say(runtime, thread, text)
    assert bearing(runtime, "Can you suggest clothes, jewellery and bags for me?") == [
        "I never wear jewellery and bags with my clothes."
    ]


def test_who_asks_what_was_recommended_asks_for_no_advice(runtime: Runtime, model: ScriptedModel) -> None:
    model.enqueue("The film Metropolis is a classic.")
    say(runtime, new_chat(runtime), "Which film is worth a rainy evening?")
    learn(runtime)
    assert bearing(runtime, "Which film did you recommend to me?") == ["The film Metropolis is a classic."]
    assert not asks_advice("Which film did Anna recommend to Tom?")
    assert asks_advice("What can you recommend, what film has a good story?")


def test_a_bad_guess_of_call_1_costs_nothing_that_the_message_finds(runtime: Runtime) -> None:
    runtime.embedding.fill(ScriptedEmbedder())
    for text in ("User's dog is called Rex.", "User saw the weather plan.", "User works as a nurse.", "User has a plan for May."):
        curate.add(runtime, text)
    learn(runtime)
    alone, guessed = (
        look_up(runtime, new_chat(runtime), "What is my dog called?", needed, []).hits
        for needed in ((), ("weather plan", "nurse"))
    )
    assert [hit.text for hit in alone] == ["User's dog is called Rex."]
    assert (guessed[0], len(guessed)) == (alone[0], 3)


def test_what_a_capable_model_asks_for_goes_before_all_but_the_best_that_a_request_finds(runtime: Runtime) -> None:
    for text in ("User paints red roses.", "User paints red walls.", "User paints old walls.", "User works as a nurse."):
        curate.add(runtime, text)
    capable, small = [], []
    for hits in (capable, small):
        found = look_up(runtime, new_chat(runtime), "Describe how one paints red roses on walls.", ("nurse",), []).hits
        hits += [hit.text for hit in found]
        use_simple_form(runtime)
    assert (capable[0], capable[1]) == ("User paints red roses.", "User works as a nurse.")
    assert "User works as a nurse." not in small[:2]


@pytest.mark.parametrize("most", [0, 1, 2])
def test_no_more_facts_stand_in_a_prompt_than_the_setting_allows(tmp_path: Path, most: int) -> None:
    runtime = make_runtime(tmp_path, model := ScriptedModel(), prompt_memories=most)
    for day in ("Mondays", "Fridays", "Sundays"):
        curate.add(runtime, f"User plays the cello on {day}.")
    found = only(Found, say(runtime, new_chat(runtime), "When do I play the cello?"))
    assert len(found.hits) == model.seen[-1].suffix.count("cello on") == most
    runtime.close()


def test_a_question_about_the_person_that_finds_nothing_is_looked_up_again_with_more_words(runtime: Runtime) -> None:
    curate.add(runtime, "User keeps bees in the garden.")
    thread = new_chat(runtime)
    earlier = in_prompt(runtime, thread)
    assert not look_up(runtime, thread, "Do I keep bees?", (), earlier).on_demand
    retrieved = look_up(runtime, thread, "Which hobby have I got?", ("bees", "garden"), earlier)
    assert retrieved.on_demand
    assert [hit.text for hit in retrieved.hits] == ["User keeps bees in the garden."]
    assert not look_up(runtime, thread, "What is the capital of France?", ("bees",), earlier).on_demand


def test_a_question_about_the_person_comes_with_what_is_recalled_whatever_is_asked(runtime: Runtime) -> None:
    use_simple_form(runtime)
    thread = new_chat(runtime)
    curate.add(runtime, "User plays the cello.", category="preferences")
    for number in range(5):
        curate.add(runtime, f"User worked in bakery number {number}.", category="profile")
    texts = [hit.text for hit in look_up(runtime, thread, "What instrument do I play on the cello evening?", (), []).hits]
    assert texts == ["User plays the cello.", "User worked in bakery number 4.", "User worked in bakery number 3."]
    assert look_up(runtime, thread, "What is the capital of France?", (), []).hits == ()
    runtime.categories = narrowed(runtime, "profile", Category(context="rag", rag_length=1))
    assert len(look_up(runtime, thread, "Which bakery did I work in?", (), []).hits) == 1, "the length of its category"


def narrowed(runtime: Runtime, name: str, category: Category) -> Categories:
    return runtime.categories.model_copy(update={"categories": {**runtime.categories.categories, name: category}})


def test_how_often_a_search_on_demand_was_made_is_counted(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    assert not only(Found, say(runtime, thread, "Which hobby have I got?")).hits
    say(runtime, thread, "Tell me a joke.")
    assert (activity.rates(runtime).recalled_on_demand.held, activity.rates(runtime).recalled_on_demand.of) == (1, 2)


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("Where do I live?", True),
        ("I like tea. What is my favourite?", True),
        ("I like tea. Do you?", False),
        ("Could you find me a restaurant?", False),
        ("What is the capital of France?", False),
        ("I live in Oslo.", False),
    ],
)
def test_which_messages_ask_about_the_person(message: str, wanted: bool) -> None:
    assert asks_about_person(message) is wanted


def test_words_that_no_longer_hold_are_not_evidence_but_can_be_found(runtime: Runtime) -> None:
    for said in ("I work as a baker.", "I work as a gardener.", "I have a dog called Rex."):
        say(runtime, new_chat(runtime), said)
        learn(runtime)
    curate.discard(runtime, *[one.id for one in curate.list_memories(runtime) if "Rex" in one.text])
    found = {hit.text for hit in look_up(runtime, new_chat(runtime), "What do I work as?", (), []).hits}
    assert "User works as a gardener." in found and "I work as a baker." not in found
    assert "Rex" not in str(look_up(runtime, new_chat(runtime), "What is my dog called?", (), []).hits)
    assert "I work as a baker." in {hit.text for hit in recall(runtime, RecallRequest("baker"))}
    (work,) = curate.list_memories(runtime)
    edited = curate.edit(runtime, work.id, "User works as a florist.")
    found = {hit.text for hit in look_up(runtime, new_chat(runtime), "What do I work as?", (), []).hits}
    assert "User works as a florist." in found and "I work as a gardener." not in found
    undo.undo(runtime, edited.step)
    assert search.taken_back(runtime.read(), work.sources) == set()


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
    found = [hit.text for hit in look_up(runtime, new_chat(runtime), "What are my dog and my cat called?", (), []).hits]
    assert "I have a dog called Rex." not in found
    assert ("I have a cat called Mia." in found) is (by == "lifecycle"), "nobody took that back, but the person erased it"
