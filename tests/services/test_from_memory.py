"""Answers that memapp gives by itself, from the profile and the memory, where the model is a small one."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memapp.domain.chat import FROM_MEMORY, Message, Origin, Role
from memapp.domain.memory import Recalled
from memapp.domain.turn import Completed, Found
from memapp.inference.embedder import ChildEmbedder, bundled
from memapp.inference.scripted import ScriptedEmbedder, ScriptedModel
from memapp.language.english.second_person import told
from memapp.runtime import Runtime
from memapp.services import chats, curate, from_memory
from memapp.services.consent import decisions, pending
from memapp.services.from_memory import KNOWN_OF_IT, MYSELF, NOBODY, UNKNOWN, UNSAID
from memapp.services.from_profile import NOTHING
from memapp.services.likest import UNSURE
from memapp.services.people import INTRODUCED
from memapp.services.talked_about import NOTHING_THEN
from memapp.services.turn import retry_turn
from memapp.services.waiting_answer import WAITS
from memapp.store import chat
from tests.builders import learn, make_runtime, new_chat, only, say

MAY_FIRST = datetime(2025, 5, 1, 10, tzinfo=UTC)


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(parameters=135_000_000)


def tell(runtime: Runtime, *messages: str) -> str:
    """Say something in a chat of its own, and let it be learned."""
    thread = new_chat(runtime)
    for text in messages:
        say(runtime, thread, text)
    learn(runtime)
    return thread


def ask(runtime: Runtime, question: str, thread: str = "") -> Message:
    reply: Message = only(Completed, say(runtime, thread or new_chat(runtime), question)).reply
    return reply


def own(runtime: Runtime, question: str, thread: str = "") -> str:
    """Return what memapp answers by itself; empty where the model answered."""
    reply = ask(runtime, question, thread)
    return reply.text if reply.model == FROM_MEMORY else ""


def test_a_fact_answers_without_a_call_and_stands_below_as_the_source(runtime: Runtime, model: ScriptedModel) -> None:
    tell(runtime, "My dog is called Biscuit. I play the cello.")
    calls = len(model.seen)
    happened = say(runtime, new_chat(runtime), "whats my dog called again?")
    reply = only(Completed, happened).reply
    assert (reply.text, reply.model, len(model.seen)) == ("Your dog is called Biscuit.", FROM_MEMORY, calls)
    assert [told(hit) for hit in only(Found, happened).hits] == [reply.text]
    assert [told(hit) for hit in chats.trace(runtime, reply).hits] == [reply.text]
    assert chats.get_message(runtime, reply.id) == reply


@pytest.mark.parametrize(
    "asked",
    [
        "ok so title ideas for the podcast?",
        "a good name for the kayak?",
        "what should the podcast be called?",
        "what could Arlo paint next?",
        "I finished a novel about a river!! what should I read next?",
        "is Arlo a nice name for a parrot?",
        "which kayak is the fastest?",
        "who invented the kayak?",
    ],
)
def test_ideas_and_what_the_world_knows_are_no_question_to_the_memory(runtime: Runtime, asked: str) -> None:
    tell(runtime, "I make a podcast about rivers. I have a kayak. My son Arlo paints.")
    assert own(runtime, asked) == ""


def test_what_waits_answers_no_question_for_a_time_that_it_does_not_tell(runtime: Runtime) -> None:
    tell(runtime, "i do not eat before a shift or i fall asleep")
    assert own(runtime, "what time does my shift start?") == UNKNOWN


def test_what_was_told_today_is_listed_without_what_may_be_sensitive_in_any_words(runtime: Runtime) -> None:
    tell(runtime, "they found a lump this morning", "I smoked a joint this morning", "how long is the drive to Voss?")
    tell(runtime, "I planted beans by the wall")
    assert own(runtime, "what did I tell you today?") == 'You said today:\n- "I planted beans by the wall"'


def test_the_thing_that_a_question_names_must_be_spoken_of_in_what_is_quoted(runtime: Runtime) -> None:
    tell(runtime, "We are going to Bergen by boat in August. I have the dentist on the 3rd of June at nine.")
    assert own(runtime, "how long is the drive to Bergen?") == ""
    tell(runtime, "the drive to Bergen takes seven hours")
    assert "seven hours" in own(runtime, "how long is the drive to Bergen?")
    assert "dentist" in own(runtime, "when is the dentist appointment?")
    assert "dentist" in own(runtime, "when is the appointment?")
    tell(runtime, "My tallest hen is Berta.")
    assert "Berta" in own(runtime, "which hen is the tallest?")


def test_what_a_question_takes_for_so_is_answered_with_what_is_known(runtime: Runtime) -> None:
    tell(runtime, "My niece Ronja plays the piano. My niece Ronja studies in Bergen. I run a tiny cinema.")
    assert own(runtime, "does my niece play the violin?") == f"{KNOWN_OF_IT}\nYour niece Ronja plays the piano."
    assert own(runtime, "does Ronja study in Oslo?") == f"{KNOWN_OF_IT}\nYour niece Ronja studies in Bergen."
    assert own(runtime, "what's my favourite thing about the cinema?").startswith((UNSURE, UNKNOWN)), (
        "that I run one is no answer"
    )


def test_what_the_person_wrote_of_themselves_is_told_to_them(runtime: Runtime) -> None:
    for written in ("I play the cello", "my car is a red Skoda", "I live in Turku", "I used to live in Oslo"):
        curate.add(runtime, written)
    assert own(runtime, "what are my hobbies?") == own(runtime, "what do I play?") == "You play the cello."
    assert own(runtime, "where do I live?") == "You live in Turku."
    assert own(runtime, "where did I live before?") == "You used to live in Oslo."
    assert own(runtime, "what do you know about my car?") == "Your car is a red Skoda."


def test_what_is_said_with_few_words_is_no_answer_to_what_else_is_done_with_them(runtime: Runtime) -> None:
    tell(runtime, "I am taking a German course on Thursdays.")
    assert "German" not in own(runtime, "what medicine do I take?").split("\n")[0]
    curate.add(runtime, "User takes pills every morning.")
    assert own(runtime, "what medicine do I take?") == "You take pills every morning."


def test_a_language_or_a_grandchild_is_known_by_the_words_that_people_use(runtime: Runtime) -> None:
    tell(runtime, "I am taking a German course on Thursdays. My granddaughter is called Mira.")
    assert own(runtime, "what language am I learning?") == "You are taking a German course on Thursdays."
    assert own(runtime, "what is my grandchild called?") == "Your granddaughter is called Mira."


@pytest.mark.parametrize("question", ["what is my book about?", "do you remember what my book is about?"])
def test_the_word_for_a_thing_is_not_the_thing_that_is_theirs(runtime: Runtime, question: str) -> None:
    tell(runtime, "I am an illustrator for children's books.", "I read two books a week.")
    assert own(runtime, question) == UNKNOWN


def test_of_it_is_told_again_what_the_answer_before_says(runtime: Runtime) -> None:
    tell(runtime, "My choir concert is on 2 December in the cathedral.")
    thread = new_chat(runtime)
    told = own(runtime, "when is my choir concert?", thread)
    assert "cathedral" in told and own(runtime, "where is it?", thread) == told
    assert "cathedral" not in own(runtime, "who is it?", thread)


def test_the_profile_comes_first_and_who_she_is_is_told(runtime: Runtime) -> None:
    tell(runtime, "I moved to Bruges last week.", "My sister Mira loves pottery.")
    decisions.approve(runtime, pending.list_pending(runtime)[0].id)
    assert own(runtime, "where do i live?") == own(runtime, "I live in Paris, right?") == "You live in Bruges."
    assert own(runtime, "what does my sister love") == "Your sister Mira loves pottery."


def test_what_one_told_oneself_is_no_reply(runtime: Runtime, model: ScriptedModel) -> None:
    model.enqueue("How lovely, your daughter plays the accordion too!")
    tell(runtime, "I used to play the accordion in a band.")
    assert own(runtime, "remind me what i told you about the accordion").startswith("You ")


def test_who_is_named_in_small_letters_is_known_too(runtime: Runtime) -> None:
    tell(runtime, "My daughter Eliska plays chess.", "My neighbour Radek has two dogs.")
    for question in ("what do you know about eliska?", "tell me about eliska", "what do you know of eliska"):
        assert own(runtime, question) == "Your daughter Eliska plays chess.", question
    assert own(runtime, "tell me about radek") == "Your neighbour Radek has two dogs."
    assert own(runtime, "what do you know about chess?") == ""
    tell(runtime, "My cousin Salma has leukemia.")
    assert own(runtime, "what do you know about salma?") == WAITS
    tell(runtime, "My dog is called Bear.", "remember that the bear in the zoo of Ghent is 40")
    assert any("the bear in the zoo" in one.text.lower() and "Bear" not in one.text for one in curate.list_memories(runtime))


def test_where_a_place_is_its_name_tells_and_where_somebody_is_none_does(runtime: Runtime) -> None:
    tell(runtime, "Remember that my tram depot is Slatina.", "My sister is Jana.")
    assert own(runtime, "where's my depot?") == "Your tram depot is Slatina."
    assert not own(runtime, "where's my sister?").startswith("Your")


def test_what_nobody_told_is_not_known_and_a_false_premise_is_not_confirmed(runtime: Runtime) -> None:
    tell(runtime, "My sister Mira lives in Ghent.", "I love jazz and hiking.", "We went to Lisbon.")
    for question in (
        "what's my brother's name?",
        "where does my brother live?",
        "do i have a cat?",
        "do I like opera?",
        "when did I move to Berlin?",
        "did I tell you about my trip to Rome?",
        "where does my sister work?",
    ):
        assert own(runtime, question) == UNKNOWN, question


def test_a_doubt_is_answered_from_memory_and_a_false_premise_with_what_is_so(runtime: Runtime) -> None:
    tell(runtime, "My dog is called Biscuit. I play the cello.", "My brother Tim lives in Oslo.", "I tuned organs for 40 years.")
    tell(runtime, "I have choir on Wednesdays.", "My sister Mira lives in Ghent.")
    for doubt, known in {
        "are you sure i play the cello?": "You play the cello.",
        "you sure that I play the cello??": "You play the cello.",
        "are you really sure my dog is called Biscuit?": "Your dog is called Biscuit.",
        "is it true that Tim lives in Oslo?": "Your brother Tim lives in Oslo.",
        "do i really have a dog?": "Your dog is called Biscuit.",
        "don't I play the cello?": "You play the cello.",
        "are you sure my dog is called Rex?": f"{KNOWN_OF_IT}\nYour dog is called Biscuit.",
        "isn't my dog called Rex?": f"{KNOWN_OF_IT}\nYour dog is called Biscuit.",
        "my dog's called Rex, isn't he?": f"{KNOWN_OF_IT}\nYour dog is called Biscuit.",
        "doesn't my brother live in Paris?": f"{KNOWN_OF_IT}\nYour brother Tim lives in Oslo.",
        "Tim lives in Paris, right?": f"{KNOWN_OF_IT}\nYour brother Tim lives in Oslo.",
        "my sister lives in Oslo, right?": f"{KNOWN_OF_IT}\nYour sister Mira lives in Ghent.",
        "I have choir on Fridays, no?": f"{KNOWN_OF_IT}\nYou have choir on Wednesdays.",
        "are you sure i worked in a bank?": UNKNOWN,
        "don't I play the piano?": UNKNOWN,
    }.items():
        assert own(runtime, doubt) == known, doubt
    tell(runtime, "you said my dog is called Rex")
    assert own(runtime, "did you say my dog is called Rex?") in ("", UNKNOWN), "memapp said it, not they"
    assert own(runtime, "didnt i say i play the violin?") == "You play the cello."
    assert own(runtime, "are you certain that I tuned organs?").startswith("You tuned organs for 40 years.")
    for other in ("are you sure you can keep a secret?", "are you sure I should go?", "i'm not annoying you, am i?"):
        assert own(runtime, other) == "", other


def test_whom_a_question_names_is_known_in_any_spelling(runtime: Runtime) -> None:
    tell(runtime, "My granddaughter Lotte plays the harp.", "My neighbour Hein cheats at chess.")
    assert own(runtime, "whats the name of my granddaugther?") == "Your granddaughter is called Lotte."
    assert own(runtime, "who is my nieghbour?") == own(runtime, "who is my neighbour?") != ""
    assert own(runtime, "what's my fathter's name?") == UNKNOWN


def test_what_is_not_known_is_not_said_in_the_same_words_twice(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    said = [own(runtime, f"what's my {one} called?", thread) for one in ("dog", "boat", "cousin", "boss")]
    assert said[0] == UNKNOWN and len(set(said)) == 3 and said[3] == said[0]


def test_what_waits_confirms_no_premise(runtime: Runtime) -> None:
    tell(runtime, "I moved to Bruges last week. My son is allergic to nuts.")
    for doubt in ("I live in Utrecht, right?", "are you sure my son is allergic to eggs?"):
        assert own(runtime, doubt) == WAITS, doubt


@pytest.mark.parametrize(
    "message",
    [
        "what should I cook tonight?",
        "can you write a poem about my dog?",
        "how do I fix my bike?",
        "why is my dog barking?",
        "What is your favourite colour?",
        "tell me a joke",
        "I play the cello.",
        "is my dog too old for stairs, do you think?",
        "where is Lisbon?",
        "what can I give my dog for breakfast?",
    ],
)
def test_anything_else_is_the_models(runtime: Runtime, message: str) -> None:
    tell(runtime, "My dog is called Biscuit. I play the cello. I love Lisbon.")
    assert own(runtime, message) == ""


def test_a_pronoun_stands_for_who_was_named_before(runtime: Runtime) -> None:
    tell(runtime, "My sister is called Mira. My brother is called Leo.")
    thread = tell(runtime, "My sister is visiting, I saw my brother yesterday.")
    assert own(runtime, "what's her name again?", thread) == "Your sister is called Mira."
    assert own(runtime, "and what is his name?", thread) == "Your brother is called Leo."
    assert own(runtime, "what is her name?") == NOBODY


def test_a_name_for_a_pronoun_is_known_however_many_facts_are_newer(runtime: Runtime) -> None:
    curate.add(runtime, "User's cousin Petra-Lou lives in Kiel.")
    for number in range(INTRODUCED + 1):
        curate.add(runtime, f"User's cousin keeps bee hive {number}.")
    thread = tell(runtime, "Petra-Lou's train is late, it keeps me waiting")
    assert own(runtime, "where does she live?", thread) == "Your cousin Petra-Lou lives in Kiel."


def test_what_was_said_in_this_very_chat_is_quoted_even_where_it_could_only_be_remembered_with_a_yes(runtime: Runtime) -> None:
    runtime.embedding.fill(ScriptedEmbedder())  # so that no fact is learned
    thread = tell(runtime, "my girlfriend Ines stayed in Porto, she is a vet.")
    assert own(runtime, "what's my girlfriend's name?", thread) == "Your girlfriend is called Ines."
    unsure = f'{UNSURE}\nYou told me today: "my girlfriend Ines stayed in Porto, she is a vet."'
    assert own(runtime, "where does she live?", thread) == unsure
    assert own(runtime, "when does my girlfriend come?", thread) == UNKNOWN
    assert own(runtime, "what's my girlfriend's name?") == UNKNOWN


def test_a_name_is_what_is_told_where_a_name_is_asked_for(runtime: Runtime) -> None:
    tell(runtime, "my cousin petra visits on Saturday", "we got a cat, her name is smilla", "My aunt Ruth moved to Leeds in May.")
    assert own(runtime, "what's my cousin's name again?") == "Your cousin is called Petra."
    assert own(runtime, "how is my cat called?") == own(runtime, "what is the name of my cat") == "Your cat is called Smilla."
    own(runtime, "remember that our landlord is called Mrs. De Smet")
    assert own(runtime, "what's the name of my landlord?") == "Your landlord is called Mrs. De Smet."
    tell(runtime, "I have two uncles, Bo and Finn.", "my flatmate is called kofi", "no wait, his name is Kwame")
    assert own(runtime, "what are my uncles' names?") == "Your uncles are called Bo and Finn."
    assert own(runtime, "what's my flatmate's name?") == "Your flatmate is called Kwame."
    assert own(runtime, "where does my aunt live?") == "Your aunt Ruth moved to Leeds in May 2025."


def test_somebody_of_the_persons_is_known_by_name(runtime: Runtime) -> None:
    thread = tell(runtime, "My cousin Petra is a diver.", "smilla is my cat", "smilla is 3 by now", "petra turns 40 on 2 June")
    assert own(runtime, "who is smilla?") == "Smilla is your cat."
    assert own(runtime, "how old is smilla?") == own(runtime, "how old is my cat?") == 'You told me today: "smilla is 3 by now"'
    assert own(runtime, "when is her birthday?", thread) == "Your cousin Petra turns 40 on Tuesday 2 June 2026."
    assert own(runtime, "does Petra have kids?") == UNKNOWN
    tell(runtime, "my nephew is called Ole, he's 9", "I sold my boat, I quit the rowing club", "I can't stand loud bars")
    assert own(runtime, "how old is Ole?") == "Your nephew is 9."
    assert own(runtime, "do I still work at the rowing club?").startswith("You quit the rowing club")
    assert own(runtime, "what bars do I not like?") == "You cannot stand loud bars."
    assert own(runtime, "what's the cat's name?") == "Your cat is called Smilla."
    assert own(runtime, "does Madonna have kids?") == ""


def test_what_is_not_sure_is_told_as_it_was_said(runtime: Runtime, model: ScriptedModel) -> None:
    tell(runtime, "my cousin Petra moved to Kiel, she repairs boats there")
    calls = len(model.seen)
    assert own(runtime, "what does my cousin do?") == (
        f'{UNSURE}\nYou told me today: "my cousin Petra moved to Kiel, she repairs boats there"'
    )
    assert len(model.seen) == calls


def test_what_was_said_with_a_pronoun_is_of_whom_it_stands_for(runtime: Runtime) -> None:
    runtime.embedding.fill(ScriptedEmbedder())  # so that no fact is learned
    tell(runtime, "my uncle Bert was here", "he taught me how to carve wood", "what a day", "he comes back in May")
    assert own(runtime, "what did my uncle teach me?") == 'You told me today of your uncle: "he taught me how to carve wood"'
    assert own(runtime, "when does my uncle come back?") == 'You told me today of your uncle: "he comes back in May"'
    assert own(runtime, "when does my aunt come back?") == UNKNOWN


def test_memapp_says_what_it_is(runtime: Runtime) -> None:
    for question in ("are you a human?", "hey, are you real or a robot?", "who are you?", "what's your name?"):
        assert own(runtime, question) == MYSELF
    assert own(runtime, "are you a fan of football?") == own(runtime, "are you real about that price?") == ""


def test_what_was_said_to_correct_it_is_told_beside_it(runtime: Runtime) -> None:
    tell(runtime, "I studied in Kiel", "no, it's Lübeck, not Kiel", "I play chess", "what a day")
    assert own(runtime, "where did I study?") == "You studied in Lübeck.", "what takes its place is told alone"
    tell(runtime, "I have a meeting on tuesday about the new bridge", "no sorry, the meeting is on wednesday")
    assert own(runtime, "when is my meeting?") == "You have a meeting on Wednesday 4 February 2026 about the new bridge."
    assert own(runtime, "which game do I play?") == "You play chess."
    tell(runtime, "I collect stamps", "no wait, I live in Porto")
    assert own(runtime, "what do I collect?") == "You collect stamps.", "what waits for a yes is not told"


def test_earlier_questions_and_replies_do_not_stand_before_the_answer(runtime: Runtime, model: ScriptedModel) -> None:
    tell(runtime, "my cousin petra visits on Saturday")
    for place in range(12):
        model.enqueue(f"The name of a cousin is a name of cousin {place}.")
        ask(runtime, f"is cousin a nice name for a ship, number {place}?")
    assert own(runtime, "what's my cousin's name?") == "Your cousin is called Petra."


def test_everything_is_listed(runtime: Runtime) -> None:
    assert own(runtime, "what do you know about me?") == NOTHING
    tell(runtime, "I live in Bruges. I play the cello.", "I have a dog.")
    decisions.approve(runtime, pending.list_pending(runtime)[0].id)
    assert own(runtime, "ok, what do you know about me") == "You live in Bruges.\nYou have a dog.\nYou play the cello."


def test_what_waits_or_was_denied_or_taken_back_is_not_told(runtime: Runtime, model: ScriptedModel) -> None:
    tell(runtime, "I moved to Porto last week and I am diabetic.", "I have a cat called Minka.")
    assert own(runtime, "where do I live?") == WAITS
    for request in pending.list_pending(runtime):
        decisions.deny(runtime, request.id)
    curate.discard(runtime, *(one.id for one in curate.list_memories(runtime)))
    for question in ("where do I live?", "Which city did I move to?", "am I diabetic?", "what is my cat called?"):
        assert own(runtime, question) == UNKNOWN, question
    ask(runtime, "What is Porto like?")
    assert "diabetic" not in str(model.seen[-1])


def test_beside_what_waits_or_was_denied_the_rest_of_a_message_is_told(runtime: Runtime) -> None:
    runtime.embedding.fill(ScriptedEmbedder())  # so that no fact is learned
    thread = tell(runtime, "hi! i'm Tom, just began a new job as a baker and I love it. I went to Kiel by train.")
    told = 'You told me today: "I went to Kiel by train."'
    for _ in ("it waits", "it was denied"):
        assert own(runtime, "where did I go by train?", thread) == own(runtime, "where did I go by train?") == told
        assert own(runtime, "what did I tell you about my job?", thread).startswith('You told me today: "')
        for request in pending.list_pending(runtime):
            decisions.deny(runtime, request.id)


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("I'm Tom. We went to Tibet in May, the yaks were huge.", "Tom"),
        pytest.param("My name is Tomasz, we went to Tibet in May and I love yaks.", "Tomasz", marks=pytest.mark.slow),
        ("We went to Tibet in May, the yaks were huge. I live in Porto now.", "Porto"),
        ("I am diabetic. It did not spoil our trip. We went to Tibet in May, the yaks were huge.", "diabetic"),
        pytest.param("My address is 4 Elm Street. We went to Tibet in May, the yaks were huge.", "Elm", marks=pytest.mark.slow),
        pytest.param("I earn 3000 euros a month. We went to Tibet in May, the yaks were huge.", "3000", marks=pytest.mark.slow),
        ("We went to Tibet in May, the yaks were huge. My wife left me. She took the dog.", "wife"),
    ],
)
def test_a_value_that_waits_or_was_denied_is_in_no_answer_source_or_prompt(
    runtime: Runtime, model: ScriptedModel, said: str, value: str
) -> None:
    runtime.embedding.fill(ScriptedEmbedder())  # so that no fact is learned
    model.enqueue(f"What a trip, {value}!")
    thread = tell(runtime, said)
    for _ in ("it waits", "it was denied"):
        prompts = []
        for question in (
            "what did I tell you about Tibet?",
            "where did we go in May?",
            "what did we talk about today?",
            "what did you say about the trip?",
            "what do you know about me?",
            "What would you pack for yaks in Tibet?",
        ):
            seen = len(model.seen)
            elsewhere = say(runtime, new_chat(runtime), question)
            prompts += model.seen[seen:]
            for happened in (elsewhere, say(runtime, thread, question)):
                reply = only(Completed, happened).reply
                shown = [reply.text, *(hit.text for hit in chats.trace(runtime, reply).hits)]
                shown += [hit.text for one in happened if isinstance(one, Found) for hit in one.hits]
                assert value not in " ".join(shown), question
        assert prompts
        assert value not in str(prompts)
        assert "Tibet" in own(runtime, "what did I tell you about Tibet?")
        for request in pending.list_pending(runtime):
            decisions.deny(runtime, request.id)


def test_what_is_told_of_a_message_must_itself_be_of_the_question(runtime: Runtime) -> None:
    tell(runtime, "hi, tom here! got a dog called Rex. I moved to Lyon", "good day! just moved to Ghent for a new job")
    assert own(runtime, "what is my dog called?") == "Your dog is called Rex."
    assert own(runtime, "what is my job?") == UNKNOWN


def test_the_source_of_a_value_in_the_profile_hides_another_that_was_denied(runtime: Runtime) -> None:
    tell(runtime, "I'm Tom. I live in Bruges.")
    for request in pending.list_pending(runtime):
        (decisions.approve if request.field == "city" else decisions.deny)(runtime, request.id)
    reply = ask(runtime, "where do I live?")
    assert (reply.text, [hit.text for hit in chats.trace(runtime, reply).hits]) == ("You live in Bruges.", ["I live in Bruges."])


def test_what_memapp_itself_said_is_no_source(runtime: Runtime, model: ScriptedModel) -> None:
    model.enqueue("I recommend the film Metropolis, it is a classic.")
    tell(runtime, "Which film is worth a rainy evening?")
    first = own(runtime, "which film did you recommend?")
    assert first == 'I said today: "I recommend the film Metropolis, it is a classic."'
    assert own(runtime, "which film did you recommend to me?") == first


def test_retried_it_goes_to_the_model_and_the_old_answer_stays(runtime: Runtime, model: ScriptedModel) -> None:
    tell(runtime, "I play the cello.")
    reply = ask(runtime, "what do I play?")
    model.enqueue("The cello, you said.")
    again = only(Completed, retry_turn(runtime, reply.id)).reply
    assert (again.text, again.model) == ("The cello, you said.", "scripted")
    assert [one.text for one in chats.variants(runtime, again)] == ["You play the cello.", "The cello, you said."]


def test_what_comes_next_is_expected_in_idle_time_and_the_model_reads_the_exchange(
    runtime: Runtime, model: ScriptedModel
) -> None:
    thread = tell(runtime, "I play the cello.")
    reply = ask(runtime, "what do I play?", thread)
    model.script = lambda prompt, _: " Who wrote the first suite?" if prompt.head.startswith(reply.text) else None
    learn(runtime, thread)
    assert chats.trace(runtime, reply).expects == "Who wrote the first suite?"
    ask(runtime, "make it funnier", thread)  # goes on from the reply before it
    assert "what do I play?" in str(model.seen[-1])
    assert reply.text in str(model.seen[-1])


@pytest.mark.parametrize(("parameters", "knobs"), [(0, {}), (7_000_000_000, {}), (135_000_000, {"answer_from_memory": False})])
def test_a_capable_model_speaks_itself_and_so_does_any_where_that_is_set(
    tmp_path: Path, parameters: int, knobs: dict[str, bool]
) -> None:
    runtime = make_runtime(tmp_path, ScriptedModel(parameters=parameters), **knobs)
    tell(runtime, "I play the cello.")
    assert own(runtime, "what do I play?") == ""
    runtime.close()


@pytest.fixture
def without_model(tmp_path: Path) -> Iterator[Runtime]:
    opened = make_runtime(tmp_path)
    yield opened
    opened.close()


def test_it_needs_no_model(without_model: Runtime) -> None:
    curate.add(without_model, "User plays the cello.")
    assert own(without_model, "what do I play?") == "You play the cello."


def test_an_inner_voice_is_left_alone(runtime: Runtime) -> None:
    tell(runtime, "I play the cello.")
    assert own(runtime, "what do I play?", new_chat(runtime, "tom")) == ""


def test_who_is_meant_is_asked_where_nobody_was_named(runtime: Runtime) -> None:
    tell(runtime, "My sister Mira lives in Ghent.")
    assert own(runtime, "where does she live?") == NOBODY
    assert own(runtime, "what could I give Mira for her birthday?") == ""
    assert own(runtime, "did she win in the end of Rebecca?") == ""
    thread = tell(runtime, "My sister is visiting.")
    assert own(runtime, "where does she live?", thread) == "Your sister Mira lives in Ghent."


def test_a_quote_is_whole_where_there_is_room(runtime: Runtime) -> None:
    tell(runtime, "We went to Norway last year. The mountains were so majestic that I began to paint.")
    assert own(runtime, "what did I tell you about the mountains?") == (
        'You told me today: "We went to Norway last year. The mountains were so majestic that I began to paint."'
    )


def test_a_reply_need_not_say_again_what_was_asked(runtime: Runtime, model: ScriptedModel) -> None:
    model.enqueue("Metropolis might be a good choice.")
    tell(runtime, "Which film is worth a rainy evening?")
    assert (
        own(runtime, "which film worth a rainy evening did you recommend?")
        == 'I said today: "Metropolis might be a good choice."'
    )


def test_the_reason_is_quoted_where_the_fact_leaves_it_out(runtime: Runtime) -> None:
    tell(runtime, "I take the bus to the office because my bike was stolen.")
    assert "because my bike was stolen" in own(runtime, "why do I take the bus to the office?")


def test_what_was_talked_about_is_listed_without_what_is_sensitive(runtime: Runtime) -> None:
    assert own(runtime, "what did we talk about?") == NOTHING_THEN
    tell(runtime, "Hi! I planted three apple trees in the garden. Thank you!", "I am diabetic.", "What is a good pruning saw?")
    listed = 'You said today:\n- "I planted three apple trees in the garden."\n- "What is a good pruning saw?"'
    assert own(runtime, "what did we talk about?") == own(runtime, "What did we talk about today?") == listed
    assert own(runtime, "what did we talk about in March 2019?") == NOTHING_THEN


def test_what_was_told_and_waits_is_said_to_wait_whatever_the_words_of_the_question(runtime: Runtime) -> None:
    tell(runtime, "I'm allergic to penicillin.", "my girlfriend Ines lives in Porto")
    assert own(runtime, "what am I allergic to?") == own(runtime, "where does my girlfriend live?") == WAITS
    say(runtime, here := new_chat(runtime), "I'm lactose intolerant, but I love cheese")
    assert own(runtime, "what am I intolerant to?") == WAITS, "a part of that sentence may be told, and not this"
    assert "\"I'm lactose intolerant" in own(runtime, "what am I intolerant to?", here), "in its own chat it stands above anyway"
    here = tell(runtime, "my boyfriend raul sings in a choir", "I'm Ned, just moved to Porto for work")
    assert "raul sings in a choir" in own(runtime, "what does raul do?", here)
    assert "just moved to Porto" in own(runtime, "where do i live?", here)
    here = tell(runtime, "i'm Ana, and work as a nurse")
    assert own(runtime, "what's my name?", here).startswith('You told me here: "i\'m Ana". '), "no word leads to what is left out"
    assert own(runtime, "what did you tell me about penicillin?") != WAITS
    assert own(runtime, "do I have diabetes?") == own(runtime, "what's my brother's name?") == UNKNOWN


def test_what_waits_is_known_to_wait_however_it_was_spelled_and_asked_for(runtime: Runtime) -> None:
    here = tell(runtime, "im alergic to peanuts and penicilin btw", "my mom is in hospital, waiting for the biopsy")
    assert '"im alergic to peanuts and penicilin' in own(runtime, "what am i allergic to?", here)
    assert '"my mom is in hospital' in own(runtime, "how is my mom?", here)
    assert own(runtime, "how is my mom?") == own(runtime, "what am i allergic to?") == WAITS
    tell(runtime, "I've been taking sertraline since march")
    assert own(runtime, "do I take any medicine?") == WAITS
    assert own(runtime, "do I have kids?") == UNKNOWN


def test_nobody_elses_name_is_told_as_the_persons_own(runtime: Runtime) -> None:
    here = tell(runtime, "I'm Nadia, and teach chemistry", "we have a puppy called Waldo", "i can't stand olives")
    for question in ("what's my name?", "you already know my name, right?"):
        assert "\"I'm Nadia" in own(runtime, question, here) and own(runtime, question) == WAITS
    assert own(runtime, "what don't I like?") == own(runtime, "what do I not like?") == "You cannot stand olives."


def test_children_that_were_listed_are_known_by_name(runtime: Runtime) -> None:
    tell(runtime, "two kids, Milo (9) and Frida (12)")
    assert own(runtime, "what are my kids called?") == f'{UNSURE}\nYou told me today: "two kids, Milo (9) and Frida (12)"'


def test_what_was_never_told_is_not_quoted_for(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    thread = tell(runtime, "teh dentist is on thurdsay at 4", "I make a mean jollof rice")
    said = [one for one in chats.page(runtime, thread).messages if one.role is Role.USER]
    hits = [replace(Recalled.of_message(one, "words"), score=0.9) for one in said]
    monkeypatch.setattr(from_memory, "find", lambda *_: hits)  # what comes first is not always about it
    assert own(runtime, "did I tell you about my allergies?") == UNKNOWN
    assert "jollof" in own(runtime, "did I tell you about the rice?")


def test_nothing_is_told_as_unsure_that_has_nothing_to_do_with_the_question(runtime: Runtime, tmp_path: Path) -> None:
    with closing(ChildEmbedder(bundled(tmp_path / "cache"))) as embedder:  # whether two sentences are alike, the real one knows
        runtime.embedding.fill(embedder)
        tell(
            runtime,
            "I used to play the violin as a child",
            "I used to live with my gran",
            "my sister works at the zoo with her twins",
        )
        for question in ("do I have kids?", "do I have twins?", "where do I work?", "what do I eat?", "who do I live with?"):
            answer = own(runtime, question)
            assert answer and "violin" not in answer and "zoo" not in answer, question
        tell(runtime, "I have two daughters")
        assert "have two daughters" in own(runtime, "do I have kids?")


@pytest.fixture
def asked_back(runtime: Runtime, model: ScriptedModel) -> str:
    """A chat in which the person was asked for more of what they said, and told it."""
    thread = new_chat(runtime)
    model.enqueue("That sounds hard. What happened?")
    say(runtime, thread, "today was a bad day at the workshop")
    model.enqueue("Oh no.")
    say(runtime, thread, "the kiln cracked overnight and took all my bowls with it")
    learn(runtime)
    return thread


@pytest.mark.usefixtures("asked_back")
def test_what_was_told_when_asked_for_more_is_told_beside_what_it_is_about(runtime: Runtime) -> None:
    answer = own(runtime, "I told you about a bad day at the workshop. What was it about?")
    assert answer.splitlines() == [
        'You told me today: "today was a bad day at the workshop"',
        'You told me today: "the kiln cracked overnight and took all my bowls with it"',
    ]


def test_a_question_behind_a_statement_hides_it_not_and_its_day_is_told(runtime: Runtime) -> None:
    tell(runtime, 'last night I watched a film, "The Long Ferry" have you seen it?')
    answer = own(runtime, 'I have watched "The Long Ferry", what was the exact date of that day?')
    assert answer == 'You told me today: "last night I watched a film, "The Long Ferry"" (Friday 30 January 2026)'


def test_the_nearest_of_the_same_person_is_told_as_unsure(runtime: Runtime) -> None:
    runtime.embedding.fill(ScriptedEmbedder())  # so that no fact is learned
    tell(
        runtime,
        "my thesis meeting with prof Hartley is on tuesday",
        "my sister has a meeting on friday",
        "I saw a film on monday",
    )
    unsure = f'{UNSURE}\nYou told me today: "my thesis meeting with prof Hartley is on tuesday" (Tuesday 3 February 2026)'
    assert own(runtime, "when is my meeting with the lecturer?") == unsure
    assert own(runtime, "when is my brother's meeting?") == UNKNOWN
    tell(
        runtime,
        "I have a haircut on thursday",
        "we moved here from Linz",
        "my husband Jonas is away, he climbs",
        "my boss is away so I am alone at work",
    )
    assert "from Linz" in own(runtime, "where did we move from?")
    assert "he climbs" in own(runtime, "what is my husband doing?")
    assert "a haircut on thursday" in own(runtime, "what do I have on thursday?")
    assert "my boss is away" in own(runtime, "why am I so busy at work?")


def test_what_only_the_person_can_know_is_told_though_it_does_not_sound_like_it(runtime: Runtime) -> None:
    runtime.embedding.fill(ScriptedEmbedder())  # so that no fact is learned
    tell(
        runtime,
        "my mum turns 70 in march",
        "I am so tired because the neighbours drill",
    )
    assert "turns 70" in own(runtime, "how old will my mum be?")
    assert "neighbours drill" in own(runtime, "why am I so tired?")
    assert own(runtime, "why am I so angry?") == own(runtime, "what can I eat?") == ""


def test_who_or_when_is_told_of_those_the_person_told_of(runtime: Runtime) -> None:
    tell(
        runtime,
        "oh and one of them, Emil, is afraid of dogs",
        "I am reading Middlemarch by the sea",
        "the recital is on saturday",
        "my favourite tea is rooibos",
    )
    assert "one of them, Emil, is afraid of dogs" in own(runtime, "who is afraid of dogs?")
    assert "on saturday" in own(runtime, "when is the recital?")
    assert own(runtime, "where is the recital?") == f'{UNSURE}\nYou told me today: "the recital is on saturday"'
    tell(runtime, "met Olga at the fair, Olga works for the council")
    assert "for the council" in own(runtime, "where does Olga work?")
    for question in (
        "who is afraid of Virginia Woolf?",
        "who wrote Middlemarch?",
        "who is Middlemarch?",
        "where can I buy rooibos?",
        "how long do dogs live?",
        "what should I read next?",
    ):
        assert own(runtime, question) == "", question
    assert own(runtime, "when is the carnival?") == UNKNOWN  # a model would make it up
    assert own(runtime, "where does Olga live?").startswith(UNSURE)


def test_what_is_forgotten_somewhere_asks_nothing(runtime: Runtime) -> None:
    for message in ("I forgot my lunch again", "I forgot my keys at home", "I forget my umbrella all the time"):
        assert own(runtime, message) == "", message
    assert own(runtime, "I forgot my sister's name") == UNKNOWN


def test_a_statement_that_reads_like_a_question_is_none(runtime: Runtime) -> None:
    tell(runtime, "I rolled the noodles too thick.")
    for message in (
        "They came out like tubes. I rolled them too thick, which I may have been warned of, as I was angry.",
        "my friend just told me a story. had to go to court and everything",
        "when I was young we had a dog",
    ):
        assert own(runtime, message) == "", message


def test_a_question_is_answered_whatever_is_said_around_it(runtime: Runtime) -> None:
    tell(runtime, "My brother Paul has sold all. He grows blueberries now, so he is an expert.", "I work as a baker.")
    told = own(runtime, "and what do I do for a living, as a test of you.")
    assert told == own(runtime, "quick test what is my job") == "You work as a baker."
    blueberries = own(runtime, "what plant my brother grows, strawberry or?")
    assert blueberries == "Your brother Paul grows blueberries."
    assert own(runtime, "what does my brother grow? asking so I bring no others") == blueberries


def test_somebody_who_was_spoken_of_by_name_is_nobody_elses_to_know(runtime: Runtime) -> None:
    tell(runtime, "Emeka is in Lagos with a bank.", "Imogen is moving out. To live with her friend in Geelong.", "I am in Ohio.")
    assert "Lagos" in own(runtime, "where does Emeka live?")
    assert "Geelong" in own(runtime, "where's Imogen off to?")
    assert own(runtime, "how did Emeka make her noodles?")  # whatever is near to it: a model would make it up
    assert own(runtime, "what's the name of Emeka's dog?") == UNKNOWN
    assert own(runtime, "what is the capital of Ohio?") == own(runtime, "where does Ohio begin?") == ""


def test_who_waits_for_a_yes_is_not_made_up(runtime: Runtime) -> None:
    tell(runtime, "my boss mila is in rehab", "emeka from work is getting divorced")
    for asked in ("who is mila?", "who is Mila?", "who's emeka", "and who was emeka again?"):
        told = own(runtime, asked)
        assert told and "rehab" not in told and "divorced" not in told, asked
    assert own(runtime, "who is zorro?") == own(runtime, "who is work?") == ""


def test_what_was_said_is_found_in_whatever_form_it_is_asked_for(runtime: Runtime, model: ScriptedModel) -> None:
    model.enqueue("Work for 25 minutes and rest for five: that is the pomodoro method. Put the phone away.")
    tell(runtime, "How do I get my essay done?")
    tell(runtime, "I saw The Shawshank Redemption and it moved me to tears.", "my friends were all too busy to come over")
    told = own(runtime, "That method you taught me, with so many minutes of work and rest, what was it called?")
    assert told.startswith(f'{UNSURE}\nI said today: "Work for 25 minutes'), told
    assert "Shawshank" in own(runtime, "Which film was it that I said moved me so?")
    assert "too busy" in own(runtime, "Why could none of my pals keep me company?")
    assert own(runtime, "That bread you told me how to bake, how long was it in the oven?") == UNSAID
    for asked in ("which film should I see next?", "how long is a mile?", "what's your favourite film?", "thanks, great tips!"):
        assert own(runtime, asked) == "", asked


def test_what_was_said_at_a_time_answers_though_it_is_little_like_the_question(runtime: Runtime) -> None:
    with runtime.write() as session:
        thread = chat.create_thread(session, "May", "companion", MAY_FIRST).id
        for said in ("I had no energy and could not get on with my work.", "The soup was good."):
            chat.add_message(session, thread, Role.USER, said, MAY_FIRST, origin=Origin.TYPED)
    assert "no energy" in own(runtime, "what was wrong with me on may 1st?")
    assert own(runtime, "what was wrong with me on may 2nd?") in ("", UNKNOWN)


def test_what_only_the_person_can_know_is_not_left_to_a_small_model(runtime: Runtime) -> None:
    tell(runtime, "I like hills.")
    assert own(runtime, "Which peak is next on my list?") == UNKNOWN
    for asked in (
        "Can you recommend a peak for me?",
        "what does this do?\n\nuser = {'city': 'Porto'}",
        "which peak is the highest?",
    ):
        assert own(runtime, asked) == "", asked


def test_whether_something_is_liked_is_answered_by_a_dislike_too(runtime: Runtime) -> None:
    tell(runtime, "i can't stand coriander", "i'm not a fan of jazz", "I love rye bread")
    assert own(runtime, "do I like coriander?") == "You cannot stand coriander."
    assert own(runtime, "do I like jazz?") == "You are not a fan of jazz."
    assert own(runtime, "do I like rye bread?") == "You love rye bread."
    assert own(runtime, "do I like olives?") == UNKNOWN


def test_who_has_a_title_or_any_role_is_known_by_name(runtime: Runtime) -> None:
    tell(runtime, "remember that our landlord is called Mrs. De Smet", "my plumber is Mr. Sands", "my gardener is Olu")
    assert own(runtime, "who's my landlord?") == own(runtime, "who is Mrs. De Smet?") == "Mrs. De Smet is your landlord."
    assert own(runtime, "who is Mr Sands?") == "Your plumber is Mr Sands."
    assert own(runtime, "who is olu?") == own(runtime, "who is Olu?") == "Your gardener is Olu."
    assert own(runtime, "who is Mr. Darcy?") == own(runtime, "who is Frida Kahlo?") == ""


def test_what_is_asked_of_it_is_of_what_was_said_last(runtime: Runtime) -> None:
    thread = tell(runtime, "My interview is on Wednesday 18th at 2.", "give me 3 questions they may ask")
    assert own(runtime, "when is it again", thread).startswith('You told me today: "My interview is on Wednesday 18th at 2."')
    assert own(runtime, "when is it again") == ""


def test_what_is_so_now_is_no_answer_to_what_was_so_before(runtime: Runtime) -> None:
    tell(runtime, "I answer phones for an insurance company.")
    assert own(runtime, "do you remember what I did before insurance?") == UNKNOWN


def test_where_somebody_is_a_place_with_a_name_tells_first(runtime: Runtime) -> None:
    tell(runtime, "My brother Max lives in Vienna and plays the bass.", "My brother Max is in a jazz band.")
    assert "Vienna" in own(runtime, "where is Max these days")


def test_a_name_in_small_letters_is_known_by_who_has_it_on_whatever_day(runtime: Runtime) -> None:
    tell(runtime, "my wife Petra says hi", "petra got a new job as a nurse, she starts in january")
    assert own(runtime, "what will petra do in january?")


def test_a_noun_is_not_the_verb_that_is_asked_for(runtime: Runtime) -> None:
    tell(runtime, "the cars are back on my drive now", "I went for a run in the park for an hour")
    assert "for an hour" in own(runtime, "how long did I run in the park?")
    assert own(runtime, "what car do I drive") == UNKNOWN


def test_a_question_may_be_no_sentence(runtime: Runtime) -> None:
    tell(runtime, "My mother Greta sings.", "My boat is called Second Fix.", "Mei swims on Thursdays.")
    assert own(runtime, "names of my kids?") == own(runtime, "My uncle's name?") == UNKNOWN
    assert own(runtime, "My mother's name?") == "Your mother is called Greta."
    assert own(runtime, "what's the boat called and don't be smart") == "Your boat is called Second Fix."
    assert "Thursdays" in own(runtime, "What day does Mei swim")


def test_a_job_and_hobbies_are_told_by_what_facts_are_about(runtime: Runtime) -> None:
    tell(runtime, "I drive a forklift", "I kicked Lenny out of the band", "my record is a naga chili", "I skate at the bowl")
    assert "forklift" in own(runtime, "what do I do for money?")
    assert own(runtime, "what are my hobbies?") == "You skate at the bowl."
    tell(runtime, "I got promoted to staff engineer")
    assert "staff engineer" in own(runtime, "what's my job?")


def test_the_own_workplace_is_where_the_job_that_is_told_last_is(runtime: Runtime) -> None:
    tell(runtime, "I write software for a bank")
    assert own(runtime, "where do I work?") == own(runtime, "who do I work for?") == "You write software for a bank."
    tell(runtime, "I've been hired as an assistant at the museum")
    assert "museum" in own(runtime, "where do I work now?")


@pytest.mark.parametrize(
    "said", ["I repair violins in Ghent", "I audit small restaurants for the city in vancouver", "i fix bikes in Utrecht"]
)
def test_a_trade_and_its_place_are_a_job_for_sure(runtime: Runtime, said: str) -> None:
    tell(runtime, said)
    for asked in ("where do I work?", "what's my job?"):
        assert own(runtime, asked) == f"You {said[2:]}.", asked


@pytest.mark.parametrize("said", ["I grow tomatoes in Ghent", "I build model ships in the cellar"])
def test_what_may_be_a_pastime_is_no_job_for_sure(runtime: Runtime, said: str) -> None:
    tell(runtime, said)
    assert own(runtime, "where do I work?") in (UNKNOWN, f"{UNSURE}\nYou {said[2:]}.")


@pytest.mark.parametrize("said", ["I used to work at Philips", "I'm applying for a job at the zoo", "I buy bread in the shop"])
def test_what_is_over_or_wished_for_or_bought_is_no_job(runtime: Runtime, said: str) -> None:
    tell(runtime, said)
    assert own(runtime, "where do I work?") == own(runtime, "what is my job?") == UNKNOWN


def test_of_what_is_counted_a_number_stands_before_it(runtime: Runtime) -> None:
    tell(runtime, "I have a little farm with goats", "fourteen goats and one donkey named Winston")
    assert "fourteen goats" in own(runtime, "how many goats do I have?")


def test_what_is_near_is_told_as_it_was_said_though_others_might_know_it(runtime: Runtime) -> None:
    tell(
        runtime,
        "snapped my snare head at the gig yesterday",
        "I prefer strong coffee without sugar",
        "dad made his paella for the party",
    )
    assert "snare head" in own(runtime, "what broke at the gig?")
    assert "without sugar" in own(runtime, "what coffee do I take?")
    assert own(runtime, "what is the capital of France?") == own(runtime, "why do donkeys bray?") == ""
    assert own(runtime, "when did Farid fire me?") == UNKNOWN


def test_of_a_day_no_greeting_is_quoted(runtime: Runtime) -> None:
    tell(runtime, "hi there", "rough shift today, two drunks and a flat tyre")
    assert own(runtime, "how was my shift today?") == 'You told me today: "rough shift today, two drunks and a flat tyre"'
