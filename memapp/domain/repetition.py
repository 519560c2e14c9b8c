"""When a reply says again what was said a moment ago."""

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

EXCHANGES = 3
"""So far back a reply must not be repeated."""
SAME = 90.0
"""Likeness in percent from which two replies say the same."""
SHORT_WORDS = 4
"""Fewer words than this are no remark of their own: "Yes." may be said twice."""


def repeated(reply: str, earlier: Sequence[str]) -> str | None:
    """Return the one of the last three replies that `reply` says again up to a few words, if any."""
    said = _words(reply)
    if len(said.split()) < SHORT_WORDS:
        return None
    likeness = {other: fuzz.ratio(said, _words(other)) for other in earlier[-EXCHANGES:]}
    closest = max(likeness, key=lambda other: likeness[other], default=None)
    return closest if closest is not None and likeness[closest] >= SAME else None


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
