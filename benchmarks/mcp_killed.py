"""The rounds of `benchmarks.mcp` in which a program, its server or the person's window is killed.

In each round a client proposes over the pipes of a server of its own, while a window writes to the
same file. One of the three is killed: before a call, in the middle of one, or right after its
answer. All are forked from this process, which must have no thread yet: it has imported everything,
so they begin at once. Each tenth server is started as a client starts it, and in a few rounds the
window is a real one in a terminal. What is counted is read by a process of its own that opens the
file afterwards.
"""

import json
import multiprocessing
import os
import pty
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import psutil

from memapp import bootstrap
from memapp.cli import run
from memapp.domain.grants import actor_of
from memapp.errors import MemappError
from memapp.services import curate
from memapp.services.consent import pending

VICTIMS, PHASES = ("server", "client", "window"), ("before", "middle", "after")
PROPOSALS, WRITTEN = 5, 12
SECONDS = 60.0
WITHIN = {"begun": 0.3, "asked": 0.02}
"""Seconds within which a start, or a call, is killed."""
REAL_SERVER = 10
ROUNDS_PER_FILE = 40
FORK = multiprocessing.get_context("fork")
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "killed", "version": "1"},
}


def killed(folder: Path, rounds: int, windows: int) -> Counter[str]:
    """Return what went wrong in so many rounds, and in so many with a real window, by its kind;
    `killed` counts the kills.
    """
    count: Counter[str] = Counter()
    for number in range(rounds + windows):
        home = folder / f"file-{number // ROUNDS_PER_FILE}"
        _in_process(_open, home)
        count += _round(home, number, is_real_window=number >= rounds)
    return count


