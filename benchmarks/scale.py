"""Is memapp as quick with 100,000 memories as with a few?

The file is filled through `store.changes.apply`, as if each fact had been learned from a message of
its own, with a vector and relations to three others (made up, since only their number matters
here). Then the whole app runs on it without a terminal: opening Memories and Trash, from a key in
the search field to its result on the screen, the longest time the event loop stood still meanwhile,
from a change to the panel that shows it, and one change at a time through the services. All this is
done with a file of 100 memories too; the start is compared with that of an empty one.

python -m benchmarks.scale [--small]
"""

import argparse
import asyncio
import random
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widgets import Static

from benchmarks import MISSED, bundled_embedder
from benchmarks.panels import Times, send, show_changes, until
from memapp import bootstrap, paths
from memapp.domain.changes import Actor, Created, Linked, SoftDeleted
from memapp.domain.chat import Origin, Role
from memapp.domain.memory import Kind, Memory, State
from memapp.errors import ModelError
from memapp.language.normal_form import WORDING
from memapp.runtime import USER_ID, Runtime
from memapp.services import curate
from memapp.services.embed import KINDS
from memapp.store import changes, chat, vectors
from memapp.store.database import Database
from memapp.store.encoding import new_id
from memapp.store.opening import open_database
from memapp.store.session import Session
from memapp.ui.app import MemappApp
from memapp.ui.panels.memory_detail import TABS
from memapp.ui.screens.memories import MemoriesScreen
from memapp.ui.screens.trash import TrashScreen

MANY, FEWER = 100_000, 5_000
OPEN_MS, KEY_MS, STALL_MS, CHANGE_MS, SHOW_MS, START_RATIO = 300.0, 80.0, 10.0, 10.0, 100.0, 1.2
SEARCHES = (
    *("tea", "oolong morning", "sister oslo", "works on", "the", "piano tag:music"),
    *('"in the evening" paris', "garden pinned:yes"),
)
OPEN = """
import sys
from pathlib import Path
from memapp import bootstrap
from memapp.ui.app import MemappApp
from memapp.ui.screens import chat
bootstrap.start(home=Path(sys.argv[1])).close()
"""
"""What stands between the command and a chat that can be used, but for drawing."""
SCREENFUL = 100
"""Memories in the file to compare with: its lists take as much drawing as those of a large one."""
BEAT_SECONDS = 0.002
BARE_WIDGETS = 25
STEP = 1000
EDGES = 3
ONE_IN_TRASH = 50
"""Every so many memories go to the trash."""
WORDS = (
    (
        "Anna",
        "Her sister",
        "Her neighbour",
        "Tom",
        "Her mother",
        "The team",
        "Her friend Mia",
        "Her brother",
    ),
    (
        "likes",
        "bought",
        "talked about",
        "plans",
        "misses",
        "works on",
        "lost",
        "found",
        "repairs",
        "teaches",
        "dreams of",
    ),
    (
        "oolong tea",
        "the old piano",
        "a garden",
        "the project report",
        "a red bicycle",
        "the choir",
        "her flat",
        "the boat",
    ),
    (
        "in Oslo",
        "in Paris",
        "at work",
        "at home",
        "by the sea",
        "in the mountains",
        "in the kitchen",
        "on the train",
    ),
    (
        "in the morning",
        "in the evening",
        "on Tuesdays",
        "every summer",
        "last week",
        "since March",
        "at night",
    ),
)
KEYS = {" ": "space", '"': "quotation_mark", ":": "colon"}


@dataclass
class Heartbeat:
    """How late the event loop was, at worst, in milliseconds."""

    late: list[float] = field(default_factory=list)

    async def beat(self) -> None:
        while True:
            begun = time.perf_counter()
            await asyncio.sleep(BEAT_SECONDS)
            self.late.append((time.perf_counter() - begun - BEAT_SECONDS) * 1000)

    def take(self) -> list[float]:
        late, self.late = self.late, []
        return late


@dataclass
class Measured:
    """Milliseconds of one app on one file."""

    opens: dict[str, float]
    keys: list[float]
    stalls: dict[str, list[float]]
    changes: list[float]
    shown: Times


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--data", help="not used")
    small = parser.parse_args().small
    count, rounds = (FEWER, 3) if small else (MANY, 10)
    with tempfile.TemporaryDirectory() as folder:
        full, few, empty = (Path(folder) / name for name in ("full", "few", "empty"))
        seconds = fill(full, count)
        fill(empty, 0)
        starts = start_times(full, empty, 3 if small else 9)
        fill(few, SCREENFUL)
        bare = asyncio.run(open_bare_screen())
        small_file = asyncio.run(measure(few, 2, rounds))
        many = asyncio.run(measure(full, 30 if small else 100, rounds))
    print(f"{count:,} memories, written in {seconds:.0f} s")
    return report(bare, small_file, many, starts)


