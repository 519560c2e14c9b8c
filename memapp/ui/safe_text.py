"""The only way for data to reach a widget: text of the database, a model, a file or an exception.

Textual would pass escape sequences on to the terminal, and parse `[...]` as markup and crash on
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
"""The most lines of a toast."""

LASTING_SECONDS = 30.0
"""The duration of an important toast, which later ones do not remove."""

UNDO = "bold underline $accent"

Part = str | Content | tuple[str, str | Style]


def plain(text: str, style: str = "") -> Content:
    """Return a text without markup and without control characters for the terminal."""
    return Content.styled(clean(text), style) if style else Content(clean(text))


def row(text: str, length: int = 200, style: str = "") -> Content:
    """Return a text on one line of at most `length` characters."""
    # Cut first: a text may have 200,000 characters, a line shows a few.
    return plain(shorten(one_line(clean(text[: 4 * length])), length), style)


def joined(*parts: Part) -> Content:
    """Join texts, (text, style) pairs and contents."""
    return Content.assemble(*(_safe(part) for part in parts))


def marked(text: str, words: Iterable[str], style: str) -> Content:
    """Return a text with every occurrence of some words in `style`."""
    shown = clean(text)
    wanted = "|".join(re.escape(word) for word in words if word)
    spans = (
        [Span(*match.span(), style) for match in re.finditer(wanted, shown, re.IGNORECASE)]
        if wanted
        else []
    )
    return Content(shown, spans)


def undo_words(words: str, step: str) -> Content:
    """Return clickable words that undo a step, on any screen."""
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
    """Show a toast; with a step of the `UndoStack`, a clickable undo follows."""
    shown = plain(shorten(clean(text), 400))
    if undo:
        shown = joined(shown, "\n", undo_words("undo (ctrl+z)", undo))
    severity: SeverityLevel = "warning" if problem else "information"
    # Textual shows a Content unchanged only with markup=True.
    node.app.notify(shown, title=clean(title), severity=severity, timeout=seconds, markup=True)  # type: ignore[arg-type]


def copy(node: DOMNode, text: str) -> None:
    """Copy a text; no terminal tells whether it was copied."""
    node.app.copy_to_clipboard(text)
    notify(node, "Sent to your terminal's clipboard.")


def end_toasts(app: App[Any]) -> None:
    """Remove all toasts except the lasting ones."""
    for before in list(app._notifications):
        if before.timeout < LASTING_SECONDS:
            app._unnotify(before)


def place_toasts(screen: Screen[object]) -> None:
    """Put toasts at the bottom, above the line of keys, text fields and a notice."""
    # A search of the whole screen takes 10 ms; the next toast calls this again.
    if not screen.app._notifications:
        return
    height = screen.size.height
    fields = [
        field.region
        for field in screen.query("#status.-says, #commands, Input, TextArea")
        if field.is_on_screen
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
