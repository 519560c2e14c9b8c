"""Reading the conversations out of a zip archive that may have been made to do harm. Nothing is ever unpacked to the disk.

Beside them lies what the person once sent along: pictures, voices, archives of any size. None of it is looked into.
"""

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO

from memapp.domain.portable import MAX_BYTES, NOTHING_IMPORTED
from memapp.errors import UsageError

MAX_RATIO = 50
MAX_DIRECTORY_BYTES = 10_000_000
"""The list of what is in it; it is read as a whole before anything can be checked."""
UNPACK = f"{NOTHING_IMPORTED} Unpack it and import its conversations….json."
_CONVERSATIONS = re.compile(r"conversations(-\d+)?\.json")
"""One file, or several with a number, in their order."""
_END = b"PK\x05\x06"
_LARGE_END, _LARGE_MARK = b"PK\x06\x06", b"PK\x06\x07"
"""The end as large archives have it, and what stands between that and the other."""


def conversations(file: IO[bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield the name of each file of conversations and what is in it.

    Raises `UsageError` for an archive that is damaged, or lies about what would be read of it.
    """
    _check_directory(file)
    try:
        with zipfile.ZipFile(file) as archive:
            for name, entry in sorted(_wanted(archive.infolist()).items(), key=lambda one: (len(one[0]), one[0])):
                with archive.open(entry) as inner:
                    data = inner.read(MAX_BYTES + 1)
                if len(data) > entry.file_size:
                    raise _refusal("is larger inside than it says")
                yield name, data
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, RuntimeError, ValueError, struct.error):
        raise _refusal("is damaged or encrypted") from None


def _check_directory(file: IO[bytes]) -> None:
    """Look at the end of the file, where the size of the list of its contents stands."""
    if not file.seekable():
        raise UsageError("An archive cannot be read from a pipe.", f"{NOTHING_IMPORTED} Name its file.")
    file.seek(max(0, file.seek(0, 2) - 66_000))
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + 22:
        raise _refusal("is damaged")
    (size,) = struct.unpack("<I", tail[at + 12 : at + 16])
    record = tail[max(0, at - 76) : max(0, at - 20)]
    if record.startswith(_LARGE_END) and tail.startswith(_LARGE_MARK, at - 20):  # then that is what counts
        (size,) = struct.unpack("<Q", record[40:48])
    if size > MAX_DIRECTORY_BYTES:
        raise _refusal("holds too many files", UNPACK)


def _wanted(entries: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    wanted: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        name = PurePosixPath(entry.filename).name
        if not _CONVERSATIONS.fullmatch(name):
            continue
        if name in wanted:
            raise _refusal(f"has several files {name}")
        if entry.file_size > MAX_BYTES:
            raise _refusal(f"has more than 100 MB in {name}", UNPACK)
        if entry.file_size > MAX_RATIO * max(entry.compress_size, 1):
            raise _refusal(f"is packed more than {MAX_RATIO} to one", UNPACK)
        wanted[name] = entry
    if not wanted:
        raise _refusal("has no file conversations.json")
    return wanted


def _refusal(why: str, advice: str = NOTHING_IMPORTED) -> UsageError:
    return UsageError(f"The archive {why}.", advice)
