"""The list of chats: search, rename, delete and restore."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from memapp.domain.chat import Thread
from memapp.domain.text import one_line, shorten
from memapp.services import chats, forget
from memapp.services.jobs import retention
from memapp.ui.background import background
from memapp.ui.chat.state import ChatState
from memapp.ui.dialogs import Choice, ConfirmErase, LineQuestion
from memapp.ui.memories.actions import show_receipt
from memapp.ui.messages import ThreadWanted
from memapp.ui.safe_text import joined, notify, plain, row
from memapp.ui.widgets.labels import kept, moment

SHOWN = 200
"""The number of chats listed at once."""
MORE = "more"
NAME_CHARS = 8


class ThreadList(OptionList):
    """The titles, newest first."""

    BINDING_GROUP_TITLE = "Chats"
    HELP = (
        "Enter opens a chat. / searches titles, ctrl+f searches everything. "
        "Deleted chats are in the palette (ctrl+p)."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Open", id="threads.open", key_display="⏎"),
        Binding("j", "cursor_down", "Down", show=False, id="threads.down"),
        Binding("k", "cursor_up", "Up", show=False, id="threads.up"),
        Binding("slash", "search", "Search", id="threads.search"),
        Binding("e", "rename", "Rename", id="threads.rename"),
        Binding("d,delete", "remove", "Delete", id="threads.delete", key_display="d"),
    ]

    def __init__(self, pane: "Threads") -> None:
        super().__init__(id="thread-list", markup=False, compact=True)
        self._pane = pane

    def check_action(
        self,
        action: str,
        parameters: tuple[object, ...],  # noqa: ARG002 - Textual's signature
    ) -> bool | None:
        match action:
            case "rename" | "remove":
                return self._chosen() is not None
            case "select":
                return self.highlighted_option is not None and not self.highlighted_option.disabled
        return True

    def on_option_list_option_highlighted(self) -> None:
        self.refresh_bindings()

    def action_search(self) -> None:
        self.screen.query_one("#thread-search", Input).focus()

    def action_rename(self) -> None:
        if (thread := self._chosen()) is not None:
            self._pane.rename(thread)

    def action_remove(self) -> None:
        if (thread := self._chosen()) is not None:
            self._pane.delete(thread)

    def _chosen(self) -> Thread | None:
        option = self.highlighted_option
        return self._pane.thread(option.id or "") if option else None


class Threads(Vertical):
    """The search field and the list."""

    def __init__(self, state: ChatState) -> None:
        super().__init__(id="threads")
        self._state = state
        self._session = state.session
        self._runtime = state.runtime
        self._threads: dict[str, Thread] = {}
        self._text = ""
        """The search text."""
        self._left: tuple[str, Thread] | None = None
        """The chat that was open when it was deleted, and its step for undo."""

    def compose(self) -> ComposeResult:
        yield Input(
            placeholder="Search chats", compact=True, id="thread-search", select_on_focus=False
        )
        yield ThreadList(self)

    @background("threads", exclusive=True)
    async def list(self, count: int = SHOWN) -> None:
        threads = await asyncio.to_thread(
            partial(chats.list_threads, self._runtime, self._text, limit=count + 1)
        )
        self.show(threads[:count], more=len(threads) > count)

    def show(self, threads: Sequence[Thread], *, more: bool) -> None:
        """Show these threads and mark the open one; in the list, the cursor stays on its thread."""
        self._threads = {thread.id: thread for thread in threads}
        rows, now = self.query_one(ThreadList), self._runtime.clock()
        current = self._state.thread_id
        on, otherwise = current, 0
        if rows.has_focus and rows.highlighted is not None:
            on = rows.get_option_at_index(rows.highlighted).id or current
            otherwise = min(rows.highlighted, len(threads) - 1)
        at = next(
            (number for number, thread in enumerate(threads) if thread.id == on),
            otherwise if threads else None,
        )
        options = [Option(self._row(thread, current, now), id=thread.id) for thread in threads]
        if more:
            options.append(Option(plain("  more…", "$text-muted"), id=MORE))
        if not options:
            why = "no title has these words" if self.query_one(Input).value else "no chats yet"
            options = [Option(plain(f"  {why}", "$text-muted"), disabled=True)]
        if [(option.id, option.prompt) for option in options] != [
            (option.id, option.prompt) for option in rows.options
        ]:
            rows.set_options(options)
        rows.highlighted = at
        rows.refresh_bindings()

    def thread(self, thread_id: str) -> Thread | None:
        return self._threads.get(thread_id)

    @on(Input.Submitted)
    def enter(self) -> None:
        self.query_one(ThreadList).focus()

    def leave(self) -> None:
        """Clear the search."""
        self.query_one(Input).value = ""

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option.id == MORE:
            self.list(len(self._threads) + SHOWN)
        elif (thread := self.thread(event.option.id or "")) is not None:
            self.screen.post_message(ThreadWanted(thread))

    @on(Input.Changed)
    def _search(self, event: Input.Changed) -> None:
        event.stop()
        self._text = event.value
        self.list()

    def _row(self, thread: Thread, current: str, now: datetime) -> Content:
        persona = self._runtime.personas.get(thread.persona)
        name = persona.name if persona and thread.persona != self._runtime.settings.persona else ""
        sign = "● " if thread.id == current else "  "
        when = moment(thread.updated_at, now)
        whose = (
            joined(row(name, NAME_CHARS, "$text-muted"), (": ", "$text-muted"))
            if name
            else Content("")
        )
        title = row(thread.title, 25 - len(when) - whose.cell_length)
        return joined((sign, "$primary"), whose, title, (f"  {when}", "$text-muted"))

    @background("deed")
    async def rename(self, thread: Thread) -> None:
        title = await self.app.push_screen_wait(LineQuestion("Rename this chat", thread.title, str))
        if title is None or title == thread.title:
            return
        await asyncio.to_thread(chats.rename_thread, self._runtime, thread.id, title)
        label = f"Renamed “{shorten(thread.title, 40)}”"
        self._session.undone.push(
            label, lambda runtime: chats.rename_thread(runtime, thread.id, thread.title)
        )
        self.list()

    @background("deed")
    async def delete(self, thread: Thread) -> None:
        """Delete a chat without asking; undo restores it."""
        state = self._state
        if state.turn.thread_id == thread.id and state.talk.busy:
            state.talk.stop()
        title = thread.title
        if title == chats.NEW_TITLE:  # The chat gets another title with its first answer.
            title = next(
                (
                    message.text
                    for message in (
                        await asyncio.to_thread(chats.page, self._runtime, thread.id)
                    ).messages
                ),
                title,
            )
        await asyncio.to_thread(chats.delete_thread, self._runtime, thread.id)
        label = f"Deleted “{shorten(one_line(title), 40)}”"
        step = self._session.undone.push(label, partial(chats.restore_thread, thread_id=thread.id))
        notify(self, label, undo=step)
        if state.thread_id == thread.id:
            self._left = step, thread
            self.screen.post_message(ThreadWanted(None, stay=self.has_focus_within))
        self.list()

    @background("deed")
    async def bring_back(self) -> None:
        """Let the person choose a deleted chat, restore it and show it."""
        runtime = self._runtime
        deleted = await asyncio.to_thread(partial(chats.list_threads, runtime, deleted=True))
        if not deleted:
            notify(self, "No chat is deleted.")
            return
        now = runtime.clock()
        ends = [
            (thread.id, thread.deleted_at, runtime.purge_at(thread.deleted_at))
            for thread in deleted
            if thread.deleted_at
        ]
        missing = await asyncio.to_thread(retention.days_missing, runtime, ends)
        stays = {id: kept(end, now, missing.get(id, 0)) for id, _, end in ends}
        rows = {
            thread.id: f"{shorten(thread.title, 40)} · {stays[thread.id]}" for thread in deleted
        }
        chosen = await self.app.push_screen_wait(
            Choice("Restore a deleted chat", rows, deleted[0].id)
        )
        if chosen is not None:
            await asyncio.to_thread(chats.restore_thread, runtime, chosen)
            self.screen.post_message(
                ThreadWanted(await asyncio.to_thread(chats.get_thread, runtime, chosen))
            )

    @background("deed")
    async def erase(self, thread: Thread) -> None:
        """Erase a chat for good after the typed confirmation, and show the receipt."""
        text = (
            f"“{shorten(thread.title, 40)}”\n\n"
            "This cannot be undone. What memapp learned from it stays in Memories (F3)."
        )
        if await self.app.push_screen_wait(ConfirmErase("Erase this chat for good?", text)) is None:
            return
        receipt = await self._session.erase(
            self, partial(forget.purge_chats, self._runtime, [thread.id])
        )
        await show_receipt(self, self._session, receipt)

    def brought_back(self, step: str) -> None:
        """Show a restored chat again if it was open before, unless another is open now."""
        if self._left is not None and self._left[0] == step and self._state.thread is None:
            self.screen.post_message(ThreadWanted(self._left[1], stay=self.has_focus_within))
