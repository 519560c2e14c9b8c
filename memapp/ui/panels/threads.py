"""The list of chats, with a search field above it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from memapp.domain.chat import Thread
from memapp.ui.safe import joined, plain, row
from memapp.ui.widgets.words import moment

MORE = "more"
NAME_CHARS = 8


class ThreadList(OptionList):
    """The titles, newest first."""

    BINDING_GROUP_TITLE = "Chats"
    HELP = "Enter opens a chat. / searches titles, ctrl+f searches everything. Deleted chats are in the palette (ctrl+p)."

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Open", id="threads.open", key_display="⏎"),
        Binding("j", "cursor_down", "Down", show=False, id="threads.down"),
        Binding("k", "cursor_up", "Up", show=False, id="threads.up"),
        Binding("slash", "search", "Search", id="threads.search"),
        Binding("e", "rename", "Rename", id="threads.rename"),
        Binding("d,delete", "remove", "Delete", id="threads.delete", key_display="d"),
    ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002  # Textual's signature
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
            self.post_message(ThreadPane.RenameWanted(thread))

    def action_remove(self) -> None:
        if (thread := self._chosen()) is not None:
            self.post_message(ThreadPane.DeleteWanted(thread))

    def _chosen(self) -> Thread | None:
        pane = next((one for one in self.ancestors if isinstance(one, ThreadPane)), None)
        option = self.highlighted_option
        return pane.thread(option.id or "") if pane and option else None


class ThreadPane(Vertical):
    """Search field and list."""

    @dataclass
    class Chosen(Message):
        thread: Thread

    @dataclass
    class RenameWanted(Message):
        thread: Thread

    @dataclass
    class DeleteWanted(Message):
        thread: Thread

    @dataclass
    class SearchChanged(Message):
        text: str

    @dataclass
    class MoreWanted(Message):
        shown: int

    def __init__(self) -> None:
        super().__init__(id="threads")
        self._threads: list[Thread] = []

    def compose(self) -> ComposeResult:
        yield Input(placeholder="Search chats", compact=True, id="thread-search", select_on_focus=False)
        yield ThreadList(id="thread-list", markup=False, compact=True)

    def show(
        self, threads: Sequence[Thread], current: str, now: datetime, names: Mapping[str, str], *, more: bool = False
    ) -> None:
        """Show these chats; the one with id `current` is marked, and `names` are the personas that are worth telling."""
        self._threads = list(threads)
        chats = self.query_one(ThreadList)
        at = next((number for number, one in enumerate(threads) if one.id == current), 0 if threads else None)
        options = [Option(self._row(one, current, now, names.get(one.persona, "")), id=one.id) for one in threads]
        if more:
            options.append(Option(plain("  more…", "$text-muted"), id=MORE))
        if not options:
            why = "no title has these words" if self.query_one(Input).value else "no chats yet"
            options = [Option(plain(f"  {why}", "$text-muted"), disabled=True)]
        if [(one.id, one.prompt) for one in options] != [(one.id, one.prompt) for one in chats.options]:
            chats.set_options(options)
        chats.highlighted = at
        chats.refresh_bindings()

    def thread(self, thread_id: str) -> Thread | None:
        return next((one for one in self._threads if one.id == thread_id), None)

    def enter(self) -> None:
        """Take the focus."""
        self.query_one(ThreadList).focus()

    def leave(self) -> None:
        """Give up what was searched for."""
        self.query_one(Input).value = ""

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option.id == MORE:
            self.post_message(self.MoreWanted(len(self._threads)))
        elif (thread := self.thread(event.option.id or "")) is not None:
            self.post_message(self.Chosen(thread))

    @on(Input.Changed)
    def _search(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.SearchChanged(event.value))

    @on(Input.Submitted)
    def _searched(self, event: Input.Submitted) -> None:
        event.stop()
        self.enter()

    def _row(self, thread: Thread, current: str, now: datetime, name: str) -> Content:
        sign = "● " if thread.id == current else "  "
        when = moment(thread.updated_at, now)
        whose = joined(row(name, NAME_CHARS, "$text-muted"), (": ", "$text-muted")) if name else Content("")
        title = row(thread.title, 26 - len(when) - whose.cell_length)
        return joined((sign, "$primary"), whose, title, (f"  {when}", "$text-muted"))
