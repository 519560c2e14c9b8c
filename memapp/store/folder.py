"""The folder of the memory file: its checks, and writing files in it completely or not at all."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memapp.errors import StoreError
from memapp.store.sqlite_errors import translated_errors

REMOTE = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p"})
"""File systems of other machines: locks do not hold there, and a shared log damages the file."""
MOUNTS = Path("/proc/mounts")


def prepare_folder(folder: Path) -> None:
    """Create the folder if needed. Raises `StoreError` for one that is not the person's own."""
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
    """Make the file, its log and its index private. Raises `StoreError` if another user owns it."""
    for file in (path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))):
        try:
            status = file.stat()
        except FileNotFoundError:  # or another process just closed the file
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
    """Return the file system of a folder, as Linux names it; empty if unknown."""
    if not MOUNTS.exists():
        return ""
    mounts = (
        line.split()[1:3] for line in MOUNTS.read_text("utf-8", "surrogateescape").splitlines()
    )
    place = folder.resolve()
    above = [(at, kind) for at, kind in mounts if place.is_relative_to(at.replace("\\040", " "))]
    # the last mount of a place hides those before
    return max(reversed(above), key=lambda mount: len(mount[0]))[1] if above else ""


def refuse_no_file(path: Path) -> None:
    """Raise `StoreError` for a link, a folder, a device or a pipe."""
    if path.is_symlink():
        raise StoreError(f"{path} is a link.", "Name the file it leads to with --db.")
    if path.exists() and not path.is_file():
        raise StoreError(f"{path} is no plain file.", "Name another one.")


@contextmanager
def written_whole(target: Path) -> Iterator[Path]:
    """Yield an empty private file to write; at the end of the block it replaces the target."""
    partial = target.with_name(target.name + ".partial")
    partial.unlink(missing_ok=True)
    partial.touch(mode=0o600, exist_ok=False)  # before SQLite opens it: it would follow the umask
    try:
        yield partial
        replace_synced(partial, target)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def filled_whole(target: Path) -> Iterator[Path]:
    """Yield a private folder to fill, which replaces the target, new or empty, at the end."""
    target = target.absolute()
    partial = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        yield partial
        partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def replace_synced(written: Path, target: Path) -> None:
    """Replace a file by a written one, and wait until bytes and name are on the disk."""
    with written.open("rb") as file:
        os.fsync(file.fileno())
    written.replace(target)
    if os.name == "posix":  # elsewhere a folder cannot be opened
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
