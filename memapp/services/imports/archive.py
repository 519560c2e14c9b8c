"""Reading one file out of a zip archive that may have been made to do harm. Nothing is ever unpacked to the disk."""

import stat
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from memapp.domain.portable import MAX_BYTES, NOTHING_IMPORTED
from memapp.errors import UsageError

MAX_RATIO = 50
MAX_ENTRIES = 10_000
MAX_DIRECTORY_BYTES = 4_000_000
"""The list of what is in it; it is read as a whole before anything can be checked."""
ARCHIVES = (".zip", ".gz", ".bz2", ".xz", ".7z", ".rar", ".tar", ".tgz", ".zst", ".jar")
_END = b"PK\x05\x06"


def read_from(path: Path, name: str) -> bytes:
    """Return the file of this name. Raises `UsageError` if anything in the archive is not what an export has."""
    _check_directory(path)
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            _check(entries)
            wanted = [entry for entry in entries if PurePosixPath(entry.filename).name == name]
            if len(wanted) != 1:
                raise _refusal(f"has {'several files' if wanted else 'no file'} {name}")
            with archive.open(wanted[0]) as file:
                data = file.read(MAX_BYTES + 1)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, RuntimeError, ValueError, struct.error):
        raise _refusal("is damaged or encrypted") from None
    if len(data) > min(MAX_BYTES, wanted[0].file_size):
        raise _refusal("is larger inside than it says")
    return data


def _check_directory(path: Path) -> None:
    """Look at the end of the file, where the size of the list of its contents stands."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 66_000))
        tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + 22:
        raise _refusal("is damaged")
    entries, size = struct.unpack("<HI", tail[at + 10 : at + 16])
    if entries > MAX_ENTRIES or size > MAX_DIRECTORY_BYTES:
        raise _refusal("holds too many files")


def _check(entries: list[zipfile.ZipInfo]) -> None:
    names = [entry.filename.casefold() for entry in entries]
    if len(entries) > MAX_ENTRIES:
        raise _refusal("holds too many files")
    if len(set(names)) < len(names):
        raise _refusal("holds two files of one name")
    if sum(entry.file_size for entry in entries) > MAX_BYTES:
        raise _refusal("is larger than 100 MB inside")
    for entry in entries:
        _check_entry(entry)


def _check_entry(entry: zipfile.ZipInfo) -> None:
    name = entry.orig_filename
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if name.startswith(("/", "\\")) or "\\" in name or ":" in name or "\0" in name or ".." in PurePosixPath(name).parts:
        raise _refusal("names a place outside of itself")
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise _refusal("holds a link or a device")
    if name.lower().endswith(ARCHIVES):
        raise _refusal("holds another archive")
    if entry.flag_bits & 1:
        raise _refusal("is encrypted")
    if entry.file_size > MAX_RATIO * max(entry.compress_size, 1):
        raise _refusal(f"is packed more than {MAX_RATIO} to one")


def _refusal(why: str) -> UsageError:
    return UsageError(f"The archive {why}.", NOTHING_IMPORTED)
