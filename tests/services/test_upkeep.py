"""Between two turns memapp learns, leaves what is pending, and makes room."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memapp.domain.activity import Learning
from memapp.domain.chat import Message, Role
from memapp.domain.consent import ConsentRequest
from memapp.domain.learning_queue import QueuedMessage
from memapp.domain.turn_events import Accepted, Completed, Remembered
from memapp.errors import ModelError, UsageError
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import activity, chats, curate, learning, undo, upkeep
from memapp.services.jobs import learn as learn_job
from memapp.services.turn import resend_turn, take_turn
from memapp.store import expectations, learning_queue
from tests.builders import Clock, chat_of, make_runtime, new_chat, only, recorded, say

PLAYS, KEEPS = "I play the accordion.", "I keep two hens named Ada and Grace."


@pytest.fixture
def clock(runtime: Runtime) -> Clock:
    assert isinstance(runtime.clock, Clock)
    return runtime.clock


def learn(runtime: Runtime, thread_id: str | None = None) -> list[str]:
    return [
        made.memory.text
        for made in upkeep.work(runtime, thread_id, Cancel())
        if isinstance(made, Remembered)
    ]


def pending(runtime: Runtime) -> int:
    return len(learning_queue.list_pending(runtime.read()))


def states(runtime: Runtime) -> list[str]:
    return [
        row["state"]
        for row in runtime.database.read().execute("SELECT state FROM surprises ORDER BY id")
    ]


def live(runtime: Runtime) -> list[str]:
    return [memory.text for memory in curate.list_memories(runtime)]


def fail_on_hens(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(runtime: Runtime, queued: QueuedMessage) -> Iterator[Any]:
        if "hens" in chats.get_message(runtime, queued.message_id).text:
            raise error
        return learn(runtime, queued)

    learn = learning.learn
    monkeypatch.setattr(learning, "learn", fail)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a model needed by the job fail on messages about hens."""
    fail_on_hens(monkeypatch, ModelError("no"))


def test_the_first_words_of_a_message_keep_prefills(runtime: Runtime, model: ScriptedModel) -> None:
    thread = chat_of(runtime, "I keep bees and two hens.")
    for typed in ("", "Well", "Well, what shall I feed them"):
        upkeep.warm(runtime, thread, typed, Cancel())
    for slot in ("look-up", "chat"):
        coming, begun, message = [prompt for prompt in model.warmed if prompt.slot == slot][-3:]
        assert begun.turns[:-1] == message.turns[:-1] == coming.turns[:-1]


def test_both_calls_are_prefilled_before_typing(runtime: Runtime, model: ScriptedModel) -> None:
    thread = new_chat(runtime)
    upkeep.warm(runtime, thread, "", Cancel())
    assert [prompt.slot for prompt in model.warmed] == ["look-up", "chat"]
    model.enqueue("Clover.", needed_info=["hens"])
    usages = [
        event.reply.usage
        for event in say(runtime, thread, "What shall I feed the hens?")
        if isinstance(event, Completed)
    ]
    assert usages[0] and usages[0].reused_tokens > 500


@pytest.mark.parametrize("persona", ["companion", "tom"])
def test_a_chat_that_has_not_begun_is_prefilled_too(
    runtime: Runtime, model: ScriptedModel, persona: str
) -> None:
    upkeep.warm_new_chat(runtime, persona, "Where shall we", Cancel())
    look_up, chat = model.warmed
    say(runtime, new_chat(runtime, persona), "Where shall we go?")
    asked, answered = model.seen
    assert (look_up.slot, chat.slot) == (asked.slot, answered.slot) == ("look-up", "chat")
    assert (chat.system, chat.turns[:-1]) == (answered.system, answered.turns[:-1])
    assert answered.turns[-1].content.startswith(chat.turns[-1].content)


def test_what_was_known_long_ago_stops_no_learning(tmp_path: Path, model: ScriptedModel) -> None:
    runtime = make_runtime(tmp_path, model, max_facts=5)
    curate.add(runtime, PLAYS)
    for number in range(60):
        curate.add(runtime, f"User owns book number {number}.")
    say(runtime, new_chat(runtime), PLAYS)
    say(runtime, new_chat(runtime), KEEPS)
    assert learn(runtime) == [KEEPS]
    assert (pending(runtime), states(runtime)) == (0, ["nothing", "learned"])
    runtime.close()


def test_without_embedding_model_each_message_waits(tmp_path: Path, model: ScriptedModel) -> None:
    runtime = make_runtime(tmp_path, model, embedder=False)
    chat_of(runtime, KEEPS, PLAYS)
    assert (learn(runtime), pending(runtime)) == ([], 2)
    runtime.close()


