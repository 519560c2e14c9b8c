"""Keys one after the other: each goes to where the one before it led.

Textual hands a key to what has the focus, and looks for its meaning when it has come from there up to the app; the focus then
moves later still, and a mode or a form opens later than that. Keys that come faster would meanwhile go to the old place.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any

from textual import events
from textual.app import App
from textual.dom import DOMNode

MOST_SECONDS = 2.0
"""So long the keys after one wait at most, so that no bug and no slow disk can take the keyboard away."""
LOOK_SECONDS = 0.005
AT_ONCE = ("ctrl+c", "ctrl+q")
"""Stopping and leaving never wait."""

Typed = events.Key | events.Paste


class KeyOrder:
    """The keys and pastes that are still to be delivered."""

    def __init__(self, app: App[Any], deliver: Callable[[Typed], Awaitable[None]]) -> None:
        self._app = app
        self._deliver = deliver
        self._waiting: asyncio.Queue[Typed] = asyncio.Queue()

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
            way = (self._app.focused or self._app.screen).ancestors_with_self
            await self._deliver(event)
            with suppress(TimeoutError):
                async with asyncio.timeout(MOST_SECONDS):
                    await self._arrived(way)

    async def _arrived(self, way: Iterable[DOMNode]) -> None:
        """Wait until a key has gone its way up to the app, and what it opened is there."""
        for node in way:
            await _caught_up(node)
        await asyncio.sleep(0)  # a deed that the key began takes its first step
        await _caught_up(self._app)  # the focus moves with a message of its own
        await _caught_up(self._app.screen)
        while not getattr(self._app.screen, "is_filled", True):
            await asyncio.sleep(LOOK_SECONDS)
            await _caught_up(self._app)  # what is done may lead on by a message
            await _caught_up(self._app.screen)


async def _caught_up(node: DOMNode) -> None:
    """Wait until a node has done all that is in its queue now."""
    done = asyncio.Event()
    if node.is_running and node.post_message(events.Callback(callback=done.set)):
        while not done.is_set() and node.is_running:
            try:
                await asyncio.wait_for(done.wait(), LOOK_SECONDS)
            except TimeoutError:
                continue
