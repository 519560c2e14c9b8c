"""Does the screen stay responsive while the models work?

The whole app runs with the bundled models, without a terminal. A heartbeat on its event loop asks
for 5 ms and notes how much later it wakes: while the screen is built, while the models load, while
nothing happens (what this machine adds by itself), while messages are embedded, while a long
message is shown, while the model reads it, while a reply streams. For comparison a Textual program
with nothing but the composer and a list mounts the same widgets for the same messages in the same
run (`bare screen`). Textual draws the whole screen for a message, so that `sending` is held to that
program: to the longest that the event loop computes between two beats, in processor time, which
other programs on the machine hardly change.

Then: how long a cancelled prefill takes to end, how long it takes to show a thread of 10,000
messages, and how long until the list of memories shows what `memapp add` wrote in another process:
from the moment that the memory bears, so the commit is counted too.

python -m benchmarks.responsive [--small] [--model NAME|FILE | --server URL]
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from benchmarks import MISSED, chat_model_flags, chat_model_options
from memapp import bootstrap
from memapp.domain.chat import Message, MessageStatus, Origin, Role, Thread
from memapp.domain.prompt import Prompt, PromptTurn, Sampling
from memapp.inference import Cancel, ChatModel
from memapp.paths import bundled
from memapp.runtime import Runtime
from memapp.services import chats, upkeep
from memapp.store import chat
from memapp.ui.app import MemappApp
from memapp.ui.screens.memories import MemoriesScreen
from memapp.ui.widgets.bubbles import Answer, Said
from memapp.ui.widgets.composer import Composer

BEAT_SECONDS = 0.005
MOST_MS, MOST_P99_MS, CANCEL_MS, OPEN_MS, HEARD_MS = 20.0, 5.0, 5.0, 300.0, 1000.0
BARE = "bare screen"
FREE = ("opening", "idle", BARE)
"""Phases without a goal: building the screen, what the machine adds by itself, and what Textual
takes.
"""
REDRAWN = "sending"
BESIDE_BARE = 1.5
"""The most that the event loop computes at once for a message, as a multiple of the bare screen."""
SENDS = 12
"""The messages sent to compare with the bare screen; the answers to the last ones are stopped."""
PAUSE_SECONDS = 0.2
LONG_MESSAGES = 10_000
WAIT_SECONDS = 180.0


@dataclass
class Heartbeat:
    """How late the event loop was at each beat, in milliseconds by phase."""

    late: dict[str, list[float]] = field(default_factory=dict)
    longest: dict[str, list[float]] = field(default_factory=dict)
    """The most processor time of the loop between two beats, each time that a phase is entered."""
    phase: str = ""

    async def beat(self) -> None:
        while True:
            begun, worked = time.perf_counter(), time.thread_time()
            await asyncio.sleep(BEAT_SECONDS)
            if self.phase:
                late = time.perf_counter() - begun - BEAT_SECONDS
                self.late.setdefault(self.phase, []).append(late * 1000)
                worked = (time.thread_time() - worked) * 1000
                self.longest[self.phase][-1] = max(worked, self.longest[self.phase][-1])

    @asynccontextmanager
    async def during(self, phase: str) -> Any:
        self.longest.setdefault(phase, []).append(0.0)
        self.phase = phase
        yield
        self.phase = ""


class BareScreen(App[None]):
    """The widgets of a chat, without anything behind them."""

    CSS_PATH: ClassVar = [bundled("assets", "app.tcss"), bundled("assets", "chat.tcss")]

    def compose(self) -> ComposeResult:
        with Vertical(id="conversation"):
            yield VerticalScroll(id="transcript")
            yield Static(id="status")
            yield Composer()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0], parents=[chat_model_options()]
    )
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--data", help="not used")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return report(*asyncio.run(measure(Path(folder), chat_model_flags(options), options.small)))


async def measure(
    folder: Path, flags: dict[str, str], small: bool
) -> tuple[Heartbeat, list[float], list[float], list[float]]:
    """Run the app through all phases; return how long cancelling, opening a thread and hearing of a
    change took.
    """
    heart = Heartbeat()
    await show_bare(heart, small)
    app = MemappApp(lambda: bootstrap.start(home=folder, flags=flags), folder / "log")
    async with app.run_test(size=(120, 40)) as pilot:
        beating = asyncio.create_task(heart.beat())
        async with heart.during("opening"):
            await until(
                lambda: (
                    app.is_open
                    and app.current_mode == "chat"
                    and app.chat.is_mounted
                    and app.chat.transcript.children
                )
            )
            await pilot.pause()
        async with heart.during("loading"):
            await until(
                lambda: {app.runtime.chat.state, app.runtime.embedding.state} <= {"ready", "failed"}
            )
        model = app.runtime.chat.ready()
        if model is None:
            raise SystemExit(f"The model did not load: {app.runtime.chat.note}")
        async with heart.during("idle"):
            await asyncio.sleep(1 if small else 5)
        async with heart.during("embedding"):
            await embed(app.runtime, 60 if small else 400)
        for number in range(SENDS):
            app.chat.composer.insert(long_message(number, small))
            await pilot.pause(PAUSE_SECONDS)
            async with heart.during(REDRAWN):
                await pilot.press("enter")
                await until(lambda: app.chat.state.turn.doing or not app.chat.state.busy)
                await pilot.pause(PAUSE_SECONDS)
            if number >= (1 if small else 3):
                await pilot.press("escape")
                await until(lambda: not app.chat.state.busy)
                continue
            async with heart.during("prefilling"):
                await until(
                    lambda: "Writing" in app.chat.state.turn.doing or not app.chat.state.busy
                )
            async with heart.during("streaming"):
                await until(lambda: not app.chat.state.busy)
        cancelled = [
            await asyncio.to_thread(cancel_prefill, model, number)
            for number in range(3 if small else 9)
        ]
        thread = await asyncio.to_thread(long_thread, app.runtime)
        opened = [await show(app, thread) for _ in range(3 if small else 7)]
        beating.cancel()
        await pilot.press("f3")
        heard = [await hear(app, folder, number) for number in range(3 if small else 10)]
    await asyncio.to_thread(app.session.talk.close, 5)
    return heart, cancelled, opened, heard


def report(
    heart: Heartbeat, cancelled: list[float], opened: list[float], heard: list[float]
) -> int:
    columns = "".join(f"{name:>9}" for name in ("median", "p95", "p99", "max"))
    print(f"{'event loop late by (ms)':26} {'beats':>6}{columns}")
    missed = False
    for phase, late in heart.late.items():
        p95, p99, most = percentile(late, 0.95), percentile(late, 0.99), max(late)
        bad = phase not in (*FREE, REDRAWN) and (most > MOST_MS or p99 > MOST_P99_MS)
        missed |= bad
        print(
            f"{phase:26} {len(late):6} {statistics.median(late):8.1f} {p95:8.1f} {p99:8.1f} "
            f"{most:8.1f}{'  MISSED' if bad else ''}"
        )
    print(f"{'goal':26} {'':6} {'':8} {'':8} {MOST_P99_MS:8.1f} {MOST_MS:8.1f}")
    sending, bare = (statistics.median(heart.longest[phase]) for phase in (REDRAWN, BARE))
    bad = sending > BESIDE_BARE * bare
    missed |= bad
    print(
        f"{'sending, longest work (ms)':26} {sending:.1f}, bare screen {bare:.1f}, ratio "
        f"{sending / bare:.2f}, goal {BESIDE_BARE}{'  MISSED' if bad else ''}"
    )
    for name, times, goal in (
        ("cancel in prefill (ms)", cancelled, CANCEL_MS),
        (f"open {LONG_MESSAGES:,} messages (ms)", opened, OPEN_MS),
    ):
        bad = statistics.median(times) > goal
        missed |= bad
        print(
            f"{name:26} median {statistics.median(times):.1f}, goal "
            f"{goal:.0f}{'  MISSED' if bad else ''}"
        )
    bad = max(heard) > HEARD_MS
    missed |= bad
    worst = f"median {statistics.median(heard):.1f}, worst {max(heard):.1f}, goal {HEARD_MS:.0f}"
    print(f"{'another process adds (ms)':26} {worst}{'  MISSED' if bad else ''}")
    return MISSED if missed else 0


async def show_bare(heart: Heartbeat, small: bool) -> None:
    """Show the app's future messages on an otherwise idle screen."""
    app = BareScreen()
    async with app.run_test(size=(120, 40)) as pilot:
        beating = asyncio.create_task(heart.beat())
        composer, transcript = app.query_one(Composer), app.query_one(VerticalScroll)
        composer.focus()
        transcript.anchor()
        for number in range(SENDS):
            message = made_up_message(number, Role.USER, long_message(number, small))
            composer.insert(message.text)
            await pilot.pause(PAUSE_SECONDS)
            async with heart.during(BARE):
                await pilot.press("enter")
                composer.clear()
                await asyncio.sleep(0.02)  # as long as saving a message takes
                reply = Answer(
                    made_up_message(number, Role.ASSISTANT, ""), "memapp", streaming=True
                )
                async with transcript.batch():
                    await transcript.mount_all([Said(message), reply])
                reply.say("looking up")
                app.query_one("#status", Static).update("Thinking")
                await pilot.pause(PAUSE_SECONDS)
        beating.cancel()