def test_a_message_that_cannot_be_learned_from_is_settled_and_the_next_one_is_taken(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_on_hens(monkeypatch, UsageError("No."))
    for text in (KEEPS, PLAYS):
        say(runtime, new_chat(runtime), text)
    assert learn(runtime) == [PLAYS]
    assert states(runtime) == ["failed", "learned"]


def test_what_waits_for_a_yes_is_told_before_the_next_message_is_taken(runtime: Runtime) -> None:
    for text in ("My salary is 54000 euros a year.", KEEPS):
        say(runtime, new_chat(runtime), text)
    made = upkeep.work(runtime, None, Cancel())
    first = next(made)
    assert isinstance(first, ConsentRequest)
    assert first.new_value == "My salary is 54000 euros a year."
    assert (live(runtime), pending(runtime)) == ([], 1)
    assert [type(event) for event in made] == [Remembered]


@pytest.mark.parametrize(
    ("expected", "learned", "state"),
    [("Tell me more.", [PLAYS], "learned"), (PLAYS, [], "nothing")],
)
def test_a_message_whose_turn_was_killed_is_compared_and_learned_from_later(
    runtime: Runtime, model: ScriptedModel, expected: str, learned: list[str], state: str
) -> None:
    model.enqueue("Hello.", prediction=expected)
    say(runtime, thread := new_chat(runtime), "Hi!")
    learn(runtime, thread)
    begun = take_turn(runtime, thread, PLAYS)
    message = only(Accepted, [next(begun)]).message
    begun.close()  # type: ignore[attr-defined]
    assert learn(runtime) == learned
    assert states(runtime)[-1] == state
    compared = expectations.compared_with(runtime.read(), message.id)
    assert compared is not None and compared.surprised == bool(learned)


@pytest.mark.parametrize("cancelled", [False, True])
def test_a_message_that_cannot_be_compared_does_not_keep_the_others_from_being_learned_from(
    runtime: Runtime, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, cancelled: bool
) -> None:
    threads = [new_chat(runtime), new_chat(runtime)]
    for thread in threads:
        model.enqueue("Hello.", prediction="Tell me more.")
        say(runtime, thread, "Hi!")
        learn(runtime, thread)
    for thread, text in zip(threads, (KEEPS, PLAYS), strict=True):
        begun = take_turn(runtime, thread, text)
        next(begun)
        begun.close()  # type: ignore[attr-defined]
    cancel, tried = Cancel(), list[str]()

    def fail(_: Runtime, __: object, message: Message) -> None:
        tried.append(message.text)
        if cancelled:
            cancel.set()
        raise ValueError("no")

    monkeypatch.setattr(learn_job, "compare", fail)
    made = [
        event.memory.text
        for event in upkeep.work(runtime, None, cancel)
        if isinstance(event, Remembered)
    ]
    assert tried == ([KEEPS] if cancelled else [KEEPS, PLAYS])
    assert made == tried


def test_nothing_is_learned_from_a_message_that_was_taken_back(runtime: Runtime) -> None:
    message = only(Accepted, say(runtime, new_chat(runtime), KEEPS)).message
    assert message.role is Role.USER
    list(resend_turn(runtime, message.id, PLAYS))
    assert pending(runtime) == 1
    assert learn(runtime) == [PLAYS]
    assert (states(runtime), live(runtime)) == (["nothing", "learned"], [PLAYS])


def test_nothing_is_learned_from_a_chat_that_was_deleted(runtime: Runtime) -> None:
    thread = chat_of(runtime, KEEPS)
    chats.delete_thread(runtime, thread)
    assert pending(runtime) == 0
    assert (learn(runtime), states(runtime)) == ([], ["nothing"])


def test_room_is_made_among_what_was_learned_itself(tmp_path: Path, model: ScriptedModel) -> None:
    runtime = make_runtime(tmp_path, model, max_facts=1)
    for text in ("User keeps bees.", "User owns a tandem."):
        curate.add(runtime, text)
    for text in (KEEPS, PLAYS):
        say(runtime, new_chat(runtime), text)
        learn(runtime)
    assert sorted(live(runtime)) == [PLAYS, "User keeps bees.", "User owns a tandem."]
    assert undo.describe(runtime, undo.undo_last(runtime)) == f"Remembered “{PLAYS}”"
    assert sorted(live(runtime)) == [KEEPS, "User keeps bees.", "User owns a tandem."]
    runtime.close()


def test_what_fails_goes_behind_what_is_new(runtime: Runtime, failing: None) -> None:
    for number in range(25):
        say(runtime, new_chat(runtime), f"{KEEPS[:-1]} and goat number {number}.")
    learn(runtime)
    say(runtime, new_chat(runtime), PLAYS)
    assert learn(runtime) == [PLAYS]


def test_what_fails_on_three_days_is_left(runtime: Runtime, failing: None, clock: Clock) -> None:
    say(runtime, new_chat(runtime), KEEPS)
    for state in ("pending", "pending", "failed"):
        for _ in range(5):  # a server that is away for an evening costs one try
            learn(runtime)
        assert states(runtime) == [state]
        clock.now += timedelta(days=1)
    assert activity.learning(runtime) == Learning(waiting=0, set_aside=1)
    (error,) = recorded(runtime, "distil")
    assert (error["status"], error["meta"]) == ("error", {"tries": 3})
