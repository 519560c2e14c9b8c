"""Opening the SQLite file safely: locked, created or migrated, checked, and marked as ours."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path

from memapp.domain.wording import Wording
from memapp.errors import Damaged, StoreError
from memapp.store import integrity, schema, write_authorizer
from memapp.store.connection import add_wording, connect, refuse_foreign, refuse_removed_log
from memapp.store.database import Database, read_through
from memapp.store.file_copies import BACKUPS, backups, from_backup, new_copy
from memapp.store.folder import keep_private, prepare_folder, refuse_no_file
from memapp.store.lock import Lock
from memapp.store.sqlite_errors import translated_errors

LARGE_BYTES = 32 * 1024 * 1024
"""A larger file that was closed properly is checked after the start, by `Database.check`."""


def open_database(
    path: Path,
    wording: Wording,
    *,
    read_only: bool = False,
    tell: Callable[[str], object] = lambda _: None,
) -> Database:
    """Open the file; create, migrate and check it as needed. Raises `StoreError`.

    `tell` hears the reason for a wait. A file that must be migrated is opened for writing in any
    case.
    """
    refuse_no_file(path)
    _refuse_lost(path)
    if read_only:
        return _open_read_only(path, wording, tell)
    prepare_folder(path.parent)
    lock = Lock(path)
    with ExitStack() as given_up, translated_errors(path):
        given_up.callback(lock.release)
        alone = _enter(path, lock, tell)
        keep_private(path)
        settled, news = alone and _is_settled(path), list[str]()
        writer, mended = _open_writer(path, wording, news, alone=alone, check=alone and not settled)
        for sentence in news:
            tell(sentence)
        database = Database(path, writer, lock, wording)
        given_up.callback(database.close)
        database.news += news
        database.checked, database.mended = not settled, mended
        if alone:
            lock.enter(tell)
        database.changed_elsewhere()  # the first call sets the version to compare with
        database.heard_erasures = writer.execute("SELECT erasures FROM memory_file").fetchone()[0]
        given_up.pop_all()
    return database


def _refuse_lost(path: Path) -> None:
    """Raise `Damaged` if the file is gone or empty beside backups: nobody asked for a new one."""
    if path.exists() and path.stat().st_size:
        return
    if copies := backups(path):
        is_now = "empty" if path.exists() else "gone"
        anew = f"To begin anew, move {copies[0].path.parent} elsewhere."
        raise Damaged(
            f"{path} is {is_now}, and there are backups of it. {anew}", from_backup(path), path
        )


def _enter(path: Path, lock: Lock, tell: Callable[[str], object]) -> bool:
    """Take the file alone if it is free, or must be created or migrated; else share it.

    Return True if alone.
    """
    if lock.take():
        return True
    lock.enter(tell)
    refuse_removed_log(path)
    if not _has_other_version(path):
        return False
    lock.enter_alone(tell)
    return True


def _has_other_version(path: Path) -> bool:
    """Return True if the file has another schema version, or does not exist yet."""
    if not path.exists():
        return True
    with translated_errors(path), closing(connect(path, read_only=True)) as conn:
        return bool(conn.execute("PRAGMA user_version").fetchone()[0] != len(schema.scripts()))


def _open_read_only(path: Path, wording: Wording, tell: Callable[[str], object]) -> Database:
    if not path.exists():
        raise StoreError(f"There is no memory file at {path}.", "Start memapp once to make it.")
    # where nothing can be written, nobody changes the file either
    lock = Lock(path) if os.access(path.parent, os.W_OK) else None
    alone = lock is None or lock.take()
    if lock:
        lock.enter(tell)
    if not alone:
        refuse_removed_log(path)
    database, settled = Database(path, None, lock, wording), _is_settled(path)
    with ExitStack() as given_up, translated_errors(path):
        given_up.callback(database.close)
        refuse_foreign(database.read(), path)
        if alone and not settled:
            read_through(path)
        if not _has_other_version(path):
            given_up.pop_all()
            return database
    return open_database(path, wording, tell=tell)


def _is_settled(path: Path) -> bool:
    """Return True if a file is large and was closed properly, and so is checked later.

    Processes that only read leave an empty log.
    """
    log = path.with_name(path.name + "-wal")
    return (
        path.exists()
        and path.stat().st_size > LARGE_BYTES
        and not (log.exists() and log.stat().st_size)
    )


def _open_writer(
    path: Path, wording: Wording, news: list[str], *, alone: bool, check: bool
) -> tuple[sqlite3.Connection, bool]:
    """Return the connection, and True if a search index was rebuilt; add repairs to `news`."""
    if alone and not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_RDWR, 0o600))
    writer = connect(path, read_only=False)
    try:
        add_wording(writer, wording)
        refuse_foreign(writer, path)
        if check:
            integrity.check_damage(writer, path)
        if alone:
            _mend_version(writer, path, news)
            schema.migrate(
                writer,
                lambda version: _backup_before_migration(writer, path, version, wording, news),
            )
        integrity.check_schema(writer, path)
        broken = integrity.mismatched(writer) if check else []
        integrity.rebuild(writer, broken)
        if alone:
            # nobody else has the file open, so the owners of leases are dead
            writer.execute("DELETE FROM leases")
        writer.execute("PRAGMA busy_timeout = 0")  # from now on `begin_write` waits
        writer.set_authorizer(write_authorizer.everyday)
    except BaseException:
        writer.close()
        raise
    return writer, bool(broken)


def _mend_version(writer: sqlite3.Connection, path: Path, news: list[str]) -> None:
    """Repair the version if the schema matches the listed migrations. Raises `Damaged`."""
    version = writer.execute("PRAGMA user_version").fetchone()[0]
    listed = schema.count_listed(writer)
    if version == listed:
        return
    if schema.schema_of(writer) != schema.golden(listed)[0]:
        message = f"{path} is damaged: its version is {version}, and it lists {listed} migrations."
        raise Damaged(message, from_backup(path), path)
    writer.execute(f"PRAGMA user_version = {listed}")
    news.append(
        f"The version number in {path} was damaged and has been repaired. Nothing else was changed."
    )


def _backup_before_migration(
    writer: sqlite3.Connection, path: Path, version: int, wording: Wording, news: list[str]
) -> None:
    """Back the file up if possible: a failed migration changes nothing anyway."""
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try:
        with translated_errors(path.parent / BACKUPS):
            copy = new_copy(path, BACKUPS, f"schema{version}", datetime.now(UTC))
        Database(path, None, None, wording).backup(copy)
    except Damaged:
        raise
    except StoreError as error:
        news.append(f"{path} was brought up to date, but not backed up before. {error.message}")
