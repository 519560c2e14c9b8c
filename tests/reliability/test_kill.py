"""A process killed in the middle of turns loses no acknowledged message and leaves a sound file."""

import random
from collections.abc import Callable
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from memapp import bootstrap
from memapp.domain.turn_events import Accepted, Completed
from memapp.inference.scripted import ScriptedModel
from memapp.services.turn import take_turn
from memapp.store.database import Database
from tests.builders import learn, make_runtime, new_chat
from tests.reliability.killed_processes import CONTEXT, begun, usually

ANIMALS = ("bees", "cats", "dogs", "hens", "goats", "mules", "geese", "sheep")
KILLS = usually(10, thorough=50)


def talk(home: Path, out: Connection) -> None:
    """Take turns without end, and tell which messages were acknowledged and which replies
    completed.
    """
    runtime = make_runtime(home, ScriptedModel())
    thread = new_chat(runtime)
    out.send("ready")
    for number in count():
        for event in take_turn(
            runtime, thread, f"I have {number} {ANIMALS[number % len(ANIMALS)]}."
        ):
            match event:
                case Accepted(message=message) if message:
                    out.send(("accepted", message.id))
                case Completed(reply=reply):
                    out.send(("completed", reply.id))
        learn(runtime, thread)


def told_until_killed(
    work: Callable[..., None], *arguments: object, steps: int = 0, seconds: float = 0.0
) -> list[Any]:
    """Start a process, kill it some seconds after so many reported steps; return the steps."""
    ours, theirs = CONTEXT.Pipe(duplex=False)
    process = begun(work, *arguments, theirs)
    theirs.close()
    assert ours.recv() == "ready"
    told = [ours.recv() for _ in range(steps)]
    process.join(seconds)
    assert process.is_alive()
    process.kill()
    process.join()
    while ours.poll():
        try:
            told.append(ours.recv())
        except EOFError:
            break
    ours.close()
    return told


def assert_sound(database: Database) -> None:
    with database.write() as conn:
        assert conn.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert conn.execute("PRAGMA foreign_key_check").fetchall() == []
        for table in ("messages_fts", "memories_fts", "lessons_fts"):
            conn.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_kills_while_it_talks_lose_nothing(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    acknowledged, completed = [], []
    for _ in range(KILLS):
        told = told_until_killed(
            talk, tmp_path, steps=chance.randrange(6), seconds=chance.uniform(0.001, 0.1)
        )
        acknowledged += [id for what, id in told if what == "accepted"]
        completed += [id for what, id in told if what == "completed"]
        runtime = bootstrap.start(home=tmp_path)
        assert_sound(runtime.database)
        rows = runtime.database.read().execute("SELECT id, role, status FROM messages").fetchall()
        kept = {row["id"]: row["status"] for row in rows}
        assert [id for id in acknowledged if kept.get(id) != "complete"] == []
        assert [id for id in completed if kept.get(id) != "complete"] == []
        assert [row["id"] for row in rows if row["status"] == "generating"] == []
        runtime.close()
    assert acknowledged and completed
