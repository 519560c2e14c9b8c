"""What a person does with whole chats: list, search, rename, delete. Each can be undone."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from memapp.domain.chat import Thread
from memapp.domain.text import shorten
from memapp.runtime import Runtime
from memapp.services import chats
from memapp.ui.panels.threads import ThreadPane
from memapp.ui.safe import notify
from memapp.ui.screens.detail import Line
from memapp.ui.undo import Undo

if TYPE_CHECKING:
    from memapp.ui.screens.chat import ChatScreen

SHOWN = 200
"""Chats listed at once."""


class ThreadDeeds:
    """What is done with chats, for one screen."""

    def __init__(self, screen: "ChatScreen") -> None:
        self._screen = screen
        self._runtime = screen.runtime
        self.search = ""
        self._left: tuple[Callable[[Runtime], object], Thread] | None = None
        """How to bring back the chat that was on the screen when it was deleted."""

    async def list(self, count: int = SHOWN) -> None:
        """Bring the list of chats up to date."""
        found = await asyncio.to_thread(partial(chats.list_threads, self._runtime, self.search, limit=count + 1))
        current = self._screen.thread.id if self._screen.thread else ""
        pane = self._screen.query_one(ThreadPane)
        pane.show(found[:count], current, self._runtime.clock(), more=len(found) > count)

    async def rename(self, thread: Thread) -> None:
        title = await self._screen.app.push_screen_wait(Line("Rename this chat", thread.title))
        if title is None or title == thread.title:
            return
        await asyncio.to_thread(chats.rename_thread, self._runtime, thread.id, title)
        label = f"Renamed “{shorten(thread.title, 40)}”"
        self._screen.undone.push(label, lambda runtime: chats.rename_thread(runtime, thread.id, thread.title))
        await self.list()

    async def delete(self, thread: Thread) -> None:
        """Take a chat out of the list; it can be brought back, so nobody is asked."""
        screen = self._screen
        if screen.turn.thread_id == thread.id and screen.talk.busy:
            screen.talk.stop()
        await asyncio.to_thread(chats.delete_thread, self._runtime, thread.id)
        label = f"Deleted “{shorten(thread.title, 40)}”"
        back = partial(chats.restore_thread, thread_id=thread.id)
        screen.undone.push(label, back)
        notify(screen, f"{label}. ctrl+z brings it back.")
        if screen.thread is not None and screen.thread.id == thread.id:
            self._left = back, thread
            screen.open_thread(None)
        await self.list()

    def brought_back(self, done: Undo) -> None:
        """Show a chat again that was on the screen when it was deleted, unless another one is there now."""
        if self._left is not None and self._left[0] is done.back and self._screen.thread is None:
            self._screen.open_thread(self._left[1])
