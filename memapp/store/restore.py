"""Putting a backup in place of the memory file. What was there before is kept aside, never overwritten.

At every moment the path holds the old file or the new one, whole.
"""

import errno
import shutil
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memapp.store.connection import exchanging, open_copy, open_suspect
from memapp.store.failures import translated_errors
from memapp.store.folder import replace_synced
from memapp.store.place import ASIDE, new_copy, restored_half


@dataclass(frozen=True, slots=True)
class Found:
    """What a backup has in it."""

    memories: int
    messages: int
    waiting: int
    """Proposals that nobody decided yet."""
    profile: tuple[tuple[str, str], ...]
    """What its person agreed to be known about them, by field."""


def look_at(source: Path) -> Found:
    """Check a backup and count what is in it. Raises `StoreError` for a file that memapp would not use."""
    with open_suspect(source) as conn:
        memories = conn.execute("SELECT count(*) FROM memories").fetchone()[0]
        messages = conn.execute("SELECT count(*) FROM messages").fetchone()[0]
        if not _knows_proposals(conn):
            return Found(memories, messages, 0, ())
        waiting = conn.execute("SELECT count(*) FROM patches WHERE state = 'pending'").fetchone()[0]
        profile = tuple((row["field"], row["value"]) for row in conn.execute("SELECT field, value FROM profile ORDER BY field"))
        return Found(memories, messages, waiting, profile)


def put_in_place(path: Path, source: Path, now: datetime) -> Path | None:
    """Put a copy of a backup where the memory file is; return where the file went that was there, if one was.

    What waits for a yes in the backup goes on waiting: nobody decided it.
    """
    partial = restored_half(path)
    with exchanging(path), translated_errors(path):
        partial.unlink(missing_ok=True)
        partial.touch(mode=0o600)
        try:
            with open_suspect(source) as conn:
                conn.execute("VACUUM INTO ?", (str(partial),))
                has_proposals = _knows_proposals(conn)
            if has_proposals:
                _use_up_approvals(partial)
            aside = _keep_aside(path, now) if path.exists() else None
            replace_synced(partial, path)
        finally:
            partial.unlink(missing_ok=True)
    return aside


def _knows_proposals(conn: sqlite3.Connection) -> bool:
    """Tell whether a file is new enough to have any."""
    return conn.execute("SELECT 1 FROM sqlite_master WHERE name = 'patches'").fetchone() is not None


def _use_up_approvals(copy: Path) -> None:
    """End what was approved but not carried out: a yes counts where it was given, and once."""
    with open_copy(copy) as conn:
        conn.execute("UPDATE patches SET state = 'applied' WHERE state = 'approved'")


def _keep_aside(path: Path, now: datetime) -> Path:
    """Copy the file, and a log that could not be written into it, among the copies; only then may it be replaced."""
    aside = new_copy(path, ASIDE, "before-restore", now)
    for suffix in ("-wal", ""):
        original = path.with_name(path.name + suffix)
        if original.exists() and not _copy(original, aside.with_name(aside.name + suffix)):
            original.rename(aside.with_name(aside.name + suffix))  # what cannot be read can still be moved
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return aside


def _copy(original: Path, target: Path) -> bool:
    """Copy a file whole; return False if the disk cannot read it."""
    partial = target.with_name(target.name + ".partial")
    partial.unlink(missing_ok=True)
    partial.touch(mode=0o600)
    try:
        with original.open("rb") as source, partial.open("wb") as copy:
            shutil.copyfileobj(source, copy)
        replace_synced(partial, target)
    except OSError as error:
        partial.unlink(missing_ok=True)
        if error.errno != errno.EIO:
            raise
        return False
    return True
