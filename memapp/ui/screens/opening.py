"""The first screen: the same shape as Chat, there before anything is loaded. What is typed here is
not lost.
"""

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
from memapp.ui.pasted import Writing
from memapp.ui.safe import joined, notify
from memapp.ui.screens.styled import StyledScreen
from memapp.ui.widgets.composer import Composer
from memapp.ui.widgets.keyline import KeyLine
from memapp.ui.widgets.statusline import StatusLine
from memapp.ui.widgets.topbar import TopBar

if TYPE_CHECKING:
    from memapp.runtime import Runtime
    from memapp.services.backups import Copy


class OpeningScreen(StyledScreen):
    """Top line, empty conversation, composer."""

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
        """What can take the place of a damaged file."""

    def __init__(self, start: Callable[[], "Runtime"], crash_folder: Path, *, demo: bool) -> None:
        super().__init__()
        self._start, self._crash_folder, self._demo = start, crash_folder, demo
        self.sent = Writing()
        """What the person sent before there was anything to send it to, with its pasted spans."""
        self.failed: OpeningScreen.OpeningFailed | None = None

    def compose(self) -> ComposeResult:
        yield TopBar(demo=self._demo)
        yield Vertical(id="opening")
        yield StatusLine()
        yield Composer()
        yield KeyLine()

    def on_mount(self) -> None:
        # After the first paint: reading settings, opening the file, importing the rest of the
        # screen.
        self.call_after_refresh(self._open, "Opening your memory…")

    def _open(self, hint: str, backup: "Copy | None" = None) -> None:
        """Open the memory on a thread, after a backup was put in its place if one is given."""
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
        """What stands in the composer; nothing if that was sent."""
        return Writing() if self.sent.text else self.query_one(Composer).writing

    async def on_opening_screen_opening_failed(self, failed: OpeningFailed) -> None:
        """Say why the memory could not be opened and what to do."""
        self.failed, error = failed, failed.error
        self.query_one(Composer).display = False
        self.query_one(StatusLine).say("")
        said = [error.message, _offer(failed.backup) if failed.backup else error.advice]
        keys = "r puts it back · q quits" if failed.backup else "q quits"
        card = joined(
            (error.title, "bold $error"),
            *(f"\n\n{text}" for text in said if text),
            (f"\n\n{keys}", "$text-muted"),
        )
        await self.query_one("#opening").mount(Static(card, markup=False, id="opening-card"))
        self.set_focus(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002  # Textual's signature
        return self.failed is not None if action in ("put_back", "quit") else True

    async def action_put_back(self) -> None:
        """Let the backup take the place of the damaged file, and open it."""
        if self.failed and self.failed.backup:
            backup = self.failed.backup
            self.failed = None
            await self.query("#opening-card").remove()
            self.query_one(Composer).display = True
            self._open("Putting the backup back…", backup)

    def action_quit(self) -> None:
        if self.failed:
            self.app.exit(return_code=self.failed.error.exit_code)

    def _open_file(self, backup: "Copy | None") -> None:
        """Put the backup back, open the file and announce it, on a thread; then read it through
        while the person begins.
        """
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
        for said in runtime.database.news:
            tell(said, problem=True, seconds=60.0)
        if aside:
            tell(f"The damaged file is kept for 30 days: {aside}", title="Put back", seconds=60.0)
        try:
            runtime.database.check()
            if said := news_of_syncing(runtime):
                tell(said, problem=True, seconds=30.0)
        except MemappError as error:  # damage is told; nothing else can be done about it here
            tell(str(error), title=error.title, problem=True, seconds=60.0)
        if runtime.database.mended:
            said = "The search did not match your memories and was set right. Should one look damaged: a backup has it whole."
            tell(said, seconds=30.0)


def _offer(backup: "Copy") -> str:
    from memapp.domain.backups import in_words
    from memapp.ui.widgets.labels import when

    now = datetime.now(UTC)
    lost = in_words(now - backup.made_at)
    kept = " The damaged file is kept beside it as it is." if backup.of.exists() else ""
    return f"There is a sound backup of {when(backup.made_at, now)}; what came in the {lost} since is not in it.{kept}"


def news_of_syncing(runtime: "Runtime") -> str:
    """Warn, once for each folder, of a service that copies the folder of the memory; memapp doctor
    always does.
    """
    from memapp.services import chats

    service, folder = paths.synced_by(runtime.paths.database), str(runtime.paths.database.parent)
    if not service or chats.choice(runtime, "synced folder") == folder:
        return ""
    chats.remember_choice(runtime, "synced folder", folder)
    return f"{service} copies the folder of your memory, which can damage it while it is open. Keep it elsewhere."
