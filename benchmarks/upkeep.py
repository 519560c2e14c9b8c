"""Does upkeep give way to the chat, and does it keep within bounds?

Courtesy: the same message is sent twice in the same state of a chat, once while nothing else is
done and once while a job of upkeep is in the middle of its work; the jobs take turns, and ask the
model where it is one that is trusted with them. Measured are the ratio of the two waits for the
first word, how long after it was told to stop the job stood still, and how much of the chat had to
be read again.

Bounds: days of a talkative person who says much of it again in other words are lived through with
the clock set. Of each it is noted what tidying cost, and by how much the file grew: the messages
with their index and vectors, and all the rest.

python -m benchmarks.upkeep [--model NAME|FILE | --server URL] [--small] [--only courtesy|bounds]
"""

import argparse
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import MISSED, bundled_embedder, chat_model_options, open_chat_model
from benchmarks.month import set_clock
from benchmarks.reading import models, remembering
from benchmarks.two_call import HISTORY, MESSAGES
from memapp import bootstrap
from memapp.domain.changes import Created
from memapp.domain.chat import Origin, Role, Thread
from memapp.domain.consolidation import Spent
from memapp.domain.turn_events import Completed, Streamed
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services import chats, jobs, upkeep
from memapp.services.jobs.consolidate import PAIRS_PER_DAY, SECONDS_PER_DAY, TOKENS_PER_DAY
from memapp.services.turn import take_turn
from memapp.store import changes, chat, consolidation, learning_queue, memories
from tests.builders import fact

ROUNDS, SMALL_ROUNDS = 50, 6
WAIT_RATIO, STOP_MS = 1.1, 20.0
"""Most that a first word may take longer beside upkeep; and until a job stands still."""
DAYS, SMALL_DAYS = 100, 4
FLAT = 1.1
"""How much more the file may grow a day in the second half than in the first: what a day leaves
must not depend on the past.
"""
FIRST = datetime(2026, 3, 2, 9, tzinfo=UTC)
WHO = ("Ana", "Bo", "Cleo", "Dov", "Edda", "Finn", "Gus", "Hedy", "Ivo", "Juno")
WHAT = (
    "hens",
    "pots",
    "maps",
    "bread",
    "a boat",
    "a loom",
    "kites",
    "clocks",
    "bees",
    "a harp",
    "tiles",
    "candles",
    "knots",
)
WHERE = (
    "the shed",
    "the yard",
    "the attic",
    "the harbour",
    "the old mill",
    "the market",
    "the garden",
    "the school",
)
DOES = ("mends", "sells", "paints", "collects", "studies", "carries", "counts", "lends")
SAYS = (
    "My friend {who} {does} {what} in {where}.",
    "In {where} my friend {who} {does} {what}.",
    "I keep {what} in {where}, and {who} knows it.",
    "We went to {where} with {who} and talked about {what} until it was dark.",
    "I like {what} more than {who} does.",
    "Tomorrow I will show {who} the {number} things that I made for {where}.",
    "My neighbour {who} asked me {number} times about {what}.",
)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[chat_model_options()],
    )
    parser.add_argument(
        "--small", action="store_true", help=f"{SMALL_ROUNDS} messages and {SMALL_DAYS} days"
    )
    parser.add_argument("--only", choices=("courtesy", "bounds"))
    parser.add_argument("--data", help="not used: all of it is made up")
    options = parser.parse_args()
    held = True
    if options.only != "bounds":
        held &= report_courtesy(courtesy(options))
    if options.only != "courtesy":
        held &= report_bounds(bounds(SMALL_DAYS if options.small else DAYS))
    print("held" if held else "MISSED")
    return 0 if held else MISSED


def said(chance: random.Random) -> str:
    """Return something that a person may say."""
    words = {"who": WHO, "what": WHAT, "where": WHERE, "does": DOES}
    return chance.choice(SAYS).format(
        number=chance.randrange(2, 900), **{name: chance.choice(of) for name, of in words.items()}
    )


