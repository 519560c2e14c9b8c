"""Records all writes below a folder, and replays them as a power failure may leave a disk.

SQLite's own layer for files (its VFS) is asked to report each write and each sync before it does
them, so nothing but Python is needed. What memapp writes by itself is found by comparing when it
syncs, renames or deletes a file.
"""

import _sqlite3
import ctypes
import os
import random
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.builders import word_list

SECTOR = 512
TORN = 0.3
"""So much of what the power failure let through is cut at a sector."""
UNREAL = ("-shm", ".lock", ".owner", ".log")
"""Files that a restart makes anew, or that hold nothing of a memory."""

Left = Literal["all", "none", "half"]
"""How much of what was not synced reached the disk."""


@dataclass(frozen=True, slots=True)
class Wrote:
    file: int
    at: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Cut:
    file: int
    size: int


@dataclass(frozen=True, slots=True)
class Synced:
    """All of a file is on the disk, and all names; 0 for a folder, which has names only."""

    file: int


@dataclass(frozen=True, slots=True)
class Named:
    """A file got a name, or a name was deleted (file 0)."""

    name: str
    file: int


@dataclass(frozen=True, slots=True)
class Marked:
    """What was done until here was acknowledged."""

    what: str


Entry = Wrote | Cut | Synced | Named | Marked


@dataclass
class Recorder:
    """The log of one folder, and the folder's content as of the last sync."""

    folder: Path
    log: list[Entry] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    contents: dict[int, bytearray] = field(default_factory=dict)
    handles: dict[tuple[int, int], int] = field(default_factory=dict)
    """Open to the end: closing any handle of the memory file drops the locks that SQLite holds on
    it.
    """

    def mark(self, what: str) -> None:
        for path in self.folder.rglob("*"):
            self.compare(path)
        self.log.append(Marked(what))

    def file_at(self, path: Path) -> int | None:
        """Return the number of a file, given at first sight; None for foreign files."""
        if not path.is_relative_to(self.folder) or path.name.endswith(UNREAL):
            return None
        name = str(path.relative_to(self.folder))
        if name not in self.names:
            self.named(name, len(self.contents) + 1)
            self.contents[self.names[name]] = bytearray()
        return self.names[name]

    def compare(self, path: Path) -> int | None:
        """Note what was written to a file by other means than SQLite."""
        if not path.is_file() or (file := self.file_at(path)) is None:
            return None
        found, known = self.read(path), self.contents[file]
        for at in range(0, len(found), 4096):
            if found[at : at + 4096] != known[at : at + 4096]:
                self.note(Wrote(file, at, found[at : at + 4096]))
        if len(known) > len(found):
            self.note(Cut(file, len(found)))
        return file

    def read(self, path: Path) -> bytes:
        at = path.stat()
        key = at.st_dev, at.st_ino
        if key not in self.handles:
            self.handles[key] = os.open(path, os.O_RDONLY)
        return os.pread(self.handles[key], at.st_size, 0)

    def note(self, entry: Wrote | Cut) -> None:
        self.log.append(entry)
        carry_out(self.contents[entry.file], entry)

    def named(self, name: str, file: int) -> None:
        self.log.append(Named(name, file))
        give_name(self.names, self.log[-1])

    def moved(self, source: Path, target: Path) -> None:
        if (file := self.compare(source)) is not None:
            self.named(str(target.relative_to(self.folder)), file)
            self.named(str(source.relative_to(self.folder)), 0)

    def deleted(self, path: Path) -> None:
        if (
            path.is_relative_to(self.folder)
            and (name := str(path.relative_to(self.folder))) in self.names
        ):
            self.named(name, 0)


def carry_out(content: bytearray, entry: Wrote | Cut) -> None:
    match entry:
        case Wrote(_, at, data):
            content.extend(bytes(max(0, at + len(data) - len(content))))
            content[at : at + len(data)] = data
        case Cut(_, size):
            content[size:] = bytes(max(0, size - len(content)))


def give_name(names: dict[str, int], entry: Named) -> None:
    if entry.file:
        names[entry.name] = entry.file
    else:
        names.pop(entry.name, None)


# Replaying ----------------------------------------------------------------------------------------


def left_on_disk(log: list[Entry], left: Left, chance: random.Random) -> dict[str, bytes]:
    """Return the files as the disk has them when the power fails at the end of a log.

    What was synced is there. Names change in the order in which they were given, as a journal of a
    file system keeps it, and are there after any sync.
    """
    contents: dict[int, bytearray] = {}
    names: dict[str, int] = {}
    waiting: list[Wrote | Cut] = []
    renames: list[Named] = []
    for entry in log:
        match entry:
            case Wrote() | Cut():
                waiting.append(entry)
            case Named():
                renames.append(entry)
            case Synced(file):
                for item in (element for element in waiting if element.file == file):
                    carry_out(contents.setdefault(file, bytearray()), item)
                waiting = [item for item in waiting if item.file != file]
                for rename in renames:
                    give_name(names, rename)
                renames = []
    for item in let_through(waiting, left, chance):
        carry_out(contents.setdefault(item.file, bytearray()), item)
    for rename in renames[
        : {"all": len(renames), "none": 0, "half": chance.randint(0, len(renames))}[left]
    ]:
        give_name(names, rename)
    return {name: bytes(contents.get(file, b"")) for name, file in names.items()}


def let_through(
    waiting: list[Wrote | Cut], left: Left, chance: random.Random
) -> Iterator[Wrote | Cut]:
    for item in waiting:
        if left == "none" or (left == "half" and chance.random() < 0.5):
            continue
        if left == "half" and isinstance(item, Wrote) and chance.random() < TORN:
            yield Wrote(
                item.file, item.at, item.data[: chance.randrange(0, len(item.data), SECTOR)]
            )
        else:
            yield item


