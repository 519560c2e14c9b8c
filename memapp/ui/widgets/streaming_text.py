"""A text that grows at its end while it is shown; only changed lines are wrapped and drawn."""

from rich.segment import Segment
from textual.content import Content
from textual.geometry import Region, Size
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget

from memapp.ui.safe_text import plain

TAB_CELLS = 8
GROWTH = 3
"""The lines added at once: a new layout of the conversation costs many times a line."""


class LiveText(Widget):
    """A reply while it streams."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self._text = ""
        self._width = 0
        self._lines: list[str] = []
        """The text, wrapped at `_width`."""
        self._last = ""
        """The last line, which may still move to the next."""
        self.add(text)

    def add(self, text: str) -> None:
        lines_before = len(self._lines)
        added = text if self._text else text.lstrip("\n")
        self._text += added
        if self._width:
            self._wrap(added)
            if self._height != self.size.height:
                self.refresh(layout=True)
            elif added:
                at = max(0, lines_before - 1)
                self.refresh(Region(0, at, self._width, len(self._lines) - at))

    def clear(self) -> None:
        self._text, self._lines, self._last = "", [], ""
        self.refresh(layout=True)

    @property
    def _height(self) -> int:
        return -(-len(self._lines) // GROWTH) * GROWTH

    def _wrap(self, added: str) -> None:
        """Wrap from the last line on: the lines above cannot change any more."""
        del self._lines[-1:]
        for line in (self._last + added).split("\n"):
            shown = line.expandtabs(TAB_CELLS)
            wrapped = [part.plain for part in plain(shown).wrap(self._width)]
            self._lines += wrapped
            self._last = shown[len(shown.rstrip()) - len(wrapped[-1].rstrip()) :]

    def get_content_height(
        self,
        container: Size,  # noqa: ARG002 - Textual's signature
        viewport: Size,  # noqa: ARG002
        width: int,
    ) -> int:
        if width != self._width:
            self._width, self._lines, self._last = width, [], ""
            self._wrap(self._text)
        return self._height

    def render_line(self, y: int) -> Strip:
        style = self.visual_style
        line = Content(self._lines[y] if y < len(self._lines) else "")
        chosen = self.text_selection.get_span(y) if self.text_selection else None
        if chosen is not None:
            start, end = chosen
            marked = Style.from_styles(self.screen.get_component_styles("screen--selection"))
            line = line.stylize(marked, start, len(line) if end == -1 else end)
        strip = Strip(
            [
                Segment(text, part_style.rich_style)
                for text, part_style in line.render(style, end="")
            ]
        )
        return strip.adjust_cell_length(self.size.width, style.rich_style).apply_offsets(0, y)

    def get_selection(self, selection: Selection) -> tuple[str, str]:
        return selection.extract("\n".join(self._lines)), "\n"
