"""The files of an import: the named one, those of a folder, and those in an archive."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePath
from typing import IO

from memapp.domain.foreign.items import Unread
from memapp.domain.portable import MAX_BYTES, MAX_LINE_BYTES, NOTHING_IMPORTED, refusal
from memapp.errors import UsageError
from memapp.services.imports import archive

STANDARD_INPUT = Path("/dev/stdin")
MAX_FILES = 100_000
READ = frozenset(
    {".json", ".jsonl", ".ndjson", ".af", ".md", ".markdown", ".db", ".sqlite", ".sqlite3", ".zip"}
)
"""Endings of files that are read in folders and archives; a named file is judged by content."""


READ_IN_ARCHIVES = READ - {".zip"}


@dataclass(frozen=True, slots=True)
class Document:
    """A file to be read, on the disk or in an archive."""

    name: str
    """Within its folder or archive; empty for the file that was named."""
    file: IO[bytes]
    path: Path | None = None
    """Its place on the disk."""

    @property
    def file_name(self) -> PurePath:
        return PurePath(self.name or (self.path.name if self.path else ""))

    @property
    def kind(self) -> str:
        return kind_of(self.name)


def kind_of(name: str) -> str:
    """Return the label under which skipped files are counted: `.png file`."""
    return f"{PurePath(name).suffix.casefold()} file".strip()


@contextmanager
def opened(path: Path) -> Iterator[Iterator[Document | Unread]]:
    """Open a file, folder or pipe for its documents; raise `UsageError` for unreadable ones."""
    try:
        if path.is_dir():
            yield _in_folder(path)
            return
        _check(path)
        with path.open("rb") as file:
            is_plain = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            yield _documents("", file if is_plain else _read_pipe(file), path if is_plain else None)
    except OSError as error:
        raise UsageError(
            f"Cannot read {path}: {error.strerror or error}.", NOTHING_IMPORTED
        ) from None


def _check(path: Path) -> None:
    if not path.exists():
        raise UsageError(f"There is no file {path}.")
    mode = path.stat().st_mode
    if stat.S_ISBLK(mode) or stat.S_ISSOCK(mode) or (stat.S_ISCHR(mode) and path != STANDARD_INPUT):
        raise UsageError(f"{path} is a device.", "Name a file.")


def _read_pipe(file: IO[bytes]) -> IO[bytes]:
    data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UsageError(
            "The input is larger than 100 MB.",
            f"{NOTHING_IMPORTED} Save it as a file, and import that.",
        )
    return BytesIO(data)


def _in_folder(folder: Path) -> Iterator[Document | Unread]:
    """Yield the plain files below a folder, without links and hidden entries."""
    number = 0
    for place, folders, names in os.walk(folder, onerror=_refuse):
        yield from (Unread("hidden folder") for name in folders if name.startswith("."))
        yield from (Unread("link") for name in folders if Path(place, name).is_symlink())
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names, key=lambda name: (len(name), name)):
            number += 1
            if number > MAX_FILES:
                raise UsageError(
                    f"There are more than {MAX_FILES:,} files in {folder}.", NOTHING_IMPORTED
                )
            path = Path(place, name)
            if not stat.S_ISREG(path.lstat().st_mode):
                yield Unread("link or device")
            elif name.startswith(".") or path.suffix.casefold() not in READ:
                yield Unread(kind_of(name))
            else:
                with path.open("rb") as file:
                    yield from _documents(str(path.relative_to(folder)), file, path)


def _refuse(error: OSError) -> None:
    raise error


def _documents(name: str, file: IO[bytes], path: Path | None) -> Iterator[Document | Unread]:
    """Yield a file, or the files of an archive."""
    begins = file.read(4)
    file.seek(0)
    if not begins.startswith(b"PK"):
        yield Document(name, file, path)
        return
    for entry, data in archive.entries(file, READ_IN_ARCHIVES):
        yield (
            Unread(kind_of(entry))
            if data is None
            else Document(f"{name}/{entry}".lstrip("/"), BytesIO(data))
        )


def cut_lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file. Raises `UsageError` for one that is too long."""
    number = 0
    while line := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES:
            raise refusal(f"Line {number}", "it is too long")
        yield line
