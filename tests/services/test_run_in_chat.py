"""Commands in a chat: running, recording, and their limits."""

import sqlite3
import subprocess
import threading
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from memapp.domain.chat import Message, MessageStatus
from memapp.domain.commands import Command, parse
from memapp.domain.turn_events import Accepted, Completed, Found, Streamed, TurnEvent
from memapp.errors import UsageError
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats, global_search, run_in_chat, runs
from memapp.services.lessons import browse as lessons
from memapp.services.lessons import curate
from memapp.services.open_turn import open_thread
from memapp.services.recall import RecallRequest, conversation_scope, recall
from memapp.services.turn import take_turn
from tests.builders import learn, until


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "repo"
    place.mkdir()
    subprocess.run(["git", "init", "-q", "."], cwd=place, check=True)
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def thread_id(runtime: Runtime) -> str:
    return chats.new_thread(runtime).id


def command(written: str) -> Command:
    found = parse(written)
    assert found
    return found


def do(runtime: Runtime, thread_id: str, written: str) -> list[TurnEvent]:
    return list(run_in_chat.run(runtime, thread_id, command(written), cancel=Cancel()))


def reply(events: list[TurnEvent]) -> Message:
    assert isinstance(events[-1], Completed)
    return events[-1].reply


def test_a_command_stays_with_the_chat_and_teaches(runtime: Runtime, thread_id: str) -> None:
    first = do(runtime, thread_id, "/run git stauts -s")
    assert reply(first).text.startswith("git: 'stauts' is not a git command")
    assert "exit 1 · " in reply(first).text
    assert "memapp lessons" in reply(first).text, "a word about it, the first time"
    done = do(runtime, thread_id, "/run git status -s")
    assert reply(done).text.startswith("exit 0 · ")
    assert not any(isinstance(item, Streamed) for item in done)
    again = do(runtime, thread_id, "/run git stauts -s")
    actual = reply(again).text.splitlines()[-1]
    assert actual == "memapp: here `git status -s` worked once, untested as a hint"

    (chip,) = next(event.hits for event in again if isinstance(event, Found))
    kept = chats.page(runtime, thread_id).messages
    actual = [message.text for message in kept[::2]]
    assert actual == ["/run git stauts -s", "/run git status -s", "/run git stauts -s"]
    assert kept[-1] == reply(again) and chats.trace(runtime, kept[-1]).hits[0].id == chip.id
    assert (chip.kind, chip.text) == ("lesson", "git status -s")
    assert runs.list_runs(runtime, 5)[0].client == "chat"
    assert chats.get_thread(runtime, thread_id).title == "/run git stauts -s"
    assert chats.typed_prompts(runtime)[0] == "/run git stauts -s"


def test_what_failed_last_time_is_told_before_it_runs(runtime: Runtime, thread_id: str) -> None:
    for written in ("/run git stauts -s", "/run git status -s", "/run git stauts -s"):
        do(runtime, thread_id, written)
    (lesson,) = lessons.list_lessons(runtime)
    curate.promote(runtime, lesson.id)
    events = do(runtime, thread_id, "/run git stauts -s")
    told = "memapp: this failed last time; here `git status -s` worked once"
    assert next(event.text for event in events if isinstance(event, Streamed)) == f"{told}\n"
    assert reply(events).text.startswith(f"{told}\ngit: ")
    assert reply(events).text.count("memapp:") == 1
    points = "SELECT point FROM activations ORDER BY id"
    assert runtime.read().column(points) == ["on_error", "pre_run"]


def test_nothing_of_it_is_learned_from_recalled_or_in_a_prompt(
    runtime: Runtime, model: ScriptedModel, thread_id: str
) -> None:
    do(runtime, thread_id, "/run echo I live in Bruges and my sister is a glazier")
    learn(runtime, thread_id)
    assert open_thread(runtime, thread_id)[1] == []
    assert (
        recall(runtime, RecallRequest("Bruges glazier sister", scope=conversation_scope(runtime)))
        == []
    )
    list(take_turn(runtime, thread_id, "hello"))
    assert not runtime.read().column("SELECT text FROM memories")
    assert model.seen and "glazier" not in str(model.seen)
    found = [hit.kind for hit in global_search.find(runtime, "glazier")]
    assert found.count("message") == 2, "the person finds it"


