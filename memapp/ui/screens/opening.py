"""The first screen: the same shape as Chat, there before anything is loaded. What is typed here is not lost."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message as Announcement
from textual.screen import Screen
from textual.widgets import Static

from memapp import paths
from memapp.crash import write_crash_file
from memapp.errors import Damaged, MemappError
from memapp.ui.messages import FileOpened, OpeningFailed
from memapp.ui.safe import joined, notify
from memapp.ui.widgets.composer import Composer
from memapp.ui.widgets.keyline import KeyLine
from memapp.ui.widgets.statusline import StatusLine
from memapp.ui.widgets.topbar import TopBar

if TYPE_CHECKING:
    from memapp.runtime import Runtime
    from memapp.services.backups import Copy


class OpeningScreen(Screen[None]):
    """Top line, empty conversation, composer."""

    AUTO_FOCUS = "Composer"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("r", "put_back", "Put the backup back", show=False, id="opening.put_back")]

    @dataclass
    class BackupWanted(Announcement):
        """The person wants a backup in the place of the damaged file."""

        backup: "Copy"

    def __init__(self, *, demo: bool) -> None:
        super().__init__()
        self._demo = demo
        self.sent: tuple[str, tuple[tuple[int, int], ...]] = ("", ())
        """What the person sent before there was anything to send it to, with its pasted spans."""
        self._backup: Copy | None = None

    def compose(self) -> ComposeResult:
        yield TopBar(demo=self._demo)
        yield Vertical(id="opening")
        yield StatusLine()
        yield Composer()
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one(Composer).hint("Opening your memory…")

    def on_composer_sent(self, event: Composer.Sent) -> None:
        self.sent = event.text, event.pasted
        self.query_one(StatusLine).say("One moment: this is sent as soon as your memory is open.")

    def typed(self) -> tuple[str, tuple[tuple[int, int], ...]]:
        """Return what stands in the composer, with its pasted spans."""
        composer = self.query_one(Composer)
        return composer.text, composer.pasted

    async def fail(self, error: MemappError, backup: "Copy | None") -> None:
        """Say why the memory could not be opened and what to do."""
        self._backup = backup
        self.query_one(Composer).display = False
        self.query_one(StatusLine).say("")
        said = [error.message, _offer(backup) if backup else error.advice]
        keys = "r puts it back · q quits" if backup else "q quits"
        card = joined((error.title, "bold $error"), *(f"\n\n{one}" for one in said if one), (f"\n\n{keys}", "$text-muted"))
        await self.query_one("#opening").mount(Static(card, markup=False, id="opening-card"))
        self.set_focus(None)

    async def action_put_back(self) -> None:
        """Let the backup take the place of the damaged file, and open it."""
        if self._backup is not None:
            backup, self._backup = self._backup, None
            await self.query("#opening-card").remove()
            self.query_one(Composer).display = True
            self.query_one(Composer).hint("Putting the backup back…")
            self.post_message(self.BackupWanted(backup))


def _offer(backup: "Copy") -> str:
    from memapp.domain.backups import in_words
    from memapp.ui.memories.labels import when

    now = datetime.now(UTC)
    lost = in_words(now - backup.made_at)
    return (
        f"There is a sound backup of {when(backup.made_at, now)}; what came in the {lost} since is not in it."
        f" The damaged file is kept beside it as it is."
    )


def open_file(app: App[Any], start: Callable[[], "Runtime"], crash_folder: Path, backup: "Copy | None" = None) -> None:
    """Open the file and announce it, on a thread; then read it through while the person begins. A backup is put back before."""
    try:
        aside = _put_back(backup) if backup else None
        runtime = start()
    except MemappError as error:
        app.post_message(OpeningFailed(error, _newest_sound(error)))
        return
    except Exception as error:
        path = write_crash_file(error, crash_folder, datetime.now(UTC))
        problem = MemappError(f"A bug ({type(error).__name__}) kept memapp from opening.", f"See {path}." if path else "")
        app.post_message(OpeningFailed(problem))
        return
    app.post_message(FileOpened(runtime))
    if aside:
        app.call_from_thread(notify, app, f"The damaged file is kept for 30 days: {aside}", title="Put back", seconds=60.0)
    try:
        runtime.database.check()
        if said := news_of_syncing(runtime):
            app.call_from_thread(notify, app, said, problem=True, seconds=30.0)
    except MemappError as error:  # damage is told; nothing else can be done about it here
        app.call_from_thread(notify, app, str(error), title=error.title, problem=True, seconds=60.0)
    if runtime.database.mended:
        said = "The search did not match your memories and was set right. Should one look damaged: a backup has it whole."
        app.call_from_thread(notify, app, said, seconds=30.0)


def news_of_syncing(runtime: "Runtime") -> str:
    """Warn, once for each folder, of a service that copies the folder of the memory; memapp doctor always does."""
    from memapp.services import chats

    service, folder = paths.synced_by(runtime.paths.database), str(runtime.paths.database.parent)
    if not service or chats.choice(runtime, "synced folder") == folder:
        return ""
    chats.remember_choice(runtime, "synced folder", folder)
    return f"{service} copies the folder of your memory, which can damage it while it is open. Keep it elsewhere."


def _put_back(backup: "Copy") -> Path | None:
    from memapp.services import backups

    return backups.put_back(backup.of, backup.path)


def _newest_sound(error: MemappError) -> "Copy | None":
    from memapp.services import backups

    return backups.newest_sound(error.path) if isinstance(error, Damaged) else None
