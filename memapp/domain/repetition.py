"""Repetition: a reply that says again what was said a moment ago, in one before it, in its message
or in itself.
"""

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
ECHO_WORDS = 3
"""So many words that say the message again are no reply to it: "No seafood please."; a greeting may
be returned.
"""
REMARK_WORDS = 5
"""A sentence of so many words is a remark of its own, also inside of a longer reply."""
FEW_WORDS = 0.25
"""A long text of which not even so many words are different says nothing."""
LONG_WORDS = 40
_PARAGRAPH = re.compile(r"\S.*?(?=\n\s*\n|\Z)", re.DOTALL)
_SET_APART = re.compile(r"[:\n].*|[\"“„«].*?[\"”“»]", re.DOTALL)
"""Of a message: what stands behind a colon or on a further line, or in quotation marks."""
_QUOTED = re.compile(r"[\"“„«].*?[\"”“»]", re.DOTALL)
_SENTENCE = re.compile(r"[^.!?…\n]+[.!?…]*")


def repeated(reply: str, earlier: Sequence[str]) -> str | None:
    """Return what of the last three replies `reply` says again, if any: one of them for the most
    part, or a sentence of one.
    """
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
    return next(
        (
            sentence
            for sentence in before
            if any(_likeness(remark, [_plain(sentence)]) for remark in remarks)
        ),
        None,
    )


def without_echo(reply: str, message: str) -> str:
    """Return a reply without the statements that it only says again of its message; nothing if that
    is most of it.

    A text that a message sets apart, to be worked on, may be said again, and part of it in
    quotation marks or as a question.
    """
    told = _sentences(_SET_APART.sub("", message))
    said = _sentences(reply)
    if sum(len(sentence.split()) for sentence in said) < (
        1 if reply.rstrip().endswith("?") else ECHO_WORDS
    ):
        return reply
    if _share_said(said, told) >= SHARE:
        return ""
    quoted = [(found.start(), found.end()) for found in _QUOTED.finditer(reply)]
    kept, end = "", 0
    for found in _SENTENCE.finditer(reply):
        plain = _plain(found[0])
        is_quoted = any(start < found.end() and found.start() < stop for start, stop in quoted)
        is_remark = len(plain.split()) >= REMARK_WORDS and not found[0].rstrip().endswith("?")
        if plain in told and is_remark and not is_quoted:
            kept, end = kept + reply[end : found.start()], found.end()
    return (kept + reply[end:]).strip() if end else reply


def loop_start(text: str) -> int | None:
    """Return where a text begins to go round in circles: a paragraph, or a sentence in one, said
    again at once or with the next.

    A chorus comes again between new verses, and a name in a new sentence: that is no circle.
    """
    paragraphs = [(found.start(), found[0]) for found in _PARAGRAPH.finditer(text)]
    within = (
        [(start + match.start(), match[0]) for match in _SENTENCE.finditer(part)]
        for start, part in paragraphs
    )
    starts = [
        start for units in (paragraphs, *within) if (start := _said_in_a_row(units)) is not None
    ]
    return min(starts, default=None)


def is_degenerate(text: str) -> bool:
    """Say whether a text is what a model writes that has lost its thread: in a prompt it would go
    on so.
    """
    words = re.findall(r"\w+", text.casefold())
    is_poor = len(words) >= LONG_WORDS and len(set(words)) < FEW_WORDS * len(words)
    return is_poor or loop_start(text) is not None


def _said_in_a_row(units: Sequence[tuple[int, str]]) -> int | None:
    said: list[str] = []
    began: int | None = None
    for start, unit in units:
        plain = _plain(unit)
        if len(plain.split()) < REMARK_WORDS:
            continue
        if not _likeness(plain, said):
            began = None
        elif began is not None or _likeness(plain, said[-1:]):
            return start if began is None else began
        else:
            began = start
        said.append(plain)
    return None


def _share_said(sentences: Sequence[str], before: Sequence[str]) -> float:
    """Return how much of the sentences, by words, was among those before; each counts by how alike
    it is.
    """
    words = sum(len(sentence.split()) for sentence in sentences)
    return (
        sum(len(sentence.split()) * _likeness(sentence, before) / 100 for sentence in sentences)
        / words
    )


def _likeness(sentence: str, before: Sequence[str]) -> float:
    """Return how alike a sentence is to the likest of others, in percent; 0 if none says the same."""
    return max((fuzz.ratio(sentence, other, score_cutoff=SAME) for other in before), default=0.0)


def _sentences(text: str) -> list[str]:
    return [plain for sentence in _SENTENCE.findall(text) if (plain := _plain(sentence))]


def _plain(sentence: str) -> str:
    """Return a sentence as lower-case words without punctuation."""
    return " ".join(re.findall(r"\w+", sentence.casefold()))
