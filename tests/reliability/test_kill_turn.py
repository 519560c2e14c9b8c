"""Killed at each stage of a turn: the next start knows how far it came, and trying again goes on
from there.
"""

import os
import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from memapp import bootstrap
from memapp.domain.chat import BY_MEMAPP, Message, MessageStatus
from memapp.domain.checkpoint import Checkpoint, Stage
from memapp.domain.history import Event
from memapp.domain.turn_events import Accepted, Completed, Found, Predicted, Streamed, TurnEvent
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats, curate, reply
from memapp.services.consent import decisions, pending
from memapp.services.turn import retry_turn, take_turn
from memapp.store import checkpoints, history, learning_queue
from tests.builders import Reader, learn, new_chat, only, recorded, say
from tests.reliability.killed_processes import begun

QUESTION = "Which tea do I drink?"
FACT = "User drinks oolong tea."
NEEDED = ("oolong tea",)


def model() -> ScriptedModel:
    made = ScriptedModel()
    made.enqueue("You drink oolong tea.", "You will thank me.", NEEDED)
    return made


def open_with_model(home: Path) -> Runtime:
    runtime = bootstrap.start(home=home, flags={"answer_from_memory": False})
    runtime.chat.fill(model())
    return runtime


def die_at(last: type, events: Iterator[TurnEvent]) -> None:
    for event in events:
        if isinstance(event, last):
            os.kill(os.getpid(), signal.SIGKILL)


def ask_and_die(home: Path, last: type) -> None:
    reply.SAVE_PARTIAL_SECONDS = 0.0
    runtime = open_with_model(home)
    die_at(last, take_turn(runtime, chats.list_threads(runtime)[0].id, QUESTION))


def retry_and_die(home: Path, last: type) -> None:
    runtime = open_with_model(home)
    thread = chats.list_threads(runtime)[0].id
    die_at(last, retry_turn(runtime, chats.page(runtime, thread).messages[-1].id))


def killed_at(
    work: Callable[..., None], home: Path, last: object, by: signal.Signals = signal.SIGKILL
) -> None:
    process = begun(work, home, last)
    process.join()
    assert process.exitcode == -by


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A store with one fact and one chat, in which nothing was said yet."""
    runtime = bootstrap.start(home=tmp_path / "home")
    curate.add(runtime, FACT)
    new_chat(runtime)
    runtime.close()
    return tmp_path / "home"


def reopened(home: Path) -> tuple[Runtime, str, Message, Checkpoint]:
    """Start again; return the chat, its reply and its checkpoint."""
    runtime = open_with_model(home)
    thread = chats.list_threads(runtime)[0].id
    message, reply = chats.page(runtime, thread).messages
    assert (message.text, reply.status) == (QUESTION, MessageStatus.INTERRUPTED)
    at = checkpoints.load(runtime.read(), thread)
    assert (at.open_turn, at.position) == (reply.id, message.seq)
    return runtime, thread, reply, at


def calls(runtime: Runtime) -> int:
    scripted = runtime.chat.ready()
    assert isinstance(scripted, ScriptedModel)
    return len(scripted.seen)


@pytest.mark.parametrize(
    ("last", "stage", "source", "needed"),
    [
        (Accepted, Stage.ACCEPTED, "model", 2),
        (Predicted, Stage.PREDICTED, "kept", 1),
        pytest.param(Found, Stage.RECALLED, "kept", 1, marks=pytest.mark.slow),
        (Streamed, Stage.REPLYING, "kept", 1),
    ],
)
def test_trying_again_goes_on_where_the_kill_came(
    home: Path, last: type, stage: Stage, source: str, needed: int
) -> None:
    killed_at(ask_and_die, home, last)
    runtime, thread, reply, at = reopened(home)
    assert at.stage is stage
    happened = list(retry_turn(runtime, reply.id))
    assert isinstance(happened[-1], Completed)
    assert only(Predicted, happened).source == source
    assert only(Predicted, happened).needed_info == NEEDED
    assert calls(runtime) == needed, "call 1 is not made twice"
    assert [hit.text for hit in only(Found, happened).hits] == [FACT]
    after = checkpoints.load(runtime.read(), thread)
    assert (after.stage, after.open_turn, after.last_prediction) == (Stage.IDLE, None, "")
    assert chats.page(runtime, thread).messages[-1].text == "You drink oolong tea."
    runtime.close()


def test_what_stood_in_the_prompt_is_known_after_the_kill(home: Path) -> None:
    killed_at(ask_and_die, home, Streamed)
    runtime, _, reply, at = reopened(home)
    known = chats.trace(runtime, reply).hits
    assert [hit.text for hit in known] == [FACT]
    assert (at.hits, at.revision) == ((known[0].id,), 1)
    assert "You drink oolong tea.".startswith(reply.text) and reply.text
    runtime.close()


def test_a_second_kill_loses_nothing_of_the_first_attempt(home: Path) -> None:
    killed_at(ask_and_die, home, Predicted)
    killed_at(retry_and_die, home, Accepted)
    runtime, _, reply, at = reopened(home)
    assert (at.stage, at.needed_info) == (Stage.PREDICTED, NEEDED)
    assert only(Predicted, retry_turn(runtime, reply.id)).source == "kept"
    runtime.close()


def test_another_message_begins_afresh(home: Path) -> None:
    killed_at(ask_and_die, home, Found)
    runtime, thread, _, _ = reopened(home)
    happened = say(runtime, thread, "Which coffee do I drink?")
    assert only(Predicted, happened).source == "model"
    assert (
        only(Predicted, retry_turn(runtime, only(Completed, happened).reply.id)).source == "model"
    )
    runtime.close()


def test_what_was_not_compared_before_the_kill_is_compared_at_the_next_try(home: Path) -> None:
    killed_at(ask_and_die, home, Accepted)
    runtime, _, reply, _ = reopened(home)
    pending = partial(learning_queue.count, runtime.read(), "pending")
    assert (pending(), recorded(runtime, "classify")) == (1, [])
    list(retry_turn(runtime, reply.id))
    assert (pending(), len(recorded(runtime, "classify"))) == (1, 1)
    runtime.close()


def say_yes_and_die(home: Path, last: type) -> None:
    runtime = open_with_model(home)
    thread = chats.list_threads(runtime)[0].id
    list(take_turn(runtime, thread, "I live in Oslo."))
    die_at(last, take_turn(runtime, thread, "yes"))


@pytest.mark.parametrize("last", [Accepted, Completed])
@pytest.mark.parametrize("is_retried", [True, False])
def test_a_yes_is_carried_out_once_despite_a_kill(home: Path, last: type, is_retried: bool) -> None:
    killed_at(say_yes_and_die, home, last)
    runtime = open_with_model(home)
    runtime.embedding.fill(Reader())
    reply = chats.page(runtime, chats.list_threads(runtime)[0].id).messages[-1]
    assert (reply.status is MessageStatus.INTERRUPTED) == (last is Accepted)
    if is_retried and last is Accepted:
        assert only(Completed, retry_turn(runtime, reply.id)).reply.model == BY_MEMAPP
    for _ in range(2):
        learn(runtime)
        assert decisions.profile(runtime) == {"city": ("Oslo",)}
    changed = [
        entry for entry in history.list_entries(runtime.read()) if entry.event is Event.PROFILE
    ]
    assert (len(changed), pending.list_pending(runtime)) == (1, [])
    runtime.close()
