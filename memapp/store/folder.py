"""The folder that the memory file lies in, whose the file must be, and the lock that keeps a second memapp from writing."""

import os
import stat
from datetime import datetime
from pathlib import Path

import filelock

from memapp.errors import StoreError, StoreLocked
from memapp.store.failures import translated_errors


def prepare_folder(folder: Path) -> None:
    """Make the folder if need be. Raises `StoreError` for one that is not the person's own."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreError(f"Cannot make the folder {folder}: {error.strerror}.", "Choose another place with --db.") from None
    if os.name != "posix":
        return
    status = folder.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise StoreError(f"{folder} is a link.", "Name the folder it leads to with --db.")
    if status.st_uid != os.getuid():
        raise StoreError(f"{folder} belongs to another user.", "Choose a folder of your own with --db.")
    if status.st_mode & 0o022:
        raise StoreError(f"Other users can write to {folder}.", f"Run: chmod 700 '{folder}'")


def refuse_no_file(path: Path) -> None:
    """Raise `StoreError` for a folder, a device or a pipe, which cannot be used as the memory file."""
    if path.exists() and not path.is_file():
        raise StoreError(f"{path} is no plain file.", "Name another one.")


def take_lock(path: Path) -> filelock.BaseFileLock:
    """Take the lock of a file, which the system gives back when the process ends. Raises `StoreLocked` if another has it."""
    if path.is_symlink():
        raise StoreError(f"{path} is a link.", "Name the file it leads to with --db.")
    owner = path.with_suffix(".owner")
    lock = filelock.FileLock(path.with_suffix(".lock"), mode=0o600, thread_local=False)
    try:
        lock.acquire(blocking=False)
    except filelock.Timeout:
        who = owner.read_text("utf-8").strip() if owner.exists() else "another window"
        raise StoreLocked(
            f"Another memapp has this file open ({who}).", "Close it first; searching and listing work meanwhile."
        ) from None
    except OSError as error:
        raise StoreError(f"Cannot write to {path.parent}: {error.strerror}.", "Choose another place with --db.") from None
    try:
        owner.touch(mode=0o600)
        owner.write_text(f"process {os.getpid()}, since {datetime.now().astimezone():%H:%M}", "utf-8")
    except OSError as error:
        lock.release()
        with translated_errors(path):
            raise error
    return lock
