"""The open SQLite file: its writer, its readers, checks and backups. `opening` opens it.

Writes go through `Database.write()`, one at a time in this process, and SQLite's locks let one
process write after the other. Reads use a read-only connection of their own thread. No SQL stands
outside `store`.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from memapp.domain.wording import Wording
from memapp.errors import Damaged, StoreError, StoreLocked
from memapp.store import integrity, write_authorizer
from memapp.store.connection import (
    BUSY_MILLISECONDS,
    LOG_BYTES,
    add_wording,
    barred,
    begin_write,
    can_write,
    connect,
    open_source,
)
from memapp.store.file_identity import FileIdentity, held_elsewhere
from memapp.store.folder import refuse_no_file, written_whole
from memapp.store.lock import WINDOW, Lock
from memapp.store.sqlite_errors import Reader, has_no_room, translated_errors

WHOLE = ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")
PART = ("SAVEPOINT part", "RELEASE part", "ROLLBACK TO part", "RELEASE part")
"""The statements that begin, end and roll back a transaction, or a nested part of one."""
LOOK_MILLISECONDS = 50
STEPS_BETWEEN_LOOKS = 1000
"""Steps of SQLite's virtual machine between two calls of a progress handler; some milliseconds."""
LONG_LOG_BYTES = 16 * 1024 * 1024
LONGEST_READ_SECONDS = 5.0
"""A longer read keeps the log from shrinking, and is ended once the log is long."""


class _OnlyRehearsed(Exception):
    """Raised to roll back a rehearsal."""


