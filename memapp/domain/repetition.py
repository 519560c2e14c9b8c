"""When a reply says again what was said a moment ago."""

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

EXCHANGES = 3
"""So far back a reply must not be repeated."""
SAME = 90.0
"""Likeness in percent from which two sentences say the same."""
SHARE = 0.6
"""A reply of which so much was said before is a repetition, whatever it adds."""
SHORT_WORDS = 4
"""Fewer words than this are no remark of their own: "Yes." may be said twice."""


def repeated(reply: str, earlier: Sequence[str]) -> str | None:
    """Return the one of the last three replies that `reply` says again, wholly or for the most part, if any."""
    said = _sentences(reply)
    if sum(len(sentence.split()) for sentence in said) < SHORT_WORDS:
        return None
    shares = {other: _share_said(said, _sentences(other)) for other in earlier[-EXCHANGES:]}
    closest = max(shares, key=lambda other: shares[other], default=None)
    return closest if closest is not None and shares[closest] >= SHARE else None


def _share_said(sentences: Sequence[str], before: Sequence[str]) -> float:
    """Return how much of the sentences, by words, was among those before; each counts by how alike it is."""
    words = sum(len(sentence.split()) for sentence in sentences)
    alike = 0.0
    for sentence in sentences:
        likeness = max((fuzz.ratio(sentence, other, score_cutoff=SAME) for other in before), default=0.0)
        alike += len(sentence.split()) * likeness / 100
    return alike / words


def _sentences(text: str) -> list[str]:
    """Return the sentences as lower-case words without punctuation."""
    parts = re.split(r"[.!?…\n]+", text.casefold())
    return [" ".join(words) for part in parts if (words := re.findall(r"\w+", part))]
