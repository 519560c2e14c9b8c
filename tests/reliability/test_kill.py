"""A process killed in the middle of turns loses no acknowledged message and leaves a sound file."""

import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memapp import bootstrap
from memapp.store.database import Database


def talk_until_killed(home: Path, milliseconds: int) -> tuple[list[str], list[str]]:
    """Let a process take turns, kill it, and return the ids of acknowledged messages and of completed replies."""
    command = [sys.executable, "-m", "tests.reliability.talker", str(home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        threading.Timer(milliseconds / 1000, process.kill).start()
        lines = [line.split() for line in process.stdout if line.endswith("\n")]
    return [id for kind, id in lines if kind == "A"], [id for kind, id in lines if kind == "C"]


def assert_sound(database: Database) -> None:
    with database.write() as conn:
        assert conn.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert conn.execute("PRAGMA foreign_key_check").fetchall() == []
        for table in ("messages_fts", "memories_fts"):
            conn.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_fifty_kills_lose_nothing(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    acknowledged, completed = [], []
    for _ in range(50):
        messages, replies = talk_until_killed(tmp_path, chance.randint(1, 400))
        acknowledged += messages
        completed += replies
        runtime = bootstrap.start(home=tmp_path)
        assert_sound(runtime.database)
        rows = runtime.database.read().execute("SELECT id, role, status FROM messages").fetchall()
        kept = {row["id"]: row["status"] for row in rows}
        assert [id for id in acknowledged if kept.get(id) != "complete"] == []
        assert [id for id in completed if kept.get(id) != "complete"] == []
        assert [row["id"] for row in rows if row["status"] == "generating"] == []
        runtime.close()
    assert acknowledged
