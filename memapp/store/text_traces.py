"""Traces of deleted text in the open file and in the copies: erasing them, and a scan as proof."""

import os
import sqlite3
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from memapp.domain.forget import ByteNeedles
from memapp.domain.wording import Wording
from memapp.errors import DiskFull, StoreError, StoreLocked
from memapp.store import file_copies, schema
from memapp.store.connection import add_wording, open_copy
from memapp.store.database import Database
from memapp.store.file_copies import (
    BACKUPS,
    COPY_FOLDERS,
    delete_copy,
    notes,
    plain_files,
    read_copy_name,
    read_id,
    restored_half,
)
from memapp.store.forget.erasing import Erased
from memapp.store.forget.free_pages import empty_free_pages
from memapp.store.forget.purge_jobs import mark_erased, mark_settled, planned
from memapp.store.integrity import FULL_TEXT_TABLES
from memapp.store.session import Session
from memapp.store.sqlite_errors import translated_errors
from memapp.store.untrusted_files import is_sound

HALVES = (".partial", ".partial-journal", "-wal.partial")
"""The endings of unfinished copies."""
CHUNK = 256 * 1024
"""Small, so that the screen stays responsive during a search."""
PIECE = 16 * 1024 * 1024
PAGES_MERGED = 64
"""Pages of an index merged in one transaction, few enough that other writers do not wait for long.
"""


class Fate(StrEnum):
    """The outcome of an erasure for a copy of the file."""

    UNTOUCHED = "contains none of the erased text"
    CLEANED = "erased inside the copy"
    DROPPED = "deleted: damaged or of another version, so it cannot be cleaned"
    BARRED = "neither read nor deleted: another user's, or on a read-only or failing disk"


def settle(database: Database) -> bool:
    """Erase deleted text from the indexes, the free pages and the log.

    Return False if another program reads the log. Writers wait for one piece at a time, and at the
    end for one look at the whole: meanwhile SQLite may have moved pages to where all was done.
    """
    _merge_indexes(database.write)
    page_size = database.read().execute("PRAGMA page_size").fetchone()[0]
    size = database.path.stat().st_size
    try:
        for start in range(0, size, PIECE):
            with database.at_rest() as file:
                empty_free_pages(file, start, PIECE, page_size)
        with database.at_rest() as file:
            empty_free_pages(file, 0, size, page_size)
    except StoreLocked:
        return False
    os.fsync(file.fileno())
    return True


def copies(database: Database) -> list[Path]:
    """Return the copies of the file, with those that the person put among the backups."""
    mine = read_id(database.path)
    others = (
        path
        for path in plain_files(database.path.parent / BACKUPS)
        if read_copy_name(path.name) is None
    )
    by_memapp = [copy.path for copy in file_copies.copies(database.path)]
    return [
        *by_memapp,
        *(path for path in sorted(others) if is_sound(path) and read_id(path) == mine),
    ]


def clean_copy(
    path: Path,
    user_id: str,
    wording: Wording,
    traces: ByteNeedles,
    erase: Callable[[Session], Erased],
) -> Fate:
    """Erase inside a copy; delete one of memapp's own that has traces but cannot be cleaned.

    A kill leaves the copy sound. A copy that can be neither cleaned nor deleted does not stop the
    rest. Raises `DiskFull`, which is temporary.
    """
    try:
        return Fate.CLEANED if _erase_inside(path, user_id, wording, erase) else Fate.UNTOUCHED
    except DiskFull:
        raise
    except StoreError:
        try:
            if read_copy_name(path.name) is None or not holds(path, traces):
                return Fate.UNTOUCHED
            delete_copy(path)
        except OSError:
            return Fate.BARRED
    return Fate.DROPPED


def remove_unfinished(path: Path) -> None:
    """Delete unfinished files of a killed backup or export, if their folder is there."""
    names = [(path.name, ending) for ending in HALVES]
    files = (file for folder in COPY_FOLDERS for file in plain_files(path.parent / folder))
    for unfinished in (
        *(path for path in files if read_copy_name(path.name) in names),
        *_restored_halves(path),
    ):
        with suppress(OSError):
            unfinished.unlink()
    for note, half in notes(path).items():
        with suppress(OSError):
            if half.parent.is_dir():
                for ending in ("", "-journal"):
                    half.with_name(half.name + ending).unlink(missing_ok=True)
                note.unlink()


def holds(path: Path, needles: ByteNeedles) -> bool:
    return needles.count(_chunks_of(path)) > 0


def may_hold(path: Path, needles: ByteNeedles) -> bool:
    """Return True if a file contains any of the texts, or cannot be read."""
    try:
        return holds(path, needles)
    except OSError:
        return True