# Courtesy -----------------------------------------------------------------------------------------


@dataclass
class Courtesy:
    """What was measured of each message."""

    alone: list[tuple[float, int]] = field(default_factory=list)
    """Seconds to the first word, and the tokens that were computed."""
    beside: list[tuple[float, int]] = field(default_factory=list)
    jobs: list[str] = field(default_factory=list)
    """Of each message, the job that it was sent beside."""
    stops: dict[str, list[float]] = field(default_factory=dict)
    """Milliseconds until a job stood still."""
    awake: list[float] = field(default_factory=list)
    """The same of a thread that only waits for that: what this machine takes, busy as it is."""
    idle: int = 0
    """Messages that found the job done already."""


def courtesy(options: argparse.Namespace) -> Courtesy:
    """Send messages while nothing is done, and while jobs are."""
    measured, chance, rounds = (
        Courtesy(),
        random.Random(1),
        SMALL_ROUNDS if options.small else ROUNDS,
    )
    with ExitStack() as opened:
        home = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        model = opened.enter_context(closing(open_chat_model(options)))
        embedder = opened.enter_context(closing(bundled_embedder()))
        embedder.embed(["ready"])
        runtime = bootstrap.start(home=home, flags={"speculate": False})
        opened.callback(runtime.database.close)
        runtime.chat.fill(model)
        runtime.embedding.fill(embedder)
        send(runtime, MESSAGES[-1], [])  # what a process does once
        for number in range(rounds):
            set_clock(
                runtime, datetime.now(UTC) + timedelta(days=number)
            )  # the budget of a day, each time
            name, plant = LOADS[number % len(LOADS)]
            message = MESSAGES[number % len(MESSAGES)]
            plant(runtime, chance)
            measured.jobs.append(name)
            ways = [
                partial(send, runtime, message, measured.alone),
                partial(send_beside, runtime, job(name), message, measured, chance),
            ]
            for way in ways if number % 2 else reversed(ways):
                way()
    return measured


def job(name: str) -> jobs.Job:
    return next(job for job in jobs.JOBS if job.name == name)


def send(
    runtime: Runtime,
    message: str,
    waits: list[tuple[float, int]],
    before: Callable[[], object] = str,
) -> None:
    """Send a message in a prefilled chat; note the times."""
    thread = begun_chat(runtime)
    upkeep.warm(runtime, thread.id, message, Cancel())
    before()
    begun, first, computed = time.perf_counter(), 0.0, 0
    for event in take_turn(runtime, thread.id, message):
        if isinstance(event, Streamed) and not first:
            first = time.perf_counter() - begun
        if isinstance(event, Completed):
            computed = event.reply.usage.prefill_tokens
    waits.append((first, computed))


def begun_chat(runtime: Runtime) -> Thread:
    thread = chats.new_thread(runtime)
    with runtime.write() as session:
        for exchange in HISTORY:
            for role, text in zip((Role.USER, Role.ASSISTANT), exchange, strict=True):
                chat.add_message(session, thread.id, role, text, session.now, origin=Origin.IMPORT)
    return thread


def send_beside(
    runtime: Runtime, wanted: jobs.Job, message: str, measured: Courtesy, chance: random.Random
) -> None:
    """Send a message while a job is at work, which is told to stop by it, as the app does."""
    cancel, asleep, ended, awake = Cancel(), threading.Event(), list[float](), list[float]()

    def until_it_stands_still(*given: Any) -> Iterator[jobs.Done]:
        try:
            yield from wanted.run(*given)
        finally:
            ended.append(
                time.perf_counter()
            )  # then its lease is given back, which waits for what the turn writes

    def work() -> None:
        for _ in jobs.run(runtime, cancel, [replace(wanted, run=until_it_stands_still)]):
            pass

    def sleep() -> None:
        asleep.wait()
        awake.append(time.perf_counter())

    worker, sleeper = threading.Thread(target=work), threading.Thread(target=sleep)

    def stop() -> None:
        worker.start()
        sleeper.start()
        while runtime.progress is None and worker.is_alive():
            time.sleep(0.001)
        time.sleep(chance.uniform(0.02, 0.5))
        measured.idle += not worker.is_alive()
        told.append(time.perf_counter())
        asleep.set()
        cancel.set()

    told: list[float] = []
    send(runtime, message, measured.beside, stop)
    worker.join()
    sleeper.join()
    measured.awake.append((awake[0] - told[0]) * 1000)
    if ended[0] > told[0]:
        measured.stops.setdefault(wanted.name, []).append((ended[0] - told[0]) * 1000)


