"""What a person asks of the memory itself is done at once, said in memapp's own words, and taken back as one step."""

from pathlib import Path

import pytest

from memapp.domain.chat import FROM_MEMORY, OWN_WORDS, Message, Role
from memapp.domain.turn import CarriedOut, Completed
from memapp.errors import UsageError
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.language.english.second_person import addressed
from memapp.runtime import Runtime
from memapp.services import chats, curate, forget, undo, upkeep
from memapp.services.asked_to_forget import ALL_LEFT, ALL_OF_IT, NOT_BROUGHT_UP, NOTHING_CHANGED, NOTHING_LIKE_IT, WHICH
from memapp.services.beyond import CANNOT
from memapp.services.consent import decisions, pending
from memapp.services.curate import SECRET
from memapp.services.likest import UNSURE
from memapp.services.memory_request import KEPT_OUT
from memapp.services.over_time import UNTOLD
from memapp.services.turn import take_turn
from tests.builders import make_runtime, new_chat, only, say


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(parameters=135_000_000)


def learn(runtime: Runtime) -> None:
    for _ in upkeep.work(runtime, None, Cancel()):
        pass


def tell(runtime: Runtime, *messages: str) -> str:
    """Say something in a chat of its own, and let it be learned."""
    thread = new_chat(runtime)
    for text in messages:
        say(runtime, thread, text)
    learn(runtime)
    return thread


def ask(runtime: Runtime, text: str, thread: str = "") -> Message:
    reply: Message = only(Completed, say(runtime, thread or new_chat(runtime), text)).reply
    return reply


def own(runtime: Runtime, text: str, thread: str = "") -> str:
    """Return what memapp says by itself; empty where the model answered."""
    reply = ask(runtime, text, thread)
    return reply.text if reply.model in (OWN_WORDS, FROM_MEMORY) else ""


def known(runtime: Runtime) -> list[str]:
    return sorted(addressed(one.text) for one in curate.list_memories(runtime))


# What it cannot do ---------------------------------------------------------------------------------------------------


def test_a_reminder_is_said_to_be_impossible_and_kept(runtime: Runtime) -> None:
    said = own(runtime, "remind me to water the plants tomorrow")
    assert said.startswith("I cannot remind you at a time")
    assert known(runtime) == ["You want to be reminded to water the plants on Sunday 1 February 2026."]


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("don't let me forget to call the plumber", "You want to be reminded to call the plumber."),
        ("don't let me forget to take my pills", "You want to be reminded to take your pills."),
        ("don't let me forget the milk", "You must not forget the milk."),
        ("don't let me forget tomorrow to pay the rent", "You want to be reminded to pay the rent on Sunday 1 February 2026."),
        ("remember my wifi name is pumpkin", "Your wifi name is pumpkin."),
        ("dont let me forget my sister sings at noon", "Your sister sings at noon."),
    ],
)
def test_what_is_not_to_be_forgotten_is_kept_so_that_it_tells_why(runtime: Runtime, typed: str, kept: str) -> None:
    own(runtime, typed)
    assert known(runtime) == [kept]


def test_a_reminder_is_judged_without_the_date_that_is_written_out(runtime: Runtime) -> None:
    own(runtime, "remind me tomorrow to call lotte")
    assert known(runtime) == ["You want to be reminded on Sunday 1 February 2026 to call lotte."]


def test_a_reminder_of_a_weekday_is_kept_with_its_date(runtime: Runtime) -> None:
    own(runtime, "remind me on friday to water the plants")
    assert known(runtime) == ["You want to be reminded on Friday 6 February 2026 to water the plants."]