@dataclass(frozen=True, slots=True)
class Scan:
    """The result of a search through the bytes of files."""

    files: int
    """The number of files that were read."""
    left: tuple[tuple[str, int], ...]
    """Names of files with matches, with their number."""
    unread: tuple[str, ...]
    """Names of unreadable files and folders, and of links among the copies."""


def scan(database: Database, more: Iterable[Path], needles: ByteNeedles) -> Scan:
    """Search the bytes of the open file, its log and index, and of more files and folders."""
    counts = [
        (database.path.name + suffix, needles.count(_chunks(file)))
        for suffix, file in _open_files(database)
    ]
    files, unread = _other_files(database, more)
    for path in sorted(files):
        try:
            counts.append((path.name, needles.count(_chunks_of(path))))
        except FileNotFoundError:
            continue
        except OSError:
            unread.add(path)
    return Scan(
        len(counts),
        tuple(count for count in counts if count[1]),
        tuple(sorted(path.name for path in unread)),
    )


def _other_files(database: Database, more: Iterable[Path]) -> tuple[set[Path], set[Path]]:
    """Return the files that may contain words, and the unreadable ones; no open files or locks."""
    path, unread = database.path, set(notes(database.path).values())
    beside = [path.with_name(f"{path.name}-journal"), *_restored_halves(path)]
    copies = {
        file
        for folder in COPY_FOLDERS
        for file in _below(path.parent / folder, unread)
        if not _is_of_another(path, file)
    }
    below = [path for folder in more for path in (folder, *_below(folder, unread))]
    files = set()
    for copy in (*beside, *copies, *below):
        try:
            kind = stat.S_IFMT(copy.lstat().st_mode)
        except FileNotFoundError:
            continue
        except OSError:
            kind = None
        if kind == stat.S_IFREG:
            files.add(copy)
        elif kind is None or (kind == stat.S_IFLNK and copy in copies):
            unread.add(copy)
    return files, unread


def _below(folder: Path, unread: set[Path]) -> Iterator[Path]:
    """Yield the files below a folder; add the folders that cannot be listed to `unread`."""

    def note(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError | NotADirectoryError):
            unread.add(Path(error.filename))

    for parent, _, names in os.walk(folder, onerror=note):
        yield from (Path(parent, name) for name in names)


def _restored_halves(path: Path) -> list[Path]:
    half = restored_half(path)
    return [half.with_name(half.name + ending) for ending in ("", "-journal")]


def _is_of_another(path: Path, copy: Path) -> bool:
    """Return True if memapp made a copy of another memory file.

    A copy made by the person may be of this file.
    """
    name = read_copy_name(copy.name)
    return name is not None and name[0] != path.name


def _open_files(database: Database) -> Iterator[tuple[str, BinaryIO]]:
    for suffix in ("", "-wal", "-shm"):
        file = database.raw(suffix)
        if file is not None:
            yield suffix, file


def _erase_inside(
    path: Path, user_id: str, wording: Wording, erase: Callable[[Session], Erased]
) -> bool:
    """Erase inside a copy; return True if there was anything to erase."""
    with open_copy(path) as conn:
        if conn.execute("PRAGMA user_version").fetchone()[0] != len(schema.scripts()):
            raise StoreError(f"{path} was made by an older memapp.")
        add_wording(conn, wording)
        conn.execute("BEGIN IMMEDIATE")
        erased = erase(Session(conn, user_id))
        _, begun = planned(Session(conn, user_id))  # True after a kill in an earlier call
        if not (erased.memories or erased.messages or erased.others or begun):
            # keeps the fingerprints: the copy must not learn the erased text again either
            conn.execute("COMMIT")
            return False
        mark_erased(Session(conn, user_id))
        conn.execute("COMMIT")
        _merge_indexes(lambda: nullcontext(conn))
        page_size = conn.execute("PRAGMA page_size").fetchone()[0]
    with translated_errors(path), path.open("r+b", buffering=0) as file:
        empty_free_pages(file, 0, path.stat().st_size, page_size)
        os.fsync(file.fileno())
    with open_copy(path) as conn:
        mark_settled(Session(conn, user_id))
    return True


def _merge_indexes(writing: Callable[[], AbstractContextManager[sqlite3.Connection]]) -> None:
    """Rewrite the full-text indexes without deleted text, a few pages at a time.

    Until then, that text is only marked as deleted.
    """
    with writing() as conn:
        if conn.execute("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat4'").fetchone():
            # some builds of SQLite keep samples of indexed text there
            conn.execute("DELETE FROM sqlite_stat4")
    for table in FULL_TEXT_TABLES:
        # negative at first: FTS5 then prepares all segments of the index for one merge
        pages, changes = -PAGES_MERGED, 2
        while changes >= 2:
            with writing() as conn:
                before = conn.total_changes
                conn.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', ?)", (pages,))  # noqa: S608
                pages, changes = PAGES_MERGED, conn.total_changes - before


def _chunks_of(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from _chunks(file)


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk
