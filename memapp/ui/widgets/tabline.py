"""A line with the names of tabs, of which one is open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import Static

from memapp.ui.safe_text import joined


class TabLine(Static):
    """The names of tabs, clickable, each perhaps with a number."""

    ALLOW_SELECT = False

    @dataclass
    class Chosen(Message):
        tab: str

    def __init__(self, tabs: Sequence[tuple[str, str]]) -> None:
        super().__init__(markup=False, classes="tabline")
        self._tabs = tabs

    def show(self, current: str, counts: Mapping[str, int], note: str = "") -> None:
        """Mark the open tab, with a note behind all names."""
        line = Content("")
        for tab, label in self._tabs:
            words = f"{label} {counts[tab]}" if counts.get(tab) else label
            text = Content(f"[{words}]" if tab == current else f" {words} ")
            style = "bold $primary" if tab == current else "$text-muted"
            line = joined(line, text.stylize(style).stylize(Style.from_meta({"tab": tab})), " ")
        self.update(joined(line, ("  " + note, "$text-muted")) if note else line, layout=False)

    def on_click(self, event: events.Click) -> None:
        if tab := event.style.meta.get("tab"):
            self.post_message(self.Chosen(tab))
