"""The list of chats, and what a person does with whole chats: list, search, rename, delete. Each can be undone."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from textual import on

from memapp.domain.chat import Thread
from memapp.domain.text import one_line, shorten
from memapp.runtime import Runtime
from memapp.services import chats, forget
from memapp.ui.beside import beside
from memapp.ui.memories.deeds import show_receipt
from memapp.ui.memories.words import purges
from memapp.ui.panels.threads import ThreadPane
from memapp.ui.safe import notify
from memapp.ui.screens.detail import Line
from memapp.ui.screens.memory_form import Choice, ConfirmErase
from memapp.ui.undo import Undo

if TYPE_CHECKING:
    from memapp.ui.screens.chat import ChatScreen

SHOWN = 200
"""Chats listed at once."""


class Threads(ThreadPane):
    """The list in one screen."""

    def __init__(self, chat: "ChatScreen") -> None:
        super().__init__()
        self._chat = chat
        self._runtime = chat.runtime
        self._text = ""
        """What is searched for."""
        self._left: tuple[Callable[[Runtime], object], Thread] | None = None
        """How to bring back the chat that was on the screen when it was deleted."""

    @beside("threads", exclusive=True)
    async def list(self, count: int = SHOWN) -> None:
        """Bring the list of chats up to date."""
        found = await asyncio.to_thread(partial(chats.list_threads, self._runtime, self._text, limit=count + 1))
        current = self._chat.thread.id if self._chat.thread else ""
        usual = self._runtime.settings.persona
        names = {key: one.name for key, one in self._runtime.personas.items() if key != usual}
        self.show(found[:count], current, self._runtime.clock(), names, more=len(found) > count)

    @on(ThreadPane.SearchChanged)
    def _search_for(self, event: ThreadPane.SearchChanged) -> None:
        self._text = event.text
        self.list()

    @on(ThreadPane.MoreWanted)
    def _list_more(self, event: ThreadPane.MoreWanted) -> None:
        self.list(event.shown + SHOWN)

    @on(ThreadPane.Chosen)
    def _open(self, event: ThreadPane.Chosen) -> None:
        self._chat.open_thread(event.thread)

    @on(ThreadPane.RenameWanted)
    def _rename_wanted(self, event: ThreadPane.RenameWanted) -> None:
        self.rename(event.thread)

    @on(ThreadPane.DeleteWanted)
    def _delete_wanted(self, event: ThreadPane.DeleteWanted) -> None:
        self.delete(event.thread)

    @beside("deed")
    async def rename(self, thread: Thread) -> None:
        """Ask for another title."""
        title = await self.app.push_screen_wait(Line("Rename this chat", thread.title))
        if title is None or title == thread.title:
            return
        await asyncio.to_thread(chats.rename_thread, self._runtime, thread.id, title)
        label = f"Renamed “{shorten(thread.title, 40)}”"
        self._chat.undone.push(label, lambda runtime: chats.rename_thread(runtime, thread.id, thread.title))
        self.list()

    @beside("deed")
    async def delete(self, thread: Thread) -> None:
        """Take a chat out of the list; it can be brought back, so nobody is asked."""
        chat = self._chat
        if chat.turn.thread_id == thread.id and chat.talk.busy:
            chat.talk.stop()
        title = thread.title
        if title == chats.NEW_TITLE:  # it gets another with its first answer
            title = next((one.text for one in (await asyncio.to_thread(chats.page, self._runtime, thread.id)).messages), title)
        await asyncio.to_thread(chats.delete_thread, self._runtime, thread.id)
        label = f"Deleted “{shorten(one_line(title), 40)}”"
        back = partial(chats.restore_thread, thread_id=thread.id)
        chat.undone.tell(self, label, back)
        if chat.thread is not None and chat.thread.id == thread.id:
            self._left = back, thread
            chat.open_thread(None)
        self.list()

    @beside("deed")
    async def bring_back(self) -> None:
        """Let the person choose a chat that was deleted, and show it again."""
        runtime = self._runtime
        deleted = await asyncio.to_thread(partial(chats.list_threads, runtime, deleted=True))
        if not deleted:
            notify(self, "No chat is deleted.")
            return
        now = runtime.clock()
        rows = [(one.id, f"{shorten(one.title, 40)} · {purges(runtime.purge_at(one.deleted_at), now)}") for one in deleted]
        chosen = await self.app.push_screen_wait(Choice("Bring back a deleted chat", rows, rows[0][0]))
        if chosen is not None:
            await asyncio.to_thread(chats.restore_thread, runtime, chosen)
            self._chat.open_thread(await asyncio.to_thread(chats.get_thread, runtime, chosen))

    @beside("deed")
    async def erase(self, thread: Thread) -> None:
        """Erase a chat for good, if the person types the word, and show the receipt."""
        chat = self._chat
        text = f"“{shorten(thread.title, 40)}”\n\nThis cannot be undone. What memapp learned from it stays in Memories (F3)."
        card = ConfirmErase("Erase this chat for good?", text, may_take_messages=False)
        if await self.app.push_screen_wait(card) is None:
            return
        await chat.settle_draft()
        notify(self, "Erasing, and scanning the files for what is left…")
        receipt = await asyncio.to_thread(forget.purge_chats, self._runtime, [thread.id])
        await chat.show_again()
        await show_receipt(chat, receipt)

    def brought_back(self, done: Undo) -> None:
        """Show a chat again that was on the screen when it was deleted, unless another one is there now."""
        if self._left is not None and self._left[0] is done.back and self._chat.thread is None:
            self._chat.open_thread(self._left[1])
