"""Keys one after the other: each goes to where the one before it led, and acts on what that left on
the screen.

Textual hands a key to what has the focus, and looks for its meaning when it has come from there up
to the app; the focus then moves later still, and a mode or a form opens later than that. Keys that
come faster would meanwhile go to the old place, undo what was done before the last deed, or throw
away the row that stood where another one comes to stand.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any
from weakref import WeakSet

from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.screen import ModalScreen
from textual.widgets import Input, TextArea
from textual.worker import Worker

MOST_SECONDS = 2.0
"""So long the keys after one wait at most, so that no bug and no slow disk can take the keyboard
away.
"""
LOOK_SECONDS = 0.005
AT_ONCE = ("ctrl+c", "ctrl+q")
"""Stopping and leaving never wait."""
AT_ANY_SCREEN = frozenset({"open", "undo"})
"""Groups of workers that begin something of the app itself, and ask the person nothing."""
DEEDS = AT_ANY_SCREEN | {
    *(
        "find",
        "send",
        "deed",
        "tick",
        "decide",
        "write",
        "save",
        "settings",
        "card",
        "variant",
        "use",
        "remove",
        "activity-open",
    ),
    *("memory-action", "memory-erase", "lesson-action", "lesson-runs"),
}
"""Groups of workers that do what a key asks for: the next key waits until they have, or until they
ask the person.
"""
ROWS = frozenset(
    {
        *(
            "memories",
            "memories-undo",
            "threads",
            "requests",
            "known",
            "activity",
            "models",
            "hits",
            "relations",
        ),
        *("learned", "learned-undo", "lessons"),
    }
)
"""Groups of workers that look up rows: a key that acts on rows waits for them."""
LEAVES_A_FIELD = frozenset({"enter", "up", "down", "pageup", "pagedown", "tab"})
"""Keys that act on rows though one types into a field; all others edit it."""

Typed = events.Key | events.Paste


class KeyOrder:
    """The keys and pastes that are still to be delivered."""

    def __init__(self, app: App[Any], deliver: Callable[[Typed], Awaitable[None]]) -> None:
        self._app = app
        self._deliver = deliver
        self._waiting: asyncio.Queue[Typed] = asyncio.Queue()
        self._slow: WeakSet[Worker[Any]] = WeakSet()
        """Workers that keys waited for as long as they may."""

    async def take(self, event: Typed) -> None:
        """Deliver it when those before it have arrived."""
        if isinstance(event, events.Key) and event.key in AT_ONCE:
            await self._deliver(event)
        else:
            self._waiting.put_nowait(event)

    async def run(self) -> None:
        """Deliver until the app ends."""
        while True:
            event = await self._waiting.get()
            if self._acts_on_rows(event):
                await self._done(ROWS)
            way = (self._app.focused or self._app.screen).ancestors_with_self
            await self._deliver(event)
            with suppress(TimeoutError):
                async with asyncio.timeout(MOST_SECONDS):
                    await self._arrived(way)
            await self._done(DEEDS)

    def _acts_on_rows(self, event: Typed) -> bool:
        """Say whether it means the rows that are shown, and does not only write or open another
        screen.
        """
        if (
            isinstance(event, events.Paste)
            or isinstance(self._app.focused, TextArea)
            or re.fullmatch(r"f\d+", event.key)
        ):
            return False
        return not isinstance(self._app.focused, Input) or event.key in LEAVES_A_FIELD

    async def _arrived(self, way: Iterable[DOMNode]) -> None:
        """Wait until a key has gone its way up to the app."""
        for node in way:
            await caught_up(node)
        await asyncio.sleep(0)  # a deed that the key began takes its first step

    async def _done(self, groups: frozenset[str]) -> None:
        """Wait until what is under way in these groups is done; what takes too long is not waited
        for again.
        """
        try:
            async with asyncio.timeout(MOST_SECONDS):
                await self._settled()
                while self._under_way(groups):
                    await asyncio.sleep(LOOK_SECONDS)
                    await self._settled()
        except TimeoutError:
            self._slow.update(self._under_way(groups))

    async def _settled(self) -> None:
        """Wait until the app and its screen have heard of what happened: the focus moves, and rows
        change, by messages.
        """
        await caught_up(self._app)
        await caught_up(self._app.screen)

    def _under_way(self, groups: frozenset[str]) -> list[Worker[Any]]:
        """Return what works for the screen that is shown; what is below a dialog waits for the
        person.
        """
        screen = self._app.screen
        groups_of_app = groups & AT_ANY_SCREEN if isinstance(screen, ModalScreen) else groups
        return [
            worker
            for worker in self._app.workers
            if not worker.is_finished
            and worker not in self._slow
            and (
                worker.group in groups_of_app
                if worker.node is self._app
                else worker.group in groups and screen in worker.node.ancestors_with_self
            )
        ]


async def caught_up(node: DOMNode) -> None:
    """Wait until a node has done all that is in its queue now."""
    done = asyncio.Event()
    if node.is_running and node.post_message(events.Callback(callback=done.set)):
        while not done.is_set() and node.is_running:
            try:
                await asyncio.wait_for(done.wait(), LOOK_SECONDS)
            except TimeoutError:
                continue