def _round(home: Path, number: int, *, is_real_window: bool) -> Counter[str]:
    chance, agent = random.Random(number), f"agent-{number}"
    victim, phase = VICTIMS[number % 3], PHASES[number // 3 % 3]
    if is_real_window:
        victim = "window"
    window: Any = None
    shown, show = FORK.Pipe(duplex=False)
    if is_real_window:
        window = _real_window(home)
    else:
        (window := FORK.Process(target=_window, args=(home, agent, show))).start()
    show.close()  # before the next one is forked, or that would hold it open
    told, tell = FORK.Pipe(duplex=False)
    client = FORK.Process(
        target=_client, args=(home, agent, number % REAL_SERVER == REAL_SERVER - 1, tell)
    )
    client.start()
    tell.close()
    pids = {"client": client.pid, "window": window.pid}
    watched = shown if victim == "window" and not is_real_window else told
    said = _heard(
        [told, shown], watched, phase, chance, lambda: os.kill(pids[victim], signal.SIGKILL), pids
    )
    client.join(SECONDS)
    if is_real_window:
        window.wait()
    else:
        window.join(SECONDS)
    wrong = Counter(
        killed=bool(said["killed"]),
        left_running=not _gone(pids["server"]) if "server" in pids else 0,
    )
    wrong["stopped_with_the_window"] = victim == "window" and len(said["answered"]) < PROPOSALS
    return wrong + Counter(_in_process(_look, home, agent, said))


def _heard(
    pipes: list[Connection],
    watched: Connection,
    phase: str,
    chance: random.Random,
    kill: Callable[[], None],
    pids: dict[str, Any],
) -> dict[str, list[str]]:
    """Listen to both, and kill on time; return the sent, acknowledged and killed calls."""
    said: dict[str, list[str]] = {"asked": [], "answered": [], "written": [], "killed": []}
    after = chance.randrange(1, PROPOSALS)
    due = {"before": chance.choice(("begun", "ready")), "middle": "asked", "after": "answered"}[
        phase
    ]
    end, seen = time.monotonic() + SECONDS, 0
    while pipes and time.monotonic() < end:
        for pipe in wait(pipes, timeout=1):
            assert isinstance(pipe, Connection)
            try:
                kind, text = pipe.recv()
            except (EOFError, OSError):
                pipes.remove(pipe)
                continue
            if kind == "begun":
                pids.update({"server": int(text)} if text else {})
            elif kind in said:
                said[kind].append(text)
            sort = "answered" if kind == "written" else "asked" if kind == "writing" else kind
            seen += pipe is watched and sort == due
            if not said["killed"] and seen >= (1 if phase == "before" else after):
                time.sleep(chance.uniform(0, WITHIN.get(due, 0)))
                with suppress(ProcessLookupError):
                    kill()
                    said["killed"].append(due)
    return said


def _client(home: Path, agent: str, is_real: bool, tell: Connection) -> None:
    """Propose one thing after the other over a server of one's own."""
    (there, out), (back, answered) = os.pipe(), os.pipe()
    server = os.fork()
    if server == 0:
        tell.close(), os.close(out), os.close(back)
        os.dup2(there, 0), os.dup2(answered, 1), os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        words = ["--home", str(home), "mcp", "--agent", agent]
        if is_real:
            os.execv(sys.executable, [sys.executable, "-m", "memapp", *words])
        sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w")
        os._exit(run(words))
    os.close(there), os.close(answered)
    tell.send(("begun", str(server)))
    with suppress(OSError), os.fdopen(out, "w") as asks, os.fdopen(back) as answers:

        def call(number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
            asks.write(
                json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
                + "\n"
            )
            asks.flush()
            line = answers.readline()
            return json.loads(line)["result"] if line.endswith("\n") else {}

        if call(0, "initialize", HELLO):
            asks.write(f"{json.dumps({'jsonrpc': '2.0', 'method': 'notifications/initialized'})}\n")
            tell.send(("ready", ""))
        for number in range(1, PROPOSALS + 1):
            text = f"I own {number} boats, says {agent}."
            tell.send(("asked", text))
            answer = call(number, "tools/call", {"name": "remember", "arguments": {"text": text}})
            if not answer:
                break
            tell.send(("answered", answer["structuredContent"]["id"]))
    os.waitpid(server, 0)


def _window(home: Path, agent: str, tell: Connection) -> None:
    """Write to the file as the person's window does."""
    tell.send(("begun", ""))
    with closing(bootstrap.start(home=home)) as runtime:
        tell.send(("ready", ""))
        for number in range(WRITTEN):
            tell.send(("writing", ""))
            tell.send(("written", curate.add(runtime, f"Note {number} beside {agent}.").memory_id))


def _real_window(home: Path) -> subprocess.Popen[bytes]:
    """Open the person's window in an unseen terminal, and wait for the first picture."""
    mine, its = pty.openpty()
    drawn = threading.Event()

    def watch() -> None:
        with suppress(OSError):
            while shown := os.read(mine, 65_536):
                if b"Write to memapp" in shown:
                    drawn.set()

    threading.Thread(target=watch, daemon=True).start()
    command = [sys.executable, "-m", "memapp", "--home", str(home)]
    window = subprocess.Popen(command, stdin=its, stdout=its, stderr=its, start_new_session=True)
    os.close(its)
    drawn.wait(SECONDS)
    return window


def _gone(pid: int) -> bool:
    """Wait for an orphaned process to end; kill it and return False where it does not."""
    end = time.monotonic() + SECONDS / 2
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            if time.monotonic() > end:
                process.kill()
                return False
            time.sleep(0.01)
    return True


def _in_process(work: Callable[..., dict[str, int]], *given: Any) -> dict[str, int]:
    """Do something in a process of its own, so that this one opens no file."""
    answer, tell = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_tell, args=(work, given, tell))
    process.start()
    tell.close()
    try:
        return dict(answer.recv())
    except EOFError:
        return {"cannot_be_opened": 1}
    finally:
        process.join()


def _tell(work: Callable[..., dict[str, int]], given: tuple[Any, ...], tell: Connection) -> None:
    tell.send(work(*given))


def _open(home: Path) -> dict[str, int]:
    bootstrap.start(home=home).close()
    return {}


def _look(home: Path, agent: str, said: dict[str, list[str]]) -> dict[str, int]:
    """Count missing acknowledged writes, torn writes, and remains of killed processes."""
    with closing(bootstrap.start(home=home)) as runtime:
        waiting = {
            request.id: request.new_value
            for request in pending.list_pending(runtime)
            if request.proposer == actor_of(agent)
        }
        live = {memory.id for memory in curate.list_memories(runtime, limit=None)}
        unknown = {text for item, text in waiting.items() if item not in said["answered"]}
        begun = time.monotonic()
        try:
            curate.add(runtime, f"Nothing is locked after {agent}.")
            is_locked = time.monotonic() - begun > 2
        except MemappError:
            is_locked = True
        return {
            "acknowledged": len(said["answered"]),
            "lost": len(set(said["answered"]) - set(waiting)) + len(set(said["written"]) - live),
            "neither_old_nor_new": len(unknown - set(said["asked"])) + max(0, len(unknown) - 1),
            "locked": is_locked,
            "damaged": runtime.database.damage() is not None,
        }
