"""The only way for data to reach a widget: everything from the database, a model, a file or an
exception passes here.

Textual would obey escape sequences inside a text, and would read `[...]` as markup and crash on
some of it.
"""

import re
from collections.abc import Iterable
from typing import Any

from textual.app import App
from textual.content import Content, Span
from textual.dom import DOMNode
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.style import Style

from memapp.domain.text import clean, one_line, shorten

TOAST_LINES = 7
"""So many lines at the bottom a toast may take."""

LASTING_SECONDS = 30.0
"""A toast that is to stay for so long outlives those after it."""

UNDO = "bold underline $accent"

Part = str | Content | tuple[str, str | Style]


def plain(text: str, style: str = "") -> Content:
    """Return the text as it is, without anything that could act on a terminal or count as markup."""
    return Content.styled(clean(text), style) if style else Content(clean(text))


def row(text: str, length: int = 200, style: str = "") -> Content:
    """Return the text on one line of at most `length` characters."""
    # Cut before the costly steps: a text may have 200,000 characters, a line shows a few.
    return plain(shorten(one_line(clean(text[: 4 * length])), length), style)


def joined(*parts: Part) -> Content:
    """Put texts, (text, style) pairs and finished contents together."""
    return Content.assemble(*(_safe(part) for part in parts))


def marked(text: str, words: Iterable[str], style: str) -> Content:
    """Return the text with every occurrence of the words in `style`."""
    shown = clean(text)
    wanted = "|".join(re.escape(word) for word in words if word)
    spans = (
        [Span(*match.span(), style) for match in re.finditer(wanted, shown, re.IGNORECASE)]
        if wanted
        else []
    )
    return Content(shown, spans)


def undo_words(words: str, step: str) -> Content:
    """Return words that take a step back when they are clicked, wherever they stand."""
    return Content.styled(words, UNDO).stylize(Style.from_meta({"undo": step}))


def notify(
    node: DOMNode,
    text: str,
    *,
    title: str = "",
    problem: bool = False,
    seconds: float = 5.0,
    undo: str = "",
) -> None:
    """Show a toast; one about a step that is on the `UndoStack` ends with an undo to click."""
    shown = plain(shorten(clean(text), 400))
    if undo:
        shown = joined(shown, "\n", undo_words("undo (ctrl+z)", undo))
    severity: SeverityLevel = "warning" if problem else "information"
    # Textual shows a finished Content as it is only where it would read a text as markup.
    node.app.notify(shown, title=clean(title), severity=severity, timeout=seconds, markup=True)  # type: ignore[arg-type]


def copy(node: DOMNode, text: str) -> None:
    """Copy a text, as far as the terminal lets an app do that: no terminal says whether it did."""
    node.app.copy_to_clipboard(text)
    notify(node, "Sent to your terminal's clipboard.")


def end_toasts(app: App[Any]) -> None:
    """Take away what was said but for what is to stay."""
    for before in list(app._notifications):
        if before.timeout < LASTING_SECONDS:
            app._unnotify(before)


def place_toasts(screen: Screen[object]) -> None:
    """Put toasts at the bottom, above the line of keys, any field that a person may write into, and
    news in the status line.
    """
    if (
        not screen.app._notifications
    ):  # a search of the whole screen takes 10 ms; the next toast comes with a call of this
        return
    height = screen.size.height
    fields = [
        item.region
        for item in screen.query("#status.-says, #commands, Input, TextArea")
        if item.is_on_screen
    ]
    low = [field.y for field in fields if field.height and field.bottom > height - TOAST_LINES]
    for rack in screen.query("ToastRack"):
        rack.styles.margin = (0, 0, max(1, height - min(low)) if low else 1, 0)


def _safe(part: Part) -> Content | tuple[str, str | Style]:
    if isinstance(part, Content):
        return part
    if isinstance(part, str):
        return plain(part)
    return clean(part[0]), part[1]
