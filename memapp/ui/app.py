"""The app: modes, themes, command palette, help, and quitting. The chat itself is `screens.chat`.

Only this module and the opening screen are imported before the first paint.
"""

import asyncio
import atexit
import os
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on, work
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.command import Provider
from textual.screen import Screen

from memapp import paths
from memapp.domain.text import counted, shorten
from memapp.errors import Damaged
from memapp.ui import garbage
from memapp.ui.background import background
from memapp.ui.messages import (
    CameFromElsewhere,
    DownloadEnded,
    FileChanged,
    FileOpened,
    Learned,
    MemoriesChanged,
)
from memapp.ui.modes import MODES
from memapp.ui.navigation import NavigatedApp, mode_screens
from memapp.ui.pasted_spans import Writing
from memapp.ui.safe_text import LASTING_SECONDS, copy, notify
from memapp.ui.screens.opening import OpeningScreen
from memapp.ui.themes import DEFAULT, themes

if TYPE_CHECKING:
    from memapp.runtime import Runtime

QUIT_SECONDS = 5.0
SWITCH_SECONDS = 0.001
"""The longest wait of the event loop for a computing thread; Python's own 5 ms drop frames."""
QUIET_SECONDS = 3.0
COUNT_SECONDS = 60.0
"""The badges change by themselves: postponed requests come back, others expire."""
BACKUP_SECONDS = 600.0
"""The interval of backup checks; a check also follows each turn."""


def _palette() -> type[Provider]:
    from memapp.ui.palette import Offered

    return Offered


