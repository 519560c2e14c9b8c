"""The one SQLite file while it is open: its writer, its readers, checks and backups. `opening`
opens it.

Writes go through `Database.write()`, one at a time in this process, and SQLite's locks let one
process write after the other. Reads use a read-only connection of their own thread. No SQL stands
outside `store`.
"""

import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from memapp.domain.wording import Wording
from memapp.errors import Damaged, StoreError, StoreLocked
from memapp.store import guards, soundness
from memapp.store.connection import (
    BUSY_MILLISECONDS,
    LOG_BYTES,
    add_wording,
    barred,
    can_write,
    connect,
    open_source,
)
from memapp.store.failures import Reader, has_no_room, translated_errors
from memapp.store.folder import refuse_no_file, written_whole
from memapp.store.lock import WINDOW, Lock
from memapp.store.place import ASIDE, new_copy

WHOLE = ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")
PART = ("SAVEPOINT part", "RELEASE part", "ROLLBACK TO part", "RELEASE part")
"""How a transaction, or what is nested in one, begins and ends, and what takes it back when it
fails.
"""
LOT_SECONDS = 0.004
LOOK_MILLISECONDS = 50
STEPS_BETWEEN_LOOKS = 1000
"""Of SQLite's machine, before it asks whether to go on; some milliseconds."""
LONG_LOG_BYTES = 16 * 1024 * 1024
LONGEST_READ_SECONDS = 5.0
"""Whoever reads one list for longer lets the log grow, and is ended when that is long."""
HOLD = """
import sqlite3, sys
held = sqlite3.connect(sys.argv[1], uri=True)
held.execute("SELECT 1 FROM sqlite_master").fetchone()
print(flush=True)
sys.stdin.read()
held.close()
"""
"""A program that keeps a file open until its input ends."""


class _OnlyRehearsed(Exception):
    """Raised to undo what was only to be seen."""


