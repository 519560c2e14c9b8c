"""The restore of a backup in place of the memory file, which is kept aside, never overwritten.

A sound file gets the contents of the backup in one transaction, while other windows have it open
and see the change. Only a damaged file is needed alone, and replaced. At every moment the path
holds the old file or the new one, whole.
"""

import errno
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memapp.errors import StoreError, StoreLocked
from memapp.store import integrity, schema
from memapp.store.connection import connect, open_copy, open_source
from memapp.store.file_copies import ASIDE, new_copy, read_id, restored_half
from memapp.store.folder import prepare_folder, refuse_no_file, replace_synced, written_whole
from memapp.store.lock import Lock, at_the_copies
from memapp.store.sqlite_errors import translated_errors
from memapp.store.untrusted_files import open_suspect


@dataclass(frozen=True, slots=True)
class BackupContents:
    memories: int
    messages: int
    waiting: int
    """The number of pending consent requests."""
    profile: tuple[tuple[str, str], ...]
    """The fields and values of the profile."""


def look_at(source: Path) -> BackupContents:
    """Check a backup and count its contents. Raises `StoreError` for an unusable file."""
    with open_suspect(source) as conn:
        counts = """SELECT (SELECT count(*) FROM memories), (SELECT count(*) FROM messages),
                           (SELECT count(*) FROM consent_requests WHERE state = 'pending')"""
        profile = conn.execute("SELECT field, value FROM profile ORDER BY field, value")
        memories, messages, waiting = conn.execute(counts).fetchone()
        return BackupContents(
            memories, messages, waiting, tuple((field, value) for field, value in profile)
        )


def is_of_another(path: Path, source: Path) -> bool:
    """Return True if a backup belongs to another memory file than the one to be replaced."""
    return path.exists() and read_id(path) not in ("", read_id(source))


def put_in_place(
    path: Path, source: Path, now: datetime, tell: Callable[[str], object] = lambda _: None
) -> Path | None:
    """Replace the memory file by a copy of a backup; return the path of the old file, if any.

    Requests that are pending in the backup stay pending. `tell` hears the reason for a wait.
    """
    refuse_no_file(path)
    prepare_folder(path.parent)
    lock, partial = Lock(path), restored_half(path)
    try:
        with translated_errors(path), at_the_copies(path):
            sound = path.exists() and _is_sound(path)
            (lock.enter if sound else lock.enter_alone)(tell)
            try:
                _prepare(partial, source, _erasures(path) + 1 if sound else 0)
                return _write_over(path, partial, now) if sound else _replace(path, partial, now)
            finally:
                partial.unlink(missing_ok=True)
    finally:
        lock.release()


def _is_sound(path: Path) -> bool:
    """Return True if SQLite can read and write a file with the schema of memapp."""
    try:
        with closing(connect(path, read_only=False)) as conn:
            integrity.check_damage(conn, path)
            integrity.check_schema(conn, path)
    except sqlite3.OperationalError as error:
        # there is no code where Python cannot decode a text
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
            raise
        return False
    except (StoreError, sqlite3.DatabaseError, UnicodeDecodeError):
        return False
    return True


def _erasures(path: Path) -> int:
    with closing(connect(path, read_only=True)) as conn:
        return int(conn.execute("SELECT erasures FROM memory_file").fetchone()[0])


def _prepare(partial: Path, source: Path, erasures: int) -> None:
    """Write the file to restore: the backup, migrated.

    The number of erasures changes, so that a reply in progress is discarded as after an erasure.
    """
    partial.unlink(missing_ok=True)
    partial.touch(mode=0o600)
    # the backup was read through: a failure now is one of writing
    with open_suspect(source) as conn, translated_errors(partial):
        conn.execute("VACUUM INTO ?", (str(partial),))
    with open_copy(partial) as conn:
        schema.migrate(conn, lambda _: None)
        conn.execute("BEGIN IMMEDIATE")
        # an approval counts once, in the file where it was given
        conn.execute("UPDATE consent_requests SET state = 'applied' WHERE state = 'approved'")
        conn.execute("UPDATE memory_file SET erasures = max(erasures, ?)", (erasures,))
        conn.execute("DELETE FROM leases")
        conn.execute("COMMIT")


def _write_over(path: Path, partial: Path, now: datetime) -> Path:
    """Write a backup over a sound file in one transaction; return the copy kept aside."""
    aside = new_copy(path, ASIDE, "before-restore", now)

    def keep_aside(status: int, remaining: int, total: int) -> None:  # noqa: ARG001  # sqlite3's signature
        if status == sqlite3.SQLITE_BUSY:
            raise StoreLocked(
                f"{path} is being written by another program.",
                "Nothing was changed. Try again in a moment.",
            )
        if not aside.exists():  # after the first page: from then on nobody else writes
            with open_source(path) as now_there, written_whole(aside) as partly:
                now_there.execute("VACUUM INTO ?", (str(partly),))

    with open_source(partial) as source, closing(connect(path, read_only=False)) as target:
        source.backup(target, pages=1, progress=keep_aside)
        with suppress(sqlite3.OperationalError):
            target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return aside


def _replace(path: Path, partial: Path, now: datetime) -> Path | None:
    """Replace a damaged or missing file."""
    aside = _keep_aside(path, now) if path.exists() else None
    replace_synced(partial, path)
    return aside


def _keep_aside(path: Path, now: datetime) -> Path:
    """Copy the file and its log aside before they are replaced; move what cannot be read."""
    aside = new_copy(path, ASIDE, "before-restore", now)
    for suffix in ("-wal", ""):
        original = path.with_name(path.name + suffix)
        if original.exists() and not _copy(original, aside.with_name(aside.name + suffix)):
            # an unreadable file can still be moved
            original.rename(aside.with_name(aside.name + suffix))
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return aside


def _copy(original: Path, target: Path) -> bool:
    """Copy a file whole; return False if the disk cannot read it."""
    try:
        with (
            original.open("rb") as source,
            written_whole(target) as partial,
            partial.open("wb") as copy,
        ):
            shutil.copyfileobj(source, copy)
    except OSError as error:
        if error.errno != errno.EIO:
            raise
        return False
    return True
