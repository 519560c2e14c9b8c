"""Automatic backups: when one is due, writing it, deleting old ones, and finding a sound one."""

import logging
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memapp.domain.backups import OLDEST, counted_from, staying
from memapp.store.database import Database
from memapp.store.file_copies import (
    AUTO,
    BACKUPS,
    Copy,
    backups,
    copies,
    delete_copy,
    new_copy,
    own,
)
from memapp.store.sqlite_errors import translated_errors
from memapp.store.untrusted_files import is_sound

log = logging.getLogger(__name__)

SPARE_BYTES = 64 * 1024 * 1024
"""The space that a backup leaves free on the disk, so that the file can grow."""
MOST_AT_ONCE = 3
"""Old copies deleted at a time: a clock that leapt must not end them all."""


def write_if_due(
    database: Database, now: datetime, every: timedelta, cancelled: Callable[[], bool]
) -> Path | None:
    """Write a backup if one is due, then delete old ones. Raises `StoreError`."""
    path = database.path
    with translated_errors(path):
        if not is_due(database, now, every):
            return None
        changed_at = _changed_at(path)
        if shutil.disk_usage(path.parent).free < 2 * path.stat().st_size + SPARE_BYTES:
            log.warning("no backup was made: the disk is nearly full")
            return None
        written = database.backup(new_copy(path, BACKUPS, AUTO, now), cancelled)
        # the time of its contents, so that a change during the copying makes another backup due
        os.utime(written, ns=(changed_at, changed_at))
        let_go_of_old(path, now)
        return written


def is_due(database: Database, now: datetime, every: timedelta) -> bool:
    """Return True if the file changed since a last backup that is old enough."""
    automatic = (backup for backup in backups(database.path) if backup.why == AUTO)
    last = next((backup for backup in automatic if backup.made_at <= now), None)
    is_old = now - (last.made_at if last else _made_at(database)) >= every
    return is_old and (last is None or _changed_at(last.path) != _changed_at(database.path))


def let_go_of_old(path: Path, now: datetime) -> None:
    """Delete the backups that the schedule drops, and every other copy past the oldest age."""
    existing = copies(path)
    thinned = [backup for backup in own(path, existing) if backup.why == AUTO]
    times = [backup.made_at for backup in thinned]
    stay, until = staying(times, now), counted_from(times, now)
    dropped = [
        backup
        for backup in reversed(existing)
        if (backup.made_at not in stay if backup in thinned else until - backup.made_at > OLDEST)
    ]
    for backup in dropped[:MOST_AT_ONCE]:
        with suppress(OSError):
            delete_copy(backup.path)


def newest_sound(path: Path) -> Copy | None:
    """Return the newest backup that can replace the file."""
    return next((backup for backup in backups(path) if is_sound(backup.path)), None)


def _changed_at(path: Path) -> int:
    log_of_it = path.with_name(f"{path.name}-wal")  # opening makes an empty one
    return max(
        file.stat().st_mtime_ns
        for file in (path, log_of_it)
        if file.exists() and (file == path or file.stat().st_size)
    )


def _made_at(database: Database) -> datetime:
    sql = "SELECT min(applied_at) FROM _sqlite_migrations"
    (applied_at,) = database.read().execute(sql).fetchone()
    return datetime.fromisoformat(applied_at) if applied_at else datetime.min.replace(tzinfo=UTC)
