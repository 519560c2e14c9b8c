"""How long until an open panel shows a change; a part of `benchmarks.scale`, which runs it on a
small and on a large file.

A change is made by memapp itself (through the services, on a thread, announced as the idle work
announces it) and by the person (a key in the panel). The time runs from the announcement or the key
until the panel is drawn with it.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from textual import events
from textual.widgets import Static

from memapp.domain.changes import Event
from memapp.domain.chat import Origin, Role
from memapp.runtime import Runtime
from memapp.services import chats, curate
from memapp.services.consent import requests
from memapp.store import chat
from memapp.ui.app import MemappApp
from memapp.ui.inbox.answer_lock import ALONE_SECONDS, ARMING_SECONDS
from memapp.ui.messages import MemoriesChanged
from memapp.ui.widgets.topbar import TopBar

Times = dict[str, list[float]]


def send(app: MemappApp, key: str, character: str | None = None) -> None:
    """Press a key as the terminal does; the pilot would wait before and after."""
    assert app._driver is not None
    app._driver.send_message(events.Key(key, character))


async def until(condition: Callable[[], object], pause: float = 0.005) -> None:
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("Waited in vain.")
        await asyncio.sleep(pause)


class Watch:
    """Times changes in the panels of one app."""

    def __init__(self, app: MemappApp) -> None:
        self.app = app
        self.times: Times = {}

    async def learned(
        self, panel: str, change: Callable[[], object], seen: Callable[[], object]
    ) -> None:
        """Let memapp make a change, and wait until it is seen."""
        await asyncio.to_thread(change)
        await self._time(
            f"{panel}, by memapp",
            lambda: self.app.chat.conversation.post_message(MemoriesChanged()),
            seen,
        )

    async def pressed(
        self, panel: str, key: str, seen: Callable[[], object], *, held: float = 0.0
    ) -> None:
        """Press a key and wait until its change is shown, less the panel's deliberate delay."""
        await self._time(f"{panel}, by the person", lambda: send(self.app, key, key), seen, held)

    async def _time(
        self, name: str, begin: Callable[[], object], seen: Callable[[], object], held: float = 0.0
    ) -> None:
        drawn = asyncio.Event()
        begun = time.perf_counter()
        begin()
        await until(seen, 0.001)
        self.app.screen.call_after_refresh(drawn.set)
        await drawn.wait()
        self.times.setdefault(name, []).append((time.perf_counter() - begun - held) * 1000)
        await asyncio.sleep(0.2)


async def show_changes(app: MemappApp, rounds: int) -> Times:
    """Return the milliseconds of each kind of change in each panel."""
    watch = Watch(app)
    for key, mode, panel in (
        ("f3", "memories", _memories),
        ("f5", "trash", _trash),
        ("f4", "inbox", _inbox),
        ("f7", "activity", _log),
    ):
        send(app, key)
        await until(lambda mode=mode: app.current_mode == mode and app.screen.is_mounted)  # type: ignore[misc]
        await asyncio.sleep(0.5)
        for number in range(rounds):
            await panel(watch, app.runtime, number)
    return watch.times


async def _memories(watch: Watch, runtime: Runtime, number: int) -> None:
    screen: Any = watch.app.screen
    text = f"Anna told memapp about panel {number}."
    await watch.learned(
        "Memories", lambda: curate.add(runtime, text), lambda: text in _texts(screen)[:1]
    )
    screen.rows.action_first()
    await until(lambda: screen.detail.memory and screen.detail.memory.text == text)
    await asyncio.sleep(0.2)
    await watch.pressed(
        "Memories",
        "p",
        lambda: screen.rows.current.pinned and "always kept" in _words(screen, "memory-text"),
    )
    await watch.pressed("Memories", "d", lambda: text not in _texts(screen))


async def _trash(watch: Watch, runtime: Runtime, number: int) -> None:
    screen: Any = watch.app.screen
    text = f"Anna told memapp about the trash {number}."
    memory_id = curate.add(runtime, text).memory_id
    await watch.learned(
        "Trash", lambda: curate.discard(runtime, memory_id), lambda: text in _texts(screen)[:1]
    )
    screen.rows.action_first()
    await asyncio.sleep(0.2)
    await watch.pressed("Trash", "r", lambda: text not in _texts(screen))


async def _inbox(watch: Watch, runtime: Runtime, number: int) -> None:
    screen: Any = watch.app.screen
    city = (
        "Oslo",
        "Paris",
        "Rome",
        "Vienna",
        "Lisbon",
        "Prague",
        "Athens",
        "Dublin",
        "Madrid",
        "Berlin",
    )[number % 10]

    def shown() -> bool:
        return (
            city in _words(screen, "request-new")
            and "●1" in screen.query_one(TopBar).render_line(0).text
        )

    await watch.learned("Inbox and its badge", lambda: _propose(runtime, city), shown)
    await asyncio.sleep(ARMING_SECONDS * 2)
    await watch.pressed(
        "Inbox and its badge",
        "a",
        lambda: not screen.requests.rows.items and not watch.app.session.badges,
        held=ALONE_SECONDS,
    )


async def _log(watch: Watch, runtime: Runtime, number: int) -> None:
    screen: Any = watch.app.screen
    if screen.tab != "log":
        screen._open("log")
        await asyncio.sleep(0.5)
    text = f"Anna told memapp about the log {number}."
    await watch.learned(
        "Activity", lambda: curate.add(runtime, text), lambda: screen.lines.items[0].said == text
    )
    await watch.pressed("Activity", "u", lambda: screen.lines.items[0].entry.event is Event.UNDO)


def _propose(runtime: Runtime, city: str) -> None:
    """Put a city into the inbox, read from a message that was typed."""
    thread, text = chats.new_thread(runtime), f"I moved to {city}."
    with runtime.write() as session:
        message = chat.add_message(
            session, thread.id, Role.USER, text, runtime.clock(), origin=Origin.TYPED
        )
    requests.propose(runtime, "city", city, message_id=message.id, typed=True)


def _texts(screen: Any) -> list[str]:
    return [row.text for row in screen.rows.items]


def _words(screen: Any, id: str) -> str:
    return str(screen.query_one(f"#{id}", Static).content)