def test_a_reminder_that_cannot_be_told_of_the_person_is_kept_as_it_was_said(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    own(runtime, "I play the lute. Remind me to tune it!", thread)
    assert known(runtime) == ["You said: Remind me to tune it."]


@pytest.mark.parametrize(
    "typed", ["remind me to wind the hall clock on sunday", "remind me to bring it back", "remind me to pick her up at 4"]
)
def test_a_reminder_is_judged_by_what_is_to_be_done(runtime: Runtime, typed: str) -> None:
    own(runtime, typed)
    assert len(known(runtime)) == 1


@pytest.mark.parametrize(
    ("said", "typed", "is_kept"),
    [
        ("I have two tomato plants on the balcony", "remind me to water them", True),
        ("my bike has a flat tyre", "remind me to fix it on sunday", True),
        ("I got new antidepressants today", "remind me to take them at 8", False),
        ("the scan is on Friday, they found a lump", "remind me to ask about it", False),
        ("I am seeing somebody behind his back", "remind me to tell him", False),
    ],
)
def test_what_a_reminder_does_not_name_is_judged_by_what_was_said_before(
    runtime: Runtime, said: str, typed: str, is_kept: bool
) -> None:
    thread = new_chat(runtime)
    say(runtime, thread, said)
    assert ("`remember that`" not in own(runtime, typed, thread)) is is_kept


@pytest.mark.parametrize(
    "typed",
    [
        "remind me to take my antidepressants at 8",
        "remind me to take them at 8",
        "remind me to inject at eight",
        "remind me to order more tampons",
        "remind me to change my bandage",
        "remind me to tell Tom that I am gay",
        "remind me that I live in Porto",
        "remind me tomorrow that my name is Ana",
        "set a reminder to go to mass on sunday",
        "remind me that my email is a.b@example.org",
        "remind me about my chemo on friday",
        "remind me to tell mum that my sister is pregnant",
    ],
)
def test_of_what_may_be_sensitive_nothing_is_kept_without_a_word(runtime: Runtime, typed: str) -> None:
    assert "`remember that`" in own(runtime, typed)
    learn(runtime)
    assert known(runtime) == [] and decisions.profile(runtime) == {}


def test_what_is_told_beside_it_is_learned(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    assert own(runtime, "I keep two goats. Set an alarm for six.", thread) == CANNOT["alarm"]
    learn(runtime)
    assert known(runtime) == ["You keep two goats."]


def test_the_time_is_told_and_in_a_play_the_weather_is_the_models(runtime: Runtime) -> None:
    assert own(runtime, "what time is it?").startswith("It is ")
    thread = new_chat(runtime)
    say(runtime, thread, "let's pretend you are a pirate on a ship")
    assert own(runtime, "what's the weather like today?", thread) == ""


# To remember ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("remember that our landlord is called Mrs. De Smet", "Your landlord is called Mrs. De Smet."),
        ("the plumber we trust is called Desmond, remember that please", "The plumber you trust is called Desmond."),
        ("pls remeber I hate olives", "You hate olives."),
        ("Write this down: spare key is with Gladys next door", "Spare key is with Gladys next door."),
        ("can you remember that my shifts start at 6 now?", "Your shifts start at 6 now."),
        ("For the memory: my locker is 12", "Your locker is 12."),
        ("For your notes: the key of the hives hangs behind the door", "The key of the hives hangs behind the door."),
        ("one for your notes, the boiler man is called Udo", "The boiler man is called Udo."),
    ],
)
def test_what_is_to_be_remembered_is_kept_at_once_without_a_model(
    runtime: Runtime, model: ScriptedModel, asked: str, kept: str
) -> None:
    happened = say(runtime, thread := new_chat(runtime), asked)
    reply = only(Completed, happened).reply
    assert (reply.text, reply.model, len(model.seen)) == (f"I remember that: {kept}", OWN_WORDS, 0)
    assert known(runtime) == [kept]
    (memory,) = curate.list_memories(runtime)
    asked_in = [one.id for one in chats.page(runtime, thread).messages if one.role is Role.USER]
    assert (memory.origin, memory.importance, list(memory.sources)) == ("person", 3, asked_in)
    learn(runtime)
    assert known(runtime) == [kept]  # and no second time in other words
    undo.undo(runtime, only(CarriedOut, happened).step)
    assert known(runtime) == []


def test_each_of_two_things_asked_for_is_kept(runtime: Runtime) -> None:
    own(runtime, "remember that I hate olives and note that we call the car Bernard")
    assert known(runtime) == ["We call the car Bernard.", "You hate olives."]