class Database:
    """An open memapp file. `close()` it; it is safe to use from any thread."""

    def __init__(
        self, path: Path, writer: sqlite3.Connection | None, lock: Lock | None, wording: Wording
    ) -> None:
        self.path = path
        self.wording = wording
        self.owner = token_hex(8)
        """Who holds the leases of this process."""
        self._writer = writer
        self._opened = _identities(path)
        self._file_lock = lock
        self._saved_log: str | None = None
        """Where a log went that was removed under an open file; empty: into the file."""
        self._window = Lock(path, WINDOW)
        self._seen_version: int | None = None
        self.heard_erasures = 0
        """Those that this process knows of, and keeps nothing from before in memory."""
        self._turn = threading.RLock()
        self._authorizer: guards.Authorizer = guards.everyday
        self._readers: dict[int, Reader] = {}
        self._opening = threading.Lock()
        self._closed = False
        self._raw: dict[str, BinaryIO] = {}
        self.checked = True
        """False for a large file that nobody has read through yet."""
        self.mended = False
        """A search index did not match its table, and was written anew."""
        self.news: list[str] = []
        """What the person should hear of how the file was opened."""

    @property
    def erasures(self) -> int:
        """How often the person erased something for good: what a model wrote from before is not
        saved afterwards.
        """
        return int(self.read().execute("SELECT erasures FROM memory_file").fetchone()[0])

    @property
    def read_only(self) -> bool:
        return self._writer is None

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One transaction: commits at the end, rolls back when anything is raised. Nested use is a
        part of the outer one.
        """
        writer = self._own_writer()
        with self._turn, translated_errors(self.path):
            begin, end, *give_up = PART if writer.in_transaction else WHOLE
            if begin == WHOLE[0]:
                self._refuse_if_gone()
            _begin(writer, begin)
            try:
                yield writer
                writer.execute(end)
            except BaseException:
                if (
                    writer.in_transaction
                ):  # SQLite has rolled back by itself after a full disk or an I/O error
                    for statement in give_up:
                        writer.execute(statement)
                raise
            if begin == WHOLE[0]:
                self._fold_log(writer)

    def _refuse_if_gone(self) -> None:
        """Raise `StoreError` where the file, its log or the index of that is not at its place any
        more.

        SQLite would write on into what nobody finds again.
        """
        file, log, index = (
            identity == before
            for identity, before in zip(_identities(self.path), self._opened, strict=True)
        )
        if not file:
            advice = "Put it back and go on, or quit: nothing is written until then."
            raise StoreError(
                f"{self.path} was moved, removed or replaced while it was open.", advice
            )
        if not (log and index):
            raise self._removed("-shm") if log else self._removed("-wal", self._save_removed_log())

    def _removed(self, suffix: str, where: str = "") -> StoreError:
        said = f"{self.path}{suffix} was removed or replaced while it was open."
        return StoreError(
            said, f"Quit, and start memapp again: what was saved before is kept{where}."
        )

    def _unreadable(self) -> StoreError | None:
        """Return the error of a log or an index that was taken away, which makes a file look
        damaged; None where none was.
        """
        beside = zip(("-wal", "-shm"), self._opened[1:], _identities(self.path)[1:], strict=True)
        return next(
            (
                self._removed(suffix)
                for suffix, before, now in beside
                if before is not None and before != now
            ),
            None,
        )

    def _save_removed_log(self) -> str:
        """Write a log that nobody finds again into the file, or into a copy where others began
        another since; return where.

        Pages of two logs make no sound file.
        """
        writer = self._own_writer()
        if self._saved_log is None and self.log_bytes():
            aside = new_copy(self.path, ASIDE, "removed-log", datetime.now(UTC))
            with written_whole(aside) as partial, closing(sqlite3.connect(partial)) as copy:
                writer.backup(copy)
                copy.execute("PRAGMA journal_mode = delete")
            self._saved_log = f" in {aside}"
        elif self._saved_log is None:
            writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            self._saved_log = ""
        return self._saved_log

    def _fold_log(self, writer: sqlite3.Connection) -> None:
        """Write a long log into the file, as far as nobody reads it still; our own readers may not
        keep it for long.

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
        """Return how large the log is that stands beside the file."""
        try:
            return self.path.with_name(self.path.name + "-wal").stat().st_size
        except FileNotFoundError:
            return 0

    def has_no_room(self) -> bool:
        """Say whether the disk is full."""
        return has_no_room(self.path)

    def changed_elsewhere(self) -> bool:
        """Say whether another process changed the file since the last look. A look while this one
        writes sees nothing.
        """
        if self._writer is None or not self._turn.acquire(blocking=False):
            return False
        try:
            with translated_errors(self.path):
                self._refuse_if_gone()
                version = self._own_writer().execute("PRAGMA data_version").fetchone()[0]
            before, self._seen_version = self._seen_version, version
            return before not in (None, version)
        finally:
            self._turn.release()

    def is_wanted(self) -> bool:
        """Say whether another process waits to have the file alone."""
        return self._file_lock is not None and self._file_lock.is_wanted()

    def keeps_drafts(self) -> bool:
        """Say whether what is typed in this process is kept: it is in the first window that asks,
        until it closes.
        """
        with self._opening:
            return not self._closed and (self._window.is_held or self._window.take())

    def _own_writer(self) -> sqlite3.Connection:
        if self._writer is None:
            raise StoreError("This memory file is open for reading only.", "Nothing was changed.")
        return self._writer

    @contextmanager
    def decide(self) -> Iterator[sqlite3.Connection]:
        """Like `write`, for the time in which a decision of the person is carried out: requests and
        the profile may change.

        Only `services.consent` may use it, and `services.forget` and `lifecycle` when the words
        themselves are to be gone.
        """
        with self._turn:
            before = self._authorizer
            self._guard(guards.deciding)
            try:
                with self.write() as conn:
                    yield conn
            finally:
                self._guard(before)

    @contextmanager
    def rehearse(self) -> Iterator[sqlite3.Connection]:
        """Like `write`, but always rolls back: to see what a change would do."""
        with suppress(_OnlyRehearsed), self.write() as conn:
            yield conn
            raise _OnlyRehearsed

    def _guard(self, authorizer: guards.Authorizer) -> None:
        """Let this function answer for every statement from now on, those that were prepared before
        too.
        """
        self._authorizer = authorizer
        if self._writer is not None:
            self._writer.set_authorizer(authorizer)

    def read(self) -> sqlite3.Connection:
        """Return this thread's read-only connection; it sees what is committed."""
        thread = threading.get_ident()
        reader = self._readers.get(thread)
        if reader is None:
            with self._opening, translated_errors(self.path):
                if self._closed:
                    raise StoreError("The memory file is closed.")
                opened = connect(self.path, read_only=True)
                assert isinstance(opened, Reader)
                opened.explain = self._unreadable
                add_wording(opened, self.wording)
                reader = self._readers[thread] = opened
        return reader

    @contextmanager
    def at_rest(self) -> Iterator[BinaryIO]:
        """Yield the file itself while nobody writes and its log is empty, so that all there is
        stands in it.

        Emptying the log makes every connection read anew: no page that one kept comes back into the
        file afterwards. Raises `StoreLocked` if another program goes on reading what is in the log.
        """
        writer = self._own_writer()
        with (
            translated_errors(self.path),
            closing(connect(self.path, read_only=False, patience=LOOK_MILLISECONDS)) as conn,
        ):
            for _ in range(max(1, BUSY_MILLISECONDS // LOOK_MILLISECONDS)):
                with (
                    self._turn
                ):  # let go of between two looks: who wants to write need not wait for a reader
                    if writer.in_transaction:
                        raise StoreError("The file cannot be tidied in the middle of a change.")
                    if self._has_empty_log(conn):
                        yield self._open_raw("")
                        conn.execute("ROLLBACK")
                        return
                time.sleep(LOOK_MILLISECONDS / 1000)
            raise StoreLocked(f"{self.path} is being read by another program.", "Close it first.")

    def _has_empty_log(self, conn: sqlite3.Connection) -> bool:
        """Write the log into the file, and keep others from adding to it for as long as the
        connection is open.
        """
        if conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            return False
        conn.execute("BEGIN IMMEDIATE")
        if self.log_bytes() == 0:
            return True
        conn.execute("ROLLBACK")
        return False

    def raw(self, suffix: str) -> BinaryIO | None:
        """Return the open file itself, or the one beside it (`-wal`), to be read from its
        beginning; None if there is none.

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
        """Write a checked, compact copy to `target` (mode 0600); an existing file stays as it is
        until the copy is good.

        Raises `StoreError`, also soon after `cancelled` says so.
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
                soundness.check_damage(copy, target)
        return target

    def check(self) -> None:
        """Read the whole file through, unless that was done, and mend the search; beside other
        work, which goes on.

        Raises `StoreError` if it is damaged. Closing the file ends it early.
        """
        if self.checked:
            return
        try:
            read_through(self.path, cancelled=lambda: self._closed)
            if broken := self._mismatched_beside():
                with self.write() as writer:
                    soundness.rebuild(writer, broken)
                self.mended = True
            self.checked = True
        except StoreError:
            if not self._closed:
                raise

    def _mismatched_beside(self) -> list[str]:
        """Look for search indexes that do not match; whoever wants to write meanwhile goes first,
        and it is begun again.
        """
        with translated_errors(self.path), closing(connect(self.path, read_only=False)) as conn:
            conn.set_progress_handler(self._is_wanted, STEPS_BETWEEN_LOOKS)
            while not self._closed:
                try:
                    return soundness.mismatched(conn)
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode not in (
                        sqlite3.SQLITE_INTERRUPT,
                        sqlite3.SQLITE_BUSY,
                    ):
                        raise
                    time.sleep(LOOK_MILLISECONDS / 1000)
        return []

    def _is_wanted(self) -> bool:
        """Tell whether another thread writes or waits to, or the file is being closed."""
        if self._closed or not self._turn.acquire(blocking=False):
            return True
        self._turn.release()
        return False

    def examine(self) -> None:
        """Read the whole file through, and compare all that it consists of with what memapp makes.
        Raises `StoreError`.
        """
        with translated_errors(self.path):
            read_through(self.path)
            soundness.check_schema(self.read(), self.path)
            soundness.read_texts(self.read())
            if not can_write(self.path):
                return
            with closing(connect(self.path, read_only=False)) as conn:
                if soundness.mismatched(conn):
                    raise StoreError(
                        f"The search index of {self.path} does not match it.",
                        "Start memapp: it is written anew.",
                    )

    def damage(self) -> Damaged | None:
        """Return what is damaged in the file, the likeliest reason for an error that nobody
        expected; None if nothing is.
        """
        try:
            self.examine()
        except Damaged as found:
            return found
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
        """Let another process hold the file meanwhile if its log or index was removed: whoever
        closes it last deletes the log.

        A connection of this process would not do: all share the index that is gone, and what others
        wrote is in none of it.
        """
        is_there, *beside = (
            identity == before
            for identity, before in zip(_identities(self.path), self._opened, strict=True)
        )
        with ExitStack() as held:
            if self._writer is not None and is_there and not all(beside):
                with suppress(StoreError, OSError, sqlite3.Error), self._turn:
                    self._refuse_if_gone()
                program = [sys.executable, "-I", "-c", HOLD, f"{self.path.as_uri()}?mode=rw"]
                with suppress(OSError):
                    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
                    holder = held.enter_context(
                        subprocess.Popen(program, stdin=pipe, stdout=pipe, stderr=nowhere)
                    )
                    assert holder.stdout
                    holder.stdout.readline()
            yield

    def _close_writer(self) -> None:
        with self._turn:
            writer, self._writer = self._writer, None
            if writer is not None:
                with (
                    closing(writer),
                    suppress(sqlite3.DatabaseError),
                ):  # it only makes later searches faster
                    writer.set_authorizer(None)
                    if _identities(self.path) == self._opened:
                        writer.execute("PRAGMA optimize")


def _identities(path: Path) -> list[tuple[int, int] | None]:
    """Return what tells a file, its log and the index of that from others that take their places;
    None where there is none.
    """
    found: list[tuple[int, int] | None] = [None, None, None]
    for number, suffix in enumerate(("", "-wal", "-shm")):
        with suppress(FileNotFoundError):
            status = path.with_name(path.name + suffix).stat()
            found[number] = (status.st_dev, status.st_ino)
    return found


def _begin(writer: sqlite3.Connection, begin: str) -> None:
    """Begin a transaction as soon as no other process writes; those that wait draw lots, so that
    none waits for ever.

    SQLite's own waiting looks ever more rarely, and loses against a process that writes one change
    after the other.
    """
    end = time.monotonic() + BUSY_MILLISECONDS / 1000
    while True:
        try:
            writer.execute(begin)
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
        time.sleep(random.uniform(0, LOT_SECONDS))


def read_through(path: Path, cancelled: Callable[[], bool] = lambda: False) -> None:
    """Read a file through over a connection that could write, if one may be had."""
    with translated_errors(path), closing(connect(path, read_only=not can_write(path))) as conn:
        conn.set_progress_handler(cancelled, STEPS_BETWEEN_LOOKS)
        soundness.check_damage(conn, path)
