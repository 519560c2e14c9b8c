"""All jobs of idle time, killed at any of their writes while another process writes too: in the end
all is as if nobody had.
"""

import json
import os
import random
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from itertools import count
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memapp.domain.changes import Actor, Created
from memapp.domain.chat import Origin, Role
from memapp.domain.lessons.lesson import PAUSE
from memapp.domain.prompt import Prompt, Sampling
from memapp.domain.trust import RAW
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import curate, forget, jobs, runs
from memapp.services.consent import decisions, requests
from memapp.store import changes, chat, connection, leases
from memapp.store.database import Database
from memapp.tools.scripted import ScriptedTool
from tests.builders import Clock, Reader, fact, make_runtime, new_chat, say, trust, typed_message
from tests.reliability import test_replayed as replayed
from tests.reliability.killed_processes import CONTEXT, begun, usually
from tests.reliability.test_kill import assert_sound
from tests.reliability.test_replayed import Known, known

BESIDE = "Beside it, "
SEEN = replayed.SEEN | {
    "messages": f"{replayed.SEEN['messages']} AND text NOT LIKE '{BESIDE}%'",
    "history": (
        "SELECT memory_id, event, old_ref IS NULL, new_ref IS NULL, actor, thread_id, meta "
        "FROM history"
    ),
    "versions": "SELECT memory_id, json_remove(snapshot, '$.relations') FROM versions",
    "change_log": "SELECT memory_id, event, thread_id, meta FROM change_log",
    "forgotten": "SELECT user_id FROM forgotten",
}
"""What counts of some tables: not which of two jobs came first, nor the fingerprint of what was
erased, by a key of the file.
"""
ROUNDS = 5
"""Of each seed."""
START = datetime(2026, 1, 4, 18, tzinfo=UTC)
DAYS = 62
MOST_TIMES = 20
MOMENTS = 360
"""Before and after each commit of all that is done, and a few more."""
SURE = ("My dog Rex limps.", "And my dog Rex limps.", "I have two hens.", "I really have two hens.")
ALIKE = (
    "I see the dentist in May.",
    "I see the dentist in June.",
    "I have a boat.",
    "I have a red boat.",
)
RUNNING = (
    "I ran along the canal.",
    "My running group met at the mill.",
    "Running in the rain again.",
    "I ran eight kilometres.",
)
TOLD = (
    "I play the harp in a trio.",
    "I planted tall sunflowers in the garden.",
    "My brother Jonas keeps goats.",
)
SAID = "error: unknown option 'het'"
FAILS = {f"kiln fire {vase} --het": f"{vase}: {SAID}" for vase in ("Amphora", "Bowl")}
GENERAL = {
    "trigger_fingerprints": ["F1"],
    "rule_text": "kiln fire … --het -> kiln fire … --heat",
    "scope_hint": "domain",
}
JOBS = [job for job in jobs.JOBS if job.name != "backup"]
"""A backup is no part of the file; that one is whole or not there is shown where changes are
killed.
"""


def script(prompt: Prompt, sampling: Sampling) -> str | None:
    """Answer as a model that is trusted with all jobs: pairs of memories, a memory or a chat in a
    sentence, runs, lessons.
    """
    asked, grammar = prompt.turns[-1].content, sampling.grammar or ""
    if "answers" in grammar:
        pairs = range(len(asked.splitlines()))
        return json.dumps(
            {"answers": [{"pair": at + 1, "is": ("same", "related")[at % 2]} for at in pairs]}
        )
    if "trigger_fingerprints" in grammar:
        return json.dumps(GENERAL)
    if "step" in grammar:
        return json.dumps({"step": "worked" if "--heat" in asked.splitlines()[-1] else "failed"})
    if prompt.head == "User":
        said = asked.rpartition("Told: ")[2] if "Told: " in asked else asked.splitlines()[1][2:]
        return f" told: {said.replace('I ', 'User ').replace('My ', 'a ')}"
    return None


def opened(home: Path, day: float) -> Runtime:
    runtime = make_runtime(home, ScriptedModel(script, name="judge-7b", key="abc"), ttl_days=58)
    runtime.clock = Clock(START + timedelta(days=day))
    trust(runtime)
    return runtime


def work(runtime: Runtime) -> set[str]:
    """Do all the jobs, due or not, until they find nothing more to do; return the names of those
    that found something.
    """
    found: set[str] = set()
    for _ in range(MOST_TIMES):
        done = {job.name for job, done in jobs.run(runtime, Cancel(), JOBS) if done != 0}
        found |= done
        if done <= {"embed"}:  # what is written beside never ends
            return found
    pytest.fail(f"they never end: {done}")


# What the jobs find -------------------------------------------------------------------------------


