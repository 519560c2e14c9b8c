"""The model's process dies in the middle of a turn: the message and what had streamed are kept, and
the next one is answered.
"""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from memapp import bootstrap
from memapp.domain.chat import MessageStatus, Role
from memapp.domain.turn_events import Accepted, Completed, Failed, Found, Streamed, TurnEvent
from memapp.errors import ModelDied
from memapp.inference import Cancel
from memapp.inference.child_model import ChildModel
from memapp.runtime import Runtime
from memapp.services import chats, models, upkeep
from memapp.services.models import model_loading
from memapp.services.turn import take_turn
from memapp.settings import BUNDLED
from tests.builders import new_chat, only, say

pytestmark = pytest.mark.slow
ASKED = "Please tell me a long story about a ship and its crew."


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[Runtime]:
    """The bundled model, in a process of its own."""
    opened = bootstrap.start(home=tmp_path, flags={"context_tokens": 2048})
    model_loading.load_chat_model(opened)
    yield opened
    opened.close()


def model_of(runtime: Runtime) -> ChildModel:
    model = runtime.chat.ready()
    assert isinstance(model, ChildModel)
    return model


def crash_at(runtime: Runtime, last: type, events: Iterator[TurnEvent]) -> list[TurnEvent]:
    """Take a turn whose model dies at an event."""
    seen: list[TurnEvent] = []
    for event in events:
        if isinstance(event, last) and not any(isinstance(event, last) for event in seen):
            os.kill(model_of(runtime).pid or 0, signal.SIGSEGV)
        seen.append(event)
    return seen


def test_a_model_that_dies_in_a_reply_costs_that_reply(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    events = crash_at(runtime, Streamed, take_turn(runtime, thread, ASKED))
    streamed = "".join(event.text for event in events if isinstance(event, Streamed))
    assert isinstance(only(Failed, events).error, ModelDied)
    message, reply = chats.page(runtime, thread).messages
    assert (message.role, message.text) == (Role.USER, ASKED)
    assert (reply.status, reply.text) == (MessageStatus.INTERRUPTED, streamed.strip())
    assert only(
        Completed, say(runtime, thread, "And another one about a lighthouse, please.")
    ).reply.text


@pytest.mark.parametrize("last", [Accepted, Found])
def test_a_model_that_dies_between_calls_costs_no_message(runtime: Runtime, last: type) -> None:
    thread = new_chat(runtime)
    crash_at(runtime, last, take_turn(runtime, thread, ASKED))
    message, reply = chats.page(runtime, thread).messages
    assert message.text == ASKED
    assert reply.status in (MessageStatus.COMPLETE, MessageStatus.INTERRUPTED), (
        "the kill may reach the next call"
    )
    assert only(
        Completed, say(runtime, thread, "And another one about a lighthouse, please.")
    ).reply.text


def test_idle_work_survives_a_model_that_dies(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    say(runtime, thread, ASKED)
    os.kill(model_of(runtime).pid or 0, signal.SIGKILL)
    list(upkeep.work(runtime, thread, Cancel()))
    assert only(
        Completed, say(runtime, thread, "And another one about a lighthouse, please.")
    ).reply.text


def test_after_the_second_death_in_a_row_the_app_works_on_without_a_model(runtime: Runtime) -> None:
    thread = new_chat(runtime)
    crash_at(runtime, Streamed, take_turn(runtime, thread, ASKED))
    assert runtime.chat.state == "ready"
    for _ in range(5):  # on a busy machine a reply may be whole before the kill, and counts as well
        if runtime.chat.state == "ready":
            crash_at(runtime, Streamed, take_turn(runtime, thread, ASKED))
    assert runtime.chat.state == "failed"
    assert "set it aside" in runtime.chat.note
    model_loading.load_chat_model(runtime)
    assert "set it aside" in runtime.chat.note, "as at the next start"
    assert "set it aside" in str(only(Failed, say(runtime, thread, "Hello?")).error)
    models.use_model(runtime, BUNDLED)
    model_loading.load_chat_model(runtime)
    assert only(Completed, say(runtime, thread, "Tell me about the sea, please.")).reply.text
