"""Repetition: a reply that says again what was said a moment ago."""

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
REMARK_WORDS = 5
"""A sentence of so many words is a remark of its own, also inside of a longer reply."""
_SENTENCE = re.compile(r"[^.!?…\n]+[.!?…]*")


def repeated(reply: str, earlier: Sequence[str]) -> str | None:
    """Return what of the last three replies `reply` says again, if any: one of them for the most part, or a sentence of one."""
    said = _sentences(reply)
    if sum(len(sentence.split()) for sentence in said) < SHORT_WORDS:
        return None
    recent = earlier[-EXCHANGES:]
    shares = {other: _share_said(said, _sentences(other)) for other in recent}
    closest = max(shares, key=lambda other: shares[other], default=None)
    if closest is not None and shares[closest] >= SHARE:
        return closest
    remarks = [sentence for sentence in said if len(sentence.split()) >= REMARK_WORDS]
    before = (sentence.strip() for other in recent for sentence in _SENTENCE.findall(other))
    return next((sentence for sentence in before if any(_likeness(remark, [_plain(sentence)]) for remark in remarks)), None)


def _share_said(sentences: Sequence[str], before: Sequence[str]) -> float:
    """Return how much of the sentences, by words, was among those before; each counts by how alike it is."""
    words = sum(len(sentence.split()) for sentence in sentences)
    return sum(len(sentence.split()) * _likeness(sentence, before) / 100 for sentence in sentences) / words


def _likeness(sentence: str, before: Sequence[str]) -> float:
    """Return how alike a sentence is to the likest of others, in percent; 0 if none says the same."""
    return max((fuzz.ratio(sentence, other, score_cutoff=SAME) for other in before), default=0.0)


def _sentences(text: str) -> list[str]:
    return [plain for sentence in _SENTENCE.findall(text) if (plain := _plain(sentence))]


def _plain(sentence: str) -> str:
    """Return a sentence as lower-case words without punctuation."""
    return " ".join(re.findall(r"\w+", sentence.casefold()))
