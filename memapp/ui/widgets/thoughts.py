"""The thoughts of a model before a reply, folded into a quiet line."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from memapp.domain.text import counted
from memapp.ui.safe_text import plain
from memapp.ui.widgets.streaming_text import LiveText


class ThoughtFold(Vertical):
    """The thoughts behind a reply; they grow while the model thinks."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self.is_open = False
        self._line = Static(self._summary(), markup=False, classes="line")
        self._body = LiveText(text)
        self._body.display = False

    def compose(self) -> ComposeResult:
        yield self._line
        yield self._body

    def add(self, text: str) -> None:
        self._text += text
        self._body.add(text)
        self._line.update(self._summary(), layout=False)

    def toggle(self) -> None:
        """Unfold or fold the thoughts."""
        self.is_open = not self.is_open
        self._body.display = self.is_open
        self._line.update(self._summary(), layout=False)

    def on_click(self) -> None:
        self.toggle()

    def _summary(self) -> Content:
        words = counted(len(self._text.split()), "word")
        sign, does = ("▾", "folds") if self.is_open else ("▸", "unfolds")
        return plain(f"{sign} Thought first · {words} · z {does}")