def fill(home: Path, count: int) -> float:
    """Write so many memories; return the seconds it took."""
    chance = random.Random(7)  # the same facts in every run
    database = open_database(paths.locate(home).database, WORDING)
    begun, at = time.perf_counter(), datetime(2024, 1, 1, tzinfo=UTC)
    ids: list[str] = []
    for first in range(0, count, STEP):
        with database.write() as conn:
            thread = chat.create_thread(Session(conn, USER_ID), f"Talk {first}", "companion", at).id
            for number in range(first, min(first + STEP, count)):
                at += timedelta(minutes=11)
                words = f"Do you know number {number}?"
                said = chat.add_message(
                    Session(conn, USER_ID), thread, Role.USER, words, at, origin=Origin.TYPED
                )
                memory = _memory(chance, number, at, said.id)
                actor = Actor("rules", step=new_id(at))
                changes.apply(Session(conn, USER_ID, at), Created(memory), actor)
                if others := chance.sample(ids[-STEP:], min(EDGES, len(ids))):
                    changes.apply(
                        Session(conn, USER_ID, at),
                        Linked(
                            memory.id, tuple((other, chance.uniform(0.5, 0.9)) for other in others)
                        ),
                        actor,
                    )
                ids.append(memory.id)
                if number % ONE_IN_TRASH == 0:
                    changes.apply(
                        Session(conn, USER_ID, at),
                        SoftDeleted(memory.id, "unused", at + timedelta(days=1000)),
                        actor,
                    )
    _give_vectors(database)
    database.close()
    return time.perf_counter() - begun


def _give_vectors(database: Database) -> None:
    made_up = np.random.default_rng(7)
    with closing(bundled_embedder()) as embedder:
        for kind in KINDS:
            while waiting := vectors.waiting(
                Session(database.read(), USER_ID), kind, embedder.model_id, STEP
            ):
                rows = made_up.standard_normal((len(waiting), embedder.dimension), dtype=np.float32)
                with database.write() as conn:
                    vectors.save(
                        Session(conn, USER_ID),
                        kind,
                        embedder.model_id,
                        waiting,
                        rows / np.linalg.norm(rows, axis=1, keepdims=True),
                    )


def _memory(chance: random.Random, number: int, at: datetime, said: str) -> Memory:
    parts = [chance.choice(words) for words in WORDS]
    return Memory(
        id=new_id(at),
        text=f"{' '.join(parts)}, number {number}.",
        tags=(parts[2].split()[-1], chance.choice(("music", "home", "work", "people"))),
        kind=Kind.SEMANTIC,
        category=chance.choice(("notes", "preferences", "event", "relationships", "goals")),
        importance=chance.choice((1, 2, 2, 2, 3, 4, 5)),
        pinned=chance.random() < 0.01,
        state=State.LIVE,
        reason="",
        origin="distilled",
        sources=(said,),
        created_at=at,
        updated_at=at,
    )


def start_times(full: Path, empty: Path, runs: int) -> tuple[float, float]:
    """Return the median milliseconds from starting a process until a full and an empty file are
    open in it.
    """
    times: dict[Path, list[float]] = {full: [], empty: []}
    for _ in range(runs):
        for home in (full, empty):
            begun = time.perf_counter()
            subprocess.run([sys.executable, "-c", OPEN, str(home)], check=True)
            times[home].append((time.perf_counter() - begun) * 1000)
    return statistics.median(times[full]), statistics.median(times[empty])


def _start(home: Path) -> Runtime:
    """Open the file without any model: here only the screen and the file are measured."""
    runtime = bootstrap.start(home=home)

    def none(*_: object) -> None:
        raise ModelError("There is no model here.")

    runtime.open_chat_model = runtime.open_embedder = none  # type: ignore[assignment]
    return runtime


class BareScreen(Screen[None]):
    """About as many widgets as a panel has, each with a plain line."""

    def compose(self) -> ComposeResult:
        yield from (Static(f"line {number}") for number in range(BARE_WIDGETS))


async def open_bare_screen() -> float:
    """Return for how many milliseconds Textual itself keeps the event loop, to open a screen that
    does nothing.
    """
    heart, app = Heartbeat(), App[None]()
    async with app.run_test(size=(120, 40)):
        beating = asyncio.create_task(heart.beat())
        await asyncio.sleep(0.5)
        heart.take()
        app.push_screen(BareScreen())
        await asyncio.sleep(0.5)
        beating.cancel()
        return max(heart.take())


