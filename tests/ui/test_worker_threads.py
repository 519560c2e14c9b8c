"""Work beside the screen: one turn at a time, idle work that gives way, and the last choice of a
model.
"""

import threading
from dataclasses import replace
from typing import Any

import pytest

from memapp.domain.chat import Role
from memapp.domain.turn_events import Accepted
from memapp.inference.scripted import ScriptedEmbedder, ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats
from memapp.ui.messages import ModelChanged, TurnEnded, TurnMoved
from memapp.ui.worker_threads import Talk
from tests.builders import new_chat, until

from .conftest import Seen

pytestmark = pytest.mark.made_with(model=None, embedder=False)


def choose(runtime: Runtime, name: str) -> None:
    runtime.loaded = replace(
        runtime.loaded, settings=runtime.settings.model_copy(update={"model": name})
    )


def test_the_model_chosen_last_answers_whatever_still_loads(runtime: Runtime) -> None:
    may_load, opened = threading.Event(), []

    def open_model(runtime: Runtime, _: object) -> ScriptedModel:
        opened.append(runtime.settings.model)
        may_load.wait(15)
        return ScriptedModel(name=opened[-1])

    runtime.open_chat_model = open_model
    happened: list[object] = []
    talk = Talk(runtime, happened.append)
    for name in ("first", "second", "third"):
        choose(runtime, name)
        talk.load_models()
        until(lambda: opened)
    may_load.set()
    until(lambda: runtime.chat.note == "third")
    until(lambda: not talk.loading)
    assert (opened, runtime.embedding.state) == (["first", "third"], "ready")
    assert isinstance(happened[-1], ModelChanged)
    assert talk.close(5)


def test_an_embedder_that_loads_holds_up_no_choice(runtime: Runtime) -> None:
    may_load, embedders = threading.Event(), []

    def open_embedder(_: Runtime) -> ScriptedEmbedder:
        may_load.wait(15)
        embedders.append(ScriptedEmbedder())
        return embedders[-1]

    runtime.open_embedder = open_embedder
    runtime.open_chat_model = lambda runtime, _: ScriptedModel(name=runtime.settings.model)
    talk = Talk(runtime, lambda _: None)
    for name in ("first", "second"):
        choose(runtime, name)
        talk.load_models()
        until(lambda name=name: runtime.chat.note == name)
    may_load.set()
    until(lambda: not talk.loading)
    assert (len(embedders), runtime.embedding.state) == (1, "ready")
    assert talk.close(5)


def test_another_embedding_model_is_loaded_in_place_of_the_former(runtime: Runtime) -> None:
    opened: list[tuple[str, ScriptedEmbedder]] = []

    def open_embedder(runtime: Runtime) -> ScriptedEmbedder:
        opened.append((runtime.settings.embedding_model, ScriptedEmbedder()))
        return opened[-1][1]

    runtime.open_embedder = open_embedder
    talk = Talk(runtime, lambda _: None)
    for name in ("", "", "/another", "/another"):
        runtime.loaded = replace(
            runtime.loaded, settings=runtime.settings.model_copy(update={"embedding_model": name})
        )
        talk.load_models()
        until(lambda: not talk.loading)
    assert [name for name, _ in opened] == ["", "/another"]
    assert (opened[0][1].broken, runtime.embedding.ready()) == (True, opened[1][1])
    assert talk.close(5)


def test_no_idle_work_begins_while_a_turn_runs(runtime: Runtime) -> None:
    model = ScriptedModel()
    model.misbehave("hang", "predict")
    runtime.chat.fill(model)
    thread = chats.get_thread(runtime, new_chat(runtime))
    talk = Talk(runtime, lambda _: None)
    talk.send(thread, "Tell me about the garden", ())
    until(lambda: model.seen)
    talk.rest(thread.id)
    talk.stop()
    until(lambda: not talk.busy)
    assert talk._idle_work == []
    talk.rest(thread.id)
    assert len(talk._idle_work) == 1
    assert talk.close(5)


def test_a_turn_ends_the_idle_work_that_generates(runtime: Runtime) -> None:
    model = ScriptedModel()
    runtime.chat.fill(model)
    thread = chats.get_thread(runtime, new_chat(runtime))
    talk = Talk(runtime, lambda _: None)
    talk.send(thread, "Tell me about the garden", ())
    until(lambda: not talk.busy)
    model.misbehave("hang")
    calls = len(model.seen)
    talk.rest(thread.id)
    until(lambda: len(model.seen) > calls)
    talk.send(thread, "Tell me about the shed", ())
    until(lambda: not talk.busy)
    assert not any(thread.is_alive() for thread in talk._idle_work)
    assert len(chats.page(runtime, thread.id).messages) == 4
    assert talk.close(5)


async def test_the_end_of_a_turn_comes_too_late_for_the_next_one(seen: Seen) -> None:
    await seen.send("Tell me about the garden")
    talk, late = seen.app.session.talk, []
    tell = talk._tell

    def hold_back(happened: Any) -> None:
        """Let the screen hear of the end just before it hears of the retry."""
        if isinstance(happened, TurnEnded) and not late:
            late.append(happened)
            return
        if isinstance(happened, TurnMoved) and isinstance(happened.event, Accepted) and late:
            tell(late[0])
        tell(happened)

    talk._tell = hold_back
    await seen.send("Tell me about the shed")
    await seen.pilot.press("ctrl+r")
    await seen.answered()
    shown = [bubble.message for bubble in seen.chat.transcript.bubbles]
    assert [message.role for message in shown] == [Role.USER, Role.ASSISTANT] * 2
