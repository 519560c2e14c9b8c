"""The first line of the screen: the modes, and what this installation is doing about the network."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import Static

from memapp.ui.safe import joined


class TopBar(Static):
    """memapp, the modes (clickable), and on the right the file and whether words stay here."""

    ALLOW_SELECT = False

    @dataclass
    class ModeChosen(Message):
        mode: str

    def __init__(self, modes: Sequence[tuple[str, str]] = (), current: str = "", *, right: str = "", banner: str = "") -> None:
        super().__init__(id="topbar", markup=False)
        self._modes = modes
        self._current = current
        self._right = right
        self._banner = banner

    def on_mount(self) -> None:
        self._show()

    def on_resize(self) -> None:
        self._show()

    def say(self, right: str) -> None:
        """Change what stands on the right."""
        self._right = right
        self._show()

    def on_click(self, event: events.Click) -> None:
        mode = event.style.meta.get("mode")
        if mode and mode != self._current:
            self.post_message(self.ModeChosen(mode))

    def _show(self) -> None:
        left = joined((" memapp ", "bold $primary"), (f" {self._banner} ", "bold reverse $accent") if self._banner else "", " ")
        for mode, label in self._modes:
            link = Style.from_meta({"mode": mode})
            text = Content(f"[{label}]" if mode == self._current else f" {label} ")
            text = text.stylize("bold" if mode == self._current else "$text-muted").stylize(link)
            left = joined(left, text)
        right = joined((f"{self._right} ", "$text-muted"))
        space = self.size.width - left.cell_length - right.cell_length
        self.update(joined(left, " " * space, right) if space > 0 else left)
