"""Markdown that comes from a model: HTML is shown as text, there are no images, and no link opens by itself."""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from textual.widgets import Markdown

from memapp.domain.text import clean

_MARKS = re.compile(
    r"[*_`~|\\]|<\w|\[|https?://|www\.|&\w+;|&#"
    r"|^\s{0,3}(?:#{1,6}\s|>|[-+]\s|\d{1,9}[.)]\s|-{3,}|={3,})|^(?: {4}|\t)",
    re.MULTILINE,
)


def has_marks(text: str) -> bool:
    """Tell whether a text would look different as Markdown. Plain prose is cheaper to show as it is."""
    return bool(_MARKS.search(text))


def _parser() -> MarkdownIt:
    parser = MarkdownIt("gfm-like", {"html": False}).disable("image")
    parser.core.ruler.push("clean", _clean)
    return parser


def _clean(state: StateCore) -> None:
    """An entity such as &#x202e; becomes its character only while parsing, so the tokens are cleaned once more."""
    for token in state.tokens:
        for one in (token, *(token.children or ())):
            one.content = clean(one.content)


class ReplyMarkdown(Markdown):
    """The final form of a reply. Its text has to be `clean` already."""

    def __init__(self, text: str) -> None:
        super().__init__(text, parser_factory=_parser, open_links=False)
