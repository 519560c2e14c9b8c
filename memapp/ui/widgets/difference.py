"""The difference between two texts, marked by signs and colours: -words- removed, +words+ added."""

from textual.content import Content

from memapp.domain.difference import words_changed
from memapp.ui.safe_text import plain

OUT, IN = "strike $text-error", "bold $text-success"


def difference(before: str, after: str) -> Content:
    """Return both texts as one, with the differences marked."""
    pieces = [
        {
            "same": plain(piece.text),
            "out": plain(f"-{piece.text}-", OUT),
            "in": plain(f"+{piece.text}+", IN),
        }[piece.kind]
        for piece in words_changed(before, after)
    ]
    return Content(" ").join(pieces)