def put_on_disk(files: dict[str, bytes], home: Path) -> None:
    home.mkdir(mode=0o700)
    for name, content in files.items():
        path = home / name
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.touch(mode=0o600)
        path.write_bytes(content)


# SQLite's layer for files -------------------------------------------------------------------------

P = ctypes.c_void_p
INT = ctypes.c_int
METHODS = tuple(
    word_list("close read write truncate sync size lock unlock reserved control sector device")
)
SHARED = ("shm_map", "shm_lock", "shm_barrier", "shm_unmap", "fetch", "unfetch")
# the name stays a pointer: SQLite keeps it, and reads on behind its end
OPEN = ctypes.CFUNCTYPE(INT, P, P, P, INT, P)
DELETE = ctypes.CFUNCTYPE(INT, P, P, INT)
WRITE = ctypes.CFUNCTYPE(INT, P, P, INT, ctypes.c_int64)
TRUNCATE = ctypes.CFUNCTYPE(INT, P, ctypes.c_int64)
SYNC = ctypes.CFUNCTYPE(INT, P, INT)


class Methods(ctypes.Structure):
    """`sqlite3_io_methods`, version 3."""

    _fields_ = [("version", INT), *((name, P) for name in METHODS + SHARED)]


class Vfs(ctypes.Structure):
    """The beginning of `sqlite3_vfs`."""

    _fields_ = [
        *(
            ("version", INT),
            ("file_bytes", INT),
            ("name_bytes", INT),
            ("next", P),
            ("name", ctypes.c_char_p),
            ("data", P),
        ),
        *(("open", P), ("delete", P)),
    ]


_kept_alive: list[Any] = []
"""A connection that outlives the recording still calls these."""


def default_vfs() -> Vfs:
    try:
        find = ctypes.CDLL(_sqlite3.__file__).sqlite3_vfs_find
    except (AttributeError, OSError):
        pytest.skip("This Python keeps its SQLite to itself.")
    find.restype = ctypes.POINTER(Vfs)
    return find(None).contents


@contextmanager
def recording(folder: Path) -> Iterator[Recorder]:
    """Record what this process writes below a folder until the end of the block."""
    recorder = Recorder(folder)
    for path in folder.rglob("*"):
        recorder.compare(path)
    recorder.log += [*(Synced(file) for file in recorder.contents), Marked("planted")]
    with pytest.MonkeyPatch.context() as request:
        watch_python(recorder, request)
        vfs = default_vfs()
        before = vfs.open, vfs.delete
        watch_sqlite(recorder, vfs)
        try:
            yield recorder
        finally:
            vfs.open, vfs.delete = before
            for handle in recorder.handles.values():
                os.close(handle)


def watch_python(recorder: Recorder, request: pytest.MonkeyPatch) -> None:
    def synced(fd: int, sync: Any = os.fsync) -> None:
        sync(fd)
        for path in recorder.folder.rglob("*"):
            if (
                path.is_file()
                and os.path.samestat(path.stat(), os.fstat(fd))
                and (file := recorder.compare(path))
            ):
                recorder.log.append(Synced(file))
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            recorder.log.append(Synced(0))

    def moved(source: Any, target: Any, move: Any = os.replace) -> None:
        recorder.moved(Path(source), Path(target))
        move(source, target)

    def deleted(path: Any, delete: Any = os.unlink) -> None:
        delete(path)
        recorder.deleted(Path(path))

    request.setattr(os, "fsync", synced)
    request.setattr(os, "replace", moved)
    request.setattr(os, "rename", moved)
    request.setattr(os, "unlink", deleted)


def watch_sqlite(recorder: Recorder, vfs: Vfs) -> None:
    really_open, really_delete = OPEN(vfs.open), DELETE(vfs.delete)
    numbers: dict[int, int] = {}
    tables: dict[int, Methods] = {}

    def opened(this: int, name: int | None, file: int, flags: int, out: int) -> int:
        path = Path(os.fsdecode(ctypes.string_at(name))) if name else Path()
        done: int = really_open(this, name, file, flags, out)
        number = recorder.compare(path)
        place = P.from_address(file)
        if done == 0 and number is not None and place.value:
            numbers[file] = number
            if place.value not in tables:
                tables[place.value] = reporting(Methods.from_address(place.value))
            place.value = ctypes.addressof(tables[place.value])
        return done

    def deleted(this: int, name: int, sync: int) -> int:
        recorder.deleted(Path(os.fsdecode(ctypes.string_at(name))))
        return int(really_delete(this, name, sync))

    def reporting(methods: Methods) -> Methods:
        really_write = WRITE(methods.write)
        really_truncate = TRUNCATE(methods.truncate)
        really_sync = SYNC(methods.sync)

        def wrote(file: int, data: int, count: int, at: int) -> int:
            recorder.note(Wrote(numbers[file], at, ctypes.string_at(data, count)))
            return int(really_write(file, data, count, at))

        def cut(file: int, size: int) -> int:
            recorder.note(Cut(numbers[file], size))
            return int(really_truncate(file, size))

        def synced(file: int, flags: int) -> int:
            done: int = really_sync(file, flags)
            recorder.log.append(Synced(numbers[file]))
            return done

        copy = Methods.from_buffer_copy(methods)
        ours = WRITE(wrote), TRUNCATE(cut), SYNC(synced)
        copy.write, copy.truncate, copy.sync = (
            ctypes.cast(cfunction_type, P).value for cfunction_type in ours
        )
        _kept_alive.append((copy, ours))
        return copy

    ours = OPEN(opened), DELETE(deleted)
    _kept_alive.append(ours)
    vfs.open, vfs.delete = (ctypes.cast(cfunction_type, P).value for cfunction_type in ours)
