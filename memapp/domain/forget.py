"""Erasing for good: the texts to find, the forms of a text in a file, and the receipt."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memapp.domain.text import INVISIBLE, JOINERS, VARIANTS, counted
from memapp.domain.unspaced_scripts import SIGN

ERASED = "[erased]"
"""The replacement for an erased text."""
LONG_ENOUGH, SIGNS_BYTES = 8, 6
"""A shorter text may be part of other words: in the bytes of a file it counts only where it stands
alone. In a script without spaces it counts everywhere from so many bytes on.
"""
FEW = 20
"""Up to so many texts are found faster one by one than by their words."""
FEW_PIECES = 400
"""The same for pieces of texts in bytes."""
NAMED = 5
"""The most other memories named in a receipt, newest first; the rest are counted."""
WINDOW = 120
"""A longer text is searched in pieces, since a file may split it."""

_WORD = re.compile(r"\w+")
_PART = re.compile(rf"{SIGN}|(?:(?!{SIGN})[^\W\d_])+|\d+")
"""The visible parts of a word, as in `x_oslo_2`; each letter in a script without spaces."""
_IGNORED = re.compile(f"[{INVISIBLE}{JOINERS}{VARIANTS}]")
_ESCAPED = re.compile(r"\\+[bfnrt\"/]")
_BYTE_WORD = re.compile(rb"[a-z0-9]{3,}")
_INNER_WORD = re.compile(rb"(?<= )[a-z0-9]{3,}(?= )")
_ALONE = rb"(?<![0-9a-z\x80-\xff])%s(?![0-9a-z\x80-\xff])"

Forms = tuple[bytes, ...]
"""One encoding of a text in a file, in pieces; ASCII letters in lower case."""


class Needles:
    """Texts to find in others by their sequence of words, whatever the case and punctuation."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._wordless: list[str] = []
        self._by_word: dict[str, list[tuple[list[str], int, list[str]]]] = {}
        for text in texts:
            folded = _folded(text)
            if parts := _PART.findall(folded):
                rarest = max(parts, key=len)
                self._by_word.setdefault(rarest, []).append(
                    (parts, parts.index(rarest), _WORD.findall(folded))
                )
            elif text.strip():
                self._wordless.append(text.strip())

    def held_by(self, text: str | None) -> bool:
        """Return True if a text, or the JSON of a text, contains any of the needles."""
        if not text:
            return False
        if self._wordless and any(word in text for word in self._wordless):
            return True
        if len(self._by_word) <= FEW and not self._may_be_in(_folded(text)):
            return False
        folded = _folded(_ESCAPED.sub(" ", text))
        parts = _PART.findall(folded)
        return any(
            parts[at - place : at - place + len(wanted)] == wanted
            and all(word in folded for word in whole)
            for at, part in enumerate(parts)
            for wanted, place, whole in self._by_word.get(part, ())
            if at >= place
        )

    def _may_be_in(self, folded: str) -> bool:
        """Return True if a text has all the words of a needle; a fast check that mostly fails."""
        # Plain loops: every text in the file goes through here.
        for rarest, needles in self._by_word.items():
            if rarest in folded:
                for wanted, *_ in needles:
                    if all(map(folded.__contains__, wanted)):
                        return True
        return False


