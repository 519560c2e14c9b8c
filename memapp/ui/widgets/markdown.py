"""Markdown that comes from a model: HTML is shown as text, there are no images, and no link opens by itself."""

import re

from markdown_it import MarkdownIt
from textual.widgets import Markdown

_MARKS = re.compile(
    r"[*_`~|\\]|<\w|\[|https?://|www\.|&\w+;|&#"
    r"|^\s{0,3}(?:#{1,6}\s|>|[-+]\s|\d{1,9}[.)]\s|-{3,}|={3,})|^(?: {4}|\t)",
    re.MULTILINE,
)


def has_marks(text: str) -> bool:
    """Tell whether a text would look different as Markdown. Plain prose is cheaper to show as it is."""
    return bool(_MARKS.search(text))


def _parser() -> MarkdownIt:
    return MarkdownIt("gfm-like", {"html": False}).disable("image")


class ReplyMarkdown(Markdown):
    """The final form of a reply. Its text has to be `clean` already."""

    def __init__(self, text: str) -> None:
        super().__init__(text, parser_factory=_parser, open_links=False)
