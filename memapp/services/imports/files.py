"""Recognises which program exported a file, and reads it piece by piece."""

import os
import stat
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import IO, Any, Literal

from memapp.domain import foreign, strict_json
from memapp.domain.foreign import ForeignConversation, ForeignFact
from memapp.domain.portable import MAX_BYTES, MAX_ITEMS, MAX_LINE_BYTES, NOTHING_IMPORTED, Item, read_items, refusal
from memapp.errors import UsageError
from memapp.services.imports import archive

TOO_MANY = f"there are more than {MAX_ITEMS:,}"
Form = Literal["auto", "jsonl", "chatgpt", "claude"]
Numbered = tuple[str, Item | ForeignConversation | ForeignFact]
"""An item of a file, with where it stands in words."""


@contextmanager
def opened(path: Path, form: Form) -> Iterator[Iterator[Numbered]]:
    """Open a file or a pipe and yield what is in it. Raises `UsageError` for what cannot be read, then or while it is read."""
    try:
        if not path.exists():
            raise UsageError(f"There is no file {path}.")
        with path.open("rb") as file:
            beginning = file.peek()
            if beginning.startswith(b"PK"):
                yield _conversations(archive.conversations(file), form)
            elif form in ("chatgpt", "claude") or beginning.removeprefix(BOM_UTF8).lstrip().startswith(b"["):
                yield _conversations([("", _whole(path, file))], form)
            else:
                yield _lines(file)
    except OSError as error:
        raise UsageError(f"Cannot read {path}: {error.strerror or error}.", NOTHING_IMPORTED) from None


def _whole(path: Path, file: IO[bytes]) -> bytes | memoryview:
    """Return all that is in a file, of which only what is looked at is in memory, or in a pipe."""
    if path.is_file() and path.stat().st_size:
        return memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
    data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UsageError("What comes in is larger than 100 MB.", f"{NOTHING_IMPORTED} Save it as a file, and import that.")
    return data


def _lines(file: IO[bytes]) -> Iterator[Numbered]:
    """Read an export of memapp, or a list of facts with one on each line."""
    lines = cut_lines(file)
    first = next(lines, b"").removeprefix(BOM_UTF8)
    rest = chain([first], lines)
    if b'"memapp"' in first[:200]:
        for number, item in read_items(rest):
            yield f"Line {number}", item
        return
    if _lines_left(file) >= MAX_ITEMS:
        raise refusal(f"Line {MAX_ITEMS + 1}", TOO_MANY)
    for number, line in enumerate(rest, start=1):
        if number > MAX_ITEMS:
            raise refusal(f"Line {number}", TOO_MANY)
        try:
            yield f"Line {number}", foreign.read_note(strict_json.read_foreign(line.decode()))
        except ValueError as error:
            if number == 1 and b'"conversation_history"' in line + file.read(MAX_BYTES):
                raise UsageError(
                    "This is a save with a conversation_history.", "Bring it in with: memapp chats import."
                ) from None
            raise refusal(f"Line {number}", _said(error)) from None


def _lines_left(file: IO[bytes]) -> int:
    """Count what is still to be read, so that too much is refused at once; of a pipe that is not known."""
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return 0
    at = file.tell()
    count = sum(part.count(b"\n") for part in iter(partial(file.read, 1 << 20), b""))
    file.seek(at)
    return count


def cut_lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file. Raises `UsageError` for one that is too long."""
    number = 0
    while line := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES:
            raise refusal(f"Line {number}", "it is too long")
        yield line


def _conversations(files: Iterable[tuple[str, bytes | memoryview]], form: Form) -> Iterator[Numbered]:
    """Read the conversations of one file, or of those of an archive, which have names."""
    messages = 0
    for name, data in files:
        number, of = 0, name and f" of {name}"
        try:
            for number, element in enumerate(strict_json.elements(data), start=1):
                if len(element) > MAX_BYTES:
                    raise ValueError("it is larger than 100 MB")
                conversation = _conversation(strict_json.read_foreign(element.decode()), form)
                messages += max(1, len(conversation.said))
                if messages > MAX_ITEMS:
                    raise ValueError(f"there are more than {MAX_ITEMS:,} messages")
                yield f"Conversation {number}{of}", conversation
        except ValueError as error:
            raise refusal(f"Conversation {max(number, 1)}{of}", _said(error)) from None


def _conversation(one: Any, form: Form) -> ForeignConversation:
    for program, (mark, read) in foreign.CONVERSATIONS.items():
        if form in ("auto", program) and isinstance(one, dict) and mark in one:
            return read(one)
    raise ValueError("this is no conversation of ChatGPT or Claude" if form == "auto" else f"this is not of {form}")


def _said(error: ValueError) -> str:
    return "this is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