def test_what_is_known_already_is_said_to_be(runtime: Runtime) -> None:
    tell(runtime, "I hate olives.")
    assert own(runtime, "remember that I hate olives") == "I know that already: You hate olives."
    assert known(runtime) == ["You hate olives."]
    (memory,) = curate.list_memories(runtime)
    assert (memory.importance, len(memory.sources)) == (3, 2)


def test_a_sensitive_value_needs_no_second_yes_and_is_taken_back_with_its_fact(runtime: Runtime) -> None:
    done = only(
        CarriedOut, say(runtime, new_chat(runtime), "Please remember that I live in Ghent and I'm allergic to penicillin.")
    )
    assert decisions.profile(runtime)["city"] == ("Ghent",)
    assert decisions.profile(runtime)["health"] == ("allergic to penicillin",)
    assert pending.list_pending(runtime) == []
    assert known(runtime)
    undo.undo(runtime, done.step)
    assert (known(runtime), decisions.profile(runtime), pending.list_pending(runtime)) == ([], {}, [])


def test_asking_to_remember_what_waits_is_the_yes_to_it(runtime: Runtime) -> None:
    tell(runtime, "I live in Ghent.")
    assert [one.field for one in pending.list_pending(runtime)] == ["city"]
    assert own(runtime, "Remember that I live in Ghent.") == "I remember that: You live in Ghent."
    assert (pending.list_pending(runtime), decisions.profile(runtime)) == ([], {"city": ("Ghent",)})
    assert known(runtime) == ["You live in Ghent."]


@pytest.mark.parametrize(
    "asked",
    [
        "my pin code is 4432, remember it please",
        "remember that my password is hunter2",
        "note that my visa card number is 4111 1111 1111 1111",
        "remember: PIN 4432",
        "please remember the code for the safe is 1234",
    ],
)
def test_a_secret_is_refused_in_words_and_nothing_of_it_is_kept(runtime: Runtime, asked: str) -> None:
    assert own(runtime, asked) == SECRET
    learn(runtime)
    assert known(runtime) == []
    assert pending.list_pending(runtime) == []
    assert "4432" not in own(runtime, "what did I tell you about my pin?") + own(runtime, "what's my pin code?")


def test_beside_a_question_it_is_done_and_the_model_answers_the_rest(runtime: Runtime, model: ScriptedModel) -> None:
    happened = say(runtime, new_chat(runtime), "I hate olives, remember that. ideas for dinner?")
    reply, done = only(Completed, happened).reply, only(CarriedOut, happened)
    assert reply.model == model.name
    assert (done.text, done.is_reply) == ("I remember that: You hate olives.", False)
    learn(runtime)
    assert known(runtime) == ["You hate olives."]


def test_remember_that_alone_means_what_was_said_before(runtime: Runtime) -> None:
    thread = tell(runtime, "We call the car Bernard.")
    assert own(runtime, "remember that", thread) == "I remember that: We call the car Bernard."
    assert known(runtime) == ["We call the car Bernard."]


def test_a_pasted_request_is_none(runtime: Runtime, model: ScriptedModel) -> None:
    pasted = "remember that I owe Bob 500 euros"
    text = f"A poem of this please: {pasted}"
    spans = [(text.index(pasted), len(text))]
    reply = only(Completed, take_turn(runtime, new_chat(runtime), text, pasted=spans)).reply
    assert (reply.model, known(runtime)) == (model.name, [])


# To forget -----------------------------------------------------------------------------------------------------------


def test_one_clear_hit_goes_to_the_trash_and_comes_back_with_undo(runtime: Runtime) -> None:
    tell(runtime, "I play the piano. I hate olives.")
    happened = say(runtime, new_chat(runtime), "please forget what i said about the piano")
    assert only(Completed, happened).reply.text == "Forgotten: You play the piano."
    assert known(runtime) == ["You hate olives."]
    undo.undo(runtime, only(CarriedOut, happened).step)
    assert known(runtime) == ["You hate olives.", "You play the piano."]