async def measure(home: Path, edits: int, rounds: int) -> Measured:
    """Run the app once on a file."""
    heart = Heartbeat()
    app = MemappApp(lambda: _start(home), home / "log")
    async with app.run_test(size=(120, 40)) as pilot:
        await until(
            lambda: (
                app.is_open
                and app.current_mode == "chat"
                and app.runtime.embedding.state == "failed"
            )
        )
        await asyncio.sleep(0.5)
        beating = asyncio.create_task(heart.beat())
        stalls = {}
        opens = {}
        heart.take()
        await asyncio.sleep(1)
        stalls["idle"] = heart.take()
        for name, key, kind in (("Memories", "f3", MemoriesScreen), ("Trash", "f5", TrashScreen)):
            begun = time.perf_counter()
            send(app, key)
            await until(
                lambda kind=kind: isinstance(app.screen, kind) and app.screen.shown_for == ""
            )  # type: ignore[misc]
            opens[name] = (time.perf_counter() - begun) * 1000
            await asyncio.sleep(0.3)
            stalls[f"opening {name}"] = heart.take()
        await pilot.press("f3", "slash")
        await asyncio.sleep(0.3)
        heart.take()
        keys = await type_searches(app)
        stalls["searching"] = heart.take()
        await pilot.press("escape")
        await asyncio.sleep(0.3)
        assert isinstance(app.screen, MemoriesScreen) and app.screen.rows.has_focus
        heart.take()
        await pilot.press(*["j"] * 30, *["pagedown"] * 10, "G", "g", *["o"] * 5)
        await asyncio.sleep(0.5)
        stalls["moving, paging, sorting"] = heart.take()
        await open_tabs(app)
        stalls["detail"] = heart.take()
        beating.cancel()
        shown = await show_changes(app, rounds)
        changed = await asyncio.to_thread(change, app.runtime, edits)
    await asyncio.to_thread(app.session.talk.close, 5)
    return Measured(opens, keys, stalls, changed, shown)


async def open_tabs(app: MemappApp) -> None:
    """Open the current memory, turn through all its tabs, and go back to the list."""
    screen = app.screen
    assert isinstance(screen, MemoriesScreen)
    detail = screen.detail
    for key, tab in zip(["enter", *["tab"] * len(TABS)], [*TABS, next(iter(TABS))], strict=True):
        send(app, key)
        await until(lambda tab=tab: detail.tab == tab and detail.has_focus_within)  # type: ignore[misc]
        await asyncio.sleep(0.2)  # what stands on it is looked up
    send(app, "escape")
    await until(lambda: screen.rows.has_focus and detail.memory == screen.rows.current)


async def type_searches(app: MemappApp) -> list[float]:
    """Type each search, one key at a time; return the milliseconds from a key to the rows found for
    it.
    """
    screen = app.screen
    assert isinstance(screen, MemoriesScreen)
    times = []
    for words in SEARCHES:
        for at in range(len(words)):
            begun = time.perf_counter()
            send(app, KEYS.get(words[at], words[at]), words[at])
            await until(lambda typed=words[: at + 1]: screen.shown_for == typed, 0.001)  # type: ignore[misc]
            times.append((time.perf_counter() - begun) * 1000)
        screen.query_one("#memories-search").value = ""  # type: ignore[attr-defined]
        await until(lambda: screen.shown_for == "")
    return times


def change(runtime: Runtime, edits: int) -> list[float]:
    """Add, edit, pin, forget and restore memories singly; return the milliseconds of each."""
    times = []
    for number in range(edits):
        begun = time.perf_counter()
        memory_id = curate.add(runtime, f"Anna wrote note {number} of this benchmark.").memory_id
        moments = [begun, time.perf_counter()]
        for deed in (
            partial(curate.edit, runtime, memory_id, f"Anna rewrote note {number} of this one."),
            partial(curate.pin, runtime, memory_id),
            partial(curate.discard, runtime, memory_id),
            partial(curate.restore, runtime, memory_id),
        ):
            deed()
            moments.append(time.perf_counter())
        times += [(after - before) * 1000 for before, after in pairwise(moments)]
    return times


def p95(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]


def report(bare: float, few: Measured, many: Measured, starts: tuple[float, float]) -> int:
    """Print everything beside its goal; return MISSED if one is."""
    missed = False

    def line(name: str, small: float, full: float, goal: float, *, judged: bool = True) -> None:
        nonlocal missed
        bad = judged and full > goal
        missed |= bad
        print(f"{name:38} {small:8.1f} {full:8.1f} {goal:8.1f}{'  MISSED' if bad else ''}")

    print(f"{'milliseconds':38} {'few':>8} {'full':>8} {'goal':>8}")
    for name in many.opens:
        line(f"opening {name}", few.opens[name], many.opens[name], OPEN_MS)
    line("key to result, p95", p95(few.keys), p95(many.keys), KEY_MS)
    line("key to result, worst", max(few.keys), max(many.keys), KEY_MS, judged=False)
    line("one change, p95", p95(few.changes), p95(many.changes), CHANGE_MS)
    line(f"event loop late, worst: {BARE_WIDGETS} bare widgets", bare, bare, STALL_MS, judged=False)
    for name in many.stalls:
        # Textual takes its time to build and to draw widgets, in a small file too, and for widgets
        # that do nothing.
        goal = max(STALL_MS, bare, max(few.stalls[name]) * 1.2)
        line(
            f"event loop late, worst: {name}",
            max(few.stalls[name]),
            max(many.stalls[name]),
            goal,
            judged=name != "idle",
        )
    for name in many.shown:
        line(f"shown: {name}", max(few.shown[name]), max(many.shown[name]), SHOW_MS)
    line("start, with an empty file", starts[1], starts[0], starts[1] * START_RATIO)
    return MISSED if missed else 0


if __name__ == "__main__":
    sys.exit(main())
