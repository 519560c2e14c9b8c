"""Opening the one SQLite file safely: alone or beside others, made or migrated first, checked, and
marked as ours.
"""

import os
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path

from memapp.domain.wording import Wording
from memapp.errors import Damaged, StoreError
from memapp.store import guards, schema, soundness
from memapp.store.connection import add_wording, connect, refuse_foreign, refuse_removed_log
from memapp.store.database import Database, read_through
from memapp.store.failures import translated_errors
from memapp.store.folder import keep_private, prepare_folder, refuse_no_file
from memapp.store.lock import Lock
from memapp.store.place import BACKUPS, backups, from_backup, new_copy

LARGE_BYTES = 32 * 1024 * 1024
"""Checking a larger file would slow the start; if it was closed properly, `Database.check` does it
later.
"""


def open_database(
    path: Path,
    wording: Wording,
    *,
    read_only: bool = False,
    tell: Callable[[str], object] = lambda _: None,
) -> Database:
    """Open the file, creating or migrating it if need be; check it; mark it as ours. `tell` hears
    what is waited for.

    A file that must be migrated first is opened for writing in any case. Raises `StoreError`.
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
        for said in news:
            tell(said)
        database = Database(path, writer, lock, wording)
        given_up.callback(database.close)
        database.news += news
        database.checked, database.mended = not settled, mended
        if alone:
            lock.enter(tell)
        database.changed_elsewhere()  # from now on it counts
        database.heard_erasures = writer.execute("SELECT erasures FROM memory_file").fetchone()[0]
        given_up.pop_all()
    return database


def _refuse_lost(path: Path) -> None:
    """Raise `Damaged` for a file that is gone or empty beside its backups: absence is no wish to
    begin anew.
    """
    if path.exists() and path.stat().st_size:
        return
    if found := backups(path):
        is_now = "empty" if path.exists() else "gone"
        anew = f"To begin anew, move {found[0].path.parent} elsewhere."
        raise Damaged(
            f"{path} is {is_now}, and there are backups of it. {anew}", from_backup(path), path
        )


def _enter(path: Path, lock: Lock, tell: Callable[[str], object]) -> bool:
    """Take the file alone if nobody has it open, or if it must be made or migrated; else share it.
    Say whether it is alone.
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
    """Say whether the version of a file is not that of this memapp, or there is none yet."""
    if not path.exists():
        return True
    with translated_errors(path), closing(connect(path, read_only=True)) as conn:
        return bool(conn.execute("PRAGMA user_version").fetchone()[0] != len(schema.scripts()))


def _open_read_only(path: Path, wording: Wording, tell: Callable[[str], object]) -> Database:
    if not path.exists():
        raise StoreError(f"There is no memory file at {path}.", "Start memapp once to make it.")
    lock = (
        Lock(path) if os.access(path.parent, os.W_OK) else None
    )  # where nothing can be written nobody changes the file either
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
    """Tell whether a file is large and was closed properly: it is read through later. Who only read
    leaves an empty log.
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
    """Return the connection, and whether a search index had to be written anew; add to `news` what
    else was done.
    """
    if alone and not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_RDWR, 0o600))
    writer = connect(path, read_only=False)
    try:
        add_wording(writer, wording)
        refuse_foreign(writer, path)
        if check:
            soundness.check_damage(writer, path)
        if alone:
            _mend_version(writer, path, news)
            schema.migrate(
                writer,
                lambda version: _backup_before_migration(writer, path, version, wording, news),
            )
        soundness.check_schema(writer, path)
        broken = soundness.mismatched(writer) if check else []
        soundness.rebuild(writer, broken)
        if alone:
            writer.execute(
                "DELETE FROM leases"
            )  # nobody else has the file open: whoever took one is dead
        writer.execute("PRAGMA busy_timeout = 0")  # from now on `_begin` waits
        writer.set_authorizer(guards.everyday)
    except BaseException:
        writer.close()
        raise
    return writer, bool(broken)


def _mend_version(writer: sqlite3.Connection, path: Path, news: list[str]) -> None:
    """Set the version of a file right where its schema and the migrations it lists agree on
    another. Raises `Damaged`.
    """
    version, listed = (
        writer.execute("PRAGMA user_version").fetchone()[0],
        schema.count_listed(writer),
    )
    if version == listed:
        return
    if schema.schema_of(writer) != schema.golden(listed)[0]:
        said = f"{path} is damaged: its version is {version}, and it lists {listed} migrations."
        raise Damaged(said, from_backup(path), path)
    writer.execute(f"PRAGMA user_version = {listed}")
    news.append(
        f"The version number in {path} was damaged, and is set right. The rest is as it was."
    )


def _backup_before_migration(
    writer: sqlite3.Connection, path: Path, version: int, wording: Wording, news: list[str]
) -> None:
    """Copy the file, if that can be done: each migration is one transaction, and one that fails
    changes nothing.
    """
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try:
        with translated_errors(path.parent / BACKUPS):
            copy = new_copy(path, BACKUPS, f"schema{version}", datetime.now(UTC))
        Database(path, None, None, wording).backup(copy)
    except Damaged:
        raise
    except StoreError as error:
        news.append(f"{path} was brought up to date, but not backed up before. {error.message}")
