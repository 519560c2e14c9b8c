"""The copies of a memory file: their folders, names and owners, and the one to restore from."""

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex

from memapp.domain.backups import in_words
from memapp.store.lock import at_the_copies

BACKUPS = "backups"
ASIDE = "damaged"
"""The folder for files that a restored backup replaced."""
COPY_FOLDERS = (BACKUPS, ASIDE)
AUTO = "auto"
_COPY = re.compile(
    r"(.+)-(schema-?\d+|before-restore|removed-log|auto)-(\d{8}T\d{6})(\d{6})?Z\.db(.*)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy that memapp made."""

    of: Path
    path: Path
    why: str
    made_at: datetime


def new_copy(path: Path, folder: str, why: str, now: datetime) -> Path:
    """Return the path for a new copy in a folder of copies, which is created if needed."""
    place = path.parent / folder
    place.mkdir(mode=0o700, exist_ok=True)
    return place / f"{path.name}-{why}-{now.astimezone(UTC):%Y%m%dT%H%M%S%fZ}.db"


def read_copy_name(name: str) -> tuple[str, str] | None:
    """Return the original's name and the part after `.db` of a copy's name; None for others."""
    match = _COPY.fullmatch(name)
    return (match[1], match[5]) if match else None


def plain_files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder, without links; none if the folder cannot be listed."""
    with suppress(OSError), os.scandir(folder) as entries:
        yield from (Path(entry) for entry in entries if entry.is_file(follow_symlinks=False))


def copies(path: Path) -> list[Copy]:
    """Return the copies of this name, newest first, perhaps of another file that lay there."""
    files = (file for folder in COPY_FOLDERS for file in plain_files(path.parent / folder))
    of_path = (
        copy
        for file in files
        if read_copy_name(file.name) == (path.name, "") and (copy := _as_copy(path, file))
    )
    return sorted(of_path, key=lambda copy: copy.made_at, reverse=True)


def read_id(path: Path) -> str:
    """Return the id that a memory file shares with its copies; empty if unreadable."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as conn:
            (file_id,) = conn.execute("SELECT id FROM memory_file").fetchone()
    except (sqlite3.Error, TypeError, UnicodeDecodeError):
        return ""
    return file_id if isinstance(file_id, str) else ""  # damage may have changed its type


def own(path: Path, candidates: list[Copy]) -> list[Copy]:
    """Return the copies with the file's id; an unreadable copy counts by its name."""
    mine = read_id(path) if candidates else ""
    return [backup for backup in candidates if not mine or read_id(backup.path) in (mine, "")]


def backups(path: Path) -> list[Copy]:
    """Return the backups that can replace the file, newest first."""
    return own(path, [backup for backup in copies(path) if backup.path.parent.name == BACKUPS])


def from_backup(path: Path) -> str:
    """Return the advice for an unusable file: restore its newest backup, or begin anew."""
    newest = next(iter(backups(path)), None)
    if newest is None:
        return "There is no backup of it. To begin anew in another file: memapp --db PATH"
    age = in_words(datetime.now(UTC) - newest.made_at)
    command = f"memapp restore --yes --file '{newest.path}'"
    return f"Its newest backup is {age} old. To put it back: {command}"


def delete_copy(path: Path) -> None:
    """Delete a copy with its log, index and journal."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


@contextmanager
def noted(path: Path, target: Path) -> Iterator[None]:
    """Hold the lock of the copies while writing elsewhere, with a note of the target.

    A kill leaves memories in an unfinished file there, which is found by the note. Raises
    `StoreLocked`.
    """
    if not os.access(path.parent, os.W_OK):  # nobody erases anything here
        yield
        return
    with at_the_copies(path):
        note = path.with_name(f"{path.name}-{token_hex(8)}-elsewhere.partial")
        with suppress(OSError):  # without room for a note, the file may still be written elsewhere
            note.touch(mode=0o600)
            # the name that `folder.written_whole` gives a file until it is complete
            note.write_bytes(os.fsencode(f"{target.absolute()}.partial"))
        try:
            yield
        finally:
            with suppress(OSError):
                note.unlink()


def notes(path: Path) -> dict[Path, Path]:
    """Return the notes beside a memory file, each with the unfinished file elsewhere."""
    name = re.compile(rf"{re.escape(path.name)}-[0-9a-f]{{16}}-elsewhere\.partial")
    unfinished = {}
    for note in plain_files(path.parent):
        if name.fullmatch(note.name):
            with suppress(OSError):
                unfinished[note] = Path(os.fsdecode(note.read_bytes()))
    return {note: half for note, half in unfinished.items() if half.suffix == ".partial"}


def restored_half(path: Path) -> Path:
    """Return the path of a backup before it replaces the memory file."""
    return path.with_name(f"{path.name}-restored.partial")


def _as_copy(of: Path, path: Path) -> Copy | None:
    match = _COPY.fullmatch(path.name)
    assert match
    try:
        moment = f"{match[3]}{match[4] or '000000'}"
        made_at = datetime.strptime(moment, "%Y%m%dT%H%M%S%f").replace(tzinfo=UTC)
    except ValueError:  # no such day
        return None
    return Copy(of, path, match[2], made_at)
