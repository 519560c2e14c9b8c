"""Upkeep killed at any step of any of its jobs, beside another process that writes, and started again: in the end all is as if
nobody had killed it.
"""

import random
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from memapp.domain.changes import Created, SoftDeleted
from memapp.domain.chat import Origin, Role
from memapp.domain.jobs import Pace
from memapp.domain.memory import Kind
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import curate, jobs, lifecycle
from memapp.services.consent import pending, requests
from memapp.store import changes, chat, expectations
from memapp.store import jobs as paces
from memapp.store.database import Database
from tests.builders import Clock, fact, make_runtime, new_chat
from tests.reliability.forked import CONTEXT, begun, usually
from tests.reliability.test_kill import assert_sound, told_until_killed
from tests.reliability.test_replayed import Known, known
from tests.services.test_consolidate import DOCTOR, learned, says
from tests.services.test_insights import RUNS, SUNDAY, live_on

ROUNDS = usually(6, thorough=200)
FACTS = (
    "User has a dog.",
    "User has a dog named Rex.",
    "User has two hens.",
    "User has three hens.",
    "User has a boat.",
    "User has a boat named Mia.",
    "User has a red boat.",
    *DOCTOR,
)
UNUSED, OLD = "User once saw a comet.", "User had a cold."
WEEKS = 5
NOW = SUNDAY + timedelta(weeks=WEEKS, days=1)
DO_SOMETHING = {"learn", "embed", "expire", "unused", "purge", "consolidate", "insights", "episodes"}
"""All that have anything to do here: lessons are judged by chance, and a backup goes by the time of files."""


def opened(home: Path) -> Runtime:
    runtime = make_runtime(home, ScriptedModel(says("same", "related")))
    runtime.clock = Clock(NOW)
    return runtime


def plant(home: Path) -> None:
    """Leave something to do for each job."""
    runtime = make_runtime(home)
    runtime.clock = Clock(SUNDAY - timedelta(days=90))
    with runtime.write() as session:
        for text in (UNUSED, OLD):
            changes.apply(session, Created(fact(text, session.now)), runtime.actor(name="rules"), session.now)
    requests.propose(runtime, "city", "Oslo")
    (old,) = [one for one in curate.list_memories(runtime) if one.text == OLD]
    with runtime.write() as session:
        week = session.now + timedelta(days=7)
        changes.apply(session, SoftDeleted(old.id, "person", week), runtime.actor(), session.now)
    live_on(runtime, RUNS, WEEKS)
    runtime.clock = Clock(NOW - timedelta(hours=2))
    learned(runtime, *FACTS)
    for text in ("User is Catholic.", "User is a Buddhist."):
        curate.add(runtime, text)
    thread = new_chat(runtime)
    with runtime.write() as session:
        for text in ("I keep bees.", "I planted three apple trees in the garden."):
            message = chat.add_message(session, thread, Role.USER, text, session.now, origin=Origin.TYPED)
            expectations.add_surprise(session, thread, message.id, None, session.now)
        for name in ("unused", "purge", "expire"):  # as if each had looked an hour ago
            paces.save_pace(session, name, Pace(session.now, session.now))
    runtime.close()


def work(runtime: Runtime) -> dict[str, int]:
    """Do all jobs; return how much each did."""
    done = dict.fromkeys((one.name for one in jobs.JOBS), 0)
    for job, one in jobs.run(runtime, Cancel(), jobs.JOBS):
        done[job.name] += one if isinstance(one, int) else 1
    return done


def work_until_killed(home: Path, out: Connection) -> None:
    """Do all jobs, and tell of each commit."""
    write = Database.write

    @contextmanager
    def told(database: Database) -> Iterator[Any]:
        with write(database) as conn:
            yield conn
        if not conn.in_transaction:
            out.send("committed")

    runtime = opened(home)
    Database.write = told  # type: ignore[method-assign,assignment]  # in this process, which ends with it
    out.send("ready")
    work(runtime)
    for _ in count():
        out.send("done")
        time.sleep(1)


def write_on(home: Path, thread: str) -> None:
    """Write what no job looks at, without end."""
    runtime = make_runtime(home, embedder=False)
    for number in count():
        with runtime.write() as session:
            chat.save_draft(session, thread, f"Draft {number}", session.now)
        time.sleep(0.005)


def state(runtime: Runtime) -> Known:
    """Return all that is known; of what was erased, how much that was, since it is kept under a random key."""
    found = known(runtime)
    erased = Counter({(found["forgotten"].total(),): 1})
    return {name: rows for name, rows in found.items() if name not in ("leases", "forgotten_key")} | {"forgotten": erased}


@pytest.mark.slow
def test_a_kill_at_any_step_of_any_job_changes_nothing_in_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memapp.store.leases.LEASE_SECONDS", 0.0)  # that of a killed process ends by itself
    plant(tmp_path / "planted")
    whole = opened(Path(shutil.copytree(tmp_path / "planted", tmp_path / "whole")))
    thread = whole.read().value("SELECT id FROM threads ORDER BY id DESC LIMIT 1")
    done = work(whole)
    assert {name for name, number in done.items() if number} >= DO_SOMETHING
    assert not {UNUSED, OLD} & {one.text for one in curate.list_memories(whole)} and pending.count_pending(whole) == 1
    assert [one.text for one in lifecycle.trash(whole) if one.reason == "unused"] == [UNUSED]
    kinds = {one.kind for one in curate.list_memories(whole)}
    assert kinds == {Kind.SEMANTIC, Kind.EPISODIC, Kind.INSIGHT}
    expected = state(whole)
    whole.close()
    commits = len(told_until_done(Path(shutil.copytree(tmp_path / "planted", tmp_path / "counted"))))
    chance = random.Random(5)
    places = [round(number * commits / ROUNDS) for number in range(ROUNDS)]
    for number, place in enumerate(places):
        home = Path(shutil.copytree(tmp_path / "planted", tmp_path / f"killed{number}"))
        writer = begun(write_on, home, thread)
        told_until_killed(work_until_killed, home, steps=min(place, commits - 1), seconds=chance.uniform(0.0, 0.02))
        again = opened(home)
        work(again)
        writer.kill()
        writer.join()
        assert_sound(again.database)
        assert state(again) == expected, f"after {place} commits"
        again.close()
        shutil.rmtree(home)


def told_until_done(home: Path) -> list[str]:
    ours, theirs = CONTEXT.Pipe(duplex=False)
    process = begun(work_until_killed, home, theirs)
    told = list(iter(ours.recv, "done"))
    process.kill()
    process.join()
    return told[1:]
