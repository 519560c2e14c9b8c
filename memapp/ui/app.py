"""The app: modes, themes, palette, what is open above everything, and leaving. The chat itself is
`screens.chat`.

Nothing of memapp but this and the opening screen is imported before the first paint.
"""

import asyncio
import atexit
import os
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on, work
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.command import Provider
from textual.screen import Screen
from textual.widgets import Input, TextArea

from memapp import paths
from memapp.domain.text import shorten
from memapp.errors import Damaged
from memapp.ui import garbage
from memapp.ui.background import background
from memapp.ui.messages import (
    DownloadEnded,
    FileChanged,
    FileOpened,
    Learned,
    MemoriesChanged,
    MemoryWanted,
    MessageWanted,
    ModeWanted,
    ThreadWanted,
)
from memapp.ui.modes import MODES
from memapp.ui.pasted import Writing
from memapp.ui.safe import LASTING_SECONDS, copy, notify
from memapp.ui.screens.opening import OpeningScreen
from memapp.ui.terminal_app import TerminalApp
from memapp.ui.themes import DEFAULT, themes

if TYPE_CHECKING:
    from memapp.runtime import Runtime
    from memapp.ui.screens.chat import ChatScreen
    from memapp.ui.screens.mode import ModeScreen
    from memapp.ui.session import AppSession

QUIT_SECONDS = 5.0
SWITCH_SECONDS = 0.001
"""How long the event loop may wait for a thread that computes; Python's own 5 ms add up to dropped
frames.
"""
QUIET_SECONDS = 3.0
COUNT_SECONDS = 60.0
"""What was put off, or has run out of time, changes the number of what waits by itself."""
BACKUP_SECONDS = 600.0
"""How often it is looked whether a backup is due; also after each turn."""


def _palette() -> type[Provider]:
    from memapp.ui.palette import Offered

    return Offered


def mode_screens() -> "dict[str, type[ModeScreen]]":
    """Return the screen of each mode but the chat, which is there from the beginning."""
    modules = {
        mode: import_module(f"memapp.ui.screens.{mode.name}")
        for mode in MODES
        if mode.name != "chat"
    }
    return {mode.name: getattr(module, mode.screen) for mode, module in modules.items()}


