"""A real model server on loopback: llama-cpp-python's, with the bundled model. Its dialect, and a
whole chat with it.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from memapp.domain.prompt import Finished, Piece, Prompt, PromptTurn, Sampling
from memapp.domain.turn_events import Completed, Predicted, Streamed
from memapp.errors import ModelError
from memapp.inference import Cancel
from memapp.inference.bundled import bundled_model_path
from memapp.inference.quantise import prepare
from memapp.inference.server import ServerModel
from memapp.prompts import predict
from memapp.services import chats, curate
from tests.builders import learn, make_runtime, new_chat, only, say
from tests.prompts.contexts import context

pytestmark = pytest.mark.slow
STARTS_WITHIN = 120.0
SERVER = """
from llama_cpp import llama_cpp
from llama_cpp.server.__main__ import main

default = llama_cpp.llama_model_default_params


def without_repacking():
    parameters = default()
    parameters.use_extra_bufts = False  # a build with AMX dies of it, see memapp.inference.native
    return parameters


llama_cpp.llama_model_default_params = without_repacking
main()
"""
HELLO = Prompt(
    "You are a helpful assistant.", (PromptTurn("user", "Tell me a long story about a fox."),)
)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("server")
    file = prepare(bundled_model_path(), folder, lambda _: None)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        "-c", SERVER, "--model", str(file), "--host", "127.0.0.1", "--port", str(port), "--n_ctx",
        "4096",
    ]  # fmt: skip
    with (folder / "log").open("wb") as log:
        running = subprocess.Popen(
            [sys.executable, *command],
            stdout=log,
            stderr=log,
            env=os.environ | {"HOME": str(folder)},
        )
    try:
        _wait(f"http://127.0.0.1:{port}/v1", running, folder / "log")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        running.kill()
        running.wait()


def _wait(url: str, running: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < end and running.poll() is None:
        try:
            httpx.get(f"{url}/models", trust_env=False)
            return
        except httpx.TransportError:
            time.sleep(0.2)
    pytest.fail(f"the server did not start: {log.read_text('utf-8', 'replace')[-2000:]}")


@pytest.fixture
def model(url: str) -> Iterator[ServerModel]:
    opened = ServerModel(url)
    yield opened
    opened.close()


def write(
    model: ServerModel, prompt: Prompt, sampling: Sampling, cancel: Cancel | None = None
) -> tuple[str, Finished]:
    """Return the text and the `Finished` of one call."""
    *pieces, finished = model.generate(prompt, sampling, cancel or Cancel())
    assert isinstance(finished, Finished)
    return "".join(piece.text for piece in pieces if isinstance(piece, Piece)), finished


def test_its_model_is_known_by_the_name_of_its_file(model: ServerModel, url: str) -> None:
    assert model.name == "SmolLM2-135M-Instruct.Q8_0"
    assert model.key.startswith(f"{url} ")


def test_a_reply_streams_and_ends_at_its_limit_or_at_a_stop_string(model: ServerModel) -> None:
    text, finished = write(model, HELLO, Sampling(max_tokens=24))
    assert text and finished.reason == "length"
    assert 0 < finished.usage.decode_tokens <= 24 and finished.usage.prefill_tokens > 0
    cut, finished = write(model, HELLO, Sampling(max_tokens=24, stop=(text.split()[2],)))
    assert finished.reason == "stop" and text.startswith(cut)


def test_call_1_is_json_with_a_list(model: ServerModel) -> None:
    asked = context("What could I cook for my sister tonight?")
    text, _ = write(model, *predict.request(asked))
    assert predict.read_enough(text)
    assert predict.parse(text) or predict.needs_nothing(text)
    rest, _ = write(model, *predict.finish_request(asked, ["diet"]))
    assert predict.parse_prediction(rest)


def test_a_cancelled_call_ends_at_once_and_the_next_is_answered(model: ServerModel) -> None:
    cancel, parts = Cancel(), []
    for part in model.generate(HELLO, Sampling(max_tokens=1000), cancel):
        parts.append(part)
        if len(parts) == 3:
            cancel.set()
    assert isinstance(parts[-1], Finished) and parts[-1].reason == "cancelled" and len(parts) < 100
    assert write(model, HELLO, Sampling(max_tokens=4))[0]


def test_a_conversation_that_is_too_long_for_it_is_an_error_in_words(model: ServerModel) -> None:
    long = Prompt("", (PromptTurn("user", "word " * 6000),))
    with pytest.raises(ModelError, match="model server"):
        write(model, long, Sampling(max_tokens=8))
    assert write(model, HELLO, Sampling(max_tokens=4))[0]


def test_a_whole_chat_is_held_with_it(url: str, tmp_path: Path) -> None:
    runtime = make_runtime(tmp_path, reply_tokens=48)
    model = ServerModel(url)
    runtime.chat.fill(model)
    curate.add(runtime, "User is a vegetarian.")
    thread = new_chat(runtime)
    happened = say(runtime, thread, "What could a vegetarian cook tonight?")
    assert only(Predicted, happened).source == "model", "its JSON can be read"
    assert only(Completed, happened).reply.text
    assert any(isinstance(event, Streamed) for event in happened)
    learn(runtime, thread)
    for text in ("I planted tomatoes today.", "And what do I eat?"):
        assert only(Completed, say(runtime, thread, text)).reply.text
        learn(runtime, thread)
    assert len(chats.page(runtime, thread).messages) == 6
    runtime.close()