def made_up_message(number: int, role: Role, text: str) -> Message:
    status, at = MessageStatus.COMPLETE, datetime.now(UTC)
    return Message(f"{role}{number}", "", number, role, text, status, Origin.TYPED, at)


def percentile(late: list[float], share: float) -> float:
    return sorted(late)[int(len(late) * share)]


def long_message(number: int, small: bool) -> str:
    return f"Question {number}: " + "a rather long text about many things. " * (
        60 if small else 200
    )


async def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("Waited in vain.")
        await asyncio.sleep(0.02)


async def embed(runtime: Runtime, count: int) -> None:
    """Put messages into the file and let the idle work embed them."""

    def work() -> None:
        thread = chats.new_thread(runtime)
        with runtime.write() as session:
            for number in range(count):
                text = (
                    f"Note {number}: the weather in town {number % 17} was fine, "
                    f"and we talked about project {number}."
                )
                chat.add_message(
                    session, thread.id, Role.USER, text, runtime.clock(), origin=Origin.IMPORT
                )
        for _ in upkeep.work(runtime, None, Cancel()):
            pass

    await asyncio.to_thread(work)


def cancel_prefill(model: ChatModel, number: int) -> float:
    """Return the milliseconds from cancelling a call in prefill to its end."""
    prompt = Prompt(
        f"Case {number}.", (PromptTurn("user", f"{number} words and more words. " * 500),)
    )
    cancel = Cancel()
    moment: list[float] = []

    def stop() -> None:
        moment.append(time.perf_counter())
        cancel.set()

    threading.Timer(0.15, stop).start()
    with closing(model.generate(prompt, Sampling(max_tokens=400), cancel)) as stream:
        for _ in stream:
            pass
    return (time.perf_counter() - moment[0]) * 1000


