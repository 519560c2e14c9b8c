"""A card that shows what one change made of a memory, word by word."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from memapp.domain.history import Version
from memapp.ui.panels.memory_history import difference_of
from memapp.ui.safe import joined, plain
from memapp.ui.screens.detail import Card


class DifferenceCard(Card):
    """Two versions in one text. Its answer `jump` opens the memory."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,j", "want('jump')", "Open the memory", id="difference.jump")]

    def __init__(self, title: str, before: Version, after: Version) -> None:
        super().__init__()
        self._title, self._before, self._after = title, before, after

    def compose(self) -> ComposeResult:
        with Vertical(classes="card"):
            yield Static(joined((self._title, "bold $primary")), markup=False)
            with VerticalScroll(classes="reading"):
                yield Static(difference_of(self._before, self._after), markup=False)
            yield Static(plain("-went out-   +came in+"), markup=False, classes="muted")
            yield Static(plain("⏎ open the memory   y copy   esc close"), markup=False, classes="keys")
