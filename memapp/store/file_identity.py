"""The identity of an open memory file, of its log (`-wal`) and of the log's index (`-shm`).

SQLite does not notice when one of them is moved, removed or replaced, and would write on into a
file that nobody finds again.
"""

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from memapp.errors import StoreError
from memapp.store.file_copies import ASIDE, new_copy
from memapp.store.folder import written_whole

LOG, INDEX = "-wal", "-shm"
_HOLD = """
import sqlite3, sys
held = sqlite3.connect(sys.argv[1], uri=True)
held.execute("SELECT 1 FROM sqlite_master").fetchone()
print(flush=True)
sys.stdin.read()
held.close()
"""
"""A program that keeps a file open until its input ends."""


class FileIdentity:
    """The three files as they were when a `Database` was opened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._opened = _read(path)
        self._saved_to: str | None = None
        """Where a removed log was saved, for the error's advice; empty for the file itself."""

    def is_unchanged(self) -> bool:
        return _read(self.path) == self._opened

    def has_lost_log(self) -> bool:
        """Return True if the file is in its place, but its log or index is not."""
        file, *beside = self._same()
        return file and not all(beside)

    def refuse_changed(self, writer: Callable[[], sqlite3.Connection]) -> None:
        """Raise `StoreError` if one of the files is no longer in its place; save a removed log."""
        file, log, index = self._same()
        if not file:
            advice = "Put it back and go on, or quit: nothing is written until then."
            raise StoreError(
                f"{self.path} was moved, removed or replaced while it was open.", advice
            )
        if not log:
            raise self._removed(LOG, self._save_removed_log(writer()))
        if not index:
            raise self._removed(INDEX)

    def explain(self) -> StoreError | None:
        """Return the error of a removed log or index, which makes a sound file look damaged."""
        beside = zip((LOG, INDEX), self._opened[1:], _read(self.path)[1:], strict=True)
        for suffix, before, now in beside:
            if before is not None and before != now:
                return self._removed(suffix)
        return None

    def log_bytes(self) -> int:
        """Return the size of the log beside the file."""
        try:
            return self.path.with_name(self.path.name + LOG).stat().st_size
        except FileNotFoundError:
            return 0

    def _same(self) -> tuple[bool, bool, bool]:
        file, log, index = (
            before == now for before, now in zip(self._opened, _read(self.path), strict=True)
        )
        return file, log, index

    def _removed(self, suffix: str, where: str = "") -> StoreError:
        return StoreError(
            f"{self.path}{suffix} was removed or replaced while it was open.",
            f"Quit, and start memapp again: what was saved before is kept{where}.",
        )

    def _save_removed_log(self, writer: sqlite3.Connection) -> str:
        """Write a removed log into the file, or into a copy if others have begun a new log.

        Pages of two logs make no sound file. Return where the log went, for the error's advice.
        """
        if self._saved_to is None and self.log_bytes():
            aside = new_copy(self.path, ASIDE, "removed-log", datetime.now(UTC))
            with written_whole(aside) as partial, closing(sqlite3.connect(partial)) as copy:
                writer.backup(copy)
                copy.execute("PRAGMA journal_mode = delete")
            self._saved_to = f" in {aside}"
        elif self._saved_to is None:
            writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            self._saved_to = ""
        return self._saved_to


def _read(path: Path) -> list[tuple[int, int] | None]:
    """Return device and inode of the file, its log and its index; None for a missing file."""
    identities: list[tuple[int, int] | None] = [None, None, None]
    for number, suffix in enumerate(("", LOG, INDEX)):
        with suppress(FileNotFoundError):
            status = path.with_name(path.name + suffix).stat()
            identities[number] = (status.st_dev, status.st_ino)
    return identities


@contextmanager
def held_elsewhere(path: Path) -> Iterator[None]:
    """Let another process keep the file open, since the last to close it deletes the log.

    A connection of this process would not do: all share the removed index, which lacks what others
    wrote since.
    """
    program = [sys.executable, "-I", "-c", _HOLD, f"{path.as_uri()}?mode=rw"]
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    try:
        holder = subprocess.Popen(program, stdin=pipe, stdout=pipe, stderr=nowhere)
    except OSError:
        yield
        return
    with holder:
        assert holder.stdout
        holder.stdout.readline()
        yield
