"""The program of a child process that fetches one model file: the only one of memapp's processes that may reach the network.

It is started by its path and imports nothing of memapp. One line of JSON on standard input says what is wanted and which hosts
the person agreed to; every other host is refused. What goes out is one line of JSON for each thing that happened. When standard
input ends, because the parent did, so does this process. What has arrived stays in a `.part` file; the next try goes on there.
"""

import errno
import fcntl
import hashlib
import io
import json
import os
import re
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

CHUNK = 1 << 18
"""Bytes written at a time: a connection that breaks loses no more than this."""
SPARE_DISK = 200_000_000
"""Bytes left free on the disk, for the memory and everything else."""
TOLERANCE = 0.01
"""A list may round a size; beyond that it is not what the person agreed to."""
REFUSED = frozenset({"socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo", "socket.sendto", "socket.sendmsg"})
"""What fetching a file never needs."""
SHA256 = re.compile("[0-9a-f]{64}")
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


class Unwanted(Exception):
    """What the host offers is not what the person agreed to, or there is no room for it; a code for the parent, and details."""


def main() -> None:
    """Fetch what is asked for, and tell the parent how that goes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl+c in the terminal is the parent's business
    asked = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    allowed = _hosts(asked)
    sys.addaudithook(_refusing(allowed))
    try:
        _fetch(asked, allowed)
    except Unwanted as error:
        _tell(failed=error.args)
    except Exception as error:  # a library, a server and a disk can fail in any way, and the parent shall be told
        status = getattr(getattr(error, "response", None), "status_code", 0)
        if status:
            _tell(failed=("answer", status))
        elif isinstance(error, OSError) and error.errno:
            _tell(failed=("disk", error.errno))
        else:
            _tell(failed=("connection", type(error).__name__))


def _fetch(asked: dict[str, Any], allowed: Callable[[str], bool]) -> None:
    from huggingface_hub import constants, get_hf_file_metadata
    from huggingface_hub.file_download import http_get

    constants.DOWNLOAD_CHUNK_SIZE = CHUNK
    found = get_hf_file_metadata(_address(asked, asked["commit"] or "main"), token=False)
    if not allowed(host := urlsplit(found.location).hostname or ""):
        raise Unwanted("elsewhere", host)
    size = found.size or asked["bytes"]
    if abs(size - asked["bytes"]) > TOLERANCE * asked["bytes"]:
        raise Unwanted("size", size)
    stated = found.etag or ""
    if asked["sha256"] and SHA256.fullmatch(stated) and stated != asked["sha256"]:
        raise Unwanted("content")
    expected = asked["sha256"] or (stated if SHA256.fullmatch(stated) else "")
    commit = asked["commit"] or found.commit_hash or "main"
    version = hashlib.sha256((expected or stated or commit).encode()).hexdigest()[:12]
    path = Path(asked["folder"]) / f"{asked['file']}.{version}.part"
    missing, free = size - (path.stat().st_size if path.exists() else 0), shutil.disk_usage(path.parent).free
    if free < missing + SPARE_DISK:
        raise Unwanted("room", missing, free)
    with _Part(path, size) as part:
        # The library's own download of a file begins anew at each start; this part of it can go on.
        http_get(
            _address(asked, commit), part, resume_size=part.tell(), headers={"Accept-Encoding": "identity"}, expected_size=size
        )
        part.flush()
        os.fsync(part.fileno())
    _tell(whole=path.name, sha256=expected)


def _address(asked: dict[str, Any], commit: str) -> str:
    return f"{asked['source'].rstrip('/')}/resolve/{commit}/{asked['file']}"


class _Part(io.BufferedRandom):
    """What has arrived of a file; written at its end, by one process at a time."""

    def __init__(self, path: Path, size: int) -> None:
        handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        super().__init__(io.FileIO(handle, "r+"))
        self._path, self._size = path, size
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Unwanted("busy") from None
        if self.seek(0, os.SEEK_END) > size:
            self.seek(0)
            self.truncate()
        _tell(arrived=self.tell())

    def write(self, data: Any) -> int:
        if self.tell() + len(data) > self._size:
            raise Unwanted("size", self.tell() + len(data))
        if shutil.disk_usage(self._path.parent).free < SPARE_DISK:
            raise Unwanted("full")
        try:
            count = super().write(data)
        except OSError as error:
            if error.errno in NO_ROOM:
                self._path.unlink(missing_ok=True)  # the memory needs what is left
                raise Unwanted("full") from None
            raise
        _tell(arrived=self.tell())
        return count


def _hosts(asked: dict[str, Any]) -> Callable[[str], bool]:
    """Return whether a host is one that the person agreed to."""
    return lambda host: host == asked["host"] or any(host == one or host.endswith(f".{one}") for one in asked["stores"])


def _refusing(allowed: Callable[[str], bool]) -> Callable[[str, tuple[Any, ...]], None]:
    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event in REFUSED:
            raise PermissionError("a download looks up the hosts that were agreed to, and nothing else")
        if event == "socket.getaddrinfo":
            host = arguments[0]
            name = host.decode("ascii", "replace") if isinstance(host, bytes | bytearray) else str(host)
            if not allowed(name):
                raise PermissionError(f"nobody agreed to {name}")

    return refuse


def _tell(**happened: Any) -> None:
    sys.stdout.write(json.dumps(happened) + "\n")
    sys.stdout.flush()


def _end_with_the_parent() -> None:
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
