"""How long does `memapp run` make somebody wait?

A command that works, beside a Python that does nothing but run it; a command that fails, with its
hint; what the hook of an agent takes, beside a Python that does nothing; and the look-up of a hint
in a memory of thousands of lessons. The processor's time is judged. memapp has its bytecode, as
when it is installed. What is recorded after a hint is waited for between two rounds: nobody fails
twice within half a second.

python -m benchmarks.lesson_speed [--small]
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

from benchmarks import MISSED
from memapp import bootstrap
from memapp.run import background
from memapp.runtime import Runtime
from memapp.services import runs
from memapp.services.lessons import before_run, browse, curate, hints
from memapp.services.runs import Client
from memapp.store import runs as store
from memapp.tools.scripted import ScriptedTool

WORKING_RATIO, HOOK_RATIO = 3.0, 6.0
LOOKUP_SECONDS = 0.020
LESSONS, TOOLS, EVENTS_EACH = 10_000, 50, 10
LOT = 500
ROUNDS = 15
MEMAPP = [sys.executable, "-c", "from memapp.__main__ import main; main()"]
"""What the script does that pip installs."""


class Taken(NamedTuple):
    """Seconds that a command took: of the processor, which a busy machine does not change much, and
    of the clock.
    """

    processor: float
    clock: float


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--small", action="store_true", help="a tenth of the lessons")
    parser.add_argument("--data", help="not used: everything is made up")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYTHONPYCACHEPREFIX"] = f"{folder}/bytecode"
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        missed = (
            _waiting(Path(folder) / "person")
            + _answering(Path(folder) / "agent")
            + _looking_up(Path(folder), LESSONS // 10 if options.small else LESSONS)
        )
    return MISSED if missed else 0


def _waiting(folder: Path) -> bool:
    """Print how long a command takes under `memapp run`."""
    memapp = [*MEMAPP, "--home", str(folder), "run", "--"]
    ways = {
        "a bare Python that runs true": [
            sys.executable,
            "-c",
            "import subprocess; subprocess.run(['true'])",
        ],
        "memapp run -- true": [*memapp, "true"],
        "memapp run -- cat vase": [*memapp, "cat", "vase"],
    }
    tries = [
        {name: _taken(command, folder)[0] for name, command in ways.items()} for _ in range(ROUNDS)
    ]
    return _compared(tries, "memapp run -- true", WORKING_RATIO)


def _answering(folder: Path) -> bool:
    """Print how long an agent waits for its hook: after a command that worked, and for the hint
    after one that failed.
    """
    about = {"session_id": "s", "cwd": str(folder), "tool_name": "Bash"}
    said = "Exit code 2\nkiln: unknown command 'frie'\nRun 'kiln --help' for usage."
    failed = {
        **about,
        "hook_event_name": "PostToolUseFailure",
        "error": said,
        "tool_input": {"command": "kiln frie"},
    }
    worked = {
        **about,
        "hook_event_name": "PostToolUse",
        "tool_response": {},
        "tool_input": {"command": "kiln fire"},
    }
    hook = [*MEMAPP, "--home", str(folder), "hook", "agent"]

    def told(event: Mapping[str, object]) -> tuple[Taken, bytes]:
        return _taken(hook, folder, json.dumps(event).encode())

    def with_hint() -> Taken:
        taken, said = told(failed)
        assert b"kiln fire" in said
        return taken

    told(failed)
    told(worked)
    with closing(
        bootstrap.start(home=folder)
    ) as runtime:  # else it is withheld, and given up as never helping
        curate.promote(runtime, *(lesson.id for lesson in browse.list_lessons(runtime)))
    tries = [
        {
            "a Python that does nothing": _taken([sys.executable, "-c", "pass"], folder)[0],
            "the hook, of what worked": told({**worked, "tool_input": {"command": "ls"}})[0],
            "the hook, with a hint": with_hint(),
        }
        for _ in range(ROUNDS)
    ]
    return _compared(tries, "the hook, with a hint", HOOK_RATIO)


def _taken(command: list[str], home: Path, standard_input: bytes = b"") -> tuple[Taken, bytes]:
    """Run a command; return its time and output. Its recording is waited for afterwards."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, input=standard_input, capture_output=True, check=False)
    clock, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    background.wait(home / "cache")
    return Taken(
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, clock
    ), done.stdout