def byte_forms(text: str) -> set[Forms]:
    """Return the forms of a text in a file: UTF-8, UTF-16, JSON; composed or not, in any case."""
    forms = [
        unicodedata.normalize(kind, word)
        for kind in ("NFC", "NFD")
        for word in (text, text.lower(), text.upper())
    ]
    written = {
        text
        for form in forms
        for text in (form, json.dumps(form)[1:-1], json.dumps(form, ensure_ascii=False)[1:-1])
    }
    pieces = [
        [text[at : at + WINDOW] for at in range(0, max(1, len(text) - WINDOW // 2), WINDOW)]
        for text in written
    ]
    # Without its outer zero byte, ASCII is the same in both orders of UTF-16 and is not counted
    # twice.
    return {
        tuple(piece.lower() for piece in encoded)
        for group in pieces
        for encoded in (
            [piece.encode() for piece in group],
            [piece.encode("utf-16-le")[:-1] for piece in group],
            [piece.encode("utf-16-be")[1:] for piece in group],
        )
    }


class ByteNeedles:
    """Texts to count in the bytes of files.

    With many texts, an inner word of each piece tells whether a chunk is worth searching.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._forms: list[Forms] = []
        short: dict[bytes, bool] = {}
        for text in dict.fromkeys(texts):
            if text.strip():
                forms = byte_forms(text)
                self._forms += forms
                is_short = len(text) < LONG_ENOUGH
                least = SIGNS_BYTES if re.search(SIGN, text) else WINDOW
                short.update(
                    (piece, is_short and len(piece) < least) for form in forms for piece in form
                )
        self._overlap = max(map(len, short), default=0)
        self._by_word: dict[bytes, list[tuple[bytes, bool]]] = {}
        for piece, is_short in short.items():
            word = _inner_word(piece) if len(short) > FEW_PIECES else b""
            self._by_word.setdefault(word, []).append((piece, is_short))
        self._everywhere = self._by_word.pop(b"", [])

    def count(self, chunks: Iterable[bytes]) -> int:
        """Return how often the texts occur in a file read in chunks."""
        counts: Counter[bytes] = Counter()
        for chunk, seen in _overlapping(chunks, self._overlap):
            for piece, short in self._worth_looking_for(chunk):
                if piece in chunk:
                    counts[piece] += _count(chunk, piece, seen, short=short)
        return sum(max(counts[piece] for piece in form) for form in self._forms)

    def _worth_looking_for(self, chunk: bytes) -> Iterator[tuple[bytes, bool]]:
        yield from self._everywhere
        if self._by_word:
            utf16_words = _BYTE_WORD.findall(chunk.replace(b"\0", b""))
            words = {*_BYTE_WORD.findall(chunk), *utf16_words}
            for word in words & self._by_word.keys():
                yield from self._by_word[word]


@dataclass(frozen=True, slots=True)
class Preview:
    """The counts of an erasure before it is confirmed."""

    memories: int
    messages: int
    others: int
    """Titles, drafts, context cards, predictions, requests, profile fields, earlier versions."""
    backups: int
    """Backups that contain the text too, or cannot be searched."""
    profile: tuple[str, ...] = ()
    """The profile's values among the others: `Health: migraine`."""

    def __bool__(self) -> bool:
        return bool(self.memories or self.messages or self.others or self.backups)

    def __str__(self) -> str:
        items = self.memories + self.messages + self.others
        text = (
            f"{counted(items, 'item')}: {counted(self.memories, 'memory', 'memories')}, "
            f"{counted(self.messages, 'message')} and "
            f"{counted(self.others, 'other entry', 'other entries')} "
            "(titles, predictions, requests, earlier versions)"
        )
        text += f"; from your profile {', '.join(self.profile)}" if self.profile else ""
        return text + (f"; in {counted(self.backups, 'backup')} too" if self.backups else "")


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was erased, and the result of scanning the files afterwards."""

    memories: int
    messages: int
    others: int
    backups_cleaned: int
    backups_dropped: int
    """Backups that could not be cleaned: damaged, or of another version of memapp."""
    files: int
    left: tuple[tuple[str, int], ...]
    """Names of files that still contain the text, with the number of occurrences."""
    settled: bool = True
    """False if another program was reading the file: the rest is done at the next start."""
    also_in: tuple[str, ...] = ()
    """Ids of other memories whose text, now or before a change, contains an erased one."""
    in_profile: tuple[str, ...] = ()
    """Values of the profile that the erased memories stated too: `Health: epilepsy`."""
    left_out: int = 0
    """Memories that were not erased, as they had been restored from the trash."""
    by_words: bool = False
    """True if whole words were erased: the occurrences left are inside longer words."""
    barred: tuple[str, ...] = ()
    """Names of unreadable files and folders, and of backups neither cleaned nor deleted."""

    @property
    def is_proof(self) -> bool:
        """Return True if every file was scanned, and no occurrence is left."""
        return not (self.left or self.barred)

    def __str__(self) -> str:
        items = self.memories + self.messages + self.others
        copies = sum(count for _, count in self.left)
        cleaned = counted(self.backups_cleaned, "copy", "copies")
        text = f"{counted(items, 'item')} erased, {cleaned} in backups cleaned"
        if self.backups_dropped:
            text += f", {counted(self.backups_dropped, 'backup')} removed"
        text += (
            f", {counted(copies, 'copy', 'copies')} left in {counted(self.files, 'file')} scanned"
        )
        if self.left:
            text += f" ({', '.join(name for name, _ in self.left)})"
        text += "." if self.settled else "; the rest is done at the next start."
        if self.left_out:
            memories = counted(self.left_out, "memory", "memories")
            text += f" Left as they are: {memories} no longer in the trash."
        if self.barred:
            text += (
                f" Not looked into, or not changed: {', '.join(self.barred)}. "
                "It may still stand there: let memapp write there, "
                "and `memapp forget WORDS` once more."
            )
        if any(name not in self.barred for name, _ in self.left):
            inside = (
                " What is left stands inside longer words, which were not meant: "
                "`memapp forget` them by name."
            )
            elsewhere = " In messages or elsewhere `memapp forget WORDS` erases them too."
            text += inside if self.by_words and self.settled else elsewhere
        if self.also_in:
            others = counted(len(self.also_in), "other memory", "other memories")
            named = " ".join(self.also_in[:NAMED]) + (" …" if len(self.also_in) > NAMED else ".")
            text += f" Their words also stand in {others}, now or as they were before: {named}"
        if self.in_profile:
            text += f" Your profile still says: {', '.join(self.in_profile)}."
        return text


def _folded(text: str) -> str:
    return (
        text.lower()
        if text.isascii()
        else _IGNORED.sub("", unicodedata.normalize("NFKC", text).casefold())
    )


def _inner_word(piece: bytes) -> bytes:
    """Return the longest word with a space on either side, so that it is whole in any file."""
    return max(_INNER_WORD.findall(piece.replace(b"\0", b"")), key=len, default=b"")


def _overlapping(chunks: Iterable[bytes], overlap: int) -> Iterator[tuple[bytes, int]]:
    """Yield each chunk in lower case, behind the end of the last, and the repeated length."""
    tail = b""
    for chunk in chunks:
        whole = tail + chunk.lower()
        yield whole, len(tail)
        tail = whole[max(0, len(whole) - overlap) :]


def _count(chunk: bytes, piece: bytes, seen: int, *, short: bool) -> int:
    """Count a piece in a chunk, without occurrences wholly in the repeated bytes."""
    pattern = _ALONE % re.escape(piece) if short else re.escape(piece)
    return sum(1 for match in re.finditer(pattern, chunk) if match.end() > seen)
