"""Forgetting for good: which texts are looked for, how they may stand in a file, and what is said
about it afterwards.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memapp.domain.text import INVISIBLE, JOINERS, VARIANTS, counted
from memapp.domain.unspaced import SIGN

ERASED = "[erased]"
"""Stands in place of a text that was erased."""
LONG_ENOUGH, SIGNS_BYTES = 8, 6
"""A shorter text may well be a part of other words: in the bytes of a file it counts only where it
stands alone. In a script that sets no spaces it counts everywhere, from so many bytes on.
"""
FEW = 20
"""So many texts are looked for one by one more quickly than by their words."""
FEW_PIECES = 400
"""The same of pieces of texts in bytes."""
NAMED = 5
"""So many other memories are named in a receipt, the newest; of the rest it says how many there
are.
"""
WINDOW = 120
"""A longer text is looked for in pieces, since a file may hold it in several places."""

_WORD = re.compile(r"\w+")
_PART = re.compile(rf"{SIGN}|(?:(?!{SIGN})[^\W\d_])+|\d+")
"""Of a word: what the eye tells apart in `x_oslo_2`; each letter of a script that sets no space
between words.
"""
_IGNORED = re.compile(f"[{INVISIBLE}{JOINERS}{VARIANTS}]")
_ESCAPED = re.compile(r"\\+[bfnrt\"/]")
_BYTE_WORD = re.compile(rb"[a-z0-9]{3,}")
_INNER_WORD = re.compile(rb"(?<= )[a-z0-9]{3,}(?= )")
_ALONE = rb"(?<![0-9a-z\x80-\xff])%s(?![0-9a-z\x80-\xff])"

Forms = tuple[bytes, ...]
"""One way in which a text may stand in a file, in pieces; lower case as far as ASCII goes."""


class Needles:
    """Texts to be found in other texts: the same words one after the other, whatever their case and
    punctuation.
    """

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
        """Tell whether a text, or the JSON of one, holds any of them."""
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
        """Tell whether a text has all the words of any; quicker than to split it into words, and
        most hold none of a few.
        """
        for (
            rarest,
            some,
        ) in (
            self._by_word.items()
        ):  # plain loops: everything that was ever written goes through here
            if rarest in folded:
                for wanted, *_ in some:
                    if all(map(folded.__contains__, wanted)):
                        return True
        return False


def byte_forms(text: str) -> set[Forms]:
    """Return how a text may stand in a file: UTF-8, UTF-16, escaped as JSON; composed and
    decomposed, in any case.
    """
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
    """Texts to be counted in the bytes of files.

    If there is much to look for, one of its inner words says where it is worth looking for a piece.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._forms: list[Forms] = []
        short: dict[bytes, bool] = {}
        for text in dict.fromkeys(texts):
            if text.strip():
                forms = byte_forms(text)
                self._forms += forms
                is_short, least = (
                    len(text) < LONG_ENOUGH,
                    SIGNS_BYTES if re.search(SIGN, text) else WINDOW,
                )
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
        """Return how often the texts stand in a file that is read in chunks."""
        found: Counter[bytes] = Counter()
        for chunk, seen in _overlapping(chunks, self._overlap):
            for piece, short in self._worth_looking_for(chunk):
                if piece in chunk:
                    found[piece] += _count(chunk, piece, seen, short=short)
        return sum(max(found[piece] for piece in form) for form in self._forms)

    def _worth_looking_for(self, chunk: bytes) -> Iterator[tuple[bytes, bool]]:
        yield from self._everywhere
        if self._by_word:
            words = {
                *_BYTE_WORD.findall(chunk),
                *_BYTE_WORD.findall(chunk.replace(b"\0", b"")),
            }  # the second for UTF-16
            for word in words & self._by_word.keys():
                yield from self._by_word[word]


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be erased."""

    memories: int
    messages: int
    others: int
    """Titles, drafts, context cards, expectations, consent requests, fields of the profile, earlier
    versions.
    """
    backups: int
    """Copies of the file that hold it too, or cannot be looked into."""
    profile: tuple[str, ...] = ()
    """What of the others the profile says by now: `Health: migraine`."""

    def __bool__(self) -> bool:
        return bool(self.memories or self.messages or self.others or self.backups)

    def __str__(self) -> str:
        memories, messages = (
            counted(self.memories, "memory", "memories"),
            counted(self.messages, "message"),
        )
        others = f"{counted(self.others, 'other entry', 'other entries')} (titles, guesses, requests, earlier versions)"
        said = f"{counted(self.memories + self.messages + self.others, 'item')}: {memories}, {messages} and {others}"
        said += f"; from your profile {', '.join(self.profile)}" if self.profile else ""
        return said + (f"; in {counted(self.backups, 'backup')} too" if self.backups else "")


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was erased, and what a scan of the files found afterwards."""

    memories: int
    messages: int
    others: int
    backups_cleaned: int
    backups_dropped: int
    """Copies that could not be cleaned: of another version of memapp, or damaged."""
    files: int
    left: tuple[tuple[str, int], ...]
    """Names of files in which it still stands, with how often."""
    settled: bool = True
    """False when another program was reading the file: the rest is done at the next start."""
    also_in: tuple[str, ...] = ()
    """Ids of other memories that hold the words of the erased ones among theirs, or held them
    before they were changed.
    """
    in_profile: tuple[str, ...] = ()
    """What the profile says and the erased memories said too: `Health: epilepsy`."""
    left_out: int = 0
    """Memories that were meant and stayed, since they are out of the trash again."""
    by_words: bool = False
    """Whether words were erased wherever they stood by themselves: what is left stands inside
    longer ones.
    """
    barred: tuple[str, ...] = ()
    """Names of files and folders that could not be read, or copies that could be neither cleaned
    nor deleted.
    """

    @property
    def is_proof(self) -> bool:
        """Say whether everything was looked into, and nothing is left."""
        return not (self.left or self.barred)

    def __str__(self) -> str:
        items = self.memories + self.messages + self.others
        copies = sum(count for _, count in self.left)
        said = f"{counted(items, 'item')} erased, {counted(self.backups_cleaned, 'copy', 'copies')} in backups cleaned"
        if self.backups_dropped:
            said += f", {counted(self.backups_dropped, 'backup')} removed"
        said += (
            f", {counted(copies, 'copy', 'copies')} left in {counted(self.files, 'file')} scanned"
        )
        if self.left:
            said += f" ({', '.join(name for name, _ in self.left)})"
        said += "." if self.settled else "; the rest is done at the next start."
        if self.left_out:
            said += f" Left as they are: {counted(self.left_out, 'memory', 'memories')} no longer in the trash."
        if self.barred:
            said += f" Not looked into, or not changed: {', '.join(self.barred)}. It may still stand there:"
            said += " let memapp write there, and `memapp forget WORDS` once more."
        if any(name not in self.barred for name, _ in self.left):
            inside = " What is left stands inside longer words, which were not meant: `memapp forget` them by name."
            elsewhere = " In messages or elsewhere `memapp forget WORDS` erases them too."
            said += inside if self.by_words and self.settled else elsewhere
        if self.also_in:
            others = counted(len(self.also_in), "other memory", "other memories")
            named = " ".join(self.also_in[:NAMED]) + (" …" if len(self.also_in) > NAMED else ".")
            said += f" Their words also stand in {others}, now or as they were before: {named}"
        if self.in_profile:
            said += f" Your profile still says: {', '.join(self.in_profile)}."
        return said


def _folded(text: str) -> str:
    return (
        text.lower()
        if text.isascii()
        else _IGNORED.sub("", unicodedata.normalize("NFKC", text).casefold())
    )


def _inner_word(piece: bytes) -> bytes:
    """Return the longest word that has a space on either side, so that it stands alone wherever the
    piece does.
    """
    return max(_INNER_WORD.findall(piece.replace(b"\0", b"")), key=len, default=b"")


def _overlapping(chunks: Iterable[bytes], overlap: int) -> Iterator[tuple[bytes, int]]:
    """Yield each chunk, in lower case, after the end of the one before; and how many bytes of it
    were seen before.
    """
    tail = b""
    for chunk in chunks:
        whole = tail + chunk.lower()
        yield whole, len(tail)
        tail = whole[max(0, len(whole) - overlap) :]


def _count(chunk: bytes, piece: bytes, seen: int, *, short: bool) -> int:
    """Count a piece in a chunk, without what lay wholly in the bytes that were seen before."""
    pattern = _ALONE % re.escape(piece) if short else re.escape(piece)
    return sum(1 for match in re.finditer(pattern, chunk) if match.end() > seen)