class MemappApp(NavigatedApp):
    TITLE = "memapp"
    # All style sheets at once: a sheet that comes with a screen is parsed again together with
    # all others.
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
        """The person quit to see the sample chats."""
        self.is_open = False
        self._upkeep_announced = False
        self._came, self._told_of_came = 0, ""
        """How many changes of other machines were announced last, and in which words."""
        self._default_model_arrived = False
        """The default model was downloaded and is not loaded yet."""
        self._interrupted_at = -QUIT_SECONDS
        for theme in themes():
            self.register_theme(theme)
        # A plain assignment would parse all style twice before the first paint.
        self.set_reactive(MemappApp.theme, DEFAULT)
        self.stylesheet.set_variables(self.get_css_variables())

    def get_default_screen(self) -> Screen[Any]:
        return OpeningScreen(self._begin, self._crash_folder, demo=self.demo)

    def on_load(self) -> None:
        garbage.wait()
        sys.setswitchinterval(SWITCH_SECONDS)

    def on_unmount(self) -> None:
        garbage.as_before()

    def _begin(self) -> "Runtime":
        """Open the memory and import the screens, so that no later key waits for imports."""
        from memapp.ui.screens import chat  # noqa: F401

        runtime = self._start()
        mode_screens()
        return runtime

    async def on_file_opened(self, event: FileOpened) -> None:
        from memapp.ui.screens.chat import ChatScreen
        from memapp.ui.session import AppSession
        from memapp.ui.worker_threads import Talk

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
        if not self.is_running:  # The app is closing.
            return
        # Messages sent from now on wait for the models.
        self.runtime.chat.loading("Loading the model…")
        self.runtime.judge_embedder.loading("")
        self.runtime.embedding.loading("Loading the embedding model…")
        await self.switch_mode("chat")
        self.session.changed.subscribe(self, lambda _: self.count_badges())
        self.set_interval(COUNT_SECONDS, self.count_badges)
        self.set_interval(BACKUP_SECONDS, self.session.talk.back_up)
        self.count_badges()
        self._warn_of_undefined_categories()
        self._tell_overruled()
        garbage.spare()
        self.session.talk.load_models()
        self.session.talk.watch()

    @background("open")
    async def _warn_of_undefined_categories(self) -> None:
        from memapp.services import curate

        if names := await asyncio.to_thread(curate.undefined_categories, self.runtime):
            notice = (
                f"No chat sees the memories in {', '.join(names)}: "
                f"{self.runtime.paths.categories} does not define that. "
                "Define it there, or give them another category (F3, c)."
            )
            notify(self, notice, problem=True, seconds=LASTING_SECONDS)

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
        if self.runtime.chat.state != "loading" and not self._upkeep_announced:
            self._upkeep_announced = True
            self._announce_upkeep()

    @background("upkeep")
    async def _announce_upkeep(self) -> None:
        """Show one line about the upkeep since the last start, above the composer."""
        from memapp.language.history import upkept
        from memapp.services import activity

        if words := upkept(await asyncio.to_thread(activity.upkeep_since, self.runtime)):
            self.chat.composer.status.say(f"Since last time (F7): {words}")

    def on_download_ended(self, event: DownloadEnded) -> None:
        """Show the outcome of a download, on any screen. The Models screen updates itself."""
        from memapp.services import models

        match event.outcome:
            case "here" if models.is_default_choice(self.runtime, event.name):
                arrived = f"{event.name} is here and whole. It answers from now on."
                notify(self, arrived, seconds=LASTING_SECONDS)
                self._default_model_arrived = True
                self._load_arrived()
            case "here":
                arrived = f"{event.name} is here and whole. Under Models (F8) enter uses it."
                notify(self, arrived, seconds=LASTING_SECONDS)
            case "stopped":
                notify(self, f"The download of {event.name} was stopped. What has arrived is kept.")
            case error:
                notify(self, str(error), title=error.title, problem=True, seconds=LASTING_SECONDS)

    def _load_arrived(self) -> None:
        """Load the downloaded default model as soon as no turn is running."""
        if self._default_model_arrived and not self.session.talk.busy:
            self._default_model_arrived = False
            self.session.talk.load_models()

    def _choose_theme(self) -> None:
        from memapp.services import preferences

        chosen = self.runtime.settings.theme
        self.theme = chosen if chosen in preferences.choices(self.runtime, "theme") else DEFAULT

    # Keys and the palette -------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "close_help":
            return bool(self.screen.query("Help"))
        if action in ("mode", "find", "undo"):
            return self.is_open
        return super().check_action(action, parameters)

    def on_click(self, event: events.Click) -> None:
        """Undo the step of a toast or a line of the chat whose undo was clicked."""
        if step := event.style.meta.get("undo"):
            self.action_undo(step)
            if self.screen is self.chat:
                # The click focused the message, where letters are commands.
                self.chat.composer.focus()

    def action_toggle_help(self) -> None:
        from memapp.ui.widgets.help import Help

        if self.screen.query(Help):
            self.screen.query(Help).remove()
        else:
            self.screen.mount(Help())

    def action_close_help(self) -> None:
        self.screen.query("Help").remove()

    def action_interrupt(self) -> None:
        """Copy the selection; else stop the answer; else quit on the second press."""
        selected = self.selected_text()
        if selected:
            copy(self, selected)
        elif self.is_open and self.session.talk.busy:
            self.chat.action_stop()
        elif time.monotonic() - self._interrupted_at < QUIT_SECONDS:
            self.call_later(self.action_quit)
        else:
            self._interrupted_at = time.monotonic()
            notify(self, "Press ctrl+c again to quit.", seconds=QUIT_SECONDS)

    @background("undo")
    async def action_undo(self, step: str = "") -> None:
        """Undo the last step, or the given one."""
        notify(self, await self.session.undo(step))

    async def action_quit(self) -> None:
        self.leave()

    def action_samples(self) -> None:
        """Quit, to start again with sample chats."""
        self.demo_wanted = True
        self.leave()

    def leave(self, return_code: int = 0) -> None:
        """Quit at once; the draft and the partial answer are kept."""
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
            yield from self.chat.commands() if in_chat else key_commands(screen)
            last = self.session.undone.last
            label = (
                f"Undo: {shorten(last.label, 60)}" if last else "Undo the last change of a memory"
            )
            yield SystemCommand(
                label, "The last change, and what followed from it (ctrl+z)", self.action_undo
            )
            about = "Chats, messages, memories, lessons and agents (ctrl+f)"
            yield SystemCommand("Find anything", about, self.action_find)
            for mode in MODES:
                go = partial(self.call_later, self.action_mode, mode.name)
                yield SystemCommand(mode.label, f"{mode.about} ({mode.key})", go)
            for key in preferences.choices(self.runtime, "theme"):
                use = partial(self.use_theme, key)
                yield SystemCommand(f"Theme: {key}", "Use these colours", use)
        yield SystemCommand("Help", "Keys that work here (F1)", self.action_toggle_help)
        leave = partial(self.call_later, self.action_quit)
        yield SystemCommand("Quit", "Leave memapp (ctrl+q)", leave)

    @background("badges", exclusive=True)
    async def count_badges(self) -> None:
        await self.session.count_badges()

    @on(FileChanged)
    @on(Learned)
    @on(MemoriesChanged)
    def _memories_changed(self) -> None:
        self.session.memories_changed()

    def on_came_from_elsewhere(self, event: CameFromElsewhere) -> None:
        """Say above the composer how much came since something else was said there."""
        status = self.chat.composer.status
        self._came = self._came * (status.words == self._told_of_came) + event.entries
        self._told_of_came = f"From your other machines (F7): {counted(self._came, 'change')}"
        status.say(self._told_of_came)
        self._tell_overruled()

    @background("overruled")
    async def _tell_overruled(self) -> None:
        from memapp.services.consent import past_decisions

        if told := await asyncio.to_thread(past_decisions.overruled, self.runtime):
            notify(self, "\n".join(told), title="Inbox (F4)", seconds=LASTING_SECONDS)

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

    # Quitting -------------------------------------------------------------------------------------

    def run(self, *args: Any, **kwargs: Any) -> None:
        """Run until the person quits; then stop the models, save a partial answer, close."""
        try:
            super().run(*args, **kwargs)
        finally:
            if self.is_open and not self.session.talk.close():
                # A model that is loading cannot be interrupted, and would crash at exit.
                atexit.register(os._exit, self.return_code or 0)
