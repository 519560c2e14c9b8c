"""Several processes on one file: nothing that one of them acknowledged is lost, whoever of them
dies, and no lease stays.
"""

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from memapp import bootstrap
from memapp.cli import run
from memapp.domain.chat import MessageStatus
from memapp.domain.turn_events import Accepted, Completed
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats, curate
from memapp.services.turn import take_turn
from memapp.store import chat, integrity, leases, memories
from tests.builders import learn, new_chat, until
from tests.reliability.killed_processes import CONTEXT, begun, usually

LEASE_SECONDS = 0.4


def keep_adding(home: Path, name: str, done: Connection, enough: Event) -> None:
    runtime = open_with_short_leases(home)
    for number in count():
        if enough.is_set():
            break
        done.send(("memory", curate.add(runtime, f"User keeps {name} number {number}.").memory_id))
    runtime.close()


def keep_talking(home: Path, name: str, done: Connection, enough: Event) -> None:
    """What a window does: turns with a scripted model, and the work after each."""
    runtime = open_with_short_leases(home)
    runtime.chat.fill(ScriptedModel())
    thread = new_chat(runtime)
    for number in count():
        if enough.is_set():
            break
        for event in take_turn(runtime, thread, f"I have {number} {name}."):
            match event:
                case Accepted(message=message) if message:
                    done.send(("message", message.id))
                case Completed(reply=reply):
                    done.send(("reply", reply.id))
        learn(runtime, thread)
    runtime.close()


def open_with_short_leases(home: Path) -> Runtime:
    leases.LEASE_SECONDS, leases.RENEWED_SECONDS = LEASE_SECONDS, LEASE_SECONDS / 4
    return bootstrap.start(home=home)


class Process:
    """One of the processes, and its reported steps."""

    def __init__(self, work: Callable[..., None], home: Path, name: str) -> None:
        self._done, done = CONTEXT.Pipe(duplex=False)
        self._enough = CONTEXT.Event()
        self.process = begun(work, home, name, done, self._enough)
        done.close()
        self.acknowledged: list[tuple[str, str]] = []

    def hear(self) -> int:
        """Receive the reports of the process; return their number."""
        with suppress(EOFError):  # it has died, which the test sees by its exit code
            while self._done.poll():
                self.acknowledged.append(self._done.recv())
        return len(self.acknowledged)

    def kill(self) -> None:
        assert self.process.pid
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.join()

    def end(self) -> None:
        self._enough.set()
        self.process.join(60)
        assert self.process.exitcode == 0
        self.hear()


def check_what_a_death_leaves(
    home: Path, number: int, chance: random.Random, watching: Runtime
) -> None:
    """Let two writers and one talker work until one is killed; the others go on, and end."""
    works = {"bees": keep_adding, "hens": keep_adding, "cats": keep_talking}
    started = [Process(work, home, f"{name} of year {number}") for name, work in works.items()]
    for process in started:
        until(process.hear)
    time.sleep(chance.random() / 2)
    killed = started.pop(chance.randrange(3))
    killed.kill()
    killed.hear()
    for process in started:
        before = process.hear()
        until(lambda one=process, before=before: one.hear() > before)
        process.end()
    session = watching.read()
    done = [entry for process in (killed, *started) for entry in process.acknowledged]
    of_kind = {
        kind: {id for found, id in done if found == kind} for kind in ("memory", "message", "reply")
    }
    assert of_kind["memory"] == {
        memory.id for memory in memories.get_memories(session, sorted(of_kind["memory"]))
    }
    assert of_kind["message"] == set(chat.still_there(session, of_kind["message"]))
    statuses = {chat.get_message(session, id).status for id in of_kind["reply"]}
    assert statuses <= {MessageStatus.COMPLETE}
    names = [row["name"] for row in session.conn.execute("SELECT name FROM leases")]
    until(lambda: not any(leases.owner_of(session, name) for name in names))
    chats.interrupt_abandoned(watching)
    unfinished = session.run("SELECT id FROM messages WHERE status = 'generating'").fetchall()
    assert unfinished == [], "whoever was answering is dead"
    integrity.check_damage(session.conn, watching.database.path)
    assert integrity.mismatched(watching.database._own_writer()) == []


@pytest.mark.slow
def test_two_go_on_when_the_third_dies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "LEASE_SECONDS", LEASE_SECONDS)
    chance = random.Random(7)
    for number in range(usually(10, thorough=200)):
        home = tmp_path / f"home{number // 20}"  # a file stays small
        watching = bootstrap.start(home=home)
        watching.database._writer.set_authorizer(None)  # type: ignore[union-attr]  # the check of the search index is a write
        check_what_a_death_leaves(home, number, chance, watching)
        watching.close()


def add(home: Path, number: int) -> None:
    sys.exit(run(["--home", str(home), "add", f"I keep {number} bees."]))


def test_ten_at_once_make_ten_memories(tmp_path: Path) -> None:
    adding = [begun(add, tmp_path / "home", number) for number in range(10)]
    for base_process in adding:
        base_process.join()
    assert [base_process.exitcode for base_process in adding] == [0] * 10
    runtime = bootstrap.start(home=tmp_path / "home", read_only=True)
    assert len(curate.list_memories(runtime)) == 10
    runtime.close()


def test_what_a_living_process_writes_is_neither_interrupted_nor_answered(tmp_path: Path) -> None:
    window = bootstrap.start(home=tmp_path)
    window.chat.fill(ScriptedModel())
    thread = new_chat(window)
    turn = take_turn(window, thread, "I keep bees.")
    accepted = next(turn)
    assert isinstance(accepted, Accepted)
    other = bootstrap.start(home=tmp_path)
    other.chat.fill(ScriptedModel())
    assert chats.get_message(other, accepted.reply.id).status is MessageStatus.GENERATING
    with pytest.raises(Exception, match="Another memapp is answering in this chat"):
        next(take_turn(other, thread, "I keep hens."))
    assert isinstance(list(turn)[-1], Completed)
    assert isinstance(list(take_turn(other, thread, "I keep hens."))[-1], Completed)
    texts = [
        message.text
        for message in chats.page(window, thread).messages
        if message.text.startswith("I keep")
    ]
    assert texts == ["I keep bees.", "I keep hens."]
    for runtime in (window, other):
        runtime.close()
