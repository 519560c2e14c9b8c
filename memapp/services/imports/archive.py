"""Zip archives that may be malicious: their files are read, never unpacked to the disk.

Attachments beside the files of an export (pictures, voices, archives) are not read.
"""

import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath
from typing import IO

from memapp.domain.portable import MAX_BYTES, NOTHING_IMPORTED
from memapp.errors import UsageError

MAX_RATIO = 50
MAX_DIRECTORY_BYTES = 10_000_000
"""Size of the list of contents, which is read as a whole before any check."""
MAX_TOTAL = 20 * MAX_BYTES
UNPACK = f"{NOTHING_IMPORTED} Unpack it and import the folder."
_END = b"PK\x05\x06"
_LARGE_END, _LARGE_MARK = b"PK\x06\x06", b"PK\x06\x07"
"""The end record of a large archive (zip64), and the mark in front of the common one."""


def entries(file: IO[bytes], endings: Collection[str]) -> Iterator[tuple[str, bytes | None]]:
    """Yield the name and data of each file; data is None for other endings and hidden files.

    Raises `UsageError` for an archive that is damaged, or lies about its sizes.
    """
    _check_directory(file)
    try:
        with zipfile.ZipFile(file) as archive:
            files = [entry for entry in archive.infolist() if not entry.is_dir()]
            wanted = _wanted(files, endings)
            yield from ((entry.filename, None) for entry in files if entry.filename not in wanted)
            for name, entry in sorted(wanted.items(), key=lambda item: _order(item[0])):
                with archive.open(entry) as inner:
                    data = inner.read(MAX_BYTES + 1)
                if len(data) > entry.file_size:
                    raise _refusal("is larger than it says")
                yield name, data
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        EOFError,
        RuntimeError,
        ValueError,
        struct.error,
    ):
        raise _refusal("is damaged or encrypted") from None


def _check_directory(file: IO[bytes]) -> None:
    """Check the size of the list of contents, given at the end of the file."""
    if not file.seekable():
        raise UsageError(
            "An archive cannot be read from a pipe.", f"{NOTHING_IMPORTED} Name its file."
        )
    file.seek(max(0, file.seek(0, 2) - 66_000))
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + 22:
        raise _refusal("is damaged")
    (size,) = struct.unpack("<I", tail[at + 12 : at + 16])
    record = tail[max(0, at - 76) : max(0, at - 20)]
    # In a large archive this record counts.
    if record.startswith(_LARGE_END) and tail.startswith(_LARGE_MARK, at - 20):
        (size,) = struct.unpack("<Q", record[40:48])
    if size > MAX_DIRECTORY_BYTES:
        raise _refusal("holds too many files", UNPACK)


def _order(name: str) -> tuple[str, int, str]:
    """Return the sort key of a file: by folder, then `x-2` before `x-10`."""
    path = PurePosixPath(name)
    return str(path.parent), len(path.name), path.name


def _wanted(files: list[zipfile.ZipInfo], endings: Collection[str]) -> dict[str, zipfile.ZipInfo]:
    wanted: dict[str, zipfile.ZipInfo] = {}
    for entry in files:
        name = PurePosixPath(entry.filename)
        if name.suffix.casefold() not in endings or any(
            part.startswith((".", "__MACOSX")) for part in name.parts
        ):
            continue
        if entry.filename in wanted:
            raise _refusal(f"has several files {name}")
        if entry.file_size > MAX_BYTES:
            raise _refusal(f"has more than 100 MB in {name}", UNPACK)
        if entry.file_size > MAX_RATIO * max(entry.compress_size, 1):
            raise _refusal(f"is compressed more than {MAX_RATIO} to 1", UNPACK)
        wanted[entry.filename] = entry
    if sum(entry.file_size for entry in wanted.values()) > MAX_TOTAL:
        raise _refusal("has more than 2 GB of files to be read", UNPACK)
    return wanted


def _refusal(why: str, advice: str = NOTHING_IMPORTED) -> UsageError:
    return UsageError(f"The archive {why}.", advice)
