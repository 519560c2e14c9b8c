"""The restore of a backup in place of the memory file. What was there before is kept aside, never
overwritten.

A sound file gets what the backup holds in one transaction, while other windows have it open and see
the change. Only a damaged one is needed alone, and replaced. At every moment the path holds the old
file or the new one, whole.
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
from memapp.store import schema, soundness
from memapp.store.connection import connect, open_copy, open_source
from memapp.store.failures import translated_errors
from memapp.store.folder import prepare_folder, refuse_no_file, replace_synced, written_whole
from memapp.store.foreign import open_suspect
from memapp.store.lock import Lock, at_the_copies
from memapp.store.place import ASIDE, new_copy, read_id, restored_half


@dataclass(frozen=True, slots=True)
class BackupContents:
    memories: int
    messages: int
    waiting: int
    """Consent requests that nobody decided yet."""
    profile: tuple[tuple[str, str], ...]
    """What its person agreed to be known about them, by field."""


def look_at(source: Path) -> BackupContents:
    """Check a backup and count what is in it. Raises `StoreError` for a file that memapp would not
    use.
    """
    with open_suspect(source) as conn:
        counts = """SELECT (SELECT count(*) FROM memories), (SELECT count(*) FROM messages),
                           (SELECT count(*) FROM consent_requests WHERE state = 'pending')"""
        profile = conn.execute("SELECT field, value FROM profile ORDER BY field, value")
        memories, messages, waiting = conn.execute(counts).fetchone()
        return BackupContents(
            memories, messages, waiting, tuple((field, value) for field, value in profile)
        )


def is_of_another(path: Path, source: Path) -> bool:
    """Say whether a backup was made of another memory file than the one that it would replace."""
    return path.exists() and read_id(path) not in ("", read_id(source))


def put_in_place(
    path: Path, source: Path, now: datetime, tell: Callable[[str], object] = lambda _: None
) -> Path | None:
    """Put a copy of a backup where the memory file is; return where the file went that was there,
    if one was.

    What waits for a yes in the backup goes on waiting: nobody decided it. `tell` hears what is
    waited for.
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
    """Say whether SQLite can read and write a file, and its schema is the one that memapp makes."""
    try:
        with closing(connect(path, read_only=False)) as conn:
            soundness.check_damage(conn, path)
            soundness.check_schema(conn, path)
    except sqlite3.OperationalError as error:
        if (
            getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
        ):  # none where Python cannot read a text
            raise
        return False
    except (StoreError, sqlite3.DatabaseError, UnicodeDecodeError):
        return False
    return True


def _erasures(path: Path) -> int:
    with closing(connect(path, read_only=True)) as conn:
        return int(conn.execute("SELECT erasures FROM memory_file").fetchone()[0])


def _prepare(partial: Path, source: Path, erasures: int) -> None:
    """Write what is to be put in place: the backup, brought up to date.

    Whoever writes a reply from what is in the file now is told as after an erasure: by another
    number of erasures.
    """
    partial.unlink(missing_ok=True)
    partial.touch(mode=0o600)
    with (
        open_suspect(source) as conn,
        translated_errors(partial),
    ):  # it was read through: what fails now is the writing
        conn.execute("VACUUM INTO ?", (str(partial),))
    with open_copy(partial) as conn:
        schema.migrate(conn, lambda _: None)
        conn.execute("BEGIN IMMEDIATE")
        # a yes counts where it was given, and once
        conn.execute("UPDATE consent_requests SET state = 'applied' WHERE state = 'approved'")
        conn.execute("UPDATE memory_file SET erasures = max(erasures, ?)", (erasures,))
        conn.execute("DELETE FROM leases")
        conn.execute("COMMIT")


def _write_over(path: Path, partial: Path, now: datetime) -> Path:
    """Give a sound file what another holds, in one transaction; what it held is copied aside while
    nobody can change it.
    """
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
    """Put a file where a damaged one is, or none."""
    aside = _keep_aside(path, now) if path.exists() else None
    replace_synced(partial, path)
    return aside


def _keep_aside(path: Path, now: datetime) -> Path:
    """Copy the file, and a log that could not be written into it, among the copies; only then may
    it be replaced.
    """
    aside = new_copy(path, ASIDE, "before-restore", now)
    for suffix in ("-wal", ""):
        original = path.with_name(path.name + suffix)
        if original.exists() and not _copy(original, aside.with_name(aside.name + suffix)):
            original.rename(
                aside.with_name(aside.name + suffix)
            )  # what cannot be read can still be moved
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