def plant(home: Path) -> None:
    """Let two months go by, so that there is something to do for each job."""
    runtime = opened(home, 0)
    ends = [
        job for job in jobs.NOW_AND_THEN if job.name in ("expire", "unused", "purge", "lessons")
    ]
    greeted = new_chat(runtime)
    for text in ("One.", "Two."):
        unused = curate.add(runtime, text).memory_id
        with runtime.database.write() as conn:
            conn.execute("UPDATE memories SET importance = 1 WHERE id = ?", (unused,))
    overdue = [curate.add(runtime, text).memory_id for text in ("Three.", "Four.")]
    for day in range(1, DAYS - 1):
        runtime.clock = Clock(START + timedelta(days=day))
        with runtime.write() as session:
            typed_message(session, greeted, "Hello.")
        if day == 28:
            curate.discard(runtime, *overdue)
        list(jobs.run(runtime, Cancel(), ends))
        if day == 40:  # the job `trust` sums up what stands before the last hundred decisions
            for number in range(RAW + 3):
                request = requests.propose(runtime, "fact", f"Quux{number:03}.", proposer="import")
                assert request
                decisions.deny(runtime, request.id)
        if day == 51:
            requests.propose(runtime, "city", "Bruges", proposer="import")
        if day % 7 == 0:
            with runtime.write() as session:
                thread = chat.create_thread(session, "A chat", "companion", session.now)
                typed_message(session, thread.id, RUNNING[day // 7 % 4])
    for _ in range(2):
        fire(runtime)
    for text in TOLD:
        say(runtime, new_chat(runtime), text)
    for text in (*SURE, *ALIKE):
        with runtime.write() as session:
            changes.apply(session, Created(fact(text, session.now, origin="said")), Actor("rules"))
    runtime.close()


def fire(runtime: Runtime) -> None:
    for vase in ("Amphora", "Bowl"):
        for way in ("--het", "--heat"):
            runs.attempt(runtime, ScriptedTool("kiln", "studio", FAILS), f"kiln fire {vase} {way}")
    assert isinstance(runtime.clock, Clock)
    runtime.clock.now += PAUSE + timedelta(minutes=1)


def after_the_lease() -> dict[str, float]:
    """Return the time at which whatever a dead process held has ended."""
    return {"now": time.time() + leases.LEASE_SECONDS, "whole": leases.LEASE_SECONDS}


# Killing ------------------------------------------------------------------------------------------


def work_until_killed(home: Path, kept: Path, moment: int) -> None:
    """Do the jobs, and be killed at a moment of them: an even number is before a commit, an odd one
    after it.
    """
    connection.PRAGMAS["synchronous"] = 0  # a kill loses nothing that was written
    use_vectors(kept)
    runtime, write, left = opened(home, DAYS), Database.write, iter(range(moment))

    def live_on() -> None:
        if next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)

    @contextmanager
    def mortal(database: Database) -> Iterator[Any]:
        with write(database) as conn:
            yield conn
            live_on()
        live_on()

    Database.write = mortal  # type: ignore[method-assign]
    work(runtime)


def write_beside(home: Path, told: Connection, enough: Event) -> None:
    """Write messages of another chat that teach nothing, and report each saved one."""
    connection.PRAGMAS["synchronous"] = 0
    runtime = opened(home, DAYS)
    thread = new_chat(runtime)
    for number in count():
        with runtime.write() as session:
            said = chat.add_message(
                session, thread, Role.USER, f"{BESIDE}{number}.", session.now, origin=Origin.IMPORT
            )
        told.send(said.id)
        if enough.wait(0.005):
            break
    runtime.close()


@contextmanager
def beside(home: Path) -> Iterator[list[str]]:
    """Let another process write during the block; yield the list of its saved messages."""
    ours, theirs = CONTEXT.Pipe(duplex=False)
    saved, enough = [], CONTEXT.Event()
    process = begun(write_beside, home, theirs, enough)
    theirs.close()
    saved.append(ours.recv())
    yield saved
    enough.set()
    with suppress(EOFError):
        while True:
            saved.append(ours.recv())
    process.join()
    assert process.exitcode == 0


def keep_vectors(kept: Path) -> None:
    np.savez(
        kept, texts=np.array(list(Reader._vectors)), rows=np.array(list(Reader._vectors.values()))
    )


def use_vectors(kept: Path) -> None:
    with np.load(kept) as file:
        Reader._vectors.update(zip(file["texts"].tolist(), file["rows"], strict=True))


def in_the_end(runtime: Runtime) -> Known:
    """Return the content of the file, without process names."""
    return {
        name: rows
        for name, rows in known(runtime, SEEN).items()
        if name not in ("leases", "forgotten_key")
    }


def differences(one: Known, other: Known) -> dict[str, tuple[Any, Any]]:
    """Return by table the rows of only one of two files, and of only the other."""
    return {
        name: (one[name] - other[name], other[name] - one[name])
        for name in one
        if one[name] != other[name]
    }


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(usually(1, thorough=40)))
def test_jobs_killed_at_any_write_beside_another_process_end_as_if_nobody_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setitem(connection.PRAGMAS, "synchronous", 0)
    plant(tmp_path / "planted")
    whole = opened(Path(shutil.copytree(tmp_path / "planted", tmp_path / "whole")), DAYS)
    with beside(tmp_path / "whole"):
        assert {job.name for job in JOBS} == work(whole), "there is something to do for each job"
    expected = in_the_end(whole)
    assert work(whole) <= {"embed"}
    assert in_the_end(whole) == expected, "done again they change nothing"
    whole.close()
    keep_vectors(tmp_path / "vectors.npz")
    monkeypatch.setattr(leases, "_now", after_the_lease)
    chance, kills = random.Random(seed), 0
    for number in range(ROUNDS):
        home = Path(shutil.copytree(tmp_path / "planted", tmp_path / f"home{number}"))
        moment = chance.randrange(MOMENTS)
        with beside(home) as saved:
            process = begun(work_until_killed, home, tmp_path / "vectors.npz", moment)
            process.join()
            kills += process.exitcode == -signal.SIGKILL
            again = opened(home, DAYS + 0.1)
            forget.finish(again)  # as at every start
            work(again)
        assert len(chat.still_there(again.read(), saved)) == len(saved), (
            "what was acknowledged beside is kept"
        )
        assert_sound(again.database)
        assert differences(in_the_end(again), expected) == {}, f"killed at moment {moment}"
        again.close()
        shutil.rmtree(home)
    assert kills > 1
