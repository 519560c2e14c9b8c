"""Markdown of a model: HTML is shown as text, images are left out, and no link opens by itself."""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Markdown
from textual.widgets._markdown import MarkdownBlock, MarkdownTable, MarkdownTableCellContents

from memapp.domain.text import clean

BESIDE_A_CELL = 3
"""The cells between columns: a line and two blanks."""
_MARKS = re.compile(
    r"[*_`~|\\]|<\w|\[|https?://|www\.|&\w+;|&#"
    r"|^\s{0,3}(?:#{1,6}\s|>|[-+]\s|\d{1,9}[.)]\s|-{3,}|={3,})|^(?: {4}|\t)",
    re.MULTILINE,
)


def has_marks(text: str) -> bool:
    """Return True if a text needs Markdown; plain prose is cheaper to show."""
    return bool(_MARKS.search(text))


def _parser() -> MarkdownIt:
    parser = MarkdownIt("gfm-like", {"html": False}).disable("image")
    parser.core.ruler.push("clean", _clean)
    return parser


def _clean(state: StateCore) -> None:
    """Clean the tokens again: an entity such as &#x202e; becomes a character only in the parser."""
    for token in state.tokens:
        for child in (token, *(token.children or ())):
            child.content = clean(child.content)


class ReplyTable(MarkdownTable):
    """A table; if it is too wide, each row becomes lines of `column: cell`."""

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield MarkdownTableCellContents(
            Content("\n\n").join(map(self._line, self._rows)), classes="narrow"
        )

    def _line(self, row: list[Content]) -> Content:
        named = zip(self._headers, row, strict=False)
        return Content("  ·  ").join(
            header.stylize("bold") + Content(" ") + cell for header, cell in named if cell
        )

    def on_resize(self, event: events.Resize) -> None:
        columns = zip(self._headers, *self._rows, strict=False)
        words = (
            max(cell_len(word) for cell in column for word in ["", *cell.plain.split()])
            for column in columns
        )
        self.set_class(sum(word + BESIDE_A_CELL for word in words) >= event.size.width, "-narrow")


class ReplyMarkdown(Markdown):
    """The final form of a reply. The text has to be cleaned before."""

    def __init__(self, text: str) -> None:
        super().__init__(text, parser_factory=_parser, open_links=False)

    def get_block_class(self, block_name: str) -> type[MarkdownBlock]:
        return ReplyTable if block_name == "table_open" else super().get_block_class(block_name)