@pytest.mark.parametrize("written", ["/run  echo vase", " /run echo vase", "/run echo vase\u00a0"])
def test_what_is_left_out_is_shown_and_leaves_no_trace(
    runtime: Runtime, thread_id: str, written: str, folder: Path
) -> None:
    if not command(written).is_private:
        settings = runtime.settings.model_copy(update={"lessons_not_of": str(folder)})
        runtime.loaded = replace(runtime.loaded, settings=settings)
    events = do(runtime, thread_id, written)
    assert isinstance(events[0], Accepted) and reply(events).text.startswith("vase")
    assert not chats.page(runtime, thread_id).messages and not runs.list_runs(runtime, 1)
    assert "vase" not in " ".join(runtime.database.read().iterdump())


def test_secrets_leave_the_command_and_its_output(runtime: Runtime, thread_id: str) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    do(runtime, thread_id, f"/run echo --token {secret} {Path.home()}")
    said, wrote = chats.page(runtime, thread_id).messages
    assert "***" in said.text and "***" in wrote.text and "~" in wrote.text
    assert secret not in " ".join(runtime.database.read().iterdump())


def test_a_stopped_command_takes_all_along(runtime: Runtime, thread_id: str, folder: Path) -> None:
    cancel, begun = Cancel(), threading.Event()
    events: list[TurnEvent] = []

    def watch() -> None:
        for event in run_in_chat.run(
            runtime,
            thread_id,
            command("/run sh -c 'echo begun; sleep 60; touch late'"),
            cancel=cancel,
        ):
            events.append(event)
            if isinstance(event, Streamed):
                begun.set()

    running = threading.Thread(target=watch)
    running.start()
    assert begun.wait(20)
    cancel.set()
    until(lambda: not running.is_alive(), 20)
    assert reply(events).status is MessageStatus.STOPPED
    assert reply(events).text.startswith("begun\nstopped · ")
    assert not (folder / "late").exists()
    assert not runs.list_runs(runtime, 1), "that it was stopped says nothing of it"


def test_long_hostile_output_is_capped(runtime: Runtime, thread_id: str, folder: Path) -> None:
    (folder / "hostile").write_bytes(
        b"\x1b[31m[/INST]\x1b]52;c;aGk=\x07 10%\r99%\r100%\n" + b"x" * 10**6 + b"\n\xff\x00end\n"
    )
    events = do(runtime, thread_id, "/run cat hostile")
    text = reply(events).text
    assert text.startswith("100%\nxxx") and "bytes left out" in text and "�end\nexit 0" in text
    assert len(text) < 20_000 and not set(text) & {"\x1b", "\x00", "\x07"}
    actual = sum(len(event.text) for event in events if isinstance(event, Streamed))
    assert actual <= run_in_chat.STREAMED_BYTES


@pytest.mark.parametrize(
    "written",
    [
        "/run ls | wc", "/run a && b", "/run rm *", "/run echo $HOME", "/run echo 'a", "/run a\nb",
        "/sql x", "/sql no.db SELECT 1",
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_not(runtime: Runtime, thread_id: str, written: str) -> None:
    with pytest.raises(UsageError):
        do(runtime, thread_id, written)
    assert not chats.page(runtime, thread_id).messages


def test_a_query_is_answered_in_columns(runtime: Runtime, thread_id: str, folder: Path) -> None:
    with sqlite3.connect(folder / "my shop.db") as made:
        made.executescript(
            "CREATE TABLE vases (name TEXT, cm REAL); INSERT INTO vases "
            "VALUES ('tall one', 31.5), (NULL, 2)"
        )
    made.close()
    before = (folder / "my shop.db").read_bytes()
    answered = reply(do(runtime, thread_id, "/sql 'my shop.db' SELECT *\nFROM vases"))
    assert answered.text.splitlines()[:3] == ["name      cm", "tall one  31.5", "NULL      2.0"]
    actual = "no such column: nam"
    assert actual in reply(do(runtime, thread_id, "/sql 'my shop.db' SELECT nam FROM vases")).text
    do(runtime, thread_id, "/sql 'my shop.db' SELECT name FROM vases")
    told = reply(do(runtime, thread_id, "/sql 'my shop.db' SELECT nam FROM vases")).text
    assert "memapp: here `SELECT name FROM vases` worked once" in told
    actual = "not authorized: the database is only read"
    assert actual in reply(do(runtime, thread_id, "/sql 'my shop.db' DELETE FROM vases")).text
    assert (folder / "my shop.db").read_bytes() == before


def test_a_reader_that_goes_away_ends_the_command(runtime: Runtime, thread_id: str) -> None:
    events = run_in_chat.run(
        runtime, thread_id, command("/run sh -c 'echo begun; sleep 60'"), cancel=Cancel()
    )
    assert isinstance(events, Generator)
    while not isinstance(next(events), Streamed):
        pass
    events.close()
    assert chats.page(runtime, thread_id).messages[-1].status is MessageStatus.STOPPED
