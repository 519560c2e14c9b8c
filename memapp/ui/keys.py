"""Key presses in order: each one acts on the screen that the one before it left.

Textual gives a key to the focused widget, and looks up its binding on the way to the app. The focus
moves later, and modes and forms open later still. Faster keys would go to the old widget, undo the
wrong step, or discard a row that has just moved.
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
"""The longest wait for earlier keys, so that no bug and no slow disk locks the keyboard."""
LOOK_SECONDS = 0.005
AT_ONCE = ("ctrl+c", "ctrl+q")
"""Keys that never wait: stop and quit."""
AT_ANY_SCREEN = frozenset({"open", "undo"})
"""Groups of workers that run on the app, and ask the person nothing."""
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
"""Groups of workers that carry out a key: the next key waits for them, or for their question."""
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
"""Keys that act on rows even in a text field; all others edit the field."""

Typed = events.Key | events.Paste


class KeyOrder:
    """The queue of keys and pastes."""

    def __init__(self, app: App[Any], deliver: Callable[[Typed], Awaitable[None]]) -> None:
        self._app = app
        self._deliver = deliver
        self._waiting: asyncio.Queue[Typed] = asyncio.Queue()
        self._slow: WeakSet[Worker[Any]] = WeakSet()
        """Workers that took too long; no key waits for them again."""

    async def take(self, event: Typed) -> None:
        """Add a key or paste to the queue."""
        if isinstance(event, events.Key) and event.key in AT_ONCE:
            await self._deliver(event)
        else:
            self._waiting.put_nowait(event)

    async def run(self) -> None:
        """Deliver keys until the app ends."""
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
        """Return True if a key acts on rows, and not only types or opens another screen."""
        if (
            isinstance(event, events.Paste)
            or isinstance(self._app.focused, TextArea)
            or re.fullmatch(r"f\d+", event.key)
        ):
            return False
        return not isinstance(self._app.focused, Input) or event.key in LEAVES_A_FIELD

    async def _arrived(self, way: Iterable[DOMNode]) -> None:
        """Wait until the app has handled a key."""
        for node in way:
            await caught_up(node)
        await asyncio.sleep(0)  # Let the worker that the key started take its first step.

    async def _done(self, groups: frozenset[str]) -> None:
        """Wait for the workers of some groups; mark those that take too long."""
        try:
            async with asyncio.timeout(MOST_SECONDS):
                await self._settled()
                while self._under_way(groups):
                    await asyncio.sleep(LOOK_SECONDS)
                    await self._settled()
        except TimeoutError:
            self._slow.update(self._under_way(groups))

    async def _settled(self) -> None:
        """Wait until the app and its screen have handled their messages: these move the focus."""
        await caught_up(self._app)
        await caught_up(self._app.screen)

    def _under_way(self, groups: frozenset[str]) -> list[Worker[Any]]:
        """Return the workers of the visible screen; those below a dialog wait for the person."""
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
    """Wait until a node has handled all queued messages."""
    done = asyncio.Event()
    if node.is_running and node.post_message(events.Callback(callback=done.set)):
        while not done.is_set() and node.is_running:
            try:
                await asyncio.wait_for(done.wait(), LOOK_SECONDS)
            except TimeoutError:
                continue
