"""Repetition: a reply that repeats earlier replies, its message or itself."""

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

EXCHANGES = 3
"""The number of earlier replies that must not be repeated."""
SAME = 90.0
"""Likeness in percent from which two sentences are the same."""
SHARE = 0.6
"""The repeated share from which a reply is a repetition, whatever is new."""
SHORT_WORDS = 4
"""Shorter replies are no remark of their own: "Yes." may be said twice."""
ECHO_WORDS = 3
"""The fewest words of an echo: "No seafood please." is one, a returned greeting is not."""
REMARK_WORDS = 5
"""The fewest words of a sentence that counts as a remark inside a longer reply."""
FEW_WORDS = 0.25
"""The smallest share of different words in a long text that says something."""
LONG_WORDS = 40
_PARAGRAPH = re.compile(r"\S.*?(?=\n\s*\n|\Z)", re.DOTALL)
_SET_APART = re.compile(r"[:\n].*|[\"“„«].*?[\"”“»]", re.DOTALL)
"""The quoted parts of a message: behind a colon, on further lines, in quotation marks."""
_QUOTED = re.compile(r"[\"“„«].*?[\"”“»]", re.DOTALL)
_SENTENCE = re.compile(r"[^.!?…\n]+[.!?…]*")


def repeated(reply: str, earlier: Sequence[str]) -> str | None:
    """Return the earlier text that a reply repeats: a whole reply, or a sentence of one; else None.

    Only the last three replies count.
    """
    statements = _sentences(reply)
    if sum(len(sentence.split()) for sentence in statements) < SHORT_WORDS:
        return None
    recent = earlier[-EXCHANGES:]
    shares = {other: _share_said(statements, _sentences(other)) for other in recent}
    closest = max(shares, key=lambda other: shares[other], default=None)
    if closest is not None and shares[closest] >= SHARE:
        return closest
    remarks = [sentence for sentence in statements if len(sentence.split()) >= REMARK_WORDS]
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
    """Return a reply without statements that repeat its message; empty if it mostly repeats.

    A text set apart in the message, to be worked on, may be repeated, and so may quotations and
    questions.
    """
    of_message = _sentences(_SET_APART.sub("", message))
    statements = _sentences(reply)
    if sum(len(sentence.split()) for sentence in statements) < (
        1 if reply.rstrip().endswith("?") else ECHO_WORDS
    ):
        return reply
    if _share_said(statements, of_message) >= SHARE:
        return ""
    quoted = [match.span() for match in _QUOTED.finditer(reply)]
    kept, end = "", 0
    for sentence in _SENTENCE.finditer(reply):
        plain = _plain(sentence[0])
        is_quoted = any(
            start < sentence.end() and sentence.start() < stop for start, stop in quoted
        )
        is_remark = len(plain.split()) >= REMARK_WORDS and not sentence[0].rstrip().endswith("?")
        if plain in of_message and is_remark and not is_quoted:
            kept, end = kept + reply[end : sentence.start()], sentence.end()
    return (kept + reply[end:]).strip() if end else reply


def loop_start(text: str) -> int | None:
    """Return where a text begins to loop: a paragraph or sentence repeated, at most one apart.

    A chorus returns between new verses, and a name in new sentences: those are no loops.
    """
    paragraphs = [(match.start(), match[0]) for match in _PARAGRAPH.finditer(text)]
    within = (
        [(start + match.start(), match[0]) for match in _SENTENCE.finditer(part)]
        for start, part in paragraphs
    )
    starts = [
        start for units in (paragraphs, *within) if (start := _said_in_a_row(units)) is not None
    ]
    return min(starts, default=None)


def is_degenerate(text: str) -> bool:
    """Return True for a looping or very repetitive text, which a model would continue."""
    words = re.findall(r"\w+", text.casefold())
    is_poor = len(words) >= LONG_WORDS and len(set(words)) < FEW_WORDS * len(words)
    return is_poor or loop_start(text) is not None


def _said_in_a_row(units: Sequence[tuple[int, str]]) -> int | None:
    earlier: list[str] = []
    began: int | None = None
    for start, unit in units:
        plain = _plain(unit)
        if len(plain.split()) < REMARK_WORDS:
            continue
        if not _likeness(plain, earlier):
            began = None
        elif began is not None or _likeness(plain, earlier[-1:]):
            return start if began is None else began
        else:
            began = start
        earlier.append(plain)
    return None


def _share_said(sentences: Sequence[str], before: Sequence[str]) -> float:
    """Return the share of sentences, by words and likeness, that are among earlier ones."""
    words = sum(len(sentence.split()) for sentence in sentences)
    return (
        sum(len(sentence.split()) * _likeness(sentence, before) / 100 for sentence in sentences)
        / words
    )


def _likeness(sentence: str, before: Sequence[str]) -> float:
    """Return the likeness of a sentence to the likest other, in percent; 0 if different."""
    return max((fuzz.ratio(sentence, other, score_cutoff=SAME) for other in before), default=0.0)


def _sentences(text: str) -> list[str]:
    return [plain for sentence in _SENTENCE.findall(text) if (plain := _plain(sentence))]


def _plain(sentence: str) -> str:
    """Return a sentence as lower-case words without punctuation."""
    return " ".join(re.findall(r"\w+", sentence.casefold()))
