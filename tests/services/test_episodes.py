"""Episodes tell what was talked about, hold nothing that may not be told, and stand for what left the prompt."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from memapp.domain.chat import Origin, Role
from memapp.domain.memory import Kind, Memory
from memapp.domain.prompt import Prompt, Sampling
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.language.english.second_person import addressed
from memapp.runtime import Runtime
from memapp.services import curate, episodes, forget
from memapp.services.consent import requests
from memapp.services.from_memory import known
from memapp.services.provenance import learned_from
from memapp.store import chat, memories
from tests.builders import Clock, new_chat, say, use_simple_form

ORCHARD = "Hi! I planted three apple trees in the garden."
SAW = "What is a good saw for the old hedge?"


@pytest.fixture
def thread(runtime: Runtime) -> str:
    thread = new_chat(runtime)
    for text in (ORCHARD, SAW, "I am diabetic."):
        say(runtime, thread, text)
    return thread


def later(runtime: Runtime, by: timedelta = timedelta(hours=1)) -> None:
    assert isinstance(runtime.clock, Clock)
    runtime.clock.now += by


def made(runtime: Runtime) -> list[Memory]:
    list(episodes.run(runtime, Cancel(), None))
    return [one for one in curate.list_memories(runtime) if one.category == episodes.EPISODE]


def asked(runtime: Runtime, text: str) -> str:
    """Return what memapp answers by itself, and which memories that rests on."""
    with runtime.rehearse() as session:
        thread = chat.create_thread(session, "asked", "companion", session.now)
        message = chat.add_message(session, thread.id, Role.USER, text, session.now, origin=Origin.TYPED)
        answer = known(runtime, message, [])
    assert answer is not None
    return f"{answer.text} {[hit.kind for hit in answer.hits]}"


def test_a_chat_that_rests_becomes_an_episode_without_what_is_sensitive(runtime: Runtime, thread: str) -> None:
    assert made(runtime) == [] and episodes.waiting(runtime) == 0, "it goes on"
    later(runtime)
    assert episodes.waiting(runtime) == 1
    (one,) = made(runtime)
    told = "talked about the garden and the old hedge on 31 January 2026."
    assert one.text == f"User {told} User planted three apple trees in the garden."
    assert (one.kind, one.origin, one.run_id, len(one.sources)) == (Kind.EPISODIC, "reflected", thread, 2)
    assert learned_from(runtime, one.sources) == {}, "no message taught it: it stands below none"
    assert made(runtime) == [one] and episodes.waiting(runtime) == 0
    answer = f"You {told} You planted three apple trees in the garden. ['memory']"
    assert asked(runtime, "What did we talk about today?") == answer
    later(runtime, timedelta(days=2))
    assert asked(runtime, "what did we do on Saturday?") == answer
    later(runtime, timedelta(days=6))
    assert asked(runtime, "What did we talk about last week?") == asked(runtime, "what did we discuss 8 days ago?") == answer


def test_what_was_asked_of_the_memory_is_no_topic(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    for text in ("I planted two quinces in the garden.", "Where is my telescope?", "what do you know about my aunt?"):
        say(runtime, thread, text)
    later(runtime)
    (one,) = made(runtime)
    assert one.text == "User talked about the garden on 31 January 2026. User planted two quinces in the garden."


def test_nor_is_what_memapp_answered_itself(runtime: Runtime) -> None:
    use_simple_form(runtime)
    runtime.loaded = replace(runtime.loaded, settings=runtime.settings.model_copy(update={"answer_from_memory": True}))
    thread = new_chat(runtime)
    for text in ("Emil planted two quinces in the garden.", "who is Emil", "Who built the pier?"):
        say(runtime, thread, text)
    later(runtime)
    (one,) = made(runtime)
    assert one.text.startswith("User talked about the garden and the pier on"), one.text
    assert "who is" not in asked(runtime, "What did we talk about today?")


def test_what_an_episode_says_little_of_is_quoted_beside_it(runtime: Runtime, thread: str) -> None:
    for text in ("Hmm, sounds great.", "I also started learning how to juggle.", "How do people juggle with four?"):
        say(runtime, thread, text)
    later(runtime)
    (one,) = made(runtime)
    assert "juggle" not in one.text
    said = f'{addressed(one.text)}\n\nYou said today:\n- "I also started learning how to juggle."'
    assert asked(runtime, "What did we talk about today?") == f"{said} ['memory', 'message']"


@pytest.mark.parametrize("told", ["the password Hunter-maple7", "my passphrase (Hunter maple)", "the pin code of Hunter Maple"])
def test_no_episode_repeats_what_opens_something(runtime: Runtime, told: str) -> None:
    say(runtime, new_chat(runtime), f"{told} stopped working on the old tablet, what now? I also painted the shed.")
    later(runtime)
    assert [one.text for one in made(runtime)] == ["User talked about the shed on 31 January 2026. User painted the shed."]


def test_one_that_is_stopped_is_made_the_next_time_and_once(runtime: Runtime, thread: str) -> None:
    later(runtime)
    stopped = Cancel()
    stopped.set()
    assert not list(episodes.run(runtime, stopped, None))
    job: Iterator[int] = episodes.run(runtime, Cancel(), None)
    assert next(job) == 1
    job.close()
    say(runtime, thread, "My sister Mira loves pottery.")
    later(runtime)
    assert [one.text.partition(" on ")[0] for one in made(runtime)][::-1] == [
        "User talked about the garden and the old hedge",
        "User talked about User's sister Mira",
    ]


def test_what_may_not_be_told_any_more_is_not_told(runtime: Runtime, thread: str) -> None:
    later(runtime)
    (one,) = made(runtime)
    requests.propose(runtime, "address", "the old hedge", message_id=one.sources[1], typed=True)
    assert "old hedge" not in asked(runtime, "What did we talk about today?")
    assert not episodes.may_be_told(runtime, one)


@pytest.mark.parametrize("by", ["chat", "words", "message"])
def test_what_is_erased_takes_its_episode_with_it(runtime: Runtime, thread: str, by: str) -> None:
    later(runtime)
    (one,) = made(runtime)
    if by == "chat":
        forget.purge_chats(runtime, [thread])
    elif by == "words":
        forget.forget_everywhere(runtime, "old hedge")
    else:
        fact = curate.add(runtime, "I planted apple trees.", sources=one.sources[:1]).memory_id
        curate.discard(runtime, fact)
        forget.purge(runtime, [fact], messages=True)
    assert memories.get_memories(runtime.read(), [one.id]) == []


def test_a_capable_model_words_it_unless_it_says_what_was_not_said(runtime: Runtime, model: ScriptedModel) -> None:
    written = ["talked about the quay. User painted the red boat.", "talked about a boat. User sank it in Bergen."]

    def script(prompt: Prompt, _: Sampling) -> str | None:
        return written.pop(0) if prompt.head == "User" and "boat" in prompt.turns[-1].content else None

    model.script = script
    for _ in range(2):
        say(runtime, new_chat(runtime), "I painted the red boat on the quay.")
        later(runtime)
    assert [one.text for one in made(runtime)][::-1] == [
        "User talked about the quay. User painted the red boat.",
        "User talked about the red boat and the quay on 31 January 2026. User painted the red boat on the quay.",
    ]


def test_an_episode_stands_in_the_prompt_from_when_its_first_exchange_is_left_out(runtime: Runtime, model: ScriptedModel) -> None:
    thread, shown = new_chat(runtime), 8
    for number in range(shown):
        say(runtime, thread, f"I oiled window number {number + 1} of the boathouse.")
        list(episodes.run(runtime, Cancel(), None))
    assert len(made(runtime)) == 1, "the chat goes on, but has grown long"
    before = [("number 1 " in str(one.turns), "Earlier in this chat" in one.system) for one in model.seen]
    assert (False, True) not in before and (True, False) in before
    say(runtime, thread, "I oiled the gate of the boathouse.")
    say(runtime, thread, "And now the roof of the boathouse.")
    system, turns = model.seen[-1].system, str(model.seen[-1].turns)
    assert "number 1 " not in turns and "- User talked about" in system


def test_a_long_day_becomes_episodes_of_so_many_messages(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    use_simple_form(runtime)
    monkeypatch.setattr(episodes, "LONG", 2)
    thread = new_chat(runtime)
    for number in range(5):
        say(runtime, thread, f"I oiled window number {number + 1} of the boathouse.")
    later(runtime)
    assert sorted(len(one.sources) for one in made(runtime)) == [1, 2, 2]
