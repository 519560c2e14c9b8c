"""The items of a document, recognised by content: an export, a database, a note, facts."""

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from functools import partial
from io import BytesIO
from itertools import chain
from mmap import ACCESS_READ, mmap
from typing import IO

from memapp.domain import memory_notes, strict_json
from memapp.domain.foreign.items import Found, Unread
from memapp.domain.foreign.notes import read_note
from memapp.domain.foreign.programs import KNOWN, program_of, unwrapped
from memapp.domain.memory_notes import MemoryNote
from memapp.domain.portable import (
    MAX_BYTES,
    MAX_ITEMS,
    MAX_LINE_BYTES,
    NOTHING_IMPORTED,
    Item,
    is_line,
    read_items,
    refusal,
)
from memapp.domain.text import clean, one_line, shorten
from memapp.errors import UsageError
from memapp.services.imports.files import Document, cut_lines
from memapp.store import chat_databases

TOO_MANY = f"there are more than {MAX_ITEMS:,}"
UNKNOWN = "entry of unknown form"
_DATABASE = b"SQLite format 3\0"
_BEGINNING = 1 << 12
Numbered = tuple[str, Item | Found | MemoryNote]
"""An item of a document, with its place in words."""


def read_all(documents: Iterable[Document | Unread]) -> Iterator[Numbered]:
    """Yield the items of documents and count unknown ones; raise `UsageError` for only unknown."""
    beginning, is_known = b"", False
    for document in documents:
        if isinstance(document, Unread):
            yield "", document
            continue
        beginning = beginning or document.file.read(_BEGINNING)
        document.file.seek(0)
        known_count = unknown_count = 0
        for place, item in _items_with_place(document):
            if isinstance(item, Unread) and item.kind == UNKNOWN:
                unknown_count += 1
            else:
                known_count += 1
                yield " of ".join(filter(None, (place, document.name))), item
        is_known = is_known or known_count > 0 or not unknown_count
        if unknown_count and (known_count or document.name):
            yield "", Unread(UNKNOWN, unknown_count) if known_count else Unread(document.kind)
    if not is_known:
        raise _unknown(one_line(clean(beginning.decode("utf-8", "replace"))))


def _unknown(beginning: str) -> UsageError:
    if '"conversation_history"' in beginning:
        return UsageError(
            "This is a save with a conversation_history.", "Bring it in with: memapp chats import."
        )
    is_page = beginning.casefold().startswith(("<!doctype html", "<html"))
    why = (
        "It is a web page: ask for the export as JSON."
        if is_page
        else f"It begins with “{shorten(beginning, 60)}”."
        if beginning
        else ""
    )
    return UsageError(
        f"This is no export that memapp knows. {why}".strip(),
        f"{NOTHING_IMPORTED} It knows {KNOWN}.",
    )


def _items_with_place(document: Document) -> Iterator[Numbered]:
    """Yield the items of a document; an error names the document."""
    try:
        yield from _items(document)
    except UsageError as error:
        raise UsageError(
            f"{document.name}: {error.message}" if document.name else error.message, error.advice
        ) from None


def _items(document: Document) -> Iterator[Numbered]:
    file = document.file
    begins = file.read(_BEGINNING)
    file.seek(0)
    text = begins.removeprefix(BOM_UTF8).lstrip()
    if begins.startswith(_DATABASE):
        yield from _messages(document)
    elif document.file_name.suffix.casefold() in (".md", ".markdown") or text.startswith(b"---\n"):
        yield from _note(document)
    elif text.startswith(b"["):
        yield from _entries("Entry", strict_json.elements(_all_bytes(file)))
    elif text.startswith(b"{"):
        yield from _lines(file)
    else:
        yield "", Unread(UNKNOWN)


def _messages(document: Document) -> Iterator[Numbered]:
    """Read the database of a chat program."""
    if document.path is None:
        yield "", Unread("database in an archive")
        return
    for number, row in enumerate(chat_databases.rows(document.path, MAX_ITEMS), start=1):
        yield from ((f"Row {number}", item) for item in _items_of_object(row))


def _note(document: Document) -> Iterator[Numbered]:
    data = document.file.read(MAX_LINE_BYTES + 1)
    if len(data) > MAX_LINE_BYTES:
        yield "", Unread("note longer than 4 MB")
        return
    header, body = memory_notes.split(data.decode("utf-8-sig", "replace"))
    if header is None:
        yield "", Unread("front matter that cannot be read")
    if header is None or not memory_notes.is_of_memapp(header):
        yield from (("", item) for item in read_note(document.file_name.stem, header or {}, body))
        return
    if kind := memory_notes.for_reading(header):
        yield "", Unread(f"{kind} in a note for reading")
        return
    try:
        yield "", memory_notes.read(header, body)
    except ValueError:
        yield "", Unread("note of memapp that cannot be read")


def _all_bytes(file: IO[bytes]) -> bytes | memoryview:
    """Return the bytes of a file, mapped into memory where possible."""
    return (
        file.getvalue()
        if isinstance(file, BytesIO)
        else memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
    )


def _lines(file: IO[bytes]) -> Iterator[Numbered]:
    """Read an export of memapp, another with an object on each line, or a single object."""
    first = file.readline(MAX_LINE_BYTES + 1).removeprefix(BOM_UTF8)
    if b'"memapp"' in first[:200]:
        for number, item in read_items(chain([first], cut_lines(file))):
            yield f"Line {number}", item
        return
    try:
        strict_json.read_foreign(first.decode())
    except ValueError:
        file.seek(0)
        data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise UsageError(
                "It is one object of more than 100 MB.",
                f"{NOTHING_IMPORTED} Save what is in it as a list.",
            ) from None
        yield from _entries("", [data.removeprefix(BOM_UTF8)])
        return
    if _remaining_lines(file) >= MAX_ITEMS:
        raise refusal(f"Line {MAX_ITEMS + 1}", TOO_MANY)
    yield from _entries("Line", (line for line in chain([first], cut_lines(file)) if line.strip()))


def _remaining_lines(file: IO[bytes]) -> int:
    """Count the remaining lines, so that too many are refused at once."""
    at = file.tell()
    count = sum(part.count(b"\n") for part in iter(partial(file.read, 1 << 20), b""))
    file.seek(at)
    return count


def _entries(name: str, entries: Iterable[bytes]) -> Iterator[Numbered]:
    number = 0
    try:
        for number, entry in enumerate(entries, start=1):
            if len(entry) > MAX_BYTES:
                raise ValueError("it is larger than 100 MB")
            read = strict_json.read_foreign(entry.decode())
            if is_line(read):
                raise ValueError(
                    "this is a line of an export of memapp, of which the first line is missing"
                )
            for data in unwrapped(read):
                yield from (
                    (f"{name} {number}".strip() if name else "", item)
                    for item in _items_of_object(data)
                )
    except ValueError as error:
        why = "this is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise refusal(f"{name} {max(number, 1)}" if name else "The file", why) from None


def _items_of_object(data: object) -> Iterator[Found]:
    """Yield the items of an exported object; an unreadable object is counted and skipped."""
    program = program_of(data)
    try:
        yield from (
            list(program.read(data)) if program and isinstance(data, dict) else [Unread(UNKNOWN)]
        )
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        yield Unread(f"entry of {program.name if program else ''} that cannot be read")