def _compared(tries: Sequence[Mapping[str, Taken]], judged: str, most: float) -> bool:
    """Print what each way takes beside the first; return whether the judged one takes more than
    `most` times as long.
    """
    first, *_ = tries[0]
    middle = {
        name: Taken(*(median(pair) for pair in zip(*(each[name] for each in tries), strict=True)))
        for name in tries[0]
    }
    for name, taken in middle.items():
        ratio, clock = taken.processor / middle[first].processor, taken.clock / middle[first].clock
        print(
            f"{name:<32}{taken.processor * 1000:>8.0f} ms{ratio:>6.1f} x; "
            f"clock{taken.clock * 1000:>8.0f} ms{clock:>6.1f} x"
        )
    is_missed = middle[judged].processor > most * middle[first].processor
    print(f"missed: {most} x" if is_missed else f"{judged}: within {most} x")
    return is_missed


def _looking_up(folder: Path, lessons: int) -> int:
    """Print how long the lessons for a failure are looked for, of a known one, of a new one, and
    before it comes.
    """
    runtime = bootstrap.start(home=folder / "many")
    chance = random.Random(7)
    began = time.perf_counter()
    for first in range(0, lessons, LOT):
        with runtime.write():  # else each step waits for the disk
            for number in range(first, min(first + LOT, lessons)):
                _teach(runtime, number)
    events = runtime.database.read().execute("SELECT count(*) FROM error_events").fetchone()[0]
    print(f"{lessons} lessons, {events} failures, made in {time.perf_counter() - began:.0f} s")
    missed = 0
    for name in ("known", "new", "coming"):
        seconds = []
        for _ in range(200):
            number = chance.randrange(lessons)
            tool, action = _tool(number), f"do part {number}"
            if name == "new":
                tool = ScriptedTool(
                    tool.name,
                    tool.scope,
                    {action: f"part {number} jams in the gates, which are warped"},
                )
            _, reported = runs.attempt(runtime, tool, action)
            assert reported.error
            session = runtime.read()
            started = time.process_time()
            if name == "coming":
                before_run.bearing(session, tool.name, tool.scope, action, str(number))
            else:
                hints.find(session, hints.known(session, reported.error))
            seconds.append(time.process_time() - started)
        p95 = quantiles(seconds, n=20)[-1]
        missed += p95 > LOOKUP_SECONDS
        print(
            f"look-up of a {name} failure: p95 {p95 * 1000:.1f} "
            f"ms{'  missed' if p95 > LOOKUP_SECONDS else ''}"
        )
    runtime.close()
    return missed


def _tool(number: int) -> ScriptedTool:
    words = "".join(chr(97 + int(digit)) for digit in str(number))
    return ScriptedTool(
        f"tool{number % TOOLS}",
        f"place {number // LOT}",
        {f"do part {number}": f"part {words} jams in the {words}gate"},
    )


def _teach(runtime: Runtime, number: int) -> None:
    """Record several failures, copies of the first, and then a success."""
    tool, client = _tool(number), Client(task=str(number))
    done, reported = runs.attempt(runtime, tool, f"do part {number}", client)
    assert reported.error
    with runtime.write() as session:
        run = store.get_run(session, reported.error.run_id)
        for _ in range(EVENTS_EACH - 1):
            step = store.add_step(session, run, done, tool.feedback(done))
            store.add_error(
                session, step, reported.error.fingerprint_id, "hard_failure", done.output, None
            )
    runs.attempt(runtime, tool, f"do part {number} --slowly", client)


if __name__ == "__main__":
    sys.exit(main())