class MemappApp(TerminalApp):
    TITLE = "memapp"
    # All of it at once: style that comes with a screen is parsed together with everything else a
    # second time.
    CSS_PATH: ClassVar[Any] = sorted(paths.bundled("assets").glob("*.tcss"))
    COMMANDS: ClassVar[set[Any]] = {_palette}
    COMMAND_PALETTE_BINDING = "ctrl+p"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012  # an instance variable of App
    HELP = "ctrl+p lists everything that can be done, with its key."

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "toggle_help", "Help", id="app.help", priority=True),
        Binding("question_mark", "toggle_help", "Help", show=False, id="app.help_outside_text"),
        Binding(
            "escape", "close_help", "Close the help", show=False, id="app.close_help", priority=True
        ),
        *(
            Binding(
                mode.key.lower(),
                f"mode('{mode.name}')",
                mode.label,
                show=False,
                id=f"app.{mode.name}",
                priority=True,
            )
            for mode in MODES
        ),
        Binding("ctrl+f", "find", "Find", id="app.find", priority=True),
        Binding(
            "ctrl+c",
            "interrupt",
            "Copy, stop or quit",
            show=False,
            id="app.interrupt",
            priority=True,
            system=True,
        ),
        Binding("ctrl+q", "quit", "Quit", show=False, id="app.quit", priority=True),
        Binding(
            "ctrl+l", "redraw", "Redraw the screen", show=False, id="app.redraw", priority=True
        ),
        Binding("ctrl+z,u", "undo", "Undo", show=False, id="app.undo"),
    ]

    runtime: "Runtime"
    session: "AppSession"
    chat: "ChatScreen"

    def __init__(
        self,
        start: Callable[[], "Runtime"],
        crash_folder: Path,
        *,
        question: str = "",
        demo: bool = False,
    ) -> None:
        super().__init__(crash_folder)
        self._start = start
        self._question = question
        self.demo = demo
        self.demo_wanted = False
        """The person left to see the sample chats."""
        self.is_open = False
        self._told_of_upkeep = False
        self._has_arrived = False
        """The default model was downloaded, and waits to be loaded."""
        self._interrupted_at = -QUIT_SECONDS
        for theme in themes():
            self.register_theme(theme)
        self.set_reactive(
            MemappApp.theme, DEFAULT
        )  # to set it plainly is to parse all style twice before the first paint
        self.stylesheet.set_variables(self.get_css_variables())

    def get_default_screen(self) -> Screen[Any]:
        return OpeningScreen(self._begin, self._crash_folder, demo=self.demo)

    def on_load(self) -> None:
        garbage.wait()
        sys.setswitchinterval(SWITCH_SECONDS)

    def on_unmount(self) -> None:
        garbage.as_before()

    def _begin(self) -> "Runtime":
        """Open the memory, and import the screens, so that no later key waits for that."""
        from memapp.ui.screens import chat  # noqa: F401

        runtime = self._start()
        mode_screens()
        return runtime

    async def on_file_opened(self, event: FileOpened) -> None:
        from memapp.ui.screens.chat import ChatScreen
        from memapp.ui.session import AppSession
        from memapp.ui.talk import Talk

        opening = self.screen
        assert isinstance(opening, OpeningScreen)
        self.runtime = event.runtime
        talk = Talk(event.runtime, lambda happened: self.chat.conversation.post_message(happened))
        self.session = AppSession(self, event.runtime, talk, demo=self.demo)
        self.chat = ChatScreen(
            self.session,
            question=lambda: Writing(self._question) if self._question else opening.sent,
            typed=lambda: opening.typed,
        )
        self.add_mode("chat", partial(self.styled, lambda: self.chat))
        for mode, kind in mode_screens().items():
            self.add_mode(mode, partial(self.styled, partial(kind, self.session)))
        self.is_open = True
        self._choose_theme()
        if not self.is_running:  # it is being closed: a screen more would be in the way
            return
        self.runtime.chat.loading("Loading the model…")  # what is sent from now on waits for it
        self.runtime.reading.loading("")
        self.runtime.embedding.loading(
            "Loading the embedding model…"
        )  # and, for a moment, for this
        await self.switch_mode("chat")
        self.session.changed.subscribe(self, lambda _: self.count_badges())
        self.set_interval(COUNT_SECONDS, self.count_badges)
        self.set_interval(BACKUP_SECONDS, self.session.talk.back_up)
        self.count_badges()
        self._tell_of_undefined_categories()
        garbage.spare()
        self.session.talk.load_models()
        self.session.talk.watch()

    @background("open")
    async def _tell_of_undefined_categories(self) -> None:
        from memapp.services import curate

        if names := await asyncio.to_thread(curate.undefined_categories, self.runtime):
            told = f"No chat sees the memories in {', '.join(names)}: {self.runtime.paths.categories} does not define that."
            told += " Define it there, or give them another category (F3, c)."
            notify(self, told, problem=True, seconds=LASTING_SECONDS)

    def on_turn_ended(self) -> None:
        """Load a model that arrived during the turn; collect garbage while the answer is read."""
        self._load_arrived()
        self.set_timer(QUIET_SECONDS, self._collect_when_quiet)

    def _collect_when_quiet(self) -> None:
        if not self.session.talk.busy:
            garbage.collect()

    def on_model_changed(self) -> None:
        garbage.spare()
        self.session.memories_changed()
        if self.runtime.chat.state != "loading" and not self._told_of_upkeep:
            self._told_of_upkeep = True
            self._tell_of_upkeep()

    @background("upkeep")
    async def _tell_of_upkeep(self) -> None:
        """Say in one line what was done since the last time, above the composer."""
        from memapp.language.history import upkept
        from memapp.services import activity

        if words := upkept(await asyncio.to_thread(activity.upkeep_since, self.runtime)):
            self.chat.composer.status.say(f"Since last time (F7): {words}")

    def on_download_ended(self, event: DownloadEnded) -> None:
        """Say how it went, wherever the person is now; the Models screen has looked again already."""
        from memapp.services import models

        match event.outcome:
            case "here" if models.is_default_choice(self.runtime, event.name):
                notify(
                    self,
                    f"{event.name} is here and whole. It answers from now on.",
                    seconds=LASTING_SECONDS,
                )
                self._has_arrived = True
                self._load_arrived()
            case "here":
                notify(
                    self,
                    f"{event.name} is here and whole. Under Models (F8) enter uses it.",
                    seconds=LASTING_SECONDS,
                )
            case "stopped":
                notify(self, f"The download of {event.name} was stopped. What has arrived is kept.")
            case error:
                notify(self, str(error), title=error.title, problem=True, seconds=LASTING_SECONDS)

    def _load_arrived(self) -> None:
        """Load the default model when it has arrived, and no turn runs that another one answers."""
        if self._has_arrived and not self.session.talk.busy:
            self._has_arrived = False
            self.session.talk.load_models()

    def _choose_theme(self) -> None:
        from memapp.services import preferences

        chosen = self.runtime.settings.theme
        self.theme = chosen if chosen in preferences.choices(self.runtime, "theme") else DEFAULT

    # What keys and the palette do -----------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "close_help":
            return bool(self.screen.query("Help"))
        if action in ("mode", "find", "undo"):
            return self.is_open
        return super().check_action(action, parameters)

    async def action_mode(self, mode: str) -> None:
        """Go to a mode; whoever goes to the chat wants to write, wherever in it they were."""
        await self._go_to(mode)
        if self.screen is self.chat:
            self.chat.composer.focus()

    async def _go_to(self, mode: str) -> None:
        leave = getattr(self.screen, "action_leave", None)
        if len(self.screen_stack) == 1:
            if mode != self.current_mode and self.is_running:
                await self.switch_mode(mode)
        elif leave is None or self.screen.query("Input, TextArea"):
            notify(self, "esc closes this first.")
        else:
            leave()
            self.call_later(self.action_mode, mode)

    def on_click(self, event: events.Click) -> None:
        """Take back what a toast or a line of the chat is about, when its undo is clicked."""
        if step := event.style.meta.get("undo"):
            self.action_undo(step)
            if self.screen is self.chat:
                # a click gave the focus to the message, where letters are commands
                self.chat.composer.focus()

    async def on_mode_wanted(self, event: ModeWanted) -> None:
        from memapp.ui.screens.mode import ModeScreen

        await self._go_to(event.mode)
        if event.at and isinstance(self.screen, ModeScreen) and event.mode == self.screen.MODE:
            self.screen.show_at(event.at)

    def action_toggle_help(self) -> None:
        from memapp.ui.widgets.help import Help

        if self.screen.query(Help):
            self.screen.query(Help).remove()
        else:
            self.screen.mount(Help())

    def action_close_help(self) -> None:
        self.screen.query("Help").remove()

    def action_find(self) -> None:
        if not self.screen.query("#find"):
            self.chat.find()

    def action_interrupt(self) -> None:
        """Copy what is selected; else stop the answer; else quit when pressed twice."""
        selected = self._selected_text()
        if selected:
            copy(self, selected)
        elif self.is_open and self.session.talk.busy:
            self.chat.action_stop()
        elif time.monotonic() - self._interrupted_at < QUIT_SECONDS:
            self.call_later(self.action_quit)
        else:
            self._interrupted_at = time.monotonic()
            notify(self, "Press ctrl+c again to quit.", seconds=QUIT_SECONDS)

    def _selected_text(self) -> str:
        if isinstance(self.focused, TextArea | Input) and self.focused.selected_text:
            return self.focused.selected_text
        return self.screen.get_selected_text() or ""

    @background("undo")
    async def action_undo(self, step: str = "") -> None:
        """Take the last thing back, or what was done in a certain step."""
        notify(self, await self.session.undo(step))

    async def action_quit(self) -> None:
        self.leave()

    def action_samples(self) -> None:
        """Leave, to see memapp with something in it."""
        self.demo_wanted = True
        self.leave()

    def leave(self, return_code: int = 0) -> None:
        """Leave at once; what is being written or typed is kept."""
        if self.is_open:
            self.chat.composer.save_now()
        super().leave(return_code)

    def damage(self) -> Damaged | None:
        return self.runtime.database.damage() if self.is_open else None

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        from memapp.services import preferences
        from memapp.ui.palette import key_commands

        if self.is_open:
            in_chat = self.current_mode == "chat"
            if in_chat:
                yield from self.chat.commands()
            last = self.session.undone.last
            label = (
                f"Undo: {shorten(last.label, 60)}" if last else "Undo the last change of a memory"
            )
            yield SystemCommand(label, "Take back the last change (ctrl+z)", self.action_undo)
            yield SystemCommand(
                "Find anything", "Chats, messages and memories (ctrl+f)", self.action_find
            )
            for mode in MODES:
                about = f"{mode.about} ({mode.key})"
                yield SystemCommand(
                    mode.label, about, partial(self.call_later, self.action_mode, mode.name)
                )
            if not in_chat:
                yield from key_commands(screen)
            for key in preferences.choices(self.runtime, "theme"):
                yield SystemCommand(
                    f"Theme: {key}", "Use these colours", partial(self.use_theme, key)
                )
        yield SystemCommand("Help", "Keys that work here (F1)", self.action_toggle_help)
        yield SystemCommand(
            "Quit", "Leave memapp (ctrl+q)", partial(self.call_later, self.action_quit)
        )

    async def on_thread_wanted(self, event: ThreadWanted) -> None:
        self.chat.open_thread(event.thread)
        await self.action_mode("chat")

    @background("open", exclusive=True)
    async def on_message_wanted(self, event: MessageWanted) -> None:
        from memapp.services import chats

        await self.action_mode(
            "chat"
        )  # first: where a message stands is known only while it is laid out
        message = await asyncio.to_thread(chats.get_message, self.runtime, event.message_id)
        thread = await asyncio.to_thread(chats.get_thread, self.runtime, message.thread_id)
        self.chat.open_thread(thread, message)

    @background("open", exclusive=True)
    async def on_memory_wanted(self, event: MemoryWanted) -> None:
        from memapp.services import curate
        from memapp.ui.memories.card import MemoryCard

        memory = await asyncio.to_thread(curate.get, self.runtime, event.memory_id)
        await self.push_screen(MemoryCard(self.session, memory, event.why))

    @background("badges", exclusive=True)
    async def count_badges(self) -> None:
        await self.session.count_badges()

    @on(FileChanged)
    @on(Learned)
    @on(MemoriesChanged)
    def _memories_changed(self) -> None:
        self.session.memories_changed()

    def on_file_wanted(self) -> None:
        needed = (
            "Another memapp needs this memory for itself for a moment. Close this window to let it."
        )
        notify(self, needed, seconds=LASTING_SECONDS)

    @background("deed")
    async def use_theme(self, name: str) -> None:
        from memapp.services import preferences

        self.theme = name
        await asyncio.to_thread(preferences.set_preference, self.runtime, "theme", name)

    @work(group="deed")
    async def action_colours(self) -> None:
        from memapp.ui.screens.settings import choose_theme

        if (chosen := await choose_theme(self, self.runtime)) is not None:
            self.use_theme(chosen)

    # Leaving --------------------------------------------------------------------------------------

    async def _shutdown(self) -> None:
        """Close all screens and give the terminal back, also where the closing of a screen was
        cancelled meanwhile.

        Textual waits for such a screen twice, and each time would break off here.
        """
        for _ in range(2):
            try:
                return await super()._shutdown()
            except asyncio.CancelledError:
                for screen in [
                    screen for stack in self._screen_stacks.values() for screen in stack
                ]:
                    if screen._task is not None and screen._task.cancelled():
                        screen._running = False  # it has ended
        return await super()._shutdown()

    def run(self, *args: Any, **kwargs: Any) -> None:
        """Run until the person leaves; then stop the models, keep what there is of a reply, and
        close the file.
        """
        try:
            super().run(*args, **kwargs)
        finally:
            if self.is_open and not self.session.talk.close():
                # A model that is still being loaded cannot be interrupted, and would crash inside a
                # dying interpreter.
                atexit.register(os._exit, self.return_code or 0)