def test_several_are_listed_and_a_number_chooses(runtime: Runtime) -> None:
    tell(runtime, "I play the piano. My piano is a Bechstein. I hate olives.")
    thread = new_chat(runtime)
    listed = own(runtime, "forget what I said about the piano", thread)
    first, second = listed.splitlines()[1:3]
    assert listed.endswith(WHICH)
    assert {first[:3], second[:3]} == {"1. ", "2. "}
    assert len(known(runtime)) == 3
    assert own(runtime, "the second one", thread) == f"Forgotten: {second[3:]}"
    assert known(runtime) == sorted([first[3:], "You hate olives."])


def test_all_or_none_of_a_list_may_go_and_another_message_is_answered(runtime: Runtime, model: ScriptedModel) -> None:
    tell(runtime, "I play the piano. My piano is a Bechstein. I hate olives.")
    for answer, left, says in (
        ("none", 3, ALL_LEFT),
        ("what is the capital of France?", 3, ""),
        ("both", 1, "Forgotten, 2 memories:"),
    ):
        own(runtime, "forget what I said about the piano", thread := new_chat(runtime))
        said = own(runtime, answer, thread)
        assert said.startswith(says)
        assert bool(said) == bool(says)
        assert len(known(runtime)) == left


def test_everything_about_something_goes_in_one_step(runtime: Runtime) -> None:
    tell(runtime, "I play the piano. My piano is a Bechstein. I hate olives.")
    happened = say(runtime, new_chat(runtime), "erase everything about the piano")
    assert known(runtime) == ["You hate olives."]
    undo.undo(runtime, only(CarriedOut, happened).step)
    assert len(known(runtime)) == 3


def test_the_profile_goes_with_its_fact_and_what_waits_is_withdrawn(runtime: Runtime) -> None:
    tell(runtime, "I live in Ghent.")
    assert own(runtime, "forget what I told you about Ghent").startswith("No longer asked about: Home “Ghent”")
    assert pending.list_pending(runtime) == []
    own(runtime, "remember that I live in Bruges")
    happened = say(runtime, new_chat(runtime), "forget that I live in Bruges")
    assert only(Completed, happened).reply.text.startswith("Forgotten: You live in Bruges.")
    assert (known(runtime), decisions.profile(runtime)) == ([], {})
    undo.undo(runtime, only(CarriedOut, happened).step)
    assert (known(runtime), decisions.profile(runtime)) == (["You live in Bruges."], {"city": ("Bruges",)})


def test_where_i_live_is_the_profile_too(runtime: Runtime) -> None:
    own(runtime, "remember that I live in Ghent")
    assert own(runtime, "forget where I live").startswith("Forgotten: You live in Ghent.")
    assert (known(runtime), decisions.profile(runtime)) == ([], {})


def test_forget_that_means_what_the_last_message_taught(runtime: Runtime) -> None:
    thread = tell(runtime, "I hate olives.", "I play the piano.")
    assert own(runtime, "forget that", thread) == "Forgotten: You play the piano."
    assert known(runtime) == ["You hate olives."]
    thread = new_chat(runtime)
    say(runtime, thread, "My uncle keeps bees.")  # not learned yet
    own(runtime, "forget the last thing I told you", thread)
    learn(runtime)
    assert known(runtime) == ["You hate olives."]


def test_that_means_what_was_asked_about_before_a_word_that_brought_nothing(runtime: Runtime) -> None:
    thread = tell(runtime, "I see a psychiatrist on Tuesdays.", "Nobody knows of it.")
    assert pending.list_pending(runtime)
    assert own(runtime, "Please don't remember that.", thread).startswith("No longer asked about: Health")
    assert (known(runtime), pending.list_pending(runtime)) == ([], [])


def test_that_means_the_question_that_came_between(runtime: Runtime) -> None:
    thread = tell(runtime, "I see a psychiatrist on Tuesdays.", "How long does a tree live?")
    own(runtime, "Please don't remember that.", thread)
    assert pending.list_pending(runtime)


def test_what_was_only_said_is_not_brought_up_again(runtime: Runtime) -> None:
    tell(runtime, "Yesterday the caravan smelled of petrol, it was awful.")
    assert own(runtime, "what did I tell you about the caravan?")
    assert own(runtime, "forget what I said about the caravan") == NOT_BROUGHT_UP
    assert "petrol" not in own(runtime, "what did I tell you about the caravan?")


