"""The first line of the screen: the modes, the model, and the use of the network."""

from typing import TYPE_CHECKING

from textual import events
from textual.content import Content
from textual.style import Style
from textual.widgets import Static

from memapp.ui.messages import ModeWanted
from memapp.ui.modes import MODES
from memapp.ui.safe_text import joined

if TYPE_CHECKING:  # Part of the first paint, which waits for no service.
    from memapp.ui.session import AppSession

DEMO = ("demo - nothing is saved", "demo, not saved", "demo")
"""Only the shortest fits into 80 columns beside the modes, and replaces the name."""

BADGE_CELLS = 3
"""The cells kept free for a badge."""


class TopBar(Static):
    """The name, the clickable modes, and on the right the model and the use of the network."""

    ALLOW_SELECT = False

    def __init__(
        self, session: "AppSession | None" = None, current: str = "", *, demo: bool = False
    ) -> None:
        super().__init__(id="topbar", markup=False)
        self._session = session
        """None until a memory is open: there is no mode to go to."""
        self._current = current
        self._in_demo = session.demo if session else demo
        self._right = ""
        self._kept_free = 0

    def on_mount(self) -> None:
        if self._session:
            self._session.badged.subscribe(self, lambda _: self._show())
        self._show()

    def on_resize(self) -> None:
        self._show()

    def say(self, right: str) -> None:
        self._right = right
        self._show()

    def on_click(self, event: events.Click) -> None:
        mode = event.style.meta.get("mode")
        if mode and mode != self._current:
            self.post_message(ModeWanted(mode))

    def _show(self) -> None:
        self._kept_free = max(
            0, BADGE_CELLS - sum(len(badge) + 1 for badge in self._badges.values())
        )
        forms = zip(DEMO[::2], (self._list(keys=True), self._list(keys=False)), strict=True)
        beside = len(f" memapp   {self._network} ")
        fit = (
            form
            for words, form in forms
            if self._room(beside + len(words) * self._in_demo + form.cell_length) >= 0
        )
        modes = next(fit, None)
        edge = "" if modes is None else " "
        modes = modes or self._list(keys=False, close=True)
        head = self._head(modes.cell_length, edge)
        right = (
            self._fitting(self._room(head.cell_length + modes.cell_length + len(edge)) - 1) + edge
        )
        space = self.size.width - head.cell_length - modes.cell_length - len(right)
        self.update(
            self._with_current(joined(head, modes, " " * max(0, space), (right, "$text-muted"))),
            layout=False,
        )

    def _with_current(self, line: Content) -> Content:
        """Return the line, cut at its start so that the current mode is visible."""
        hidden = line.plain.find("]") + 1 - self.size.width
        return line if hidden <= 0 else joined(("…", "$text-muted"), line[hidden + 1 :])

    @property
    def _badges(self) -> dict[str, str]:
        return self._session.badges if self._session else {}

    def _room(self, taken: int) -> int:
        """Return the free cells, with room for a badge, so that nothing moves when one appears."""
        return self.size.width - taken - self._kept_free

    def _list(self, *, keys: bool, close: bool = False) -> Content:
        badges, modes = self._badges, Content("")
        for mode in MODES if self._session else ():
            badge = (f" {badges[mode.name]}" if mode.name in badges else "", "bold $accent")
            sides = "[]" if mode.name == self._current else ("", "") if close else "  "
            colour = "bold" if mode.name == self._current else "$text-muted"
            key = (f" {mode.key}" if keys else "", "$text-muted")
            text = joined(key, (f"{sides[0]}{mode.label}", colour), badge, (sides[1], colour))
            modes = joined(
                modes, " " if close else "", text.stylize(Style.from_meta({"mode": mode.name}))
            )
        return modes

    def _head(self, modes: int, edge: str) -> Content:
        """Return the name, and the words that mark a demo.

        If both do not fit, the name is left out, also in favour of the network.
        """
        name = joined((f" memapp{edge}", "bold $primary"))
        room = self._room(name.cell_length + modes)
        if not self._in_demo:
            return name if not self._right or self._fitting(room - 1) else Content("")
        words = next((text for text in DEMO if len(text) + 2 <= room), "")
        return joined(name if words else "", (f" {words or DEMO[-1]} ", "bold reverse $accent"))

    @property
    def _network(self) -> str:
        return self._right.rpartition(" · ")[2]

    def _fitting(self, space: int) -> str:
        """Return the right side, or the part that fits; the network is left out last."""
        shorter = (self._right, self._network, self._right.partition(":")[0])
        return next((text for text in shorter if len(text) <= space), "")
