"""Between two turns memapp learns, leaves what is pending, and makes room."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memapp.domain.activity import Learning
from memapp.domain.chat import Message, Role
from memapp.domain.consent import ConsentRequest
from memapp.domain.prediction import Surprise
from memapp.domain.prompt import Prompt, Sampling
from memapp.domain.turn import Accepted
from memapp.errors import ModelError, UsageError
from memapp.inference import Cancel, ChatModel
from memapp.inference.scripted import ScriptedModel, call_kind
from memapp.runtime import Runtime
from memapp.services import activity, chats, curate, learning, remember, undo, upkeep
from memapp.services.merge import Written
from memapp.services.turn import resend_turn, take_turn
from memapp.store import expectations
from tests.builders import Clock, chat_of, erase, make_runtime, new_chat, only, recorded, say, use_simple_form


@pytest.fixture
def clock(runtime: Runtime) -> Clock:
    assert isinstance(runtime.clock, Clock)
    return runtime.clock


def learn(runtime: Runtime) -> list[str]:
    return [written.memory.text for written in upkeep.work(runtime, None, Cancel()) if isinstance(written, Written)]


def pending(runtime: Runtime) -> int:
    return len(expectations.pending_surprises(runtime.read()))


def states(runtime: Runtime) -> list[str]:
    return [row["state"] for row in runtime.database.read().execute("SELECT state FROM surprises ORDER BY id")]


def live(runtime: Runtime) -> list[str]:
    return [memory.text for memory in curate.list_memories(runtime)]


def fail_to_distil(prompt: Prompt, sampling: Sampling) -> str | None:
    if call_kind(prompt, sampling) == "other":
        raise ModelError("no")
    return None


def test_the_first_words_of_a_message_keep_what_was_prefilled_for_it(runtime: Runtime, model: ScriptedModel) -> None:
    thread = chat_of(runtime, "I keep bees and two hens.")
    for typed in ("", "Well", "Well, what shall I feed them"):
        upkeep.warm(runtime, thread, typed, Cancel())
    coming, begun, message = model.warmed[-3:]
    assert begun == coming and message.system == coming.system


def test_what_is_known_from_long_ago_does_not_stop_learning(tmp_path: Path, model: ScriptedModel) -> None:
    runtime = make_runtime(tmp_path, model, max_facts=5)
    curate.add(runtime, "User hates jazz.")
    for number in range(60):
        curate.add(runtime, f"User owns book number {number}.")
    say(runtime, new_chat(runtime), "I hate jazz.")
    say(runtime, new_chat(runtime), "I play the cello.")
    assert learn(runtime) == ["User plays the cello."]
    assert (pending(runtime), states(runtime)) == (0, ["nothing", "learned"])
    runtime.close()


def test_without_an_embedding_model_each_message_is_read_once_and_waits(
    tmp_path: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def noted(runtime: Runtime, surprise: Surprise, *more: Any) -> Iterator[Any]:
        read.append(surprise.id)
        return remember.learn(runtime, surprise, *more)

    monkeypatch.setattr(learning, "learn", noted)
    runtime = make_runtime(tmp_path, model, embedder=False)
    chat_of(runtime, "I keep bees.", "I play the cello.")
    assert (learn(runtime), pending(runtime)) == ([], 2)
    assert len(read) == len(set(read)) == 2
    runtime.close()


def test_a_surprise_that_cannot_be_learned_from_is_settled_and_the_next_one_is_taken(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse_jazz(runtime: Runtime, surprise: Surprise, model: ChatModel | None, cancel: Cancel) -> Iterator[Written]:
        if "jazz" in chats.get_message(runtime, surprise.message_id).text:
            raise UsageError("No.")
        return remember.learn(runtime, surprise, model, cancel)

    monkeypatch.setattr(learning, "learn", refuse_jazz)
    say(runtime, new_chat(runtime), "I hate jazz.")
    say(runtime, new_chat(runtime), "I play the cello.")
    assert learn(runtime) == ["User plays the cello."]
    assert states(runtime) == ["failed", "learned"]


def test_what_waits_for_a_yes_is_told_before_the_next_surprise_is_taken(runtime: Runtime) -> None:
    erase(runtime, curate.add(runtime, "User plays the cello.").memory_id)
    say(runtime, new_chat(runtime), "I play the cello.")
    say(runtime, new_chat(runtime), "I hate jazz.")
    made = upkeep.work(runtime, None, Cancel())
    first = next(made)
    assert isinstance(first, ConsentRequest) and first.new_value == "User plays the cello."
    assert (live(runtime), pending(runtime)) == ([], 1)
    assert [type(one) for one in made] == [Written]


@pytest.mark.parametrize(
    ("expected", "learned", "state"), [("Tell me more.", ["User keeps bees."], "learned"), ("I keep bees.", [], "nothing")]
)
def test_a_message_whose_turn_was_killed_is_compared_and_learned_from_later(
    runtime: Runtime, model: ScriptedModel, expected: str, learned: list[str], state: str
) -> None:
    use_simple_form(runtime)
    model.enqueue("Hello.", prediction=expected)
    say(runtime, thread := new_chat(runtime), "Hi!")
    begun = take_turn(runtime, thread, "I keep bees.")
    message = only(Accepted, [next(begun)]).message
    begun.close()  # type: ignore[attr-defined]
    assert learn(runtime) == learned
    assert states(runtime)[-1] == state
    compared = expectations.checked_by(runtime.read(), message.id)
    assert compared is not None and compared.surprised == bool(learned)


@pytest.mark.parametrize("cancelled", [False, True])
def test_a_message_that_cannot_be_compared_does_not_keep_the_others_from_being_learned_from(
    runtime: Runtime, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, cancelled: bool
) -> None:
    use_simple_form(runtime)
    model.enqueue("Hello.", prediction="Tell me more.")
    model.enqueue("Hello again.", prediction="Tell me more.")
    for text in ("I keep bees.", "I play the cello."):
        say(runtime, thread := new_chat(runtime), "Hi!")
        begun = take_turn(runtime, thread, text)
        next(begun)
        begun.close()  # type: ignore[attr-defined]
    cancel, tried = Cancel(), list[str]()

    def fail(_: Runtime, __: object, message: Message) -> None:
        tried.append(message.text)
        if cancelled:
            cancel.set()
        raise ValueError("no")

    monkeypatch.setattr(learning, "compare", fail)
    made = [one.memory.text for one in upkeep.work(runtime, None, cancel) if isinstance(one, Written)]
    texts = ["I keep bees.", "I play the cello."]
    facts = ["User keeps bees.", "User plays the cello."]
    assert (tried, made) == ((texts[:1], []) if cancelled else (texts, facts))


def test_a_surprise_the_model_failed_on_stays_pending_and_the_others_are_learned(runtime: Runtime, model: ScriptedModel) -> None:
    model.script = fail_to_distil
    say(runtime, new_chat(runtime), "My bike is what I ride to work on.")
    say(runtime, new_chat(runtime), "I play the cello.")
    assert learn(runtime) == ["User plays the cello."]
    assert states(runtime) == ["pending", "pending"], "what the rules read does not wait for the model"
    written = json.dumps({"fact": "User rides to work.", "tags": ["work"]})
    model.script = lambda prompt, sampling: written if call_kind(prompt, sampling) == "other" else None
    assert learn(runtime) == ["User rides to work."]
    assert pending(runtime) == 0


def test_nothing_is_learned_from_a_message_that_was_taken_back(runtime: Runtime) -> None:
    message = only(Accepted, say(runtime, new_chat(runtime), "I hate jazz.")).message
    assert message.role is Role.USER
    list(resend_turn(runtime, message.id, "I play the cello."))
    assert pending(runtime) == 1
    assert learn(runtime) == ["User plays the cello."]
    assert (states(runtime), live(runtime)) == (["nothing", "learned"], ["User plays the cello."])


def test_nothing_is_learned_from_a_chat_that_was_deleted(runtime: Runtime) -> None:
    thread = chat_of(runtime, "I hate jazz.")
    chats.delete_thread(runtime, thread)
    assert pending(runtime) == 0
    assert (learn(runtime), states(runtime)) == ([], ["nothing"])


def test_room_is_made_only_among_what_memapp_learned_and_belongs_to_the_step(tmp_path: Path, model: ScriptedModel) -> None:
    runtime = make_runtime(tmp_path, model, max_facts=1)
    for text in ("User keeps bees.", "User owns a tandem."):
        curate.add(runtime, text)
    for text in ("I hate jazz.", "I play the cello."):
        say(runtime, new_chat(runtime), text)
        learn(runtime)
    assert sorted(live(runtime)) == ["User keeps bees.", "User owns a tandem.", "User plays the cello."]
    assert undo.describe(runtime, undo.undo_last(runtime)) == "Remembered “You play the cello.”"
    assert sorted(live(runtime)) == ["User hates jazz.", "User keeps bees.", "User owns a tandem."]
    runtime.close()


def test_what_fails_goes_behind_what_is_new(runtime: Runtime, model: ScriptedModel) -> None:
    model.script = fail_to_distil
    for number in range(25):
        say(runtime, new_chat(runtime), f"My bike number {number} is what I ride to work on.")
    learn(runtime)
    say(runtime, new_chat(runtime), "I play the cello.")
    assert learn(runtime) == ["User plays the cello."]


def test_what_fails_on_three_days_is_set_aside_and_counted(runtime: Runtime, model: ScriptedModel, clock: Clock) -> None:
    model.script = fail_to_distil
    say(runtime, new_chat(runtime), "My bike is what I ride to work on.")
    for state in ("pending", "pending", "failed"):
        for _ in range(5):  # a server that is away for an evening costs one try
            learn(runtime)
        assert states(runtime) == [state]
        clock.now += timedelta(days=1)
    assert activity.learning(runtime) == Learning(waiting=0, set_aside=1)
    (error,) = recorded(runtime, "distil")
    assert (error["status"], error["meta"]) == ("error", {"tries": 3})
