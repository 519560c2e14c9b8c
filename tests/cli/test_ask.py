"""The chat without a screen: what is said of failures and pipes, and how chats are named."""

import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import pytest

from memapp import bootstrap
from memapp.cli import line_chat, run
from memapp.domain.learning_queue import QueuedMessage
from memapp.domain.turn_events import Remembered, Retracted
from memapp.errors import ModelError
from memapp.inference import ChatModel
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import learning
from memapp.services.jobs import schedule
from memapp.services.memory_requests import requests
from memapp.ui.app import MemappApp
from tests.cli.conftest import Terminal


@pytest.mark.parametrize(
    ("server", "advice"),
    [("http://127.0.0.1:1/v1", "config set server"), ("", "`memapp models use NAME`")],
)
def test_a_failure_ends_with_what_helps_against_it(
    memapp: Terminal, monkeypatch: pytest.MonkeyPatch, server: str, advice: str
) -> None:
    def gone(*_: object) -> ChatModel:
        raise ModelError("Nothing answers.")

    monkeypatch.setattr(bootstrap, "open_chat_model", gone)
    memapp("config", "set", "server", server)
    code, out, err = memapp("ask", "Hello?")
    last = err.splitlines()[-1]
    assert (code, out, "Nothing answers." in last, advice in last) == (1, "", True, True)
    assert ("memapp models" in last) == (not server)
    assert err.count("Nothing answers.") == 1 and "F8" not in err, "once, and for a shell"
    assert memapp("ask", "-c", "Hello?")[0] == 1
    assert memapp("chats")[1] == "", "a try leaves no chat"


@pytest.mark.parametrize("has_model", [True, False])
def test_a_bug_in_what_reads_a_question_does_not_lose_it(
    memapp: Terminal, monkeypatch: pytest.MonkeyPatch, has_model: bool
) -> None:
    def gone(*_: object) -> ChatModel:
        raise ModelError("Nothing answers.")

    if not has_model:
        monkeypatch.setattr(bootstrap, "open_chat_model", gone)
    with monkeypatch.context() as planted:
        planted.setattr(requests, "parse", lambda *_: [].pop())
        code, out, err = memapp("ask", "I keep bees.")
    assert code == (0 if has_model else 1)
    assert bool(out.strip()) == has_model
    assert "had to stop" not in err
    actual = memapp("chats", "show", json.loads(memapp("chats", "--json")[1])[0]["id"])[1]
    assert "I keep bees." in actual
    assert memapp("ask", "-c", "And hens.")[0] == code


def test_a_command_says_what_it_leaves(memapp: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    watch, interrupted, learn = [0.0], [True], learning.learn

    def learn_slowly(runtime: Runtime, queued: QueuedMessage) -> Iterator[Remembered | Retracted]:
        if interrupted.pop():
            raise KeyboardInterrupt
        watch[0] += 30.0
        interrupted.append(False)
        yield from learn(runtime, queued)

    unread = "1 message is not read yet. The next command or `memapp upkeep` goes on."
    monkeypatch.setattr(schedule, "time", SimpleNamespace(monotonic=lambda: watch[0]))
    monkeypatch.setattr(learning, "learn", learn_slowly)
    code, _, err = memapp("ask", "I have a dog called Rex.")
    assert (code, "Remembered" in err, err.splitlines()[-1]) == (0, False, unread)
    interrupted.append(False)
    code, out, err = memapp("ask", "I play the cello.")
    assert (code, "Remembered" in out) == (0, False)
    assert "Remembered: I have a dog called Rex." in err
    assert err.splitlines()[-1] == unread
    assert memapp("upkeep", "--job", "learn")[0] == 0
    assert "0 waits" in memapp("upkeep", "--job", "learn", "--dry-run")[1]


def test_without_the_embedding_model_it_is_said_that_nothing_is_learned(
    memapp: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def died(_: Runtime) -> NoReturn:
        raise ModelError("The embedding model stopped.")

    monkeypatch.setattr(bootstrap, "open_embedder", died)
    said = "Nothing is learned now, your messages wait. The embedding model stopped."
    actual = memapp("ask", "I have a dog called Rex.")[2].splitlines()[-1]
    assert actual == f"1 message is not read yet. {said}"
    assert "so nothing is learned. The embedding model stopped." in memapp("doctor")[2]


def test_a_bad_address_is_shown_as_written_but_for_a_password(memapp: Terminal) -> None:
    assert "ftp://x." in memapp("config", "set", "server", "ftp://x")[2]
    err = memapp("config", "set", "server", "http://me:secret@here/v1")[2]
    assert "cannot be used: here." in err and "secret" not in err


def test_what_is_piped_in_is_not_learned(memapp: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("I have a dog named Rex. My name is Ana."))
    assert memapp("ask", "-")[0] == 0
    assert (memapp("list")[1], memapp("consents")[1]) == ("", "")
    assert memapp("ask", "I have a dog named Rex. My name is Ana.")[0] == 0
    assert "Rex" in memapp("list")[1]


def test_a_pipe_beside_words_is_said_not_to_be_read_nor_waited_for(memapp: Terminal) -> None:
    kept, (end, begin) = os.dup(0), os.pipe()
    try:
        os.dup2(end, 0)
        assert "not read" not in memapp("ask", "Hello?")[2], "it is empty, and open"
        os.write(begin, b"words")
        assert "The piped input is not read." in memapp("ask", "Hello?")[2]
    finally:
        os.dup2(kept, 0)
        for number in (kept, end, begin):
            os.close(number)


def test_a_chat_is_named_by_a_part_of_its_id(memapp: Terminal) -> None:
    chat = json.loads(memapp("ask", "--json", "Hello?")[1])["chat"]
    again = json.loads(memapp("ask", "--json", "--chat", chat[-6:], "And now?")[1])
    assert again["chat"] == chat
    assert memapp("ask", "--chat", "nothing", "Hello?")[0] == 2


def test_what_acts_on_a_terminal_is_escaped_in_json(
    memapp: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memapp.cli.output import show_json

    before = {"title": "a\x9b31m b\u202ec\n\td é 漢"}
    memapp("list")  # so that what is written is read below
    written = io.StringIO()
    monkeypatch.setattr("sys.stdout", written)
    show_json(before)
    assert json.loads(written.getvalue()) == before
    assert "é 漢" in written.getvalue() and written.getvalue().replace("\n", "").isprintable()


def test_a_crash_is_written_below_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders: list[Path] = []
    monkeypatch.setattr(MemappApp, "run", lambda app: folders.append(app._crash_folder))
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    assert run(["--home", str(tmp_path)]) == 0
    assert folders == [tmp_path / "log"]


def test_no_screen_is_drawn_for_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MemappApp, "run", lambda _: pytest.fail("it would draw on that file"))
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    talked: list[str] = []
    monkeypatch.setattr(line_chat, "line_by_line", lambda _, question: talked.append(question))
    assert run(["--home", str(tmp_path)]) == 0
    assert talked == [""]


def test_a_terminal_is_told_of_a_model_that_loads_slowly(
    memapp: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memapp.cli.ask.LOADING_SECONDS", 0.01)

    def load_slowly(_: Runtime, say_note: Callable[[str], None]) -> ScriptedModel:
        say_note("Making a faster copy of the model, once")
        time.sleep(0.2)
        return ScriptedModel()

    monkeypatch.setattr(bootstrap, "open_chat_model", load_slowly)
    assert "a faster copy" not in memapp("ask", "Hello there.")[2]
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert "Making a faster copy of the model, once\n" in memapp("ask", "Hello there.")[2]
