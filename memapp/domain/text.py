"""Plain text: removing characters that could act on a terminal, and cutting to length."""

import re
from collections.abc import Collection, Iterable
from itertools import pairwise

_ESCAPES = re.compile(
    # A sequence is taken out whole only if it ends; of one that does not, the control character
    # alone goes and the rest stays as harmless text, so that nothing a person pasted is lost.
    r"(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]{0,1000}(?:\x07|\x1b\\|\x9c)"  # OSC: title, clipboard, links
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c\n]{0,1000}(?:\x1b\\|\x9c)"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]"  # CSI: colours, cursor
    r"|\x1b[@-Z\\-_]"
)
UNWANTED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls but tab and newline
    # bidi overrides: they show text in another order than it is
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"  # lone surrogates cannot be stored; noncharacters
)
"""Characters that act on a terminal or cannot be stored."""
INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufff8"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Invisible characters, as in text copied from a web page: with them, words that look the same
differ.
"""
JOINERS = "\u200c\u200d"
VARIANTS = "\u180b-\u180d\u180f\ufe00-\ufe0f"
_JOINED = (
    "\u0600-\u109f\u1780-\u18af\u2190-\u2bff\ufb50-\ufdff\ufe0f\ufe70-\ufefc\U0001f000-\U0001faff"
)
"""Scripts in which joiners change a letter, and emoji, which they combine."""
_FLAG = "\U0001f3f4[\U000e0061-\U000e007a]{2,6}\U000e007f"
"""The flag of a region, spelled in invisible letters."""
UNSEEN = re.compile(
    f"({_FLAG})|[{INVISIBLE}]|(?<![{_JOINED}])[{JOINERS}]+|[{JOINERS}]+(?![{_JOINED}])"
)
"""Invisible text; a flag, spelled with some of it, is the first group."""


def clean(text: str) -> str:
    """Return a text without control and invisible characters, escape sequences and lone surrogates.

    Newlines (also from CR LF) and tabs stay, and joiners where they have a meaning. Idempotent.
    """
    # Almost always: nothing to change.
    if text.isprintable() and (text.isascii() or not UNSEEN.search(text)):
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    previous = None
    while previous != text:  # taking one sequence out may join the halves of another
        previous = text
        text = UNSEEN.sub(r"\1", UNWANTED.sub("", _ESCAPES.sub("", text)))
    return text


def one_line(text: str) -> str:
    """Return the text with every run of white space as one space."""
    return " ".join(text.split())


def shorten(text: str, length: int) -> str:
    """Return a text cut to `length` characters, at a word if one is near, with the cut marked."""
    if len(text) <= length:
        return text
    cut = text[: length - 1]
    head, _, _ = cut.rpartition(" ")
    return (head if len(head) > length * 0.6 else cut).rstrip() + "…"


def around(text: str, place: int, length: int, lead: int) -> str:
    """Return `length` characters of a text, `lead` of them before a place, with cuts marked."""
    start = max(0, place - lead) if len(text) > length else 0
    cut = text[start : start + length]
    return ("…" if start else "") + cut + ("…" if start + length < len(text) else "")


def percent(part: float, whole: float) -> str:
    """Return a part as a percentage: `36 %`."""
    return f"{100 * part / max(1, whole):.0f} %"


def counted(count: int, noun: str, more: str = "") -> str:
    """Return a number with its noun: `1 fact`, `2 facts`; `more` is an irregular plural."""
    return f"{count:,} {noun if count == 1 else more or noun + 's'}"


def shortest_endings(names: Collection[str], least: int) -> dict[str, str]:
    """Return the shortest unique ending of each name, as git shortens its hashes."""
    from rapidfuzz.distance import Prefix

    backwards = sorted(name[::-1] for name in names)
    alike = [0, *(Prefix.similarity(*pair) for pair in pairwise(backwards)), 0]
    lengths = {
        name[::-1]: max(least, 1 + max(both_sides))
        for name, both_sides in zip(backwards, pairwise(alike), strict=False)
    }
    begun = {name[:length] for name in names for length in set(lengths.values())}
    return {
        name: name if name[-length:] in begun else name[-length:]
        for name, length in lengths.items()
    }


SLIP_LETTERS = 4
"""Shorter words are near too many others: `how` is no slip of `show`."""


def nearest(word: str, known: Iterable[str], likeness: int = 60) -> str:
    """Return the nearest known word within a likeness of 0 to 100, or nothing."""
    from rapidfuzz import fuzz, process  # only a misspelt word waits for the import

    match = process.extractOne(
        word, list(known), scorer=fuzz.ratio, processor=str.casefold, score_cutoff=likeness
    )
    return match[0] if match else ""


def is_slip(typed: str, meant: str) -> bool:
    """Return True for a typo: one letter missing or added, or two swapped, but none replaced.

    No library is needed, as a hint in a terminal waits for the result.
    """
    shorter, longer = sorted((typed.casefold(), meant), key=len)
    at = next(
        (place for place, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b),
        len(shorter),
    )
    if len(shorter) == len(longer):
        return (
            shorter != longer
            and shorter[at : at + 2] == longer[at : at + 2][::-1]
            and shorter[at + 2 :] == longer[at + 2 :]
        )
    return len(shorter) >= SLIP_LETTERS and shorter[at:] == longer[at + 1 :]


def did_you_mean(word: str, known: Iterable[str], otherwise: str) -> str:
    """Return the question whether the nearest known word was meant, or other advice."""
    near = nearest(word, known)
    return f"Did you mean {near!r}?" if near else otherwise
