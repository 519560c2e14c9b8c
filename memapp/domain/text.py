"""Plain text: taking out what could act on a terminal, and cutting to length."""

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
"""What is drawn as nothing, as in words copied from a web page: with it, two words that look the
same are not.
"""
JOINERS = "\u200c\u200d"
VARIANTS = "\u180b-\u180d\u180f\ufe00-\ufe0f"
_JOINED = (
    "\u0600-\u109f\u1780-\u18af\u2190-\u2bff\ufb50-\ufdff\ufe0f\ufe70-\ufefc\U0001f000-\U0001faff"
)
"""Scripts that write a letter in another way beside a joiner; and pictures, which become one."""
_FLAG = "\U0001f3f4[\U000e0061-\U000e007a]{2,6}\U000e007f"
"""Of a part of a country, which is spelled in invisible letters."""
UNSEEN = re.compile(
    f"({_FLAG})|[{INVISIBLE}]|(?<![{_JOINED}])[{JOINERS}]+|[{JOINERS}]+(?![{_JOINED}])"
)
"""What nobody sees; a flag, which is spelled with some of it, is the first group."""


def clean(text: str) -> str:
    """Return the text without escape sequences, control characters, bidi overrides, lone
    surrogates, and what nobody sees.

    Newlines (also from CR LF) and tabs stay, and joiners where they mean something. Idempotent.
    """
    if text.isprintable() and (
        text.isascii() or not UNSEEN.search(text)
    ):  # almost always; nothing could change it
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
    """Cut to at most `length` characters, at a word if one is near, and mark the cut."""
    if len(text) <= length:
        return text
    cut = text[: length - 1]
    head, _, _ = cut.rpartition(" ")
    return (head if len(head) > length * 0.6 else cut).rstrip() + "…"


def around(text: str, place: int, length: int, lead: int) -> str:
    """Cut to `length` characters, `lead` of them before a place, and mark the cuts; a text that
    fits stays whole.
    """
    start = max(0, place - lead) if len(text) > length else 0
    cut = text[start : start + length]
    return ("…" if start else "") + cut + ("…" if start + length < len(text) else "")


def percent(part: float, whole: float) -> str:
    """Return how much of something that is: `36 %`."""
    return f"{100 * part / max(1, whole):.0f} %"


def counted(count: int, one: str, more: str = "") -> str:
    """Return a number with its noun: `1 fact`, `2 facts`; `more` is the plural of a noun that has
    not just an s.
    """
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def shortest_endings(names: Collection[str], least: int) -> dict[str, str]:
    """Return of each name the shortest ending that no other name ends or begins with, as git
    shortens its own.
    """
    from rapidfuzz.distance import Prefix

    backwards = sorted(name[::-1] for name in names)
    alike = [0, *(Prefix.similarity(*pair) for pair in pairwise(backwards)), 0]
    lengths = {
        text[::-1]: max(least, 1 + max(pair))
        for text, pair in zip(backwards, pairwise(alike), strict=False)
    }
    begun = {name[:length] for name in names for length in set(lengths.values())}
    return {
        item: item if item[-length:] in begun else item[-length:]
        for item, length in lengths.items()
    }


SLIP_LETTERS = 4
"""Shorter words are near too many others: `how` is no slip of `show`."""


def nearest(word: str, known: Iterable[str], likeness: int = 60) -> str:
    """Return the known word that is nearly the same, or none; likeness goes from 0 to 100."""
    from rapidfuzz import fuzz, process  # only what was misspelt waits for it

    found = process.extractOne(
        word, list(known), scorer=fuzz.ratio, processor=str.casefold, score_cutoff=likeness
    )
    return found[0] if found else ""


def is_slip(typed: str, meant: str) -> bool:
    """Say whether a word is another mistyped: one letter missing or too many, or two that changed
    places; not another letter.

    It needs no library: a hint in a terminal waits for it.
    """
    one, other = sorted((typed.casefold(), meant), key=len)
    at = next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one)
    )
    if len(one) == len(other):
        return (
            one != other
            and one[at : at + 2] == other[at : at + 2][::-1]
            and one[at + 2 :] == other[at + 2 :]
        )
    return len(one) >= SLIP_LETTERS and one[at:] == other[at + 1 :]


def did_you_mean(word: str, known: Iterable[str], otherwise: str) -> str:
    """Ask whether the nearest known word was meant; if none is near, say something else."""
    near = nearest(word, known)
    return f"Did you mean {near!r}?" if near else otherwise