def plant_chats(
    runtime: Runtime, chance: random.Random, chats_: int, *, origin: Origin, to_learn: bool = False
) -> None:
    """Put chats of eight long messages into the file, on days of their own before now."""
    with runtime.write() as session:
        for number in range(chats_):
            day = session.now - timedelta(days=chats_ - number, hours=2)
            thread = chat.create_thread(session, f"Chat {number}", "companion", day)
            for _ in range(8):
                text = " ".join(said(chance) for _ in range(4))
                message = chat.add_message(session, thread.id, Role.USER, text, day, origin=origin)
                if to_learn:
                    learning_queue.add(session, thread.id, message.id, day)


def plant_pairs(runtime: Runtime, chance: random.Random) -> None:
    """Make facts of which many are alike."""
    with runtime.write() as session:
        for _ in range(60):
            text = said(chance)
            if memories.find_same(session, session.normalise(text)) is None:
                changes.apply(session, Created(fact(text, session.now)), runtime.actor())
    for _ in jobs.run(runtime, Cancel(), [job("embed")]):
        pass


LOADS: tuple[tuple[str, Callable[[Runtime, random.Random], None]], ...] = (
    ("embed", lambda runtime, chance: plant_chats(runtime, chance, 12, origin=Origin.IMPORT)),
    (
        "learn",
        lambda runtime, chance: plant_chats(runtime, chance, 2, origin=Origin.TYPED, to_learn=True),
    ),
    ("consolidate", plant_pairs),
    ("episodes", lambda runtime, chance: plant_chats(runtime, chance, 12, origin=Origin.TYPED)),
    ("insights", lambda runtime, chance: plant_chats(runtime, chance, 12, origin=Origin.TYPED)),
    ("backup", lambda runtime, chance: plant_chats(runtime, chance, 20, origin=Origin.IMPORT)),
)
"""The jobs that take long, each with what gives it work."""


def report_courtesy(measured: Courtesy) -> bool:
    pairs = list(zip(measured.alone, measured.beside, strict=True))
    ratios = [beside / alone for (alone, _), (beside, _) in pairs]
    again = [beside - alone for (_, alone), (_, beside) in pairs]
    stops = sorted(value for of_job in measured.stops.values() for value in of_job)
    print(
        f"{len(ratios)} messages, each sent alone and beside a job; "
        f"{measured.idle} found it done already"
    )
    print(f"first word, beside / alone   median {median(ratios):.2f}   bound {WAIT_RATIO}")
    print(
        f"   worst {max(ratios):.2f}; a first word alone after "
        f"{median(value for value, _ in measured.alone) * 1000:.0f} ms"
    )
    print(f"tokens read again   median {median(again):.0f}   most {max(again)}   bound 0")
    for name, of_job in [*measured.stops.items(), ("all", stops)]:
        p95 = sorted(of_job)[min(len(of_job) - 1, int(len(of_job) * 0.95))]
        waited = median(
            ratio
            for ratio, beside in zip(ratios, measured.jobs, strict=True)
            if name in (beside, "all")
        )
        print(
            f"{name:12} {waited:5.2f}   stood still after (ms) {median(of_job):6.1f}   p95 "
            f"{p95:6.1f}   worst {max(of_job):6.1f}"
        )
    print(
        f"a thread that only waits wakes after (ms) {median(measured.awake):.1f}   bound of all, "
        f"median, above that {STOP_MS:.0f}"
    )
    return (
        median(ratios) <= WAIT_RATIO
        and median(stops) - median(measured.awake) <= STOP_MS
        and median(again) <= 0
    )