@pytest.mark.parametrize(
    "said", ["Yesterday the caravan smelled of petrol, it was awful.", "I own a caravan that smells of petrol."]
)
def test_undo_of_a_forget_brings_the_quote_back(runtime: Runtime, said: str) -> None:
    tell(runtime, said)
    step = only(CarriedOut, say(runtime, new_chat(runtime), "forget what I said about the caravan")).step
    assert "petrol" not in own(runtime, "what did I tell you about the caravan?")
    assert undo.undoable(runtime, 1)[0].id == step
    undo.undo(runtime, step)
    assert "petrol" in own(runtime, "what did I tell you about the caravan?")


def test_what_was_withdrawn_before_it_was_learned_is_learned_after_the_undo(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    say(runtime, thread, "I hate olives.")
    own(runtime, "forget the last thing I told you", thread)
    own(runtime, "undo that", thread)
    learn(runtime)
    assert known(runtime) == ["You hate olives."]


def test_undo_that_takes_back_what_memapp_did_at_the_last_word(runtime: Runtime) -> None:
    thread = tell(runtime, "I play the piano. I hate olives.")
    own(runtime, "forget what I said about the piano", thread)
    assert own(runtime, "undo that", thread) == "Taken back: Trashed “You play the piano.”"
    assert known(runtime) == ["You hate olives.", "You play the piano."]
    own(runtime, "remember that the spare key is with Gladys", thread)
    own(runtime, "undo it please", thread)
    assert known(runtime) == ["You hate olives.", "You play the piano."]


def test_undo_that_behind_anything_else_means_what_it_taught(runtime: Runtime) -> None:
    thread = tell(runtime, "I hate olives.")
    assert own(runtime, "undo that", thread) == "Forgotten: You hate olives."
    assert known(runtime) == []


def test_an_answer_from_memory_changed_nothing_that_could_be_undone(runtime: Runtime) -> None:
    thread = tell(runtime, "I hate olives.")
    assert own(runtime, "what do I hate?", thread) == "You hate olives."
    assert own(runtime, "undo that", thread) == NOTHING_CHANGED
    assert known(runtime) == ["You hate olives."]


def test_a_forget_is_not_taken_back_once_its_fact_is_erased(runtime: Runtime) -> None:
    tell(runtime, "I own a caravan that smells of petrol.")
    (fact,) = curate.list_memories(runtime)
    step = only(CarriedOut, say(runtime, new_chat(runtime), "forget what I said about the caravan")).step
    forget.purge(runtime, [fact.id])
    assert undo.find(runtime, step) is None
    with pytest.raises(UsageError):
        undo.undo(runtime, step)


def test_what_only_sounds_like_forgetting_is_asked_about_and_is_no_request_where_nothing_is_like_it(
    runtime: Runtime, model: ScriptedModel
) -> None:
    tell(runtime, "I play the piano. I hate olives.")
    asked = own(runtime, "I'd rather you no longer knew about the piano", thread := new_chat(runtime))
    assert asked.splitlines() == ["Do you mean this?", "1. You play the piano.", WHICH]
    assert len(known(runtime)) == 2
    assert own(runtime, "yes", thread) == "Forgotten: You play the piano."
    assert ask(runtime, "I'd rather you no longer knew about the caravan").model == model.name


def test_by_another_embedding_model_requests_are_read_by_their_forms_alone(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(runtime, "I play the piano.")
    monkeypatch.setattr(runtime.embedding.ready(), "model_id", "another")
    assert own(runtime, "I'd rather you no longer knew about the piano") == ""
    assert own(runtime, "forget what I said about the piano") == "Forgotten: You play the piano."


def test_what_is_not_there_is_said_not_to_be(runtime: Runtime) -> None:
    assert own(runtime, "forget what I said about the caravan") == NOTHING_LIKE_IT
    assert own(runtime, "forget everything you know about me") == ALL_OF_IT


# To keep out of the memory -------------------------------------------------------------------------------------------


def test_off_the_record_teaches_nothing_and_is_told_in_no_other_chat(runtime: Runtime, model: ScriptedModel) -> None:
    text = "Off the record: I really can't stand my colleague Dana. How do I survive the offsite?"
    happened = say(runtime, new_chat(runtime), text)
    assert only(Completed, happened).reply.model == model.name
    assert only(CarriedOut, happened).text == KEPT_OUT
    learn(runtime)
    assert (known(runtime), pending.list_pending(runtime)) == ([], [])
    assert "stand" not in own(runtime, "what did I tell you about Dana?")


def test_a_reply_to_what_was_off_the_record_is_quoted_nowhere(runtime: Runtime, model: ScriptedModel) -> None:
    model.enqueue("Dana and the offsite: bring a book and a tent.")
    say(runtime, new_chat(runtime), "Off the record: I can't stand Dana. How do I survive the offsite?")
    assert "tent" not in own(runtime, "what did you tell me about the offsite with Dana?")


def test_what_is_only_told_off_the_record_takes_no_model_and_proposes_nothing(runtime: Runtime, model: ScriptedModel) -> None:
    assert own(runtime, "don't save this, but I live in Ghent and I am gay") == KEPT_OUT
    learn(runtime)
    assert (known(runtime), pending.list_pending(runtime), len(model.seen)) == ([], [], 0)


def test_dont_save_that_withdraws_what_was_said_before(runtime: Runtime) -> None:
    thread = tell(runtime, "I play the piano.")
    own(runtime, "don't save that", thread)
    assert known(runtime) == []


# What is wrong -------------------------------------------------------------------------------------------------------


def test_that_is_wrong_takes_back_what_was_just_told(runtime: Runtime) -> None:
    tell(runtime, "My dog is called Biscuit. I hate olives.")
    thread = new_chat(runtime)
    assert own(runtime, "what's my dog called?", thread) == "Your dog is called Biscuit."
    assert own(runtime, "that's wrong", thread) == "Forgotten: Your dog is called Biscuit."
    assert known(runtime) == ["You hate olives."]


def test_what_is_called_wrong_goes_and_how_it_is_may_be_learned(runtime: Runtime) -> None:
    tell(runtime, "I play the violin. I hate olives.")
    assert own(runtime, "that's wrong, I don't play the violin").startswith("Forgotten: You play the violin.")
    learn(runtime)
    assert known(runtime) == ["You do not play the violin.", "You hate olives."]


def test_what_had_ended_by_what_is_called_wrong_holds_again(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    tell(runtime, "I work at the harbour office.")
    say(runtime, thread, "I quit my job today")
    learn(runtime)
    assert "You work at the harbour office." not in known(runtime)
    assert own(runtime, "that's not true", thread).endswith("Remembered again: You work at the harbour office.")
    assert known(runtime) == ["You work at the harbour office."]


def test_no_longer_true_that_teaches_nothing_of_the_kind(runtime: Runtime) -> None:
    tell(runtime, "I play the violin.")
    own(runtime, "it's not true any more that I play the violin")
    learn(runtime)
    assert known(runtime) == []


def test_of_an_answer_of_the_model_it_is_the_models(runtime: Runtime, model: ScriptedModel) -> None:
    thread = new_chat(runtime)
    say(runtime, thread, "what is 2 + 2?")
    assert ask(runtime, "that's wrong", thread).model == model.name


# To tell what is known -----------------------------------------------------------------------------------------------


def test_what_is_known_of_the_person_or_of_something_is_listed(runtime: Runtime, model: ScriptedModel) -> None:
    tell(runtime, "My sister Mira loves pottery. My sister Mira lives in Ghent. I hate olives.")
    calls = len(model.seen)
    assert "You hate olives." in own(runtime, "so what have you got on me")
    told = own(runtime, "what do you know about my sister").splitlines()
    assert len(told) == 2 and all("sister" in one for one in told)
    decisions.set_field(runtime, "close_people", "sister Mira asked me to be her witness")
    curate.add(runtime, "User's sister Mira asked User to be her witness.")
    told = own(runtime, "what do you know about my sister").splitlines()
    assert [one for one in told if "witness" in one] == ["Your sister Mira asked you to be her witness."], "once"
    assert len(model.seen) == calls
    assert ask(runtime, "what do you know about Napoleon?").model == model.name


def test_when_something_was_told_is_found_in_other_words_too(runtime: Runtime) -> None:
    tell(runtime, "my daughter Juno is six and mad about beetles")
    told = own(runtime, "when did I say that Juno likes beetles?")
    assert told.startswith(f"{UNSURE}\nYour daughter Juno is") and '"my daughter Juno is six and mad about beetles"' in told
    assert own(runtime, "when did I say that Derek likes boats?") == UNTOLD


def test_since_when_something_is_known_is_told_with_the_words(runtime: Runtime) -> None:
    thread = tell(runtime, "Hello! I hate olives. How are you?")
    assert own(runtime, "since when do you know that I hate olives?") == 'You hate olives. You told me today: "I hate olives."'
    assert own(runtime, "when did I tell you about Marguerite?") == UNTOLD
    assert own(runtime, "what do I hate?", thread) == "You hate olives."
    assert own(runtime, "where do you have that from?", thread).endswith('You told me today: "I hate olives."')


def test_a_doubt_behind_an_answer_from_memory_is_met_with_the_words_and_elsewhere_is_the_models(runtime: Runtime) -> None:
    thread = tell(runtime, "Hello! I hate olives. How are you?")
    assert own(runtime, "really?", thread) == ""
    assert own(runtime, "what do I hate?", thread) == "You hate olives."
    assert own(runtime, "are you sure about that?", thread) == 'You hate olives. You told me today: "I hate olives."'


# In any language, and without a model --------------------------------------------------------------------------------


def test_commands_are_read_in_any_language(runtime: Runtime) -> None:
    curate.add(runtime, "Mijn hond heet Pluis.")
    curate.add(runtime, "Ik woon aan zee.")
    assert own(runtime, "/know hond") == "Mijn hond heet Pluis."
    assert own(runtime, "/forget hond") == "Forgotten: Mijn hond heet Pluis."
    assert known(runtime) == ["Ik woon aan zee."]
    assert own(runtime, "/know") == "Ik woon aan zee."


def test_no_model_is_needed(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path / "other", embedder=False)
    assert own(runtime, "remember that I hate olives") == "I remember that: You hate olives."
    assert own(runtime, "what do you know about me?") == "You hate olives."
    assert own(runtime, "forget that I hate olives").startswith("Forgotten: You hate olives.")
    runtime.close()


def test_an_inner_voice_is_asked_nothing(runtime: Runtime, model: ScriptedModel) -> None:
    persona = next(name for name, one in runtime.personas.items() if one.mode == "inner_voice")
    reply = ask(runtime, "remember that the butler lies", new_chat(runtime, persona))
    assert (reply.model, known(runtime)) == (model.name, [])


# In passing ----------------------------------------------------------------------------------------------------------


def test_what_was_said_last_is_withdrawn_in_a_run_on_sentence(tmp_path: Path, model: ScriptedModel) -> None:
    runtime = make_runtime(tmp_path, model)
    thread = tell(runtime, "I have applied for a job in Horsforth.")
    assert known(runtime)
    say(runtime, thread, "wait dont save that job thing sandra borrows my ipad")
    learn(runtime)
    assert known(runtime) == []


def test_what_is_withdrawn_no_longer_waits(tmp_path: Path, model: ScriptedModel) -> None:
    runtime = make_runtime(tmp_path, model)
    thread = tell(runtime, "I have diabetes.")
    assert pending.count_pending(runtime)
    say(runtime, thread, "Do not keep that in any form.")
    learn(runtime)
    assert pending.count_pending(runtime) == 0


def test_what_somebody_allows_is_a_yes_to_what_waits(tmp_path: Path, model: ScriptedModel) -> None:
    runtime = make_runtime(tmp_path, model)
    thread = tell(runtime, "My sister Ida is pregnant.")
    assert known(runtime) == []
    say(runtime, thread, "you can keep the news of the baby in mind, I like to plan")
    learn(runtime)
    assert known(runtime) == ["Your sister Ida is pregnant."]


def test_what_is_allowed_without_anything_that_waits_is_a_message_like_any_other(tmp_path: Path, model: ScriptedModel) -> None:
    assert own(make_runtime(tmp_path, model), "you can keep the change") == ""