class Database:
    """An open memapp file, safe to use from any thread. `close()` the file after use."""

    def __init__(
        self, path: Path, writer: sqlite3.Connection | None, lock: Lock | None, wording: Wording
    ) -> None:
        self.path = path
        self.wording = wording
        self.owner = token_hex(8)
        """The owner of the leases of this process."""
        self._writer = writer
        self._identity = FileIdentity(path)
        self._file_lock = lock
        self._window = Lock(path, WINDOW)
        self._seen_version: int | None = None
        self.heard_erasures = 0
        """The number of erasures that this process reacted to."""
        self._turn = threading.RLock()
        self._authorizer: write_authorizer.Authorizer = write_authorizer.everyday
        self._readers: dict[int, Reader] = {}
        self._opening = threading.Lock()
        self._closed = False
        self._raw: dict[str, BinaryIO] = {}
        self.checked = True
        """False for a large file that was not read through yet."""
        self.mended = False
        """True if a search index did not match its table and was rebuilt."""
        self.news: list[str] = []
        """Sentences for the person about how the file was opened."""

    @property
    def erasures(self) -> int:
        """The number of erasures so far: a reply begun before an erasure is not saved."""
        return int(self.read().execute("SELECT erasures FROM memory_file").fetchone()[0])

    @property
    def read_only(self) -> bool:
        return self._writer is None

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Run one transaction: commit at the end, roll back on an exception. Nested calls join."""
        writer = self._own_writer()
        with self._turn, translated_errors(self.path):
            begin, end, *give_up = PART if writer.in_transaction else WHOLE
            if begin == WHOLE[0]:
                self._identity.refuse_changed(self._own_writer)
            begin_write(writer, begin)
            try:
                yield writer
                writer.execute(end)
            except BaseException:
                # after a full disk or an I/O error SQLite has rolled back by itself
                if writer.in_transaction:
                    for statement in give_up:
                        writer.execute(statement)
                raise
            if begin == WHOLE[0]:
                self._fold_log(writer)

    def _fold_log(self, writer: sqlite3.Connection) -> None:
        """Write a long log into the file, and end our own reads that keep the log long.

        Nobody else may write meanwhile: in older versions of SQLite what was just written could be
        lost in a rare case.
        """
        if self.log_bytes() <= LOG_BYTES:
            return
        if self.log_bytes() > LONG_LOG_BYTES:
            for reader in list(self._readers.values()):
                reader.end_long(LONGEST_READ_SECONDS)
        with suppress(sqlite3.OperationalError), barred(self.path):
            writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()

    def log_bytes(self) -> int:
        """Return the size of the log beside the file."""
        return self._identity.log_bytes()

    def has_no_room(self) -> bool:
        """Return True if the disk is full."""
        return has_no_room(self.path)

    def changed_elsewhere(self) -> bool:
        """Return True if another process changed the file since the last call.

        A call while this process writes returns False.
        """
        if self._writer is None or not self._turn.acquire(blocking=False):
            return False
        try:
            with translated_errors(self.path):
                self._identity.refuse_changed(self._own_writer)
                version = self._own_writer().execute("PRAGMA data_version").fetchone()[0]
            before, self._seen_version = self._seen_version, version
            return before not in (None, version)
        finally:
            self._turn.release()

    def is_wanted(self) -> bool:
        """Return True if another process waits to have the file alone."""
        return self._file_lock is not None and self._file_lock.is_wanted()

    def keeps_drafts(self) -> bool:
        """Return True in the first window that asks, which keeps the drafts until it closes."""
        with self._opening:
            return not self._closed and (self._window.is_held or self._window.take())

    def _own_writer(self) -> sqlite3.Connection:
        if self._writer is None:
            raise StoreError("This memory file is open for reading only.", "Nothing was changed.")
        return self._writer

    @contextmanager
    def decide(self) -> Iterator[sqlite3.Connection]:
        """Run a transaction like `write` that may also change requests and the profile.

        For decisions of the person: only `services.consent` may use it, and `services.forget` and
        `services.jobs.retention` to erase words.
        """
        with self._turn:
            before = self._authorizer
            self._guard(write_authorizer.deciding)
            try:
                with self.write() as conn:
                    yield conn
            finally:
                self._guard(before)

    @contextmanager
    def rehearse(self) -> Iterator[sqlite3.Connection]:
        """Run a transaction like `write` that always rolls back, to preview a change."""
        with suppress(_OnlyRehearsed), self.write() as conn:
            yield conn
            raise _OnlyRehearsed

    def _guard(self, authorizer: write_authorizer.Authorizer) -> None:
        """Set the authorizer of the writer, which SQLite asks anew for prepared statements too."""
        self._authorizer = authorizer
        if self._writer is not None:
            self._writer.set_authorizer(authorizer)

    def read(self) -> sqlite3.Connection:
        """Return this thread's read-only connection, which sees what is committed."""
        thread = threading.get_ident()
        reader = self._readers.get(thread)
        if reader is None:
            with self._opening, translated_errors(self.path):
                if self._closed:
                    raise StoreError("The memory file is closed.")
                opened = connect(self.path, read_only=True)
                assert isinstance(opened, Reader)
                opened.explain = self._identity.explain
                add_wording(opened, self.wording)
                reader = self._readers[thread] = opened
        return reader

    @contextmanager
    def at_rest(self) -> Iterator[BinaryIO]:
        """Yield the file itself while nobody writes and its log is empty, so the file is complete.

        Emptying the log makes every connection read anew: no cached page comes back into the file
        afterwards. Raises `StoreLocked` if another program goes on reading from the log.
        """
        writer = self._own_writer()
        with (
            translated_errors(self.path),
            closing(connect(self.path, read_only=False, patience=LOOK_MILLISECONDS)) as conn,
        ):
            for _ in range(max(1, BUSY_MILLISECONDS // LOOK_MILLISECONDS)):
                # released between two looks, so that a writer need not wait for a reader
                with self._turn:
                    if writer.in_transaction:
                        raise StoreError("The file cannot be cleaned during a change.")
                    if self._has_empty_log(conn):
                        yield self._open_raw("")
                        conn.execute("ROLLBACK")
                        return
                time.sleep(LOOK_MILLISECONDS / 1000)
            raise StoreLocked(f"{self.path} is being read by another program.", "Close it first.")

    def _has_empty_log(self, conn: sqlite3.Connection) -> bool:
        """Write the log into the file, and block writes as long as the connection is open."""
        if conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            return False
        conn.execute("BEGIN IMMEDIATE")
        if self.log_bytes() == 0:
            return True
        conn.execute("ROLLBACK")
        return False

    def raw(self, suffix: str) -> BinaryIO | None:
        """Return the open file, or the one beside it (`-wal`), from the start; None if missing.

        Never close it: closing any handle of the file drops the locks that SQLite holds on it.
        """
        exists = suffix in self._raw or self.path.with_name(self.path.name + suffix).exists()
        return self._open_raw(suffix) if exists else None

    def _open_raw(self, suffix: str) -> BinaryIO:
        if suffix not in self._raw:
            beside = self.path.with_name(self.path.name + suffix)
            self._raw[suffix] = (
                beside.open("rb", buffering=0)
                if suffix or self.read_only
                else beside.open("r+b", buffering=0)
            )
        self._raw[suffix].seek(0)
        return self._raw[suffix]

    def backup(self, target: Path, cancelled: Callable[[], bool] = lambda: False) -> Path:
        """Write a checked, compact copy (mode 0600), which replaces `target` at the end.

        Raises `StoreError`, also soon after `cancelled` returns True.
        """
        if target.is_symlink():
            raise StoreError(f"{target} is a link.", "Name a plain file.")
        refuse_no_file(target)
        with translated_errors(target), written_whole(target) as partial:
            with translated_errors(self.path), open_source(self.path) as source:
                source.set_progress_handler(cancelled, STEPS_BETWEEN_LOOKS)
                source.execute("VACUUM INTO ?", (str(partial),))
            with closing(sqlite3.connect(partial)) as copy:
                copy.set_progress_handler(cancelled, STEPS_BETWEEN_LOOKS)
                integrity.check_damage(copy, target)
        return target

    def check(self) -> None:
        """Read the whole file through once, and rebuild broken search indexes, beside other work.

        Raises `StoreError` if the file is damaged. Closing the file ends the check early.
        """
        if self.checked:
            return
        try:
            read_through(self.path, cancelled=lambda: self._closed)
            if broken := self._mismatched_beside():
                with self.write() as writer:
                    integrity.rebuild(writer, broken)
                self.mended = True
            self.checked = True
        except StoreError:
            if not self._closed:
                raise

    def _mismatched_beside(self) -> list[str]:
        """Return the search indexes that do not match; start over if another thread writes."""
        with translated_errors(self.path), closing(connect(self.path, read_only=False)) as conn:
            conn.set_progress_handler(self._is_wanted, STEPS_BETWEEN_LOOKS)
            while not self._closed:
                try:
                    return integrity.mismatched(conn)
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode not in (
                        sqlite3.SQLITE_INTERRUPT,
                        sqlite3.SQLITE_BUSY,
                    ):
                        raise
                    time.sleep(LOOK_MILLISECONDS / 1000)
        return []

    def _is_wanted(self) -> bool:
        """Return True if another thread writes or waits to, or the file is being closed."""
        if self._closed or not self._turn.acquire(blocking=False):
            return True
        self._turn.release()
        return False

    def examine(self) -> None:
        """Read the whole file through, and compare its schema. Raises `StoreError`."""
        with translated_errors(self.path):
            read_through(self.path)
            integrity.check_schema(self.read(), self.path)
            integrity.read_texts(self.read())
            if not can_write(self.path):
                return
            with closing(connect(self.path, read_only=False)) as conn:
                if integrity.mismatched(conn):
                    raise StoreError(
                        f"The search index of {self.path} does not match its contents.",
                        "Start memapp, which rebuilds it.",
                    )

    def damage(self) -> Damaged | None:
        """Return the damage in the file, the likeliest cause of an odd error; None if sound."""
        try:
            self.examine()
        except Damaged as damage:
            return damage
        except StoreError:
            return None
        return None

    def close(self) -> None:
        """Close every connection. A second call does nothing."""
        with self._opening:
            self._closed = True
            readers = list(self._readers.values())
            self._readers.clear()
        for reader in readers:
            reader.interrupt()
        try:
            with self._sparing_another_log():
                for reader in readers:
                    reader.close()
                self._close_writer()
        finally:
            for file in self._raw.values():
                file.close()
            self._raw.clear()
            self._window.release()
            if self._file_lock is not None:
                self._file_lock.release()

    @contextmanager
    def _sparing_another_log(self) -> Iterator[None]:
        """Save a removed log, and let another process hold the file meanwhile."""
        if self._writer is None or not self._identity.has_lost_log():
            yield
            return
        with suppress(StoreError, OSError, sqlite3.Error), self._turn:
            self._identity.refuse_changed(self._own_writer)
        with held_elsewhere(self.path):
            yield

    def _close_writer(self) -> None:
        with self._turn:
            writer, self._writer = self._writer, None
            if writer is not None:
                # `optimize` only makes later searches faster
                with closing(writer), suppress(sqlite3.DatabaseError):
                    writer.set_authorizer(None)
                    if self._identity.is_unchanged():
                        writer.execute("PRAGMA optimize")


def read_through(path: Path, cancelled: Callable[[], bool] = lambda: False) -> None:
    """Check a whole file for damage, over a connection that can write if possible."""
    with translated_errors(path), closing(connect(path, read_only=not can_write(path))) as conn:
        conn.set_progress_handler(cancelled, STEPS_BETWEEN_LOOKS)
        integrity.check_damage(conn, path)