# Bounds -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Day:
    """What a day left behind."""

    bytes: Mapping[str, int]
    """What each table and index takes of the file."""
    spent: Spent
    memories: int


def bounds(days: int) -> list[Day]:
    """Let days pass, each with chats, the jobs that come due, and a look at the file."""
    chance = random.Random(2)
    with (
        tempfile.TemporaryDirectory() as home,
        models() as (model, embedder),
        remembering(Path(home), model, embedder) as runtime,
    ):
        return [
            live_through(runtime, FIRST + timedelta(days=number), chance) for number in range(days)
        ]


def live_through(runtime: Runtime, day: datetime, chance: random.Random) -> Day:
    for hour in (0, 9):
        set_clock(runtime, day + timedelta(hours=hour))
        thread = chats.new_thread(runtime).id
        for _ in range(4):
            for _ in take_turn(runtime, thread, said(chance)):
                pass
            for _ in upkeep.work(runtime, thread, Cancel()):
                pass
    set_clock(runtime, day + timedelta(hours=13))
    for _ in upkeep.work(runtime, None, Cancel()):
        pass
    return look(runtime, day.replace(hour=0))


def look(runtime: Runtime, midnight: datetime) -> Day:
    conn = runtime.database.read()
    sizes = dict(conn.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name").fetchall())
    vectors = dict(
        conn.execute("SELECT owner_kind, count(*) FROM embeddings GROUP BY 1").fetchall()
    )
    whole, total = sizes.pop("embeddings"), max(1, sum(vectors.values()))
    sizes |= {f"vectors of {kind}s": whole * count // total for kind, count in vectors.items()}
    (known,) = conn.execute("SELECT count(*) FROM memories WHERE state = 'live'").fetchone()
    return Day(sizes, consolidation.spent(runtime.read(), midnight), known)


def grown(days: Sequence[Day], counts: Callable[[str], bool]) -> float:
    """Return by how much some tables grew a day, in KiB."""
    first, last = (
        sum(size for name, size in day.bytes.items() if counts(name)) for day in (days[0], days[-1])
    )
    return (last - first) / (len(days) - 1) / 1024


def report_bounds(days: Sequence[Day]) -> bool:
    halves = days[: len(days) // 2], days[len(days) // 2 :]
    before, after = (
        [grown(half, lambda name, of=of: ("message" in name) == of) for of in (True, False)]
        for half in halves
    )
    most = Spent(
        *(max(getattr(day.spent, name) for day in days) for name in ("pairs", "tokens", "seconds"))
    )
    kept = (
        most.pairs <= PAIRS_PER_DAY
        and most.tokens <= TOKENS_PER_DAY
        and most.seconds <= SECONDS_PER_DAY
    )
    print(
        f"{len(days)} days: {days[-1].memories} memories known at the end, "
        f"at most {max(day.memories for day in days)}"
    )
    print(f"tidying took a day at most   {most}   {'kept' if kept else 'broken'}")
    print(
        (
            f"the file grows a day by (KiB): messages {before[0]:.1f}, then {after[0]:.1f}; "
            f"the rest {before[1]:.1f}, "
        ),
        end="",
    )
    print(f"then {after[1]:.1f}")
    by_name = sorted(
        ((grown(halves[1], lambda name, one=day: name == one), day) for day in days[-1].bytes),
        reverse=True,
    )
    print("   then most: " + ", ".join(f"{name} {size:.1f}" for size, name in by_name[:8]))
    ratio = sum(after) / sum(before)
    print(f"a day in the second half / in the first   {ratio:.2f}   bound {FLAT}")
    return kept and ratio <= FLAT


if __name__ == "__main__":
    sys.exit(main())
