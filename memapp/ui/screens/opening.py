"""The first screen: the same shape as Chat, there before anything is loaded. What is typed here is not lost."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Static

from memapp.errors import MemappError, StoreLocked
from memapp.ui.safe import joined
from memapp.ui.widgets.composer import Composer
from memapp.ui.widgets.keyline import KeyLine
from memapp.ui.widgets.statusline import StatusLine
from memapp.ui.widgets.topbar import TopBar


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
