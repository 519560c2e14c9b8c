"""The first screen, shown before anything is loaded, in the shape of Chat. Typed text is kept."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message as Announcement
from textual.widgets import Static

from memapp import paths
from memapp.crash import write_crash_file
from memapp.errors import Damaged, MemappError
from memapp.ui.messages import FileOpened
from memapp.ui.pasted_spans import Writing
from memapp.ui.safe_text import joined, notify
from memapp.ui.screens.styled_screen import StyledScreen
from memapp.ui.widgets.composer import Composer
from memapp.ui.widgets.keyline import KeyLine
from memapp.ui.widgets.statusline import StatusLine
from memapp.ui.widgets.topbar import TopBar

if TYPE_CHECKING:
    from memapp.runtime import Runtime
    from memapp.services.backups import Copy


class OpeningScreen(StyledScreen):
    """A top line, an empty conversation and a composer."""

    AUTO_FOCUS = "Composer"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "put_back", "Restore the backup", show=False, id="opening.put_back"),
        Binding("q", "quit", "Quit", show=False, id="opening.quit"),
    ]

    @dataclass
    class OpeningFailed(Announcement):
        """The memory file could not be opened."""

        error: MemappError
        backup: "Copy | None" = None
        """A backup that can replace the damaged file."""

    def __init__(self, start: Callable[[], "Runtime"], crash_folder: Path, *, demo: bool) -> None:
        super().__init__()
        self._start, self._crash_folder, self._demo = start, crash_folder, demo
        self.sent = Writing()
        """The message sent before the memory was open, with its pasted spans."""
        self.failed: OpeningScreen.OpeningFailed | None = None

    def compose(self) -> ComposeResult:
        yield TopBar(demo=self._demo)
        yield Vertical(id="opening")
        yield StatusLine()
        yield Composer()
        yield KeyLine()

    def on_mount(self) -> None:
        # Settings, memory and imports come after the first paint.
        self.call_after_refresh(self._open, "Opening your memory…")

    def _open(self, hint: str, backup: "Copy | None" = None) -> None:
        """Open the memory on a thread; if a backup is given, restore it first."""
        self.failed = None
        self.query_one(Composer).hint(hint)
        threading.Thread(
            target=self._open_file, args=(backup,), name="memapp-open", daemon=True
        ).start()

    def on_composer_sent(self, event: Composer.Sent) -> None:
        self.sent = event.writing
        self.query_one(StatusLine).say("One moment: this is sent as soon as your memory is open.")

    @property
    def typed(self) -> Writing:
        """The text of the composer that was not sent."""
        return Writing() if self.sent.text else self.query_one(Composer).writing

    async def on_opening_screen_opening_failed(self, failed: OpeningFailed) -> None:
        """Show why the memory could not be opened and what to do."""
        self.failed, error = failed, failed.error
        self.query_one(Composer).display = False
        self.query_one(StatusLine).say("")
        lines = [error.message, _offer(failed.backup) if failed.backup else error.advice]
        keys = "r restores it · q quits" if failed.backup else "q quits"
        card = joined(
            (error.title, "bold $error"),
            *(f"\n\n{text}" for text in lines if text),
            (f"\n\n{keys}", "$text-muted"),
        )
        await self.query_one("#opening").mount(Static(card, markup=False, id="opening-card"))
        self.set_focus(None)

    def check_action(
        self,
        action: str,
        parameters: tuple[object, ...],  # noqa: ARG002 - Textual's signature
    ) -> bool | None:
        return self.failed is not None if action in ("put_back", "quit") else True

    async def action_put_back(self) -> None:
        """Replace the damaged file by the backup, and open it."""
        if self.failed and self.failed.backup:
            backup = self.failed.backup
            self.failed = None
            await self.query("#opening-card").remove()
            self.query_one(Composer).display = True
            self._open("Restoring the backup…", backup)

    def action_quit(self) -> None:
        if self.failed:
            self.app.exit(return_code=self.failed.error.exit_code)

    def _open_file(self, backup: "Copy | None") -> None:
        """Restore a given backup, open the memory and announce it; then check the whole file."""
        from memapp.services import backups

        tell = partial(self.app.call_from_thread, notify, self.app)
        try:
            aside = backups.put_back(backup.of, backup.path) if backup else None
            runtime = self._start()
        except MemappError as error:
            sound = backups.newest_sound(error.path) if isinstance(error, Damaged) else None
            self.post_message(self.OpeningFailed(error, sound))
            return
        except Exception as error:
            path = write_crash_file(error, self._crash_folder, datetime.now(UTC))
            bug = MemappError(
                f"A bug ({type(error).__name__}) kept memapp from opening.",
                f"See {path}." if path else "",
            )
            self.post_message(self.OpeningFailed(bug))
            return
        self.app.post_message(FileOpened(runtime))
        for warning in runtime.database.news:
            tell(warning, problem=True, seconds=60.0)
        if aside:
            tell(f"The damaged file is kept for 30 days: {aside}", title="Restored", seconds=60.0)
        try:
            runtime.database.check()
            if warning := news_of_syncing(runtime):
                tell(warning, problem=True, seconds=30.0)
        except MemappError as error:  # Damage is shown; nothing else can be done here.
            tell(str(error), title=error.title, problem=True, seconds=60.0)
        if runtime.database.mended:
            notice = (
                "The search index did not match your memories and was repaired. "
                "If a memory looks damaged, a backup has it whole."
            )
            tell(notice, seconds=30.0)


def _offer(backup: "Copy") -> str:
    from memapp.domain.backups import in_words
    from memapp.ui.widgets.labels import when

    now = datetime.now(UTC)
    lost = in_words(now - backup.made_at)
    kept = " The damaged file is kept beside it as it is." if backup.of.exists() else ""
    made = f"There is a sound backup of {when(backup.made_at, now)}"
    return f"{made}; what came in the {lost} since is not in it.{kept}"


def news_of_syncing(runtime: "Runtime") -> str:
    """Return a warning for a service that copies the folder of the memory, once for each folder."""
    from memapp.services import chats

    service, folder = paths.synced_by(runtime.paths.database), str(runtime.paths.database.parent)
    if not service or chats.choice(runtime, "synced folder") == folder:
        return ""
    chats.remember_choice(runtime, "synced folder", folder)
    return (
        f"{service} copies the folder of your memory, which can damage it while it is open. "
        "Keep it elsewhere."
    )
