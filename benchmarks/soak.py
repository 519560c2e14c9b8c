"""Thousands of turns in one process: does it keep more and more memory, files or log, or does
saving get slower?

A scripted model answers in many chats, idle work runs on a thread beside it, and the person cancels
turns and idle work at random. After a warm-up of a third of the turns, in which SQLite's caches and
those of memapp fill: memory grows by less than 5 %, no file stays open, and SQLite's log stays
below 16 MB. The vectors are left out of the memory: they are the index of the file, which grows
with it, and each may take as much as is said here and no more. How long a commit takes late and
early is printed as a ratio, since a busy machine is no reason to miss a bound.

python -m benchmarks.soak [--turns COUNT] [--seed NUMBER]
"""

import argparse
import random
import sys
import tempfile
import time
from array import array
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from benchmarks import MISSED
from memapp import bootstrap
from memapp.inference import Cancel
from memapp.inference.scripted import DIMENSION, ScriptedEmbedder, ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats
from memapp.services.embed import KINDS
from memapp.services.turn import take_turn
from memapp.services.upkeep import work
from memapp.store.database import Database
from memapp.store.vectors import matrix

WARM_UP = 1 / 3
MOST_GROWTH = 0.05
MOST_LOG = 16 * 1024 * 1024
VECTOR_BYTES = 4 * DIMENSION + 170
"""What a vector takes in memory: its numbers, its key as a number of the index and as one of
Python, and where it stands.
"""
TURNS_PER_CHAT = 25
THINGS = ("bees", "maps", "kites", "clocks", "shells", "stamps", "boats", "bells", "coins", "lamps")


@dataclass
class Seen:
    """What the process held after each turn, and how long its commits took."""

    resident: "array[int]" = field(default_factory=lambda: array("q"))
    """Bytes, those of the vectors left out. In arrays: lists of numbers would be some of the growth
    that is looked for.
    """
    files: "array[int]" = field(default_factory=lambda: array("q"))
    log: "array[int]" = field(default_factory=lambda: array("q"))
    commits: "array[float]" = field(default_factory=lambda: array("d"))
    vectors: int = 0


@contextmanager
def timed_commits(seen: Seen) -> Iterator[None]:
    write = Database.write

    @contextmanager
    def timed(database: Database) -> Iterator[Any]:
        began = time.perf_counter()
        with write(database) as conn:
            yield conn
        if not conn.in_transaction:
            seen.commits.append(time.perf_counter() - began)

    Database.write = timed  # type: ignore[assignment, method-assign]
    try:
        yield
    finally:
        Database.write = write  # type: ignore[method-assign]


def live(runtime: Runtime, turns: int, chance: random.Random) -> Seen:
    """Take the turns as a person does who does not always wait."""
    seen, process = Seen(), psutil.Process()
    thread = ""
    idle: Future[None] | None = None
    stop = Cancel()
    with timed_commits(seen), ThreadPoolExecutor(1) as beside:
        for number in range(turns):
            if number % TURNS_PER_CHAT == 0:
                thread = chats.new_thread(runtime).id
            stop.set()
            if idle and chance.random() < 0.5:
                idle.result()
            talk(runtime, thread, number, chance)
            if idle:
                idle.result()
            stop = Cancel()
            idle = beside.submit(rest, runtime, thread, stop)
            if chance.random() < 0.5:
                idle.result()
            forget_calls(runtime)
            seen.vectors = count_vectors(runtime)
            seen.resident.append(process.memory_info().rss - seen.vectors * VECTOR_BYTES)
            seen.files.append(
                process.num_fds() if hasattr(process, "num_fds") else process.num_handles()
            )
            seen.log.append(log_size(runtime.database.path))
    return seen


def count_vectors(runtime: Runtime) -> int:
    """Count the vectors that are held in memory."""
    embedder = runtime.embedding.ready()
    assert embedder is not None
    return sum(
        len(matrix(runtime.database, runtime.user_id, kind, embedder.model_id)) for kind in KINDS
    )


def forget_calls(runtime: Runtime) -> None:
    """Empty what the scripted model keeps of its calls for tests to look at."""
    model = runtime.chat.ready()
    assert isinstance(model, ScriptedModel)
    model.seen.clear()
    model.warmed.clear()
    model.samplings.clear()


def talk(runtime: Runtime, thread: str, number: int, chance: random.Random) -> None:
    """Take a turn; one in ten is cancelled, and one in ten is left."""
    cancel, whim = Cancel(), chance.random()
    text = f"I have {number} {chance.choice(THINGS)}. Which {chance.choice(THINGS)} do I have?"
    with closing(take_turn(runtime, thread, text, cancel=cancel)) as happening:
        for at, _ in enumerate(happening):
            if whim < 0.1 and at == 4:
                cancel.set()
            elif whim > 0.9 and at == 5:
                return


def rest(runtime: Runtime, thread: str, stop: Cancel) -> None:
    list(work(runtime, thread, stop))


def log_size(path: Path) -> int:
    log = path.with_name(path.name + "-wal")
    return log.stat().st_size if log.exists() else 0


def report(seen: Seen, turns: int) -> bool:
    """Print what was seen, and return whether every bound holds."""
    warm, window = int(turns * WARM_UP), turns // 6
    early, late = slice(warm, warm + window), slice(turns - window, turns)
    before, after = max(seen.resident[early]), max(seen.resident[late])
    growth = after / before - 1
    opened = max(seen.files[late]) - max(seen.files[early])
    third = len(seen.commits) // 3
    first, last = (
        sorted(part)[int(0.99 * third)] for part in (seen.commits[:third], seen.commits[-third:])
    )
    print(f"{turns} turns, {len(seen.commits)} commits")
    print(
        f"memory      {before / 1e6:.1f} -> {after / 1e6:.1f} MB, {growth:+.3f}   < {MOST_GROWTH}"
    )
    print(f"vectors     {seen.vectors}, {seen.vectors * VECTOR_BYTES / 1e6:.1f} MB beside that")
    print(f"open files  {max(seen.files[late])}, {opened:+d}   <= 0")
    print(f"log         {max(seen.log) / 1e6:.1f} MB   <= {MOST_LOG / 1e6:.1f}")
    print(f"p99 of a commit, last third / first third: {last / first:.2f}")
    return growth < MOST_GROWTH and opened <= 0 and max(seen.log) <= MOST_LOG


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as home,
        closing(bootstrap.start(home=Path(home))) as runtime,
    ):
        runtime.chat.fill(ScriptedModel())
        runtime.embedding.fill(ScriptedEmbedder())
        seen = live(runtime, options.turns, random.Random(options.seed))
    return 0 if report(seen, options.turns) else MISSED


if __name__ == "__main__":
    sys.exit(main())
