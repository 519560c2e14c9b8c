"""Recognises which program exported a file, and reads it piece by piece."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any, Literal

from memapp.domain import foreign, strict_json
from memapp.domain.foreign import Conversation, Note
from memapp.domain.portable import MAX_BYTES, MAX_ITEMS, MAX_LINE_BYTES, NOTHING_IMPORTED, Item, read_items, refusal
from memapp.errors import UsageError
from memapp.services.imports import archive

Form = Literal["auto", "jsonl", "chatgpt", "claude"]
Numbered = tuple[str, Item | Conversation | Note]
"""An item of a file, with where it stands in words."""
CONVERSATIONS = "conversations.json"


@contextmanager
def opened(path: Path, form: Form) -> Iterator[Iterator[Numbered]]:
    """Open a file and yield what is in it. Raises `UsageError` for what cannot be read, then or while it is read."""
    try:
        if not path.is_file():
            raise UsageError(f"{path} is no file." if path.exists() else f"There is no file {path}.")
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"{path} is larger than 100 MB.", NOTHING_IMPORTED)
        with path.open("rb") as file:
            beginning = file.read(4096)
            file.seek(0)
            if beginning.startswith(b"PK"):
                yield _conversations(archive.read_from(path, CONVERSATIONS), form)
            elif form in ("chatgpt", "claude") or _is_list(beginning):
                yield _conversations(file.read(), form)
            else:
                yield _lines(file)
    except OSError as error:
        raise UsageError(f"Cannot read {path}: {error.strerror or error}.", NOTHING_IMPORTED) from None


def _is_list(beginning: bytes) -> bool:
    return beginning.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")


def _lines(file: IO[bytes]) -> Iterator[Numbered]:
    """Read an export of memapp, or a list of facts with one on each line."""
    lines = _cut(file)
    first = next(lines, b"")
    rest = chain([first], lines)
    if b'"memapp"' in first[:200]:
        for number, item in read_items(rest):
            yield f"Line {number}", item
        return
    for number, line in enumerate(rest, start=1):
        try:
            yield f"Line {number}", foreign.read_note(strict_json.read(line.decode("utf-8-sig" if number == 1 else "utf-8")))
        except ValueError as error:
            if number == 1 and _is_save(file):
                raise UsageError(
                    "This is a save with a conversation_history.", "Bring it in with: memapp chats import."
                ) from None
            raise refusal(f"Line {number}", _said(error)) from None
        if number >= MAX_ITEMS:
            raise refusal(f"Line {number}", f"there are more than {MAX_ITEMS:,}")


def _is_save(file: IO[bytes]) -> bool:
    """Tell whether this looks like an old save, which `services.saves` reads."""
    file.seek(0)
    return b'"conversation_history"' in file.read(MAX_BYTES)


def _cut(file: IO[bytes]) -> Iterator[bytes]:
    for number in range(1, MAX_ITEMS + 3):
        line = file.readline(MAX_LINE_BYTES + 1)
        if not line:
            return
        if len(line) > MAX_LINE_BYTES:
            raise refusal(f"Line {number}", "it is too long")
        yield line


def _conversations(data: bytes, form: Form) -> Iterator[Numbered]:
    messages = number = 0
    try:
        for number, element in enumerate(strict_json.elements(data), start=1):
            conversation = _conversation(strict_json.read(element.decode()), form)
            messages += len(conversation.said)
            if max(messages, number) > MAX_ITEMS:
                raise ValueError(f"there are more than {MAX_ITEMS:,} messages")
            if conversation.said:
                yield f"Conversation {number}", conversation
    except ValueError as error:
        raise refusal(f"Conversation {max(number, 1)}", _said(error)) from None


def _conversation(one: Any, form: Form) -> Conversation:
    if foreign.is_chatgpt(one) and form in ("auto", "chatgpt"):
        return foreign.read_chatgpt(one)
    if foreign.is_claude(one) and form in ("auto", "claude"):
        return foreign.read_claude(one)
    raise ValueError("this is no conversation of ChatGPT or Claude" if form == "auto" else f"this is not of {form}")


def _said(error: ValueError) -> str:
    return "this is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