def long_thread(runtime: Runtime) -> Thread:
    thread = chats.new_thread(runtime)
    with runtime.write() as session:
        for number in range(LONG_MESSAGES):
            role = (Role.USER, Role.ASSISTANT)[number % 2]
            text = (
                f"Message {number}: "
                + "some words that were said here, neither short nor long. " * (1 + number % 4)
            )
            chat.add_message(session, thread.id, role, text, runtime.clock(), origin=Origin.IMPORT)
    return thread


async def show(app: MemappApp, thread: Thread) -> float:
    """Return the milliseconds from asking for a thread to seeing its last message drawn."""
    app.chat.open_thread(None)
    await until(lambda: app.chat.state.thread is None and not app.chat.transcript.bubbles)
    await asyncio.sleep(0.3)
    drawn = asyncio.Event()
    begun = time.perf_counter()
    app.chat.open_thread(thread)
    while not app.chat.transcript.bubbles or app.chat.transcript.bubbles[-1].region.height == 0:
        await asyncio.sleep(0.002)
    app.chat.call_after_refresh(drawn.set)
    await drawn.wait()
    return (time.perf_counter() - begun) * 1000


async def hear(app: MemappApp, folder: Path, number: int) -> float:
    """Let another process add a memory; return the milliseconds from then until the first row of
    the list is drawn with it.
    """
    screen = app.screen
    assert isinstance(screen, MemoriesScreen)
    await until(lambda: screen.shown_for == "")
    known, drawn = len(screen.rows.items), asyncio.Event()
    command = (
        sys.executable,
        "-m",
        "memapp",
        "--home",
        str(folder),
        "add",
        f"I keep bees in the year {2000 + number}.",
    )
    adding = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.DEVNULL)
    while len(screen.rows.items) == known:
        if adding.returncode:
            raise SystemExit("memapp add failed.")
        await asyncio.sleep(0.002)
    screen.call_after_refresh(drawn.set)
    await drawn.wait()
    seen = datetime.now(UTC)
    await adding.wait()
    return (seen - screen.rows.items[0].created_at).total_seconds() * 1000


if __name__ == "__main__":
    sys.exit(main())
