"""The first screen: the same shape as Chat, there before anything is loaded. What is typed here is not lost."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Static

from memapp.errors import MemappError, StoreLocked
from memapp.ui.announce import Opened, OpeningFailed
from memapp.ui.crash import write_crash_file
from memapp.ui.safe import joined, notify
from memapp.ui.widgets.composer import Composer
from memapp.ui.widgets.keyline import KeyLine
from memapp.ui.widgets.statusline import StatusLine
from memapp.ui.widgets.topbar import TopBar

if TYPE_CHECKING:
    from memapp.runtime import Runtime
    from memapp.ui.app import MemappApp


class OpeningScreen(Screen[None]):
    """Top line, empty conversation, composer."""

    AUTO_FOCUS = "Composer"

    def __init__(self) -> None:
        super().__init__()
        self.sent: tuple[str, tuple[tuple[int, int], ...]] = ("", ())
        """What the person sent before there was anything to send it to, with its pasted spans."""

    def compose(self) -> ComposeResult:
        yield TopBar()
        yield Vertical(id="opening")
        yield StatusLine()
        yield Composer(id="composer")
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

    async def fail(self, error: MemappError) -> None:
        """Say why the memory could not be opened and what to do."""
        self.query_one(Composer).display = False
        self.query_one(StatusLine).say("")
        advice = error.advice or ("Close it there, then start memapp again." if isinstance(error, StoreLocked) else "")
        card = joined(
            (error.title, "bold $error"), "\n\n", error.message, "\n\n" if advice else "", advice, ("\n\nq quits", "$text-muted")
        )
        await self.query_one("#opening").mount(Static(card, markup=False, id="opening-card"))
        self.set_focus(None)


def open_file(app: "MemappApp", start: Callable[[], "Runtime"], crash_folder: Path) -> None:
    """Open the file and announce it, on a thread; then read it through while the person begins."""
    try:
        runtime = start()
        # Imported here so that no later key waits for it.
        from memapp.ui import modes
        from memapp.ui.screens import chat  # noqa: F401

        modes.screens()
    except MemappError as error:
        app.post_message(OpeningFailed(error))
        return
    except Exception as error:
        path = write_crash_file(error, crash_folder, datetime.now(UTC))
        problem = MemappError(f"A bug ({type(error).__name__}) kept memapp from opening.", f"See {path}." if path else "")
        app.post_message(OpeningFailed(problem))
        return
    app.post_message(Opened(runtime))
    try:
        runtime.database.check()
    except MemappError as error:  # damage is told; nothing else can be done about it here
        app.call_from_thread(notify, app, str(error), title=error.title, problem=True, seconds=60.0)
