"""The copies of a memory file: their folders and names, whose they are, and which one would take
its place.
"""

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
from memapp.store.folder import partial_of
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
    """Return where a copy of a memory file is to be written, in one of the folders of copies, which
    is made if need be.
    """
    place = path.parent / folder
    place.mkdir(mode=0o700, exist_ok=True)
    return place / f"{path.name}-{why}-{now.astimezone(UTC):%Y%m%dT%H%M%S%fZ}.db"


def read_copy_name(name: str) -> tuple[str, str] | None:
    """Return the name of the file that memapp made a copy of, and what follows `.db`; None for a
    name it does not give.
    """
    found = _COPY.fullmatch(name)
    return (found[1], found[5]) if found else None


def plain_files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that are no links; none of a folder that cannot be listed."""
    with suppress(OSError), os.scandir(folder) as found:
        yield from (Path(entry) for entry in found if entry.is_file(follow_symlinks=False))


def copies(path: Path) -> list[Copy]:
    """Return the copies that memapp made of the file of this name, newest first; also of one that
    lay there before.
    """
    found = (file for folder in COPY_FOLDERS for file in plain_files(path.parent / folder))
    made = (
        copy
        for file in found
        if read_copy_name(file.name) == (path.name, "") and (copy := _as_copy(path, file))
    )
    return sorted(made, key=lambda one: one.made_at, reverse=True)


def read_id(path: Path) -> str:
    """Return the id of a memory file, which every copy of it has; nothing if it cannot be read."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as conn:
            (found,) = conn.execute("SELECT id FROM memory_file").fetchone()
    except (sqlite3.Error, TypeError, UnicodeDecodeError):
        return ""
    return found if isinstance(found, str) else ""  # damage may have changed its type


def own(path: Path, made: list[Copy]) -> list[Copy]:
    """Return those of some copies that have the id of the file; of what cannot be read only the
    name tells.
    """
    mine = read_id(path) if made else ""
    return [backup for backup in made if not mine or read_id(backup.path) in (mine, "")]


def backups(path: Path) -> list[Copy]:
    """Return those that can take the place of the file, newest first: not what was put aside."""
    return own(path, [backup for backup in copies(path) if backup.path.parent.name == BACKUPS])


def from_backup(path: Path) -> str:
    """Say how a file that cannot be used is put back from its newest backup, or that there is none."""
    newest = next(iter(backups(path)), None)
    if newest is None:
        return "There is no backup of it. To begin anew in another file: memapp --db PATH"
    age = in_words(datetime.now(UTC) - newest.made_at)
    return f"Its newest backup is {age} old. To put it back: memapp restore --yes --file '{newest.path}'"


def delete_copy(path: Path) -> None:
    """Delete a copy with what SQLite put beside it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


@contextmanager
def noted(path: Path, target: Path) -> Iterator[None]:
    """Hold the lock of the copies while something of a memory is written to another place, and note
    where.

    What a kill leaves there has everything in it, and is found by the note. Raises `StoreLocked`.
    """
    if not os.access(path.parent, os.W_OK):  # nobody erases anything here
        yield
        return
    with at_the_copies(path):
        note = path.with_name(f"{path.name}-{token_hex(8)}-elsewhere.partial")
        with suppress(
            OSError
        ):  # a disk without room for it is no reason to write nothing elsewhere
            note.touch(mode=0o600)
            note.write_bytes(os.fsencode(partial_of(target.absolute())))
        try:
            yield
        finally:
            with suppress(OSError):
                note.unlink()


def notes(path: Path) -> dict[Path, Path]:
    """Return the notes that lie beside a memory file, each with what was being written elsewhere."""
    name = re.compile(rf"{re.escape(path.name)}-[0-9a-f]{{16}}-elsewhere\.partial")
    found = {}
    for note in plain_files(path.parent):
        if name.fullmatch(note.name):
            with suppress(OSError):
                found[note] = Path(os.fsdecode(note.read_bytes()))
    return {note: half for note, half in found.items() if half.suffix == ".partial"}


def restored_half(path: Path) -> Path:
    """Return where a backup is written before it replaces the memory file."""
    return path.with_name(f"{path.name}-restored.partial")


def _as_copy(of: Path, path: Path) -> Copy | None:
    found = _COPY.fullmatch(path.name)
    assert found
    try:
        made_at = datetime.strptime(f"{found[3]}{found[4] or '000000'}", "%Y%m%dT%H%M%S%f").replace(
            tzinfo=UTC
        )
    except ValueError:  # no such day
        return None
    return Copy(of, path, found[2], made_at)
