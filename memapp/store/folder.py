"""The folder that the memory file lies in, and whose the file must be."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memapp.errors import StoreError
from memapp.store.failures import translated_errors

REMOTE = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p"})
"""Kinds of file systems of other machines: locks do not hold there, and a log that two machines
share damages the file.
"""
MOUNTS = Path("/proc/mounts")


def prepare_folder(folder: Path) -> None:
    """Make the folder if need be. Raises `StoreError` for one that is not the person's own."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreError(
            f"Cannot make the folder {folder}: {error.strerror}.", "Choose another place with --db."
        ) from None
    if os.name != "posix":
        return
    status = folder.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise StoreError(f"{folder} is a link.", "Name the folder it leads to with --db.")
    if status.st_uid != os.getuid():
        raise StoreError(
            f"{folder} belongs to another user.", "Choose a folder of your own with --db."
        )
    if status.st_mode & 0o022:
        raise StoreError(f"Other users can write to {folder}.", f"Run: chmod 700 '{folder}'")
    if _file_system(folder) in REMOTE:
        raise StoreError(
            f"{folder} is on another machine, where the file could be damaged.",
            "Choose a folder on this one with --db.",
        )


def keep_private(path: Path) -> None:
    """Let nobody else read the file or what SQLite keeps beside it. Raises `StoreError` if it may
    be somebody else's work.
    """
    for file in (path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))):
        try:
            status = file.stat()
        except FileNotFoundError:  # or what SQLite keeps went this moment, with another process
            continue
        if os.name != "posix":
            continue
        if status.st_uid != os.getuid():
            raise StoreError(
                f"{file} belongs to another user.", "Choose a file of your own with --db."
            )
        if status.st_mode & 0o022:
            raise StoreError(f"Other users can write to {file}.", f"Run: chmod 600 '{file}'")
        if status.st_mode & 0o077:
            with translated_errors(path), suppress(FileNotFoundError):
                file.chmod(0o600)


def _file_system(folder: Path) -> str:
    """Return the kind of file system that a folder is on, as Linux names it; nothing where it does
    not say.
    """
    if not MOUNTS.exists():
        return ""
    mounts = (
        line.split()[1:3] for line in MOUNTS.read_text("utf-8", "surrogateescape").splitlines()
    )
    place = folder.resolve()
    above = [(at, kind) for at, kind in mounts if place.is_relative_to(at.replace("\\040", " "))]
    return (
        max(reversed(above), key=lambda one: len(one[0]))[1] if above else ""
    )  # what was mounted last hides what was before


def refuse_no_file(path: Path) -> None:
    """Raise `StoreError` for a link, a folder, a device or a pipe, which cannot be used as the
    memory file.
    """
    if path.is_symlink():
        raise StoreError(f"{path} is a link.", "Name the file it leads to with --db.")
    if path.exists() and not path.is_file():
        raise StoreError(f"{path} is no plain file.", "Name another one.")


def partial_of(target: Path) -> Path:
    """Return where a file is written until it is whole."""
    return target.with_name(target.name + ".partial")


@contextmanager
def written_whole(target: Path) -> Iterator[Path]:
    """Yield an empty file, of nobody else, to be written; at the end of the block it takes the
    place of the target.
    """
    partial = partial_of(target)
    partial.unlink(missing_ok=True)
    partial.touch(mode=0o600, exist_ok=False)  # before SQLite opens it: it would follow the umask
    try:
        yield partial
        replace_synced(partial, target)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def filled_whole(target: Path) -> Iterator[Path]:
    """Yield a private folder to be filled; at the end of the block it takes the place of the
    target, which is new or empty.
    """
    target = target.absolute()
    partial = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        yield partial
        partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def replace_synced(written: Path, target: Path) -> None:
    """Put a written file in place of another, and wait until the disk has its bytes and its new
    name.
    """
    with written.open("rb") as file:
        os.fsync(file.fileno())
    written.replace(target)
    if os.name == "posix":  # elsewhere a folder cannot be opened
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
