"""Episodes sum up chats, hold nothing withheld, and stand for messages that left the prompt."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from memapp.domain.memory import Kind, Memory
from memapp.domain.prompt import Prompt, Sampling
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import curate, forget
from memapp.services.consent import requests
from memapp.services.jobs import episodes
from memapp.services.provenance import learned_from
from memapp.services.recall import EPISODE, episodes_of
from memapp.store import chat, history, memories
from tests.builders import Clock, learn, make_runtime, new_chat, say, trust

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
    return [memory for memory in curate.list_memories(runtime) if memory.category == EPISODE]


TOLD = "User talked about apple trees and a saw for the old hedge."


@pytest.fixture(autouse=True)
def writer(runtime: Runtime, model: ScriptedModel) -> ScriptedModel:
    """A model that passed the test, and sums up each chat."""
    trust(runtime, "episodes")

    def script(prompt: Prompt, _: Sampling) -> str | None:
        asked = prompt.turns[-1].content
        if prompt.head != "User":
            return None
        return (
            TOLD.removeprefix("User ") if "apple" in asked else f"told: {asked.splitlines()[1][2:]}"
        )

    model.script = script
    return model


def test_a_chat_that_rests_is_summed_up_without_what_is_sensitive(
    runtime: Runtime, writer: ScriptedModel, thread: str
) -> None:
    assert made(runtime) == [] and episodes.waiting(runtime) == 0, "it goes on"
    later(runtime)
    assert episodes.waiting(runtime) == 1
    (one,) = made(runtime)
    assert one.text == TOLD
    assert one.kind == Kind.EPISODIC
    assert one.origin == "reflected"
    assert one.run_id == thread
    assert len(one.sources) == 2
    assert "diabetic" not in writer.seen[-1].turns[-1].content
    assert learned_from(runtime, one.sources) == {}, "no message taught it: it stands below none"
    assert made(runtime) == [one] and episodes.waiting(runtime) == 0
    entry = history.list_entries(runtime.read(), one.id)[0]
    assert entry.actor == f"model:{writer.name}"


def test_a_model_that_nobody_tested_sums_up_nothing(tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path / "other", ScriptedModel())
    say(runtime, new_chat(runtime), ORCHARD)
    later(runtime)
    assert made(runtime) == [] and episodes.waiting(runtime) == 0
    runtime.close()


@pytest.mark.parametrize("told", ["the password Hunter-maple7 of 12", "4111 1111 1111 1111"])
def test_no_episode_repeats_a_secret(runtime: Runtime, writer: ScriptedModel, told: str) -> None:
    say(
        runtime,
        new_chat(runtime),
        f"{told} stopped working on the old tablet, what now? I also painted the shed.",
    )
    learn(runtime)
    later(runtime)
    made(runtime)
    asked = writer.seen[-1].turns[-1].content
    assert "painted the shed" in asked and told not in asked


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
    actual = [memory.text for memory in made(runtime)][::-1]
    assert actual == [TOLD, "User told: My sister Mira loves pottery."]


def test_what_may_not_be_told_any_more_is_not_told(runtime: Runtime, thread: str) -> None:
    later(runtime)
    (one,) = made(runtime)
    requests.propose(runtime, "address", "the old hedge", message_id=one.sources[1], typed=True)
    assert episodes_of(runtime, chat.get_messages(runtime.read(), one.sources)) == []


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


def test_one_with_a_name_nobody_said_is_not_kept(runtime: Runtime, model: ScriptedModel) -> None:
    written = [
        "talked about the quay. User painted the red boat.",
        "talked about a boat. User sank it in Bergen.",
        "has 3 boats.",
    ]

    def script(prompt: Prompt, _: Sampling) -> str | None:
        return (
            written.pop(0) if prompt.head == "User" and "boat" in prompt.turns[-1].content else None
        )

    model.script = script
    for _ in range(3):
        say(runtime, new_chat(runtime), "I painted the red boat on the quay.")
        later(runtime)
    assert [memory.text for memory in made(runtime)] == [
        "User talked about the quay. User painted the red boat."
    ]
    assert written == [], "each chat was asked about once"


def test_an_episode_stands_for_what_was_left_out(runtime: Runtime, model: ScriptedModel) -> None:
    thread, shown = new_chat(runtime), 8
    for number in range(shown):
        say(runtime, thread, f"I oiled window number {number + 1} of the boathouse.")
        list(episodes.run(runtime, Cancel(), None))
    assert len(made(runtime)) == 1, "the chat goes on, but has grown long"
    replies = [prompt for prompt in model.seen if prompt.slot == "chat"]
    before = [
        ("number 1 " in str(prompt.turns), "Earlier in this chat" in str(prompt.turns))
        for prompt in replies
    ]
    assert (False, True) not in before and (True, False) in before
    say(runtime, thread, "I oiled the gate of the boathouse.")
    say(runtime, thread, "And now the roof of the boathouse.")
    earlier = next(
        turn.content
        for turn in model.seen[-1].turns
        if turn.content.startswith("Earlier in this chat")
    )
    assert "- User told" in earlier
    assert not any(
        "oiled window number 1 " in turn.content
        for turn in model.seen[-1].turns
        if turn.content != earlier
    )


def test_a_long_day_becomes_episodes(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(episodes, "LONG", 2)
    thread = new_chat(runtime)
    for number in range(5):
        say(runtime, thread, f"I oiled window number {number + 1} of the boathouse.")
    later(runtime)
    assert sorted(len(memory.sources) for memory in made(runtime)) == [1, 2, 2]
